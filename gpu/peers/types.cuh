/* types.cuh - the types of elements that an adaptor takes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_PEER_TYPES_CUH
#define RCM_PEER_TYPES_CUH

#include "peer.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

constexpr unsigned all_types = 1u << RCM_GPU_F32 | 1u << RCM_GPU_F16 | 1u << RCM_GPU_BF16;

/* Calls `run` with a null pointer to the type. What throws is an error like any other. */
template <typename RUN> int with_type(const rcm_peer_call *call, RUN run)
{
    try {
        switch (call->dtype) {
        case RCM_GPU_F32:
            return run(static_cast<float *>(nullptr));
        case RCM_GPU_F16:
            return run(static_cast<__half *>(nullptr));
        case RCM_GPU_BF16:
            return run(static_cast<__nv_bfloat16 *>(nullptr));
        }
    } catch (...) {
        return cudaErrorUnknown;
    }
    return cudaErrorInvalidValue;
}

#endif
