/* product_kept.cuh - what a thread of fused.cu keeps of the products of its pairs of query and
 * bucket: the KB largest of each, and their steps.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_PRODUCT_KEPT_CUH
#define RCM_PRODUCT_KEPT_CUH

#include <gpu/kernels/queue.cuh>

#include "product.cuh"

/* What a thread keeps of its PAIRS pairs: queues in shared memory, which all lanes of a warp serve
 * together. STEPS steps are offered between two calls of make_room. */
template <int PAIRS, int KB, uint32_t STEPS> struct kept {
    static constexpr uint32_t waiting_most = STEPS == 1 ? 16 - PAIRS : 8; /* after make_room */
    static constexpr size_t thread_bytes =
        PAIRS * KB * sizeof(keyed) + (waiting_most + STEPS * PAIRS) * waiting_bytes;

    const key_order order;
    const uint32_t threads;
    keyed *queues;        /* entry j of pair i at (i KB + j) threads */
    uint32_t buffer, end; /* the elements that wait: [buffer, end), `pitch` apart */
    uint32_t pitch;
    float last[PAIRS]; /* the value that an element must beat; every element beats NaN */

    /* `shared` are blockDim.x thread_bytes of it. */
    __device__ __forceinline__ kept(unsigned char *shared, key_order of_products)
        : order(of_products), threads(blockDim.x)
    {
        queues = (keyed *)shared + threadIdx.x;
        pitch = threads * waiting_bytes;
        buffer = shared_address(shared) + threads * (uint32_t)(PAIRS * KB * sizeof(keyed)) +
                 threadIdx.x * waiting_bytes;
        end = buffer;
        begin();
    }
    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int i = 0; i < PAIRS * KB; i++)
            queues[i * threads] = empty_entry(keyed());
#pragma unroll
        for (int i = 0; i < PAIRS; i++)
            last[i] = float_of_bits(0x7fffffffu);
    }
    __device__ __forceinline__ void add(int i, float value, uint32_t step)
    {
        offer<BETTER>(value, last[i], step * 8 + i, end, pitch);
    }
    __device__ __forceinline__ void make_room()
    {
        if (__any_sync(~0u, end > buffer + waiting_most * pitch))
            flush();
    }
    /* Inserts the elements that wait. All lanes of the warp call. */
    __device__ __forceinline__ void flush()
    {
        while (__any_sync(~0u, end != buffer))
            if (end != buffer) {
                uint32_t bits, which;
                end -= pitch;
                take_back(end, bits, which);
                keyed q[KB], *at = queues + which % 8 * (KB * threads);
#pragma unroll
                for (int j = 0; j < KB; j++)
                    q[j] = at[j * threads];
                insert<KB>(q, keyed{key_of_32(bits, order), (int32_t)(which / 8)}, order.scale);
#pragma unroll
                for (int j = 0; j < KB; j++)
                    at[j * threads] = q[j];
            }
#pragma unroll
        for (int i = 0; i < PAIRS; i++)
            last[i] = float_of_bits(bits_of_key_32(queues[(i * KB + KB - 1) * threads].key, order));
    }
    /* Entry j of pair i, after flush. */
    __device__ __forceinline__ keyed entry(int i, int j) const
    {
        return queues[(i * KB + j) * threads];
    }
};

/* One element of each pair: in registers. */
template <int PAIRS, uint32_t STEPS> struct kept<PAIRS, 1, STEPS> {
    static constexpr size_t thread_bytes = 0;

    const key_order order;
    float best[PAIRS];
    int32_t at[PAIRS]; /* its step; -1: all were NaN */

    __device__ __forceinline__ kept(unsigned char *, key_order of_products) : order(of_products)
    {
        begin();
    }
    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
            best[i] = float_of_bits(0xff800000u);
            at[i] = -1;
        }
    }
    __device__ __forceinline__ void add(int i, float value, uint32_t step)
    {
        if (value >= best[i]) {
            best[i] = value;
            at[i] = (int32_t)step;
        }
    }
    __device__ __forceinline__ void make_room()
    {
    }
    __device__ __forceinline__ void flush()
    {
    }
    /* Of NaN alone, the first. */
    __device__ __forceinline__ keyed entry(int i, int) const
    {
        uint32_t bits;
        memcpy(&bits, &best[i], sizeof bits);
        return at[i] < 0 ? keyed{INT32_MIN, 0} : keyed{key_of_32(bits, order), at[i]};
    }
};

#endif
