/* input.c - see input.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "input.h"

#include <math.h>
#include <string.h>

#include <base/text.h>

/* All but that of a file. */
static enum sim_input nth_input(unsigned i)
{
    return (enum sim_input)(i + (i >= SIM_FILE));
}

static const char *input_at(unsigned i)
{
    return nth_input(i) < SIM_INPUTS ? sim_input_name(nth_input(i)) : NULL;
}

static int read_input(void *to, const char *option, const char *value)
{
    char names[200] = "";
    unsigned i = 0;
    for (; input_at(i) && strcmp(value, input_at(i)) != 0; i++)
        append_name(names, sizeof names, input_at(i));
    *(struct input_option *)to = (struct input_option){nth_input(i), true};
    return input_at(i) ? STATUS_OK
                       : usage_error("%s '%.*s' is not known; give one of %s, or --file for rows "
                                     "of your own",
                                     option, VALUE_SHOWN, value, names);
}

/* The inputs that have values, but for those of a file. */
static const char *made_input_at(unsigned i)
{
    unsigned input = 0;
    while (input < SIM_INPUTS && (input == SIM_PLACEMENT || input == SIM_FILE || i-- > 0))
        input++;
    return input < SIM_INPUTS ? sim_input_name((enum sim_input)input) : NULL;
}

static int read_made_input(void *to, const char *option, const char *value)
{
    unsigned i = 0;
    while (made_input_at(i) && strcmp(value, made_input_at(i)) != 0)
        i++;
    return made_input_at(i) || strcmp(value, sim_input_name(SIM_PLACEMENT)) == 0
               ? read_input(to, option, value)
               : unknown_name(option, value, made_input_at, UNTIL_NULL);
}

int read_rho(void *to, const char *option, const char *value)
{
    const struct decimal_list *rho = to;
    const int status = read_decimals(to, option, value);
    for (size_t i = 0; status == STATUS_OK && i < rho->length; i++)
        if (!(decimal_complement(rho->items[i]) > 0.0))
            return usage_error(
                "%s '%.*s' is not below 1; give the correlation of neighbours, in [0, 1)", option,
                VALUE_SHOWN, value);
    return status;
}

int check_rho(const struct decimal_list *rho, enum sim_input input, bool list)
{
    char names[200] = "";
    for (unsigned i = 0; i < SIM_INPUTS; i++)
        if (sim_input_has_rho((enum sim_input)i))
            append_name(names, sizeof names, sim_input_name((enum sim_input)i));
    if (rho->length && !sim_input_has_rho(input))
        return usage_error("--rho is a correlation of neighbours; give it with --input %s", names);
    return rho->length > 1 && !list ? usage_error("--rho takes one value here; give one")
                                    : STATUS_OK;
}

double first_rho(const struct decimal_list *rho, enum sim_input input)
{
    return rho->length ? decimal_value(rho->items[0]) : sim_input_has_rho(input) ? 0.5 : 0.0;
}

const struct value_kind kind_of_input = {.read = read_input, .names = input_at};
const struct value_kind kind_of_made_input = {.read = read_made_input, .names = made_input_at};

int find_groups(const struct row_file *opened, const char *file, const char *groups,
                uint64_t group_axes, struct row_groups *found, bool *grouped, struct message error)
{
    char reason[400];
    int failed = 0;
    const unsigned axes = groups                           ? 0
                          : group_axes == GROUP_AXES_USUAL ? row_groups_usual_axes(opened)
                          : group_axes < 1000              ? (unsigned)group_axes
                                                           : 1000;
    if (groups)
        failed = row_groups_read(found, groups, opened->rows, MESSAGE(reason));
    else if (axes > 0)
        failed = row_groups_of_axes(found, opened, axes, MESSAGE(reason));
    *grouped = !failed && (groups || axes > 0);
    return failed ? message_set(error, "%s %.150s %s", groups ? "--groups" : "--group-axes: --file",
                                groups ? groups : file, reason)
                  : 0;
}

/* ---- what rows of a file are taken for */

int read_mask_below(void *to, const char *option, const char *value)
{
    struct mask_below *mask = to;
    *mask = (struct mask_below){true, text_number(value)};
    return isfinite(mask->value) ? STATUS_OK
                                 : usage_error("%s '%.*s' is not a number; give the value of the "
                                               "mask, such as -1e9",
                                               option, VALUE_SHOWN, value);
}

const char *weights_are_at(unsigned i)
{
    return i < SIM_WEIGHTS - SIM_SCORES ? sim_weights_name((enum sim_weights)(SIM_SCORES + i))
                                        : NULL;
}

int read_weights_are(void *to, const char *option, const char *value)
{
    unsigned i;
    const int status = read_name(option, value, weights_are_at, UNTIL_NULL, &i);
    *(enum sim_weights *)to = (enum sim_weights)(SIM_SCORES + i);
    return status;
}

int open_row_file(struct row_file *file, const char *option, const char *path,
                  const struct rows_as *as)
{
    char reason[500];
    if (row_file_open(file, path, SIM_DTYPE_UNKNOWN, 0, MESSAGE(reason)) != 0)
        return usage_error("%s %.150s %s", option, path, reason);
    if (as->mask.given)
        file->mask_below = as->mask.value;
    return STATUS_OK;
}

int look_at_rows(const struct row_file *file, const char *option, const char *path,
                 const struct rows_as *as, uint64_t rows, uint64_t valid, const uint64_t *length,
                 uint64_t k, bool *said, struct message error)
{
    char masks[ROW_NOTICE], weights[ROW_NOTICE];
    if (row_look(file, rows, valid, length, k, as->weights, masks, weights) != 0)
        return message_set(error, "%s %.150s %s", option, path, masks);
    if (said && *said)
        return 0;
    if (*masks)
        notice("%s %.150s: %s", option, path, masks);
    if (*weights)
        notice("%s %.150s: %s", option, path, weights);
    if (said)
        *said = *masks || *weights;
    return 0;
}
