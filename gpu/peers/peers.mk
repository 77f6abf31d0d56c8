# peers.mk - a part of the Makefile: the top-k of other projects for the GPU's benchmark, each a
# library $(BUILD)/gpu/peers/NAME.so from gpu/peers/NAME.cu, compiled with packages of PyPI.
#
# SPDX-License-Identifier: Apache-2.0

# Machine code for these alone. PEER_ARCHS="90a 100a": for several.
PEER_ARCHS ?= 90a
GPU_PEERS := $(BUILD)/gpu/peers
FETCHED := $(BUILD)/gpu/fetched
PEER_LIBRARIES := $(patsubst gpu/peers/%.cu,$(GPU_PEERS)/%.so,$(wildcard gpu/peers/*.cu))
PEER_FLAGS := -O3 $(foreach a,$(PEER_ARCHS),-gencode arch=compute_$a,code=sm_$a) -shared \
    -Xcompiler -fPIC -Xcompiler -fvisibility=hidden -Xlinker -s --compress-mode=size
.PHONY: gpu-peers gpu-peer-libraries

# What an adaptor needs besides: PEER_FLAGS_NAME; PEER_STD_NAME, the C++ if it is not C++17; and
# PEER_LINKS_NAME, libraries that are copied to $(GPU_PEERS)/NAME and linked.
PEER_FLAGS_cub := -I$(FETCHED)/nvidia-cuda-cccl/nvidia/cu13/include/cccl

FLASHINFER := $(FETCHED)/flashinfer-python/flashinfer/data
PEER_FLAGS_flashinfer := $(addprefix -I$(FLASHINFER)/,include cccl/cub cccl/libcudacxx/include \
    cccl/thrust)
PEER_FLAGS_flashinfer_clusters := $(PEER_FLAGS_flashinfer) \
    -I$(FETCHED)/apache-tvm-ffi/tvm_ffi/include

RAFT := $(FETCHED)/libraft-cu13/libraft/include
PEER_STD_raft := c++20
PEER_FLAGS_raft := -I$(RAFT) -I$(RAFT)/rapids -I$(FETCHED)/librmm-cu13/librmm/include \
    -I$(FETCHED)/rapids-logger/rapids_logger/include --extended-lambda --expt-relaxed-constexpr
PEER_LINKS_raft := $(FETCHED)/librmm-cu13/librmm/lib64/librmm.so \
    $(FETCHED)/rapids-logger/rapids_logger/lib64/librapids_logger.so

SGLANG := $(FETCHED)/sglang/sglang/kernels/jit
PEER_STD_sglang := c++20
PEER_FLAGS_sglang := --expt-relaxed-constexpr -DSGL_CUDA_ARCH=900 -I$(FETCHED)/sglang \
    -I$(SGLANG)/include -I$(FETCHED)/apache-tvm-ffi/tvm_ffi/include
PEER_STD_sglang_v2 := c++20
PEER_FLAGS_sglang_v2 := $(PEER_FLAGS_sglang)

# --ftz=false must come after --use_fast_math.
DEEPSELECT := $(SGLANG)/csrc/deep_select/vendor
PEER_STD_deepselect := c++20
PEER_FLAGS_deepselect := $(PEER_FLAGS_sglang) --expt-extended-lambda --use_fast_math --ftz=false \
    -Xptxas=--register-usage-level=10 -I$(DEEPSELECT) \
    -I$(DEEPSELECT)/3rdparty/kerutils/include \
    -I$(FETCHED)/nvidia-cutlass/cutlass_library/source/include

PEER_FLAGS_vllm := -diag-suppress 802 -I$(FETCHED)/vllm -Igpu/peers/torch

# An adaptor that does not compile is left out.
link_peer = $(if $(PEER_LINKS_$1),$(PEER_LINKS_$1:%=-Xlinker %) \
    -Xlinker -rpath -Xlinker '$$ORIGIN/$1')
copy_links = $(if $(PEER_LINKS_$1),mkdir -p $(GPU_PEERS)/$1 && \
    cp $(PEER_LINKS_$1) $(GPU_PEERS)/$1 &&)
$(GPU_PEERS)/%.so: gpu/peers/%.cu gpu/peers/peer.h $(GPU_PEERS)/.flags | $(BUILD)/see/gpu/.made
	$(say) PEER $<
	$(Q){ $(call copy_links,$*) $(NVCC) -std=$(or $(PEER_STD_$*),c++17) $(PEER_FLAGS) \
	    $(PEER_FLAGS_$*) -I$(BUILD)/see/gpu -MMD -MP -MT $@ -MF $(@:.so=.d) $< \
	    $(call link_peer,$*) -o $@; } >$(@:.so=.log) 2>&1 || { rm -f $@; \
	    echo "gpu-peers: $* was left out:" \
	    "$$({ grep -i error $(@:.so=.log); cat $(@:.so=.log); } | sed -n 1p)"; }

$(GPU_PEERS)/.flags: FORCE
	@mkdir -p $(@D)
	@echo '$(PEER_FLAGS)' | cmp -s - $@ || echo '$(PEER_FLAGS)' >$@

gpu-peers:
	@$(if $(HAS_NVCC),gpu/peers/fetch.sh $(FETCHED),$(NO_NVCC))
	@$(if $(HAS_NVCC),$(MAKE) --no-print-directory gpu-peer-libraries)
	@$(if $(HAS_NVCC),ls $(GPU_PEERS)/*.so >/dev/null)

gpu-peer-libraries: $(PEER_LIBRARIES)
	@:

-include $(wildcard $(GPU_PEERS)/*.d)
