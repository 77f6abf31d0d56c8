/* devices.c - the devices that the roofline knows. What each rate means: docs/models.md 10.
 *
 * long: a table.
 *
 * SPDX-License-Identifier: Apache-2.0 */

#include <model/recallmodel/cost.h>

#include "names.h"

/* Every source has the form "RATES: WHERE FROM; RATES: WHERE FROM";
 * tests/programs/time/test_devices.c checks that it names each rate that is known. Where sources
 * contradict each other, a remark says so.
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
    {.name = "A100-PCIe",
     .architecture = "Ampere 8.0",
     .bandwidth_bytes_per_s = 1.935e12,
     .fma_rate_per_s = 19.5e12,
     .vector_rate_per_s = 108 * 64 * 1.41e9,
     .matrix_rate_per_s = 312e12,
     .matrix_rate_printed_per_s = 312e12,
     .memory_bytes = 80e9,
     .on_chip_bytes = 40 * MIB,
     .multiprocessors = 108,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA A100 80GB PCIe datasheet; "
               "vector, multiprocessors: 108 SMs x " VECTOR_64
               "1.41 GHz; printed: Samaga et al. 2025, Table 1; "
               "on chip: NVIDIA A100 GPU architecture whitepaper, L2"},
    {.name = "A100-PCIe-40GB",
     .architecture = "Ampere 8.0",
     .bandwidth_bytes_per_s = 1.555e12,
     .fma_rate_per_s = 19.5e12,
     .vector_rate_per_s = 108 * 64 * 1.41e9,
     .matrix_rate_per_s = 312e12,
     .memory_bytes = 40e9,
     .on_chip_bytes = 40 * MIB,
     .multiprocessors = 108,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA A100 datasheet, 40GB PCIe; "
               "vector, multiprocessors: 108 SMs x " VECTOR_64 "1.41 GHz; "
               "on chip: NVIDIA A100 GPU architecture whitepaper, L2"},
    {.name = "A100-SXM",
     .architecture = "Ampere 8.0",
     .bandwidth_bytes_per_s = 2.039e12,
     .fma_rate_per_s = 19.5e12,
     .vector_rate_per_s = 108 * 64 * 1.41e9,
     .matrix_rate_per_s = 312e12,
     .memory_bytes = 80e9,
     .on_chip_bytes = 40 * MIB,
     .multiprocessors = 108,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA A100 datasheet, 80GB SXM; "
               "vector, multiprocessors: 108 SMs x " VECTOR_64 "1.41 GHz; "
               "on chip: NVIDIA A100 GPU architecture whitepaper, L2"},
    {.name = "A100-SXM-40GB",
     .architecture = "Ampere 8.0",
     .bandwidth_bytes_per_s = 1.555e12,
     .fma_rate_per_s = 19.5e12,
     .vector_rate_per_s = 108 * 64 * 1.41e9,
     .matrix_rate_per_s = 312e12,
     .memory_bytes = 40e9,
     .on_chip_bytes = 40 * MIB,
     .multiprocessors = 108,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA A100 datasheet, 40GB SXM; "
               "vector, multiprocessors: 108 SMs x " VECTOR_64 "1.41 GHz; "
               "on chip: NVIDIA A100 GPU architecture whitepaper, L2"},
    /* The datasheet rounds the bandwidth to 2 TB/s. */
    {.name = "H100-PCIe",
     .architecture = "Hopper",
     .bandwidth_bytes_per_s = 2.04e12,
     .fma_rate_per_s = 51.2e12,
     .vector_rate_per_s = 114 * 64 * 1.755e9,
     .matrix_rate_per_s = 756e12,
     .memory_bytes = 80e9,
     .on_chip_bytes = 50 * MIB,
     .multiprocessors = 114,
     .shortest_kernel_us = 2.168, /* runs/keyetal/argmax: n = 4096, k = 1024, m = 1, compiled */
     .source = "bandwidth, matrix: Key et al.'s code (2040e9, 756e12); memory, fp32: NVIDIA H100 "
               "datasheet; "
               "vector, multiprocessors: 114 SMs x " VECTOR_64 "1.755 GHz; "
               "on chip: NVIDIA H100 GPU architecture whitepaper, L2"},
    {.name = "H100-SXM",
     .architecture = "Hopper",
     .bandwidth_bytes_per_s = 3.35e12,
     .fma_rate_per_s = 67e12,
     .vector_rate_per_s = 132 * 64 * 1.98e9,
     .matrix_rate_per_s = 989.4e12,
     .matrix_rate_printed_per_s = 1979e12,
     .memory_bytes = 80e9,
     .on_chip_bytes = 50 * MIB,
     .multiprocessors = 132,
     .source =
         "bandwidth, memory, fp32, matrix: NVIDIA H100 datasheet; vector, multiprocessors: 132 SMs "
         "x " VECTOR_64 "1.98 GHz; printed: Samaga et al. 2025, Table 1: 1,979, with sparsity; "
         "on chip: NVIDIA H100 GPU architecture whitepaper, L2"},
    /* Older datasheets rate a pair of cards, and the FP32 of one of them as 67. */
    {.name = "H100-NVL",
     .architecture = "Hopper",
     .bandwidth_bytes_per_s = 3.9e12,
     .fma_rate_per_s = 60e12,
     .vector_rate_per_s = 60e12 / 4,
     .matrix_rate_per_s = 835.5e12,
     .memory_bytes = 94e9,
     .multiprocessors = 132,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA H100 datasheet, H100 NVL (1,671 is with "
               "sparsity); "
               "vector: a quarter of fp32; multiprocessors: 132, as the CUDA runtime counts them"},
    {.name = "H200",
     .architecture = "Hopper",
     .bandwidth_bytes_per_s = 4.8e12,
     .fma_rate_per_s = 67e12,
     .vector_rate_per_s = 132 * 64 * 1.98e9,
     .matrix_rate_per_s = 989.4e12,
     .memory_bytes = 141e9,
     .multiprocessors = 132,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA H200 datasheet; vector, multiprocessors: "
               "132 SMs x " VECTOR_64 "1.98 GHz"},
    {.name = "GH200",
     .architecture = "Hopper",
     .bandwidth_bytes_per_s = 4.0e12,
     .fma_rate_per_s = 67e12,
     .vector_rate_per_s = 132 * 64 * 1.98e9,
     .matrix_rate_per_s = 990e12,
     .memory_bytes = 96e9,
     .multiprocessors = 132,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA GH200 datasheet, HBM3; vector, "
               "multiprocessors: 132 SMs "
               "x " VECTOR_64 "1.98 GHz"},
    {.name = "GH200-144GB",
     .architecture = "Hopper",
     .bandwidth_bytes_per_s = 4.9e12,
     .fma_rate_per_s = 67e12,
     .vector_rate_per_s = 132 * 64 * 1.98e9,
     .matrix_rate_per_s = 990e12,
     .memory_bytes = 144e9,
     .multiprocessors = 132,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA GH200 datasheet, HBM3e; vector, "
               "multiprocessors: 132 SMs "
               "x " VECTOR_64 "1.98 GHz"},
    /* NVIDIA announced 192 GB and 8 TB/s; HGX B200 has 180 GB and 7.7 TB/s, and the driver's bus of
     * 7680 bits at 3996 MHz gives 7.67 (pytorch/ao, pull request 4002). An earlier technical brief
     * has 80 for fp32. */
    {.name = "B200",
     .architecture = "Blackwell 10",
     .bandwidth_bytes_per_s = 7.7e12,
     .fma_rate_per_s = 75e12,
     .vector_rate_per_s = 75e12 / 2,
     .matrix_rate_per_s = 2250e12,
     .memory_bytes = 180e9,
     .multiprocessors = 148,
     .shortest_kernel_us =
         1.5, /* runs/flashinfer/exact-blackwell: k = n = 256, which copies the row. The card is not
               * stated; docs/runs.md says why it is a B200 or a B300 */
     .source =
         "bandwidth, memory, fp32, matrix: NVIDIA HGX B200 datasheet, an eighth of 36 PFLOP/s with "
         "sparsity and 600 TFLOP/s; vector: half of fp32; multiprocessors: 148, as the CUDA "
         "runtime counts them"},
    /* Of an HGX B300, eight of which have up to 2.3 TB. Others say 3.5 PFLOP/s of bfloat16. */
    {.name = "B300",
     .architecture = "Blackwell 10",
     .bandwidth_bytes_per_s = 8.0e12,
     .fma_rate_per_s = 75e12,
     .vector_rate_per_s = 75e12 / 2,
     .matrix_rate_per_s = 2250e12,
     .memory_bytes = 288e9,
     .multiprocessors = 148,
     .source =
         "bandwidth, memory, fp32, matrix: NVIDIA HGX B300 datasheet, an eighth of 36 PFLOP/s with "
         "sparsity and 600 TFLOP/s; vector: half of fp32; multiprocessors: 148, as the CUDA "
         "runtime counts them"},
    /* One of the two of a superchip. Of the racks, 72 of them: 13.4 TB and 576 TB/s. */
    {.name = "GB200",
     .architecture = "Blackwell 10",
     .bandwidth_bytes_per_s = 8.0e12,
     .fma_rate_per_s = 80e12,
     .vector_rate_per_s = 80e12 / 2,
     .matrix_rate_per_s = 2500e12,
     .memory_bytes = 186e9,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA GB200 NVL72 page, a 72nd (360 PFLOP/s are "
               "with sparsity); vector: half of fp32"},
    {.name = "GB300",
     .architecture = "Blackwell 10",
     .bandwidth_bytes_per_s = 8.0e12,
     .fma_rate_per_s = 80e12,
     .vector_rate_per_s = 80e12 / 2,
     .matrix_rate_per_s = 2500e12,
     .memory_bytes = 279e9,
     .source = "bandwidth, memory, fp32, matrix: Verda, GB300 NVL72 architecture, per GPU; "
               "vector: half of fp32"},
    {.name = "L4",
     .architecture = "Ada",
     .bandwidth_bytes_per_s = 300e9,
     .fma_rate_per_s = 30.3e12,
     .vector_rate_per_s = 58 * 64 * 2.04e9,
     .matrix_rate_per_s = 121e12,
     .memory_bytes = 24e9,
     .multiprocessors = 58,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA L4 datasheet (242 is with sparsity); "
               "vector, multiprocessors: 58 SMs x " VECTOR_64 "2.04 GHz"},
    {.name = "L40",
     .architecture = "Ada",
     .bandwidth_bytes_per_s = 864e9,
     .fma_rate_per_s = 90.5e12,
     .vector_rate_per_s = 90.5e12 / 4,
     .matrix_rate_per_s = 181.05e12,
     .memory_bytes = 48e9,
     .multiprocessors = 142,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA L40 datasheet (362.1 is with sparsity); "
               "vector: a quarter of fp32; multiprocessors: 142, one for each of its RT cores"},
    {.name = "L40S",
     .architecture = "Ada",
     .bandwidth_bytes_per_s = 864e9,
     .fma_rate_per_s = 91.6e12,
     .vector_rate_per_s = 142 * 64 * 2.52e9,
     .matrix_rate_per_s = 362.05e12,
     .memory_bytes = 48e9,
     .multiprocessors = 142,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA L40S datasheet; vector, multiprocessors: "
               "142 SMs x " VECTOR_64 "2.52 GHz"},
    {.name = "T4",
     .architecture = "Turing",
     .bandwidth_bytes_per_s = 320e9,
     .fma_rate_per_s = 8.1e12,
     .memory_bytes = 16e9,
     .multiprocessors = 40,
     .source = "bandwidth, memory, fp32: Google Cloud documentation, GPU platforms; "
               "multiprocessors: 40, of its 2560 CUDA cores 64 each"},
    {.name = "A10",
     .architecture = "Ampere 8.6",
     .bandwidth_bytes_per_s = 600e9,
     .memory_bytes = 24e9,
     .multiprocessors = 72,
     .source = "bandwidth, memory: NVIDIA A10 datasheet; multiprocessors: 72, of its 9216 CUDA "
               "cores 128 each"},
    /* A card of Amazon's: no datasheet of its own. */
    {.name = "A10G",
     .architecture = "Ampere 8.6",
     .bandwidth_bytes_per_s = 600e9,
     .fma_rate_per_s = 80 * 256 * 1.71e9,
     .vector_rate_per_s = 80 * 64 * 1.71e9,
     .memory_bytes = 24e9,
     .on_chip_bytes = 6 * MIB,
     .multiprocessors = 80,
     .shortest_kernel_us = 1.584, /* runs/graphcore/argmax-a10g */
     .source = "bandwidth, memory: Amazon EC2 G5 instances; fp32: 80 SMs x 256 x 1.71 GHz; "
               "vector, multiprocessors: 80 SMs x " VECTOR_64 "1.71 GHz; "
               "on chip: NVIDIA Ampere GA102 GPU architecture whitepaper, L2"},
    {.name = "RTX-3080",
     .architecture = "Ampere 8.6",
     .bandwidth_bytes_per_s = 760e9,
     .fma_rate_per_s = 29.8e12,
     .vector_rate_per_s = 68 * 64 * 1.71e9,
     .memory_bytes = 10e9,
     .on_chip_bytes = 5 * MIB,
     .multiprocessors = 68,
     .source = "bandwidth, memory, fp32: NVIDIA Ampere GA102 GPU architecture whitepaper; "
               "vector, multiprocessors: 68 SMs x " VECTOR_64 "1.71 GHz; "
               "on chip: NVIDIA Ampere GA102 GPU architecture whitepaper, L2"},
    {.name = "RTX-3090",
     .architecture = "Ampere 8.6",
     .bandwidth_bytes_per_s = 936e9,
     .fma_rate_per_s = 35.6e12,
     .vector_rate_per_s = 82 * 64 * 1.695e9,
     .matrix_rate_per_s = 71e12,
     .memory_bytes = 24e9,
     .on_chip_bytes = 6 * MIB,
     .multiprocessors = 82,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA Ampere GA102 GPU architecture whitepaper "
               "(dense, float32 accumulation); vector, multiprocessors: 82 SMs x " VECTOR_64
               "1.695 GHz; on chip: NVIDIA Ampere GA102 GPU architecture whitepaper, L2"},
    {.name = "RTX-4080-SUPER",
     .architecture = "Ada",
     .bandwidth_bytes_per_s = 736e9,
     .fma_rate_per_s = 52.2e12,
     .vector_rate_per_s = 80 * 64 * 2.55e9,
     .memory_bytes = 16e9,
     .on_chip_bytes = 64 * MIB,
     .multiprocessors = 80,
     .source = "bandwidth, memory, fp32: NVIDIA GeForce RTX 4080 SUPER specifications; "
               "vector, multiprocessors: 80 SMs x " VECTOR_64 "2.55 GHz; "
               "on chip: NVIDIA Ada GPU architecture whitepaper, L2 of the RTX 4080"},
    {.name = "RTX-4090",
     .architecture = "Ada",
     .bandwidth_bytes_per_s = 1.008e12,
     .fma_rate_per_s = 82.6e12,
     .vector_rate_per_s = 128 * 64 * 2.52e9,
     .matrix_rate_per_s = 165.2e12,
     .memory_bytes = 24e9,
     .on_chip_bytes = 72 * MIB,
     .multiprocessors = 128,
     .source =
         "bandwidth, memory, fp32, matrix: NVIDIA Ada GPU architecture whitepaper (dense, float32 "
         "accumulation); vector, multiprocessors: 128 SMs x " VECTOR_64 "2.52 GHz; "
         "on chip: NVIDIA Ada GPU architecture whitepaper, L2"},
    {.name = "RTX-6000-Ada",
     .architecture = "Ada",
     .bandwidth_bytes_per_s = 960e9,
     .fma_rate_per_s = 91.1e12,
     .vector_rate_per_s = 91.1e12 / 4,
     .memory_bytes = 48e9,
     .multiprocessors = 142,
     .source =
         "bandwidth, memory, fp32, multiprocessors: NVIDIA RTX 6000 Ada Generation datasheet; "
         "vector: a quarter of fp32"},
    {.name = "RTX-5080",
     .architecture = "Blackwell 12",
     .bandwidth_bytes_per_s = 960e9,
     .fma_rate_per_s = 84 * 256 * 2.62e9,
     .vector_rate_per_s = 84 * 64 * 2.62e9,
     .memory_bytes = 16e9,
     .on_chip_bytes = 64 * MIB,
     .multiprocessors = 84,
     .source = "bandwidth, memory: NVIDIA RTX Blackwell GPU architecture whitepaper; fp32: 84 SMs "
               "x 256 x 2.62 GHz; vector, multiprocessors: 84 SMs x " VECTOR_64
               "2.62 GHz; on chip: NVIDIA RTX Blackwell GPU architecture whitepaper, L2"},
    {.name = "RTX-5090",
     .architecture = "Blackwell 12",
     .bandwidth_bytes_per_s = 1.792e12,
     .fma_rate_per_s = 104.8e12,
     .vector_rate_per_s = 170 * 64 * 2.407e9,
     .matrix_rate_per_s = 209.5e12,
     .memory_bytes = 32e9,
     .on_chip_bytes = 96 * MIB,
     .multiprocessors = 170,
     .source = "bandwidth, memory, fp32, matrix: NVIDIA RTX Blackwell GPU architecture whitepaper "
               "(dense, "
               "float32 accumulation); vector, multiprocessors: 170 SMs x " VECTOR_64 "2.407 GHz; "
               "on chip: NVIDIA RTX Blackwell GPU architecture whitepaper, L2"},
    /* The Workstation Edition; others of that name are slower. */
    {.name = "RTX-PRO-6000",
     .architecture = "Blackwell 12",
     .bandwidth_bytes_per_s = 1.792e12,
     .fma_rate_per_s = 125e12,
     .vector_rate_per_s = 188 * 64 * 2.617e9,
     .matrix_rate_per_s = 503.8e12,
     .memory_bytes = 96e9,
     .multiprocessors = 188,
     .source =
         "bandwidth, memory, fp32: NVIDIA RTX PRO 6000 Blackwell Workstation Edition datasheet; "
         "matrix: NVIDIA RTX PRO Blackwell GPU architecture whitepaper; vector, multiprocessors: "
         "188 SMs "
         "x " VECTOR_64 "2.617 GHz"},
    /* Its matrix units do float16 (130 TFLOP/s) and no bfloat16. */
    /* PCIe or SXM2, with 16 or 32 GB: what both have. */
    {.name = "V100",
     .architecture = "Volta",
     .bandwidth_bytes_per_s = 900e9,
     .memory_bytes = 16e9,
     .on_chip_bytes = 6 * MIB,
     .multiprocessors = 80,
     .source = "bandwidth, memory, multiprocessors: NVIDIA V100 datasheet; on chip: NVIDIA Tesla "
               "V100 GPU architecture whitepaper, L2"},
    {.name = "V100S",
     .architecture = "Volta",
     .bandwidth_bytes_per_s = 1.134e12,
     .fma_rate_per_s = 16.4e12,
     .vector_rate_per_s = 80 * 64 * 1.597e9,
     .memory_bytes = 32e9,
     .on_chip_bytes = 6 * MIB,
     .multiprocessors = 80,
     .source = "bandwidth, memory, fp32: NVIDIA V100S PCIe datasheet; vector, multiprocessors: 80 "
               "SMs x " VECTOR_64 "1.597 GHz; "
               "on chip: NVIDIA V100 GPU architecture whitepaper, L2"},
    {.name = "Arc-B580",
     .architecture = "Battlemage",
     .bandwidth_bytes_per_s = 456e9,
     .fma_rate_per_s = 13.67e12,
     .memory_bytes = 12e9,
     .on_chip_bytes = 18 * MIB,
     .source = "bandwidth, memory, fp32, on chip: Intel Arc B580 specifications; 20 Xe cores"},
    {.name = "Gaudi-3",
     .bandwidth_bytes_per_s = 3.7e12,
     .matrix_rate_per_s = 1835e12,
     .memory_bytes = 128e9,
     .source = "bandwidth, memory, matrix: Intel Gaudi 3 AI accelerator white paper"},
    {.name = "MI300X",
     .architecture = "CDNA3",
     .bandwidth_bytes_per_s = 5.3e12,
     .fma_rate_per_s = 163.4e12,
     .vector_rate_per_s = 304 * 64 * 2.1e9,
     .matrix_rate_per_s = 1307.4e12,
     .memory_bytes = 192e9,
     .multiprocessors = 304,
     .source = "bandwidth, memory, fp32, matrix: AMD Instinct MI300X datasheet; vector, "
               "multiprocessors: 304 "
               "compute units x "
               "64 lanes x 2.1 GHz"},
    {.name = "MI325X",
     .architecture = "CDNA3",
     .bandwidth_bytes_per_s = 6.0e12,
     .fma_rate_per_s = 163.4e12,
     .vector_rate_per_s = 304 * 64 * 2.1e9,
     .matrix_rate_per_s = 1307.4e12,
     .memory_bytes = 256e9,
     .multiprocessors = 304,
     .source = "bandwidth, memory, fp32, matrix: AMD Instinct MI325X datasheet; vector, "
               "multiprocessors: 304 "
               "compute units x "
               "64 lanes x 2.1 GHz"},
    {.name = "MI355X",
     .architecture = "CDNA4",
     .bandwidth_bytes_per_s = 8.0e12,
     .fma_rate_per_s = 157.3e12,
     .vector_rate_per_s = 256 * 64 * 2.4e9,
     .matrix_rate_per_s = 2516.6e12,
     .memory_bytes = 288e9,
     .multiprocessors = 256,
     .source = "bandwidth, memory, fp32, matrix: AMD Instinct MI355X datasheet; vector, "
               "multiprocessors: 256 "
               "compute units x "
               "64 lanes x 2.4 GHz"},
    {.name = "TPUv4",
     .bandwidth_bytes_per_s = 1.2e12,
     .fma_rate_per_s = 4.3e12,
     .vector_rate_per_s = 4.3e12,
     .matrix_rate_per_s = 275e12,
     .matrix_rate_printed_per_s = 275e12,
     .memory_bytes = 32e9,
     .source = "bandwidth, fp32, vector, matrix, printed: Samaga et al. 2025, Table 1; memory: "
               "Google Cloud "
               "documentation, TPU v4"},
    {.name = "TPUv5e",
     .bandwidth_bytes_per_s = 819e9,
     .fma_rate_per_s = 6.14e12,
     .vector_rate_per_s = 6.14e12,
     .matrix_rate_per_s = 197e12,
     .matrix_rate_printed_per_s = 197e12,
     .memory_bytes = 16e9,
     .on_chip_bytes = 128 * MIB,
     .source = "bandwidth, matrix, printed: Samaga et al. 2025, Table 1; fp32, vector: fitted in "
               "their A.1; "
               "memory: Google Cloud documentation, TPU v5e; "
               "on chip: Google DeepMind, How to scale your model, section 2, VMEM"},
    {.name = "TPUv5p",
     .bandwidth_bytes_per_s = 2.765e12,
     .matrix_rate_per_s = 459e12,
     .memory_bytes = 95e9,
     .source = "bandwidth, memory, matrix: Google Cloud documentation, TPU v5p"},
    {.name = "TPUv6e",
     .bandwidth_bytes_per_s = 1.638e12,
     .matrix_rate_per_s = 918e12,
     .memory_bytes = 32e9,
     .source = "bandwidth, memory, matrix: Google Cloud documentation, TPU v6e (Trillium)"},
    {.name = "TPUv7x",
     .bandwidth_bytes_per_s = 7.38e12,
     .matrix_rate_per_s = 2307e12,
     .memory_bytes = 192e9,
     .source = "bandwidth, memory, matrix: Google Cloud documentation, TPU7x (Ironwood)"},
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
