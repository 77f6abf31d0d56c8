/* device_file.h - files of devices and profiles. What stands in them: rcm_profile_text_read in
 * recallmodel.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef DEVICE_FILE_H
#define DEVICE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "recallmodel.h"

/* Reads a regular file of less than RCM_PROFILE_TEXT_MOST bytes. Returns 0, or -1 with what is
 * wrong ("FILE:3: ...") in `error`. Not for several threads at once. */
int device_file_read(const char *path, struct rcm_device_text *text, char *error,
                     size_t error_size);

/* Writes a profile and the rates of its device that are known: parameters with six digits, their
 * errors are per cents. errors[i]: the relative standard error of rcm_time_parameter(i), NaN: none;
 * may be NULL. Returns false where it cannot be written. */
bool device_file_write(FILE *file, const struct rcm_profile *profile,
                       const struct rcm_device *device, const double *errors);

/* The profiles of a device, of a file its own, of a device by name those that come with the
 * library: index = 0, .. until NULL; and the first of a type, or NULL. */
const struct rcm_profile *device_profile(const struct rcm_device_text *entry, size_t index);
const struct rcm_profile *profile_of_type(const struct rcm_device_text *entry,
                                          enum rcm_dtype dtype);

/* The profile that answers for a kernel and a type (NULL: any), where need be one of another kernel
 * of the same family or of another type of the same width, in this order; its labels.
 * rcm_predict_as(profile, kernel, p) is then what it says. profile is NULL where none does. */
struct profile_answer {
    const struct rcm_profile *profile;
    const struct rcm_kernel *kernel; /* that was asked for, or the profile's */
    enum rcm_dtype dtype;            /* likewise */
    bool other_kernel, other_dtype;  /* the profile is of another */
};
struct profile_answer profile_for_question(const struct rcm_device_text *entry,
                                           const struct rcm_kernel *kernel,
                                           const enum rcm_dtype *dtype);

/* The kernels that the profiles of a device know, "graphcore, graphcore-thread, graphcore-block";
 * empty: it has no profile. */
void kernels_known(const struct rcm_device_text *entry, char *text, size_t size);

#endif
