/* devices.c - the devices that the roofline knows. What each rate means: docs/models.md 10.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include <model/recallmodel/cost.h>

#include "names.h"

/* Every source has the form "RATES: WHERE FROM; RATES: WHERE FROM"; tests/programs/test_devices.c
 * checks that it names each rate that is known. Where sources contradict each other, a remark says
 * so.
 *
 * Memory is nominal, 1 GB = 10^9 bytes, also where a page says GiB (Google's of TPU v4 and v7x).
 *
 * Vector rates of NVIDIA's: results a clock and multiprocessor (SM) of "compare, minimum, maximum"
 * in the table of arithmetic throughput of the CUDA C++ Programming Guide, 64 for the compute
 * capabilities 7.0, 8.0, 8.9 and 9.0, times SMs times the boost clock. The table moved into the
 * CUDA C++ Best Practices Guide (13.4, 12.1.1), which has 64 float32 minima and maxima for 12.0
 * and 128 for 10.0 and 10.3. An SM of 8.9 to 12.0 does 128 fused multiply-adds a clock, 256 in
 * fp32: 64 are a quarter of fp32 and 128 a half, used where a datasheet does not have the clock.
 * Of AMD's: a compute unit has four SIMDs of 16 lanes (ROCm Compute Profiler documentation,
 * Pipeline descriptions); a compare, minimum or maximum is one result a lane and clock. Only
 * additions and multiplications are packed, so that fp32 is four times as much.
 * Of the newer TPUs no source was found: unknown.
 *
 * The chip of the TPU v5e: a vector unit of 8 x 128 lanes with 4 adders each at 1.5 GHz (How to
 * scale your model, as below) does 6.144e12 operations a second, which is the rate that Samaga et
 * al. fitted. Its on-chip memory is named in MiB. */
