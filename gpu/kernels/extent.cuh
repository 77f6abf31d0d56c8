/* extent.cuh - where each row begins and how long it is, if the call says so.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_EXTENT_CUH
#define RCM_EXTENT_CUH

#include "cuda.cuh"

struct extent {
    uint32_t start, length;
};

struct row_extents {
    const int32_t *lengths, *starts; /* of each row; NULL: all of a row; 0 */
    uint32_t n;                      /* of a whole row */

    __host__ __device__ __forceinline__ bool given() const
    {
        return lengths || starts;
    }
    /* Whatever the call gives, this is a part of the row. */
    __device__ __forceinline__ extent of(uint64_t row) const
    {
        const int32_t start = starts ? starts[row] : 0;
        extent e;
        e.start = start < 0 ? 0 : smaller_of((uint32_t)start, n);
        e.length = n - e.start;
        if (lengths)
            e.length = lengths[row] < 0 ? 0 : smaller_of((uint32_t)lengths[row], e.length);
        return e;
    }
};

#endif
