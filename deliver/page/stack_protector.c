/* stack_protector.c - what Debian's compiler library for WebAssembly is compiled to look for, and
 * wasi-libc does not have: the mark that a function finds damaged if it wrote beyond its frame.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

extern const uintptr_t __stack_chk_guard;
const uintptr_t __stack_chk_guard = 0x5afe57acu;

_Noreturn void __stack_chk_fail(void);
_Noreturn void __stack_chk_fail(void)
{
    __builtin_trap();
}
