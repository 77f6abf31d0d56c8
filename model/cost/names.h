/* names.h - internal to model/: compares a name that a person types with those of a registry.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>

/* Letter case, blanks, '-' and '_' do not count, but what was typed has no more numbers than the
 * name: "H20 0" is no H200. */
bool names_equal(const char *name, const char *typed);

#endif
