/* torch_utils.h - what the host code of vLLM's top-k asks of PyTorch, without PyTorch.
 *
 * vLLM's .cu files include a header of this name from their own folder. It is not unpacked there,
 * so that they find this one: a tensor is a pointer and a shape, the stream is the one of the
 * call, and memory that they allocate is cut from its workspace.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef RCM_PEER_TORCH_H
#define RCM_PEER_TORCH_H

#include <cuda_runtime.h>

#include <initializer_list>
#include <optional>

/* A check of theirs that failed. */
struct torch_check_failed {
};

#define STD_TORCH_CHECK(condition, ...) \
    do { \
        if (!(condition)) \
            throw torch_check_failed(); \
    } while (0)

/* Their kernels of other purposes are not built. */
#define VLLM_STABLE_DISPATCH_FLOATING_TYPES(...)

/* The call of this thread. */
inline thread_local cudaStream_t torch_stream;
inline thread_local char *torch_free_memory;

namespace torch
{

namespace headeronly
{
enum class ScalarType { Byte, Int, Float };
}

namespace stable
{

struct Tensor {
    void *data;
    headeronly::ScalarType type;
    int dimensions;
    int64_t rows, columns;

    int64_t size(int i) const
    {
        return i == 0 ? rows : columns;
    }
    int64_t stride(int i) const
    {
        return i == 0 ? columns : 1;
    }
    int64_t numel() const
    {
        return rows * columns;
    }
    int dim() const
    {
        return dimensions;
    }
    bool is_cuda() const
    {
        return true;
    }
    bool is_contiguous() const
    {
        return true;
    }
    headeronly::ScalarType scalar_type() const
    {
        return type;
    }
    int device() const
    {
        return 0;
    }
    int get_device_index() const
    {
        return 0;
    }
    template <typename T> const T *const_data_ptr() const
    {
        return (const T *)data;
    }
    template <typename T> T *mutable_data_ptr() const
    {
        return (T *)data;
    }
};

/* Elements of 4 bytes. */
inline Tensor empty(std::initializer_list<int64_t> sizes, headeronly::ScalarType type,
                    std::nullopt_t, int)
{
    int64_t elements = 1;
    for (int64_t size : sizes)
        elements *= size;
    char *data = torch_free_memory;
    torch_free_memory += (elements * 4 + 255) / 256 * 256;
    return {data, type, 1, elements, 1};
}

namespace accelerator
{
struct DeviceGuard {
    explicit DeviceGuard(int)
    {
    }
};
} // namespace accelerator

} // namespace stable
} // namespace torch

inline cudaStream_t get_current_cuda_stream()
{
    return torch_stream;
}

inline cudaDeviceProp *get_device_prop()
{
    static cudaDeviceProp properties;
    static cudaError_t error = [] {
        int device = 0;
        cudaError_t e = cudaGetDevice(&device);
        return e ? e : cudaGetDeviceProperties(&properties, device);
    }();
    STD_TORCH_CHECK(!error);
    return &properties;
}

#endif
