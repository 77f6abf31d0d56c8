"""recallmodel-cuda installed; run by deliver/packaging/test_wheel_cuda.sh.

    cuda.py PLACE: the folder that the module must lie in
"""
import ctypes
import pathlib
import sys

import numpy

import recallmodel as rcm
from recallmodel import _library

place = sys.argv[1]
package = _library.cuda_package()
assert str(package).startswith(place) and "recallmodel_cuda" not in sys.modules
gpu = _library.load(_library.GPU)
texts = [_library.text_of(gpu.rcm_gpu_message(status)) for status in range(8)]
assert len(set(texts)) == 8 and texts[0] == "no error", texts

# Without a driver a call says so in one line, and the CPU is untouched.
rows = dict(x=_library.ffi.cast("void *", 256), m=1, n=1000, dtype=gpu.RCM_GPU_F32)
call = _library.new("rcm_gpu_exact", rows=rows, k=10)
status = gpu.rcm_gpu_exact_workspace(call, _library.ffi.new("size_t *"))
if pathlib.Path("/dev/nvidiactl").exists():
    assert status == gpu.RCM_GPU_OK, status
else:
    assert status == gpu.RCM_GPU_NO_DEVICE, status
    assert texts[status].endswith("no driver that CUDA 13 runs on (580 or newer)"), texts
    assert not any("\n" in text for text in texts)
assert rcm.topk(numpy.array([2.5, 4.5, 3.5]), 2).indices.tolist() == [1, 2]

# The benchmark finds the kernels beside it.
bench = ctypes.CDLL(str(package / "librecallmodel-bench.so"))
assert bench.recallmodel_bench and bench.add_peers
print("kernels", package.name, rcm.__version__)
