/* library.c - see library.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <model/recallmodel.h>
#include <programs/common/error.h>

/* The folder of the program, with a slash; "" where it is not known. */
static void folder_of_program(char folder[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
}

/* The folder of $RECALLMODEL_LIBRARY, which also tells the Python module where the libraries are.
 */
static bool folder_given(char folder[PATH_MAX])
{
    const char *given = getenv("RECALLMODEL_LIBRARY"), *slash = given ? strrchr(given, '/') : NULL;
    if (!slash || slash - given >= PATH_MAX - 1)
        return false;
    snprintf(folder, PATH_MAX, "%.*s", (int)(slash - given) + 1, given);
    return true;
}

/* librecallmodel-topk needs librecallmodel, whose file in a build folder has no name for the
 * linker: what is loaded already serves. */
static void *load(const char *folder, const char *version)
{
    char path[PATH_MAX + 100];
    snprintf(path, sizeof path, "%slibrecallmodel.so.%s", folder, version);
    dlopen(path, RTLD_NOW | RTLD_LOCAL);
    snprintf(path, sizeof path, "%slibrecallmodel-topk.so.%s", folder, version);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *of_either_name(const char *folder, const char *major)
{
    void *library = load(folder, rcm_version());
    return library ? library : load(folder, major);
}

static void *find(void)
{
    static const char *const places[] = {"", "build/", "../", "../lib/"};
    char program[PATH_MAX], folder[PATH_MAX + 20], major[20];
    void *library = NULL;
    snprintf(major, sizeof major, "%.*s", (int)strcspn(rcm_version(), "."), rcm_version());
    if (folder_given(program))
        library = of_either_name(program, major);
    folder_of_program(program);
    for (size_t i = 0; !library && *program && i < sizeof places / sizeof *places; i++) {
        snprintf(folder, sizeof folder, "%s%s", program, places[i]);
        library = of_either_name(folder, major);
    }
    return library ? library : load("", major);
}

const struct topk_library *topk_library(void)
{
    static struct topk_library functions;
    static bool tried, found;
    if (tried)
        return found ? &functions : NULL;
    tried = true;
    void *library = find();
    const struct {
        void *to;
        const char *name;
    } names[] = {{&functions.top_k, "rcm_top_k"},
                 {&functions.workspace, "rcm_top_k_workspace"},
                 {&functions.stage1, "rcm_top_k_stage1"},
                 {&functions.stage1_workspace, "rcm_top_k_stage1_workspace"},
                 {&functions.merge, "rcm_top_k_merge"},
                 {&functions.merge_workspace, "rcm_top_k_merge_workspace"},
                 {&functions.max, "rcm_top_k_max"},
                 {&functions.threads, "rcm_top_k_threads"},
                 {&functions.message, "rcm_top_k_message"},
                 {&functions.isa, "rcm_top_k_isa"},
                 {&functions.isa_in_use, "rcm_top_k_isa_in_use"},
                 {&functions.use_isa, "rcm_top_k_use_isa"}};
    found = library;
    for (size_t i = 0; found && i < sizeof names / sizeof *names; i++) {
        void *const function = dlsym(library, names[i].name);
        found = function;
        memcpy(names[i].to, &function, sizeof function);
    }
    return found ? &functions : NULL;
}

int topk_library_check(void)
{
    return topk_library()
               ? STATUS_OK
               : usage_error(
                     "this runs librecallmodel-topk.so, version %s, which is not beside the "
                     "program, in its lib folder or where the system looks; build it: make "
                     "(in the sources), or install it: make install",
                     rcm_version());
}
