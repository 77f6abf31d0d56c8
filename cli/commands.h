/* commands.h - the subcommands. Each prints its whole answer, or one line on stderr, and returns a
 * status.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "options.h"

int command_recall(const struct options *options);
int command_ranks(const struct options *options);
int command_cost(const struct options *options);
int command_bounds(const struct options *options);
int command_devices(const struct options *options);
int command_simulate(const struct options *options);
int command_count(const struct options *options);
int command_select(const struct options *options);
int answer_reverse(
    const struct options *options); /* what select is asked with --b, --kb or --shards */
int command_calibrate(const struct options *options);
int command_predict(const struct options *options);
int predict_bounds(
    const struct options *options); /* what predict says of a device without a profile */
int command_attention(const struct options *options);
int command_exact(const struct options *options);

#endif
