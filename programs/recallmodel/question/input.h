/* input.h - the options for rows: --input and --rho of those that are made; of those of a file
 * their groups, masks and weights.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INPUT_H
#define INPUT_H

#include <programs/common/arguments.h>
#include <sim/rows/row.h>
#include <sim/rows/row_groups.h>
#include <sim/rows/row_look.h>

/* How rows of a file are taken: --mask-below and --weights-are. */
struct rows_as {
    struct mask_below {
        bool given;
        double value;
    } mask;
    enum sim_weights weights;
};
#define OPTION_MASK_BELOW(at) \
    { \
        "--mask-below", "X", BY(read_mask_below), at, \
            "elements of X and less are masks, as -inf is: they never count as lost" \
    }
#define OPTION_WEIGHTS_ARE(at) \
    { \
        "--weights-are", "WHAT", KIND(read_weights_are, .names = weights_are_at), at, \
            "scores: an element x weighs exp(x) (default); probabilities: x" \
    }
argument_reader read_mask_below;  /* struct mask_below */
argument_reader read_weights_are; /* enum sim_weights */
name_at weights_are_at;

/* row_file_open() of an option, and what is masked. Returns a status, after one line on stderr. */
int open_row_file(struct row_file *file, const char *option, const char *path,
                  const struct rows_as *as);

/* row_look() at the rows of an option. Its lines go to stderr unless *said, which then becomes true
 * (NULL: always). Returns 0, or -1 with a line in `error`. */
int look_at_rows(const struct row_file *file, const char *option, const char *path,
                 const struct rows_as *as, uint64_t rows, uint64_t valid, const uint64_t *length,
                 uint64_t k, bool *said, struct message error);

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
