/* status.h - what the program returns.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef STATUS_H
#define STATUS_H

enum {
    STATUS_OK = 0,
    STATUS_FAILED = 1,
    STATUS_USAGE = 2,
    STATUS_NO_DEVICE = 3,
    STATUS_INTERRUPTED = 130
};

#endif
