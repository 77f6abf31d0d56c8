/* state_file.c - see state_file.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "atomic_file.h"
#include "regular_file.h"

uint64_t state_file_checksum(const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

char *state_file_read(const char *path, size_t *length)
{
    struct stat status;
    char *text = NULL;
    const int descriptor = regular_file_open(path, &status);
    if (descriptor < 0)
        return NULL;
    FILE *file = fdopen(descriptor, "r");
    if (file && (text = malloc((size_t)status.st_size + 1))) {
        *length = fread(text, 1, (size_t)status.st_size, file);
        text[*length] = '\0';
        if (ferror(file)) {
            free(text);
            text = NULL;
        }
    }
    int reason = errno;
    if (file)
        fclose(file);
    else
        close(descriptor);
    errno = reason;
    return text;
}

int state_file_write(const char *path, const void *bytes, size_t length)
{
    struct atomic_file file;
    if (atomic_file_name(&file, path, ".new") != 0)
        return -1;
    file.descriptor = open(file.temporary, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    return atomic_file_finish(&file, bytes, length);
}

/* Says how two lines differ. Of a long line it shows the name, and the rest from a little before
 * the difference on. */
static void report_difference(const char *ours, size_t our_length, const char *theirs,
                              size_t their_length, char difference[STATE_DIFFERENCE])
{
    size_t name = strcspn(ours, " \n") + 1, from = 0;
    while (from < our_length && from < their_length && ours[from] == theirs[from])
        from++;
    from = from > name + 20 ? from - 20 : 0;
    const char *gap = from ? ".." : "";
    int name_shown = from ? (int)name : 0;
    size_t ours_shown = our_length - from, theirs_shown = their_length - from;
    snprintf(difference, STATE_DIFFERENCE, "it has '%.*s%s%.*s', not '%.*s%s%.*s'", name_shown,
             ours, gap, theirs_shown < 60 ? (int)theirs_shown : 60, theirs + from, name_shown, ours,
             gap, ours_shown < 60 ? (int)ours_shown : 60, ours + from);
}

bool state_file_match(const char *ours, const char **theirs, char difference[STATE_DIFFERENCE])
{
    const char *at = *theirs;
    while (*ours) {
        const size_t our_length = strcspn(ours, "\n"), their_length = strcspn(at, "\n");
        if (our_length != their_length || strncmp(ours, at, our_length) != 0) {
            report_difference(ours, our_length, at, their_length, difference);
            return false;
        }
        ours += our_length + 1;
        at += their_length + (at[their_length] == '\n');
    }
    *theirs = at;
    return true;
}
