/* jansson_private_config.h - the part that jansson's own files read. Without HAVE_OPEN its hash
 * tables take their seed from the time; the order of members does not depend on it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define HAVE_STDINT_H 1
#define HAVE_LOCALE_H 1
#define INITIAL_HASHTABLE_ORDER 3
