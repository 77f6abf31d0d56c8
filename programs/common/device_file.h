/* device_file.h - files of devices and profiles. rcm_profile_text_read in recallmodel.h defines
 * their contents.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DEVICE_FILE_H
#define DEVICE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <model/recallmodel.h>

/* Reads a regular file of less than RCM_PROFILE_TEXT_MOST bytes. Returns 0, or -1 with a line in
 * `error` that begins with the place: "FILE:3: ...". */
int device_file_read(const char *path, struct rcm_device_text *text, char *error,
                     size_t error_size);

/* Writes a profile and the rates of its device that are known: parameters with six digits, because
 * their errors are per cents. errors[i]: the relative standard error of rcm_time_parameter(i), NaN:
 * none; may be NULL. Returns false if writing fails. */
bool device_file_write(FILE *file, const struct rcm_profile *profile,
                       const struct rcm_device *device, const double *errors);

/* The index-th profile of a device, or NULL after the last: of a device file its own, of a device
 * by name those that come with the library. profile_of_type: the first one of a type, or NULL. */
const struct rcm_profile *device_profile(const struct rcm_device_text *entry, size_t index);
const struct rcm_profile *profile_of_type(const struct rcm_device_text *entry,
                                          enum rcm_dtype dtype);

/* The i-th profile that comes with the library for exact top-k alone, or NULL after the last; and
 * one by the beginning of just one name, as rcm_name_begins() compares. NULL: none or several. */
const struct rcm_profile *exact_profile_at(size_t i);
const struct rcm_profile *exact_profile_by_prefix(const char *beginning);

/* Says that no device has this name, as a usage error: which card has the same chip, or that was
 * likely meant. Only a slip of the same letters and digits is one: another digit is another card.
 * also: what else the option takes; or "". */
int unknown_device(const char *option, const char *value, const char *also);

/* Is it of a kernel that only finds the exact top-k? Such a profile has no stage 1. */
bool is_exact_only(const struct rcm_device_text *entry);

/* rcm_profile_for the device: by the profile of a file alone, or by those of the library. */
struct rcm_profile_answer profile_for_question(const struct rcm_device_text *entry,
                                               const struct rcm_kernel *kernel,
                                               const enum rcm_dtype *dtype);

/* The kernels that the profiles of a device know, "graphcore, graphcore-thread, graphcore-block";
 * empty: it has no profile. */
void kernels_known(const struct rcm_device_text *entry, char *text, size_t size);

#endif
