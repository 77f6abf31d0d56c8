/* emulate.h - runs the kernels of gpu/ on a CPU, so that every machine can test them. C++17, on
 * x86-64 or any POSIX system.
 *
 *     state.h        the device, and the blocks, warps and threads of the cluster that runs
 *     launch.h       runs the clusters of a grid
 *     fibers.h       a fiber for each CUDA thread
 *     threads.h      with -DRCM_EMULATE_THREADS, an OS thread instead, for ThreadSanitizer
 *     intrinsics.h   the names that CUDA gives a kernel
 *     runtime.h      the other half of gpu/kernels/cuda.cuh
 *     cub.h          the other half of gpu/kernels/block.cuh
 *     matrix.h       the other half of gpu/products/matrix.cuh
 *
 * A fiber runs until it reaches a warp operation or a barrier. A warp runs until all its lanes wait
 * at a barrier; a block runs until all its threads wait for the cluster; then the next one runs.
 * emulate::order sets the order: 0 ascending, 1 descending, otherwise a shuffle with that seed. If
 * a kernel lacks a barrier, its result is wrong for some order, and mostly for all.
 *
 * The emulation is faithful in: shuffles, votes, barriers (all threads of the block must reach
 * them), clusters with distributed shared memory, cp.async (the bytes arrive at the wait and not
 * before), wgmma (the products are there at the wait, and nothing may overwrite what it reads until
 * then), uninitialised shared memory (it holds 0xAB), the size of shared memory (AddressSanitizer
 * sees an access past its end). It is not faithful in: time, memory order (other fibers see a store
 * at once), blocks that run at the same time (it runs one cluster at a time), partial warp masks
 * (it refuses them).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EMULATE_H
#define RCM_EMULATE_H

#include <cmath>

#ifdef RCM_EMULATE_THREADS
#include "threads.h"
#else
#include "fibers.h"
#endif

#include "cub.h"
#include "intrinsics.h"
#include "matrix.h"
#include "runtime.h"

#endif