#define MIB 1048576.0
#define VECTOR_64 "64 compares x "
static const struct rcm_device devices[] = {
    {"A100-PCIe", 1.935e12, 19.5e12, 108 * 64 * 1.41e9, 312e12, 312e12,
     "bandwidth, memory, fp32, matrix: NVIDIA A100 80GB PCIe datasheet; "
     "vector: 108 SMs x " VECTOR_64 "1.41 GHz; printed: Samaga et al. 2025, Table 1; "
     "on chip: NVIDIA A100 GPU architecture whitepaper, L2",
     80e9, 40 * MIB},
    {"A100-PCIe-40GB", 1.555e12, 19.5e12, 108 * 64 * 1.41e9, 312e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA A100 datasheet, 40GB PCIe; "
     "vector: 108 SMs x " VECTOR_64 "1.41 GHz; "
     "on chip: NVIDIA A100 GPU architecture whitepaper, L2",
     40e9, 40 * MIB},
    {"A100-SXM", 2.039e12, 19.5e12, 108 * 64 * 1.41e9, 312e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA A100 datasheet, 80GB SXM; "
     "vector: 108 SMs x " VECTOR_64 "1.41 GHz; "
     "on chip: NVIDIA A100 GPU architecture whitepaper, L2",
     80e9, 40 * MIB},
    {"A100-SXM-40GB", 1.555e12, 19.5e12, 108 * 64 * 1.41e9, 312e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA A100 datasheet, 40GB SXM; "
     "vector: 108 SMs x " VECTOR_64 "1.41 GHz; "
     "on chip: NVIDIA A100 GPU architecture whitepaper, L2",
     40e9, 40 * MIB},
    /* The datasheet rounds the bandwidth to 2 TB/s. */
    {"H100-PCIe", 2.04e12, 51.2e12, 114 * 64 * 1.755e9, 756e12, 0.0,
     "bandwidth, matrix: Key et al.'s code (2040e9, 756e12); memory, fp32: NVIDIA H100 datasheet; "
     "vector: 114 SMs x " VECTOR_64 "1.755 GHz; "
     "on chip: NVIDIA H100 GPU architecture whitepaper, L2",
     80e9, 50 * MIB},
    {"H100-SXM", 3.35e12, 67e12, 132 * 64 * 1.98e9, 989.4e12, 1979e12,
     "bandwidth, memory, fp32, matrix: NVIDIA H100 datasheet; vector: 132 SMs x " VECTOR_64
     "1.98 GHz; printed: Samaga et al. 2025, Table 1: 1,979, with sparsity; "
     "on chip: NVIDIA H100 GPU architecture whitepaper, L2",
     80e9, 50 * MIB},
    /* Older datasheets rate a pair of cards, and the FP32 of one of them as 67. */
    {"H100-NVL", 3.9e12, 60e12, 60e12 / 4, 835.5e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA H100 datasheet, H100 NVL (1,671 is with sparsity); "
     "vector: a quarter of fp32",
     94e9, 0.0},
    {"H200", 4.8e12, 67e12, 132 * 64 * 1.98e9, 989.4e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA H200 datasheet; vector: 132 SMs x " VECTOR_64
     "1.98 GHz",
     141e9, 0.0},
    {"GH200", 4.0e12, 67e12, 132 * 64 * 1.98e9, 990e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA GH200 datasheet, HBM3; vector: 132 SMs x " VECTOR_64
     "1.98 GHz",
     96e9, 0.0},
    {"GH200-144GB", 4.9e12, 67e12, 132 * 64 * 1.98e9, 990e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA GH200 datasheet, HBM3e; vector: 132 SMs x " VECTOR_64
     "1.98 GHz",
     144e9, 0.0},
    /* NVIDIA announced 192 GB and 8 TB/s; HGX B200 has 180 GB and 7.7 TB/s, and the driver's bus of
     * 7680 bits at 3996 MHz gives 7.67 (pytorch/ao, pull request 4002). An earlier technical brief
     * has 80 for fp32. */
    {"B200", 7.7e12, 75e12, 75e12 / 2, 2250e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA HGX B200 datasheet, an eighth of 36 PFLOP/s with "
     "sparsity and 600 TFLOP/s; vector: half of fp32",
     180e9, 0.0},
    /* Of an HGX B300, eight of which have up to 2.3 TB. Others say 3.5 PFLOP/s of bfloat16. */
    {"B300", 8.0e12, 75e12, 75e12 / 2, 2250e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA HGX B300 datasheet, an eighth of 36 PFLOP/s with "
     "sparsity and 600 TFLOP/s; vector: half of fp32",
     288e9, 0.0},
    {"L4", 300e9, 30.3e12, 58 * 64 * 2.04e9, 121e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA L4 datasheet (242 is with sparsity); "
     "vector: 58 SMs x " VECTOR_64 "2.04 GHz",
     24e9, 0.0},
    {"L40S", 864e9, 91.6e12, 142 * 64 * 2.52e9, 362.05e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA L40S datasheet; vector: 142 SMs x " VECTOR_64
     "2.52 GHz",
     48e9, 0.0},
    {"RTX-4090", 1.008e12, 82.6e12, 128 * 64 * 2.52e9, 165.2e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA Ada GPU architecture whitepaper (dense, float32 "
     "accumulation); vector: 128 SMs x " VECTOR_64 "2.52 GHz; "
     "on chip: NVIDIA Ada GPU architecture whitepaper, L2",
     24e9, 72 * MIB},
    {"RTX-5090", 1.792e12, 104.8e12, 170 * 64 * 2.407e9, 209.5e12, 0.0,
     "bandwidth, memory, fp32, matrix: NVIDIA RTX Blackwell GPU architecture whitepaper (dense, "
     "float32 accumulation); vector: 170 SMs x " VECTOR_64 "2.407 GHz; "
     "on chip: NVIDIA RTX Blackwell GPU architecture whitepaper, L2",
     32e9, 96 * MIB},
    /* The Workstation Edition; others of that name are slower. */
    {"RTX-PRO-6000", 1.792e12, 125e12, 188 * 64 * 2.617e9, 503.8e12, 0.0,
     "bandwidth, memory, fp32: NVIDIA RTX PRO 6000 Blackwell Workstation Edition datasheet; "
     "matrix: NVIDIA RTX PRO Blackwell GPU architecture whitepaper; vector: 188 SMs x " VECTOR_64
     "2.617 GHz",
     96e9, 0.0},
    /* Its matrix units do float16 (130 TFLOP/s) and no bfloat16. */
    {"V100S", 1.134e12, 16.4e12, 80 * 64 * 1.597e9, 0.0, 0.0,
     "bandwidth, memory, fp32: NVIDIA V100S PCIe datasheet; vector: 80 SMs x " VECTOR_64
     "1.597 GHz; "
     "on chip: NVIDIA V100 GPU architecture whitepaper, L2",
     32e9, 6 * MIB},
    {"MI300X", 5.3e12, 163.4e12, 304 * 64 * 2.1e9, 1307.4e12, 0.0,
     "bandwidth, memory, fp32, matrix: AMD Instinct MI300X datasheet; vector: 304 compute units x "
     "64 lanes x 2.1 GHz",
     192e9, 0.0},
    {"MI325X", 6.0e12, 163.4e12, 304 * 64 * 2.1e9, 1307.4e12, 0.0,
     "bandwidth, memory, fp32, matrix: AMD Instinct MI325X datasheet; vector: 304 compute units x "
     "64 lanes x 2.1 GHz",
     256e9, 0.0},
    {"MI355X", 8.0e12, 157.3e12, 256 * 64 * 2.4e9, 2516.6e12, 0.0,
     "bandwidth, memory, fp32, matrix: AMD Instinct MI355X datasheet; vector: 256 compute units x "
     "64 lanes x 2.4 GHz",
     288e9, 0.0},
    {"TPUv4", 1.2e12, 4.3e12, 4.3e12, 275e12, 275e12,
     "bandwidth, fp32, vector, matrix, printed: Samaga et al. 2025, Table 1; memory: Google Cloud "
     "documentation, TPU v4",
     32e9, 0.0},
    {"TPUv5e", 819e9, 6.14e12, 6.14e12, 197e12, 197e12,
     "bandwidth, matrix, printed: Samaga et al. 2025, Table 1; fp32, vector: fitted in their A.1; "
     "memory: Google Cloud documentation, TPU v5e; "
     "on chip: Google DeepMind, How to scale your model, section 2, VMEM",
     16e9, 128 * MIB},
    {"TPUv5p", 2.765e12, 0.0, 0.0, 459e12, 0.0,
     "bandwidth, memory, matrix: Google Cloud documentation, TPU v5p", 95e9, 0.0},
    {"TPUv6e", 1.638e12, 0.0, 0.0, 918e12, 0.0,
     "bandwidth, memory, matrix: Google Cloud documentation, TPU v6e (Trillium)", 32e9, 0.0},
    {"TPUv7x", 7.38e12, 0.0, 0.0, 2307e12, 0.0,
     "bandwidth, memory, matrix: Google Cloud documentation, TPU7x (Ironwood)", 192e9, 0.0},
};
#define DEVICES (sizeof devices / sizeof *devices)

const struct rcm_device *rcm_device(size_t index)
{
    return index < DEVICES ? &devices[index] : NULL;
}

const struct rcm_device *rcm_device_by_name(const char *name)
{
    for (size_t i = 0; i < DEVICES; i++)
        if (names_equal(devices[i].name, name))
            return &devices[i];
    return NULL;
}

size_t rcm_devices_by_prefix(const char *name, const struct rcm_device **found, size_t most)
{
    const struct rcm_device *exact = rcm_device_by_name(name);
    size_t count = 0;
    for (size_t i = 0; i < DEVICES; i++) {
        if (exact ? &devices[i] != exact : !rcm_name_begins(devices[i].name, name))
            continue;
        if (count < most)
            found[count] = &devices[i];
        count++;
    }
    return count;
}
