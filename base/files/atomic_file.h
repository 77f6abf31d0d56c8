/* atomic_file.h - a file that is written whole or not at all. Only regular files are replaced.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ATOMIC_FILE_H
#define ATOMIC_FILE_H

#include <base/message.h>

/* The file that is written for a path: the path itself, or the file that it links to. It must be a
 * regular file, or must not exist yet.
 * Returns   a text that the caller frees; or NULL with a phrase in `error` that says why not and
 *           continues "PATH ..". */
char *atomic_file_target(const char *path, struct message error);

/* Writes the bytes under another name into the folder of the target, forces them to the disk, and
 * renames that file.
 * Returns   0; or -1 with errno. Then the target is as before and no other file is left. */
int atomic_file_write(const char *target, const void *bytes, size_t length);

/* The same for a file that is written piece by piece. Call atomic_file_open(), then append(), then
 * commit() or abandon(); commit() forces the pieces to the disk and renames. `target` must stay
 * valid until then.
 * Return    0; or -1 with errno. After a failed open() or commit() there is nothing to abandon. */
struct atomic_file {
    const char *target;
    char *temporary;
    int descriptor;
};
int atomic_file_open(struct atomic_file *file, const char *target);
int atomic_file_append(struct atomic_file *file, const void *bytes, size_t length);
int atomic_file_commit(struct atomic_file *file);
void atomic_file_abandon(struct atomic_file *file);

/* Appends and commits, or abandons. */
int atomic_file_finish(struct atomic_file *file, const void *bytes, size_t length);

/* In place of atomic_file_open(): names the other file TARGET with the ending. The caller opens it,
 * and sets the descriptor. */
int atomic_file_name(struct atomic_file *file, const char *target, const char *ending);

#endif
