/* formats.c - see formats.h. Another kind of file is a row of the table.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "formats.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <base/text.h>

#define PATH_SHOWN 100

const char *row_file_shown(const struct row_file *file)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               " _-+=.,:@%/";
    const size_t length = file->path ? strlen(file->path) : 0;
    return length == 0 || length > PATH_SHOWN || file->path[strspn(file->path, safe)] ? "FILE"
                                                                                      : file->path;
}

const char *row_file_mend(char mend[ROW_MEND], const struct row_file *file, const char *imports,
                          const char *before, const char *after)
{
    snprintf(mend, ROW_MEND, "python3 -c 'import numpy as n%s; n.save(\"rows.npy\", %s\"%s\"%s)'",
             imports, before, row_file_shown(file), after);
    return mend;
}

/* This runs no code of the file. */
#define TORCH \
    "a file of PyTorch; if it holds more than one tensor, write [\"NAME\"] before .float()", \
        ", torch", "torch.load(", ", map_location=\"cpu\", weights_only=True).float().numpy()"

/* Reading it might. */
#define PICKLE \
    "a pickle of Python, which may run code when it is read; save its rows with numpy.save where " \
    "it was made", \
        NULL, NULL, NULL

/* `suffix`: of the name of the file, or of the first member of a zip. `before`: NULL, `what` has
 * the mend. */
static const struct foreign {
    const char *magic;
    size_t length;
    const char *suffix, *what, *imports, *before, *after;
} foreign[] = {
    {"\x1f\x8b\x08", 3, ".gz", "compressed", ", gzip", "n.load(gzip.open(", "))"},
    {"\x80\x02\x8a\nl\xfc\x9c", 7, ".pt", TORCH},
    {NULL, 0, ".pth", TORCH},
    {NULL, 0, "/data.pkl", TORCH}, /* in the zip that PyTorch writes */
    {"\x80\4\x95", 3, ".pkl", PICKLE},
    {"\x80\5\x95", 3, ".pickle", PICKLE},
    {NULL, 0, ".joblib", PICKLE},
    {"ARROW1", 6, ".feather", "a file of Arrow", ", pandas", "pandas.read_feather(",
     ").to_numpy()"},
    {NULL, 0, ".arrow", "a stream of Arrow", ", pyarrow as a", "a.ipc.open_stream(a.OSFile(",
     ")).read_pandas().to_numpy()"},
    {"\x89HDF", 4, ".h5", "a file of HDF5", ", h5py", "h5py.File(", ")[\"NAME\"][:]"},
    {"PAR1", 4, ".parquet", "a file of Parquet", ", pandas", "pandas.read_parquet(",
     ").to_numpy()"},
    {NULL, 0, ".csv", "a text", "", "n.loadtxt(", ", delimiter=\",\")"},
    {NULL, 0, ".txt", "a text", "", "n.loadtxt(", ")"},
    {NULL, 0, ".npz", "an archive of NumPy", "", "n.load(", ")[\"arr_0\"]"},
};

static bool ends_with(const char *text, const char *end)
{
    const size_t length = text ? strlen(text) : 0;
    return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* The name of the first member of a zip; empty: it is none. */
static void first_member(const unsigned char *bytes, size_t length, char name[48])
{
    const size_t start = 30;
    const size_t count = length > start ? bytes[26] | (size_t)bytes[27] << 8 : 0;
    const bool known =
        count > 0 && count < 48 && count <= length - start && memcmp(bytes, "PK\3\4", 4) == 0;
    snprintf(name, 48, "%.*s", known ? (int)count : 0, (const char *)bytes + start);
}

int row_file_foreign(const struct row_file *file, const unsigned char *bytes, size_t length,
                     struct message error)
{
    const size_t count = sizeof foreign / sizeof *foreign;
    char mend[ROW_MEND], member[48], after[64];
    size_t i = 0;
    first_member(bytes, length, member);
    if (ends_with(member, ".npy")) {
        const bool plain = text_is_plain(member) && !strpbrk(member, "'\"\\");
        snprintf(after, sizeof after, ")[\"%.*s\"]", plain ? (int)strlen(member) - 4 : 4,
                 plain ? member : "NAME");
        return message_set(error, "is an archive of NumPy; save one of its arrays: %s",
                           row_file_mend(mend, file, "", "n.load(", after));
    }
    while (i < count && !(foreign[i].length && length >= foreign[i].length &&
                          memcmp(bytes, foreign[i].magic, foreign[i].length) == 0))
        i++;
    for (size_t j = 0; j < count && i == count; j++)
        if (ends_with(file->path, foreign[j].suffix) || ends_with(member, foreign[j].suffix))
            i = j;
    const struct foreign *f = &foreign[i];
    if (i < count && !f->before)
        return message_set(error, "is %s", f->what);
    return i == count ? 0
                      : message_set(error, "is %s; save its rows: %s", f->what,
                                    row_file_mend(mend, file, f->imports, f->before, f->after));
}
