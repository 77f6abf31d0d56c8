/* input.h - the options for rows: --input and --rho of those that are made, groups of those of a
 * file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INPUT_H
#define INPUT_H

#include <programs/common/arguments.h>
#include <sim/rows/row.h>
#include <sim/rows/row_groups.h>

/* Of --group-axes, where it is not given. */
#define GROUP_AXES_USUAL UINT64_MAX

/* The groups of the rows of --file: those of --groups, or along the axes. *grouped: are there any?
 * Returns 0, or -1 with a line in `error`. */
int find_groups(const struct row_file *opened, const char *file, const char *groups,
                uint64_t group_axes, struct row_groups *found, bool *grouped, struct message error);

struct input_option {
    enum sim_input kind;
    bool given;
};

extern const struct value_kind kind_of_input; /* struct input_option */
/* The same of rows of values: placement, which has none, is not offered. */
extern const struct value_kind kind_of_made_input;
argument_reader read_rho; /* struct decimal_list: each below 1 */

/* Refuses --rho for an input that has none, and a list where one is wanted. */
int check_rho(const struct decimal_list *rho, enum sim_input input, bool list);

/* The first of --rho; not given: the usual one, or 0 for an input that has none. */
double first_rho(const struct decimal_list *rho, enum sim_input input);

#endif
