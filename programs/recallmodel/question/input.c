/* input.c - see input.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "input.h"

#include <string.h>

#include <programs/common/option_values.h>

int read_input(void *to, const char *option, const char *value)
{
    char names[200] = "";
    for (int i = 0; i < SIM_INPUTS; i++) {
        if (i == SIM_FILE)
            continue;
        if (strcmp(value, sim_input_name((enum sim_input)i)) == 0) {
            *(struct input_option *)to = (struct input_option){(enum sim_input)i, true};
            return STATUS_OK;
        }
        append_name(names, sizeof names, sim_input_name((enum sim_input)i));
        offer_name(sim_input_name((enum sim_input)i));
    }
    return usage_error("%s '%.*s' is not known; give one of %s, or --file for rows of your own",
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

int read_made_input(void *to, const char *option, const char *value)
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
