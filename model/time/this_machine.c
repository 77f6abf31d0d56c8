/* this_machine.c - which CPU and which GPU this is, as a profile or a measurement says it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <model/recallmodel/measured.h>

/* Where the system describes itself. */
static const char *proc(void)
{
    const char *given = getenv("RECALLMODEL_PROC");
    return given && *given ? given : "/proc";
}

static FILE *open_proc(const char *file)
{
    char path[300];
    snprintf(path, sizeof path, "%.150s/%.100s", proc(), file);
    return fopen(path, "r");
}

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

/* One line of ASCII, which no file of ours reads as more. */
static void make_plain(char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~' || *text == '#')
            *text = '?';
}

/* ARM has no name of the model. */
bool rcm_this_cpu(char text[RCM_CPU_TEXT])
{
    static const char *const names[] = {"model name", "cpu family", "model", "CPU implementer",
                                        "CPU part"};
    char line[2000], values[5][60] = {""};
    FILE *file = open_proc("cpuinfo");
    *text = '\0';
    if (!file)
        return false;
    while (fgets(line, sizeof line, file) && *line != '\n') /* the first core */
        for (unsigned i = 0; i < 5; i++) {
            const char *value = value_of(line, names[i]);
            if (value)
                snprintf(values[i], sizeof values[i], "%.*s", (int)strcspn(value, "\n"), value);
        }
    fclose(file);
    if (*values[0])
        snprintf(text, RCM_CPU_TEXT, "%.50s, family %.10s, model %.10s", values[0], values[1],
                 values[2]);
    else if (*values[3])
        snprintf(text, RCM_CPU_TEXT, "implementer %.10s, part %.10s", values[3], values[4]);
    else
        return false;
    make_plain(text);
    return true;
}

/* ---- with what else changes times */

static unsigned count_processors(void)
{
    char line[2000];
    unsigned count = 0;
    FILE *file = open_proc("cpuinfo");
    while (file && fgets(line, sizeof line, file))
        count += value_of(line, "processor") != NULL;
    if (file)
        fclose(file);
    return count;
}

static void put_cpu(char text[RCM_MACHINE_TEXT])
{
    char cpu[RCM_CPU_TEXT];
    if (rcm_this_cpu(cpu))
        snprintf(text, RCM_MACHINE_TEXT, "%.90s; %u processors", cpu, count_processors());
}

/* "Model: \t NVIDIA H200" of a card. */
static void read_card(const char *folder, char card[60])
{
    char path[100], line[300];
    snprintf(path, sizeof path, "driver/nvidia/gpus/%.60s/information", folder);
    FILE *file = open_proc(path);
    while (file && fgets(line, sizeof line, file)) {
        const char *value = value_of(line, "Model");
        if (value) {
            value += strspn(value, "\t ");
            snprintf(card, 60, "%.*s", (int)strcspn(value, "\n"), value);
        }
    }
    if (file)
        fclose(file);
}

/* The one whose folder comes first. */
static void read_first_card(char card[60])
{
    char path[300], first[100] = "";
    snprintf(path, sizeof path, "%.200s/driver/nvidia/gpus", proc());
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (*entry->d_name != '.' && (!*first || strcmp(entry->d_name, first) < 0))
            snprintf(first, sizeof first, "%.60s", entry->d_name);
    if (folder)
        closedir(folder);
    if (*first)
        read_card(first, card);
}

/* "580.65.06", the first word of digits and points of the version of the kernel's module. */
static void read_driver(char driver[24])
{
    static const char number[] = "0123456789.", blank[] = " \t\n";
    char line[300];
    FILE *file = open_proc("driver/nvidia/version");
    if (file && fgets(line, sizeof line, file))
        for (const char *word = line; *word && !*driver; word += strspn(word, blank)) {
            const size_t length = strcspn(word, blank);
            if (strspn(word, number) == length && memchr(word, '.', length))
                snprintf(driver, 24, "%.*s", (int)(length < 23 ? length : 23), word);
            word += length;
        }
    if (file)
        fclose(file);
}

static void put_gpu(char text[RCM_MACHINE_TEXT])
{
    char card[60] = "", driver[24] = "";
    read_first_card(card);
    read_driver(driver);
    if (*card)
        snprintf(text, RCM_MACHINE_TEXT, "%s; driver %s", card, *driver ? driver : "unknown");
}

bool rcm_this_machine(bool gpu, char text[RCM_MACHINE_TEXT])
{
    *text = '\0';
    if (gpu)
        put_gpu(text);
    else
        put_cpu(text);
    make_plain(text);
    for (char *comma; (comma = strchr(text, ','));)
        *comma = ';';
    return *text != '\0';
}
