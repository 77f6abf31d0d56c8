/* profile_keys.h - internal to model/: where the values of a device and its profile stand.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_KEYS_H
#define PROFILE_KEYS_H

#include <model/recallmodel/profile_text.h>

/* More than there are, which tests/model/time/test_profile_text.c asserts. */
#define PROFILE_KEYS_MOST 128

/* The value of a key that is a number, and of one that is words. */
double *profile_number_at(struct rcm_device_text *text, struct rcm_text_key key);
char *profile_words_at(struct rcm_device_text *text, struct rcm_text_key key);

#endif
