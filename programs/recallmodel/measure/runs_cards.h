/* runs_cards.h - which kernels have measured runs on which card.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RUNS_CARDS_H
#define RUNS_CARDS_H

#include <programs/common/runs_folder.h>
#include <programs/common/table.h>

/* Writes a row for each card, file and kernel: device, name, kernel, rows. The cards are in the
 * order of the registry of devices, then those that it does not have. Files without a time are left
 * out. Returns 0, or -1 with a line in `error`. The caller frees the table. */
int runs_by_card(const struct runs_index *index, struct table **table, struct message error);

#endif
