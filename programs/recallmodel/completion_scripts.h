/* completion_scripts.h - the completion of each shell.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMPLETION_SCRIPTS_H
#define COMPLETION_SCRIPTS_H

struct completion_script {
    const char *shell, *script;
};

/* The last one has no shell. */
extern const struct completion_script completion_scripts[];

#endif
