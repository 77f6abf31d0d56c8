/* this_cpu.c - which CPU this is, as a profile of one says it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <model/recallmodel/time.h>

/* The value of a line "name : value" of /proc/cpuinfo; NULL: it is another line. */
static const char *value_of(const char *line, const char *name)
{
    const size_t length = strlen(name);
    const char *colon = strchr(line, ':');
    return colon && strncmp(line, name, length) == 0 &&
                   line + length + strspn(line + length, "\t ") == colon
               ? colon + 1 + strspn(colon + 1, " ")
               : NULL;
}

bool rcm_this_cpu(char text[RCM_CPU_TEXT])
{
    static const char *const names[] = {"model name", "cpu family", "model"};
    char line[2000], values[3][60] = {"", "", ""};
    FILE *file = fopen("/proc/cpuinfo", "r");
    *text = '\0';
    if (!file)
        return false;
    while (fgets(line, sizeof line, file) && *line != '\n') /* the first core */
        for (unsigned i = 0; i < 3; i++) {
            const char *value = value_of(line, names[i]);
            if (value)
                snprintf(values[i], sizeof values[i], "%.*s", (int)strcspn(value, "\n"), value);
        }
    fclose(file);
    if (!*values[0])
        return false;
    snprintf(text, RCM_CPU_TEXT, "%.50s, family %.10s, model %.10s", values[0], values[1],
             values[2]);
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '#')
            *text = '?';
    return true;
}
