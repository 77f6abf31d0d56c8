/* cpu.h - the back end that runs topk/ on this CPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_H
#define CPU_H

#include <programs/bench/backend.h>

extern const struct backend cpu_backend;

/* Reads the name of an instruction set, and uses it from now on. */
argument_reader read_isa; /* const char * */

#endif
