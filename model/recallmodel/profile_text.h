/* recallmodel/profile_text.h - devices and profiles as text.
 *
 *     # a remark
 *     name = My GPU
 *     bandwidth_bytes_per_s = 3.35e12     # a remark
 *
 * A text is lines `key = value` in any order. Blanks around both, empty lines, and everything from
 * a # on are skipped. A value is a positive decimal number, or UTF-8 without control characters.
 * The decimal point is a point in every locale. A text with a kernel is a profile and has the
 * parameters that every prediction needs; it may have the rates of its device. A text without a
 * kernel is a device and has bandwidth_bytes_per_s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_PROFILE_TEXT_H
#define RECALLMODEL_PROFILE_TEXT_H

#include "time.h"

RCM_BEGIN

/* A device and, where the text has one, its profile. They point to the texts behind them, so do not
 * copy it. */
struct rcm_device_text {
    /* Rates that the text does not have are 0. The architecture, which says what else runs there,
     * is that of the card that it names: rcm_device_meant() of `card`, or else of `name`. */
    struct rcm_device device;
    struct rcm_profile profile;
    bool has_profile;
    char name[40], source[400], date[40], runs[200], card[100];
};

enum rcm_text_kind {
    RCM_TEXT_WORDS,     /* char[size] */
    RCM_TEXT_RATE,      /* double, of the device */
    RCM_TEXT_KERNEL,    /* the name of a kernel whose work is known */
    RCM_TEXT_DTYPE,     /* enum rcm_dtype */
    RCM_TEXT_PARAMETER, /* double, of the profile: rcm_time_parameter */
    RCM_TEXT_NUMBER,    /* double, of the profile: of its runs and of its errors */
};

/* The keys, in the order in which they are written: rcm_text_key(0), .. until its name is NULL. */
struct rcm_text_key {
    const char *name;
    enum rcm_text_kind kind;
    size_t offset, size; /* of its value in struct rcm_device_text */
};
struct rcm_text_key rcm_text_key(size_t index);

/* Reads `length` bytes, fewer than RCM_PROFILE_TEXT_MOST, in lines of at most 511. It refuses a
 * text with the same key twice.
 * Returns   0; or the number of the line, from 1 on, that has a fault; or -1 where no line has one
 *           but the whole does, such as a profile that lacks a parameter. Then `error` names the
 *           fault and what to write (cut to error_size), and *out must not be used. */
#define RCM_PROFILE_TEXT_MOST 65536
int rcm_profile_text_read(const char *text, size_t length, struct rcm_device_text *out, char *error,
                          size_t error_size);

/* Writes a profile (or NULL) and the known rates of its device (or NULL) into at most `size` bytes,
 * the final zero included, as snprintf does. Numbers have the fewest digits, from 6 on, that are
 * read as the same double. `errors` is NULL, or the relative standard error of each
 * rcm_time_parameter (NaN: none), which becomes a remark.
 * Returns   the length of the whole text without the zero. 0: both are NULL; the work of the kernel
 *           is not known; or a name, source, date or runs contains a #, is not plain (see below),
 *           or is longer than struct rcm_device_text has room for. */
size_t rcm_profile_text_write(char *buffer, size_t size, const struct rcm_profile *profile,
                              const struct rcm_device *device, const double *errors);

/* Is it UTF-8 without control characters, so that it can stand on a line, on a terminal and in
 * JSON? */
bool rcm_text_is_plain(const char *text);

RCM_END

#endif
