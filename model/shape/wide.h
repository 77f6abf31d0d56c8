/* wide.h - internal to model/: integers of 128 bits, which gcc and clang have on 64-bit machines
 * and in WebAssembly. Elsewhere there is this one error and no other.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef WIDE_H
#define WIDE_H

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
#else
#error "recallmodel needs a 64-bit machine (or WebAssembly): it uses integers of 128 bits"
typedef long long int128; /* so that no other line hides the one above */
typedef unsigned long long uint128;
#endif

#endif
