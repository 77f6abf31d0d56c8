/* option_values.c - see option_values.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "option_values.h"

#include <stdlib.h>
#include <string.h>

/* What a reader is given: the settings of a command, which it may write to. */
#define SETTINGS_MAX 65536
static union {
    max_align_t aligned;
    char bytes[SETTINGS_MAX];
} scratch;

static struct option_values *asked; /* NULL: readers read */

bool values_are_asked(void)
{
    return asked;
}

void offer_name(const char *name)
{
    if (!asked)
        return;
    for (unsigned i = 0; i < asked->length; i++)
        if (strcmp(asked->names[i], name) == 0)
            return;
    if (asked->length == OPTION_NAMES_MAX)
        abort(); /* a registry that is too long; every test of completion would end here */
    asked->names[asked->length++] = name;
}

bool offer_names(name_at *name, unsigned count)
{
    for (unsigned i = 0; asked && i < count && name(i); i++)
        offer_name(name(i));
    return asked;
}

void offer_files(const char *endings)
{
    if (!asked)
        return;
    asked->files = true;
    asked->endings = endings;
}

void offer_runs(void)
{
    if (asked)
        asked->runs = true;
}

void names_are_of_machine(void)
{
    if (asked)
        asked->of_machine = true;
}

struct option_values option_values(const struct command *command, const struct argument *option)
{
    struct option_values values = {0};
    if (!option->value)
        return values;
    if (option->at > SETTINGS_MAX / 2)
        abort();
    values.list = strcmp(option->value, "LIST") == 0;
    values.files = strcmp(option->value, "FILE") == 0 || strcmp(option->value, "PATH") == 0;
    values.folders = strcmp(option->value, "FOLDER") == 0;
    memset(&scratch, 0, sizeof scratch);
    if (command->begin)
        command->begin(&scratch);
    asked = &values;
    keep_usage_errors_quiet(true);
    option->read(scratch.bytes + option->at, option->option, "?");
    keep_usage_errors_quiet(false);
    asked = NULL;
    return values;
}
