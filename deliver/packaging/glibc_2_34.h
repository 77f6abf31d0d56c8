/* glibc_2_34.h - for the wheel alone: binds hypot to its first version.
 *
 * glibc 2.35 gave hypot a second version, which leaves out the error handling of System V and
 * computes the same. It would be the only function that asks for a glibc newer than 2.34, which is
 * that of RHEL 9. `make wheel` includes this file before each source.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#if defined(__x86_64__)
__asm__(".symver hypot, hypot@GLIBC_2.2.5");
#elif defined(__aarch64__)
__asm__(".symver hypot, hypot@GLIBC_2.17");
#endif
