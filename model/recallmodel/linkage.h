/* linkage.h - every other header puts its functions between RCM_BEGIN and RCM_END: C linkage in a
 * C++ program, and names that the shared library exports (the rest of it is compiled hidden).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RECALLMODEL_LINKAGE_H
#define RECALLMODEL_LINKAGE_H

#ifdef __cplusplus
#define RCM_C_BEGIN extern "C" {
#define RCM_C_END }
#else
#define RCM_C_BEGIN
#define RCM_C_END
#endif

#ifdef __GNUC__
#define RCM_BEGIN RCM_C_BEGIN _Pragma("GCC visibility push(default)")
#define RCM_END _Pragma("GCC visibility pop") RCM_C_END
#else
#define RCM_BEGIN RCM_C_BEGIN
#define RCM_END RCM_C_END
#endif

#endif
