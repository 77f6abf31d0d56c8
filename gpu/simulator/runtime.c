/* runtime.c - the calls of the CUDA 13 runtime that GPGPU-Sim 4.2, which is a runtime of CUDA 11,
 * lacks or answers otherwise. The host side is told of a V100, with SIMULATED_MULTIPROCESSORS of
 * its 80 multiprocessors.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdlib.h>

struct dimensions {
    unsigned x, y, z;
};

/* cudaLaunchConfig_t, without what its attributes say. */
struct launch_config {
    struct dimensions grid, block;
    size_t shared_bytes;
    void *stream;
};

unsigned __cudaPushCallConfiguration(struct dimensions grid, struct dimensions block,
                                     size_t shared_bytes, void *stream);
int cudaLaunchKernel(const void *function, struct dimensions grid, struct dimensions block,
                     void **arguments, size_t shared_bytes, void *stream);

/* In CUDA 13 the function on the host is asked for its kernel, which is launched. */
int __cudaGetKernel(const void **kernel, const void *function);
int __cudaGetKernel(const void **kernel, const void *function)
{
    *kernel = function;
    return 0;
}

int __cudaLaunchKernel(const void *kernel, struct dimensions grid, struct dimensions block,
                       void **arguments, size_t shared_bytes, void *stream);
int __cudaLaunchKernel(const void *kernel, struct dimensions grid, struct dimensions block,
                       void **arguments, size_t shared_bytes, void *stream)
{
    return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}

/* The simulator takes the shape from the last configuration that was pushed. */
int cudaLaunchKernelExC(const struct launch_config *how, const void *function, void **arguments);
int cudaLaunchKernelExC(const struct launch_config *how, const void *function, void **arguments)
{
    __cudaPushCallConfiguration(how->grid, how->block, how->shared_bytes, how->stream);
    return cudaLaunchKernel(function, how->grid, how->block, arguments, how->shared_bytes,
                            how->stream);
}

int cudaFuncSetAttribute(const void *function, int attribute, int value);
int cudaFuncSetAttribute(const void *function, int attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return 0;
}

int cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const void *how);
int cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const void *how)
{
    (void)function, (void)how;
    *clusters = 0;
    return 0;
}

/* What gpu/host/device.cu asks for. */
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaDeviceGetAttribute(int *value, int attribute, int device)
{
    enum { MULTIPROCESSORS = 16, MAJOR = 75, SHARED_BYTES_OPT_IN = 97 };
    const char *multiprocessors = getenv("SIMULATED_MULTIPROCESSORS");
    (void)device;
    *value = attribute == MULTIPROCESSORS       ? multiprocessors ? atoi(multiprocessors) : 80
             : attribute == MAJOR               ? 7
             : attribute == SHARED_BYTES_OPT_IN ? 96 * 1024
                                                : -1;
    return *value < 0; /* cudaErrorInvalidValue */
}
