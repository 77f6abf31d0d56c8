"""topk in Python: every type, axis and layout, recall, threads and errors; NumPy's sort.

Against: sorting, on every input, NaN, infinities, equal leading bits, 1 to 16 bits a pass; the
cost formulas to the digit; expected insertions.

Against: NumPy's sort of integer keys; the model's recall, within 4 standard deviations.
"""
import concurrent.futures
import decimal
import os
import pathlib
import subprocess
import sys
import threading
import time
import types
import warnings

import numpy
import pytest

import recallmodel as rcm
from recallmodel import _library, _topk, _topk_call, _topk_gpu

TYPES = ["float32", "float64", "float16", "bfloat16", "int8", "int32"]
KINDS = ["normal", "ties", "nan", "all nan", "infinite", "constant", "zeros", "falling"]
SIZED = {1: numpy.int8, 2: numpy.int16, 4: numpy.int32, 8: numpy.int64}


def type_of(name):
    return (numpy.dtype(name) if name != "bfloat16" else
            numpy.dtype(pytest.importorskip("ml_dtypes").bfloat16))


def made(shape, kind="normal", dtype="float32", seed=1):
    rng = numpy.random.default_rng(seed)
    x = 100 * rng.standard_normal(shape)
    if kind == "ties":
        x = numpy.round(x / 50)
    elif kind == "constant":
        x = numpy.full(shape, 3.0)
    elif kind == "falling":
        x = -numpy.sort(-x, axis=-1)
    elif kind == "zeros":
        x = numpy.where(x > 0, 0.0, -0.0)
    dtype = type_of(dtype)
    if dtype.kind == "i":
        return numpy.clip(x, -128, 127).astype(dtype)
    holes = {"nan": [numpy.nan, -numpy.nan], "infinite": [numpy.inf, -numpy.inf]}.get(kind, [])
    for value in holes:
        x = numpy.where(rng.random(shape) < 0.1, value, x)
    return numpy.full(shape, numpy.nan if kind == "all nan" else x).astype(dtype)


def keys_of(x, largest):
    """Integers in the order of the elements: NaN is the lowest, -0 is below +0."""
    keys = numpy.ascontiguousarray(x).view(SIZED[x.dtype.itemsize]).astype(numpy.int64)
    if x.dtype.kind != "i":
        keys ^= (keys >> 63) & (2**(8 * x.dtype.itemsize - 1) - 1)
    if not largest:
        keys = ~keys
    lowest = numpy.iinfo(numpy.int64).min + 1  # so that it can be negated
    return keys if x.dtype.kind == "i" else numpy.where(numpy.isnan(x), lowest, keys)


def check(x, k, got, axis=-1, largest=True, in_order=True):
    """The values are the k best, and the indices say where they lie."""
    x, values, indices = (numpy.moveaxis(numpy.atleast_1d(one), axis if numpy.ndim(one) else 0, -1)
                          for one in (x, *got[:2]))
    assert values.dtype == x.dtype and values.shape == indices.shape == (*x.shape[:-1], k)
    want = -numpy.sort(-keys_of(x, largest), axis=-1)[..., :k]
    keys = keys_of(values, largest)
    numpy.testing.assert_array_equal(keys if in_order else -numpy.sort(-keys, axis=-1), want)
    assert numpy.all((indices >= 0) & (indices < x.shape[-1]))
    assert numpy.all(numpy.diff(numpy.sort(indices, axis=-1), axis=-1) > 0)
    there = numpy.take_along_axis(x, indices.astype(numpy.int64), -1)
    numpy.testing.assert_array_equal(keys_of(there, largest), keys)


# ---- types and rows


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", TYPES)
def test_types_and_rows(dtype, kind):
    for n in (1, 2, 33, 257):
        x = made((3, n), kind, dtype, n)
        for k in {1, min(n, 7), n // 2 or 1, n}:
            for largest in (True, False):
                check(x, k, rcm.topk(x, k, largest=largest), largest=largest)
            check(x, k, rcm.topk(x, k, sorted=False), in_order=False)
            check(x, k, rcm.topk(x, k, b=n, k_b=1))  # each element is a bucket: nothing is lost


def test_long_row():
    x = made(100_001, "nan", "float32")
    for k in (1, 50, 5000, 100_001):
        check(x, k, rcm.topk(x, k))
    check(made((2, 70_000), "ties", "int8"), 900, rcm.topk(made((2, 70_000), "ties", "int8"), 900))


def test_index_dtype():
    x = made((2, 50))
    assert rcm.topk(x, 3).indices.dtype == numpy.int64
    for one in ("int32", numpy.int32, numpy.dtype("int32")):
        got = rcm.topk(x, 3, index_dtype=one)
        assert got.indices.dtype == numpy.int32
        check(x, 3, got)
    with pytest.raises(ValueError, match="index_dtype='int64'"):
        rcm.topk(numpy.broadcast_to(numpy.int8(1), 2**31), 3, index_dtype="int32")


def test_what_is_kept_of_a_call_is_of_its_types():
    x = made(9)
    rcm.topk(x, 1)
    with pytest.raises(TypeError, match="k must be"):
        rcm.topk(x, True)


# ---- axes, layouts, and that there is no copy


@pytest.fixture
def calls(monkeypatch):
    """A list that gets of each call of the library the rows, as numbers."""
    seen, real = [], _topk_call.start

    def start(call):
        rows = call.rows
        seen.append(types.SimpleNamespace(
            x=int(_library.ffi.cast("intptr_t", rows.x)), m=rows.m, row_stride=rows.row_stride,
            stride=rows.stride))
        return real(call)

    monkeypatch.setattr(_topk_call, "start", start)
    return seen


def layouts():
    x = made((6, 20, 300))
    wide = made((3, 4, 9, 70), seed=2)
    record = numpy.zeros((5, 90), dtype=[("a", "i4"), ("x", "f4"), ("b", "i4")])
    record["x"] = made((5, 90))
    odd = numpy.zeros(4 * 600 + 1, numpy.uint8)[1:].view(numpy.float32).reshape(2, 300)
    odd[...] = made((2, 300))
    return {"contiguous": (x, 1), "row": (x[2, 3], 1), "column": (x[:, 3, 5], 1),
            "Fortran": (numpy.asfortranarray(x[0]), 1), "transposed": (x.T, None),
            "reversed": (x[:, ::-1, ::-1], None), "steps": (x[::2, ::3, 1::7], None),
            "gap": (x[:, :, 10:200], None), "rows left out": (x[:, 5:19], None),
            "four": (wide, None),
            "four sliced": (wide[1:, ::2, ::-2, 3:60], None), "record": (record["x"], 1),
            "unaligned": (odd, 1), "one": (x[:1, :1, :1], 1), "read only": (readonly(x), 1)}


def readonly(x):
    x = x.copy()
    x.flags.writeable = False
    return x


@pytest.mark.parametrize("name", layouts())
def test_layouts(name, calls):
    x, most = layouts()[name]
    bounds = getattr(numpy.lib, "array_utils", numpy).byte_bounds
    low, high = bounds(x)
    for axis in range(-x.ndim, x.ndim):
        n = x.shape[axis]
        for more in ({}, {"b": (n + 1) // 2, "k_b": 1}):
            k = (n + 1) // 2
            del calls[:]
            got = rcm.topk(x, k, axis=axis, **more)
            inside = [low <= call.x < high for call in calls]
            if most is not None and axis % x.ndim == x.ndim - 1:
                assert all(inside) and len(calls) == most
            else:  # in pieces of many elements, or one copy
                assert all(inside) or len(calls) == 1
                assert len(calls) == 1 or calls[0].m * n >= _topk_call.PIECE_LEAST
            if not more:
                check(x, k, got, axis)


def test_pieces_and_copies(calls):
    x = made((3, 40, 300))
    check(x[:, :30], 9, rcm.topk(x[:, :30], 9))
    assert [(call.x - x.ctypes.data, call.m, call.row_stride) for call in calls] == [
        (48000 * i, 30, 300) for i in range(3)]
    del calls[:]
    short = x[:, :2]
    check(short, 9, rcm.topk(short, 9))
    assert len(calls) == 1 and calls[0].m == 6 and calls[0].x != x.ctypes.data
    del calls[:]
    check(x, 3, rcm.topk(x, 3, axis=0), axis=0)
    assert [(c.x, c.m, c.row_stride, c.stride) for c in calls] == [
        (x.ctypes.data, 12000, 1, 12000)]
    del calls[:]
    for broad in (numpy.broadcast_to(x[0, 0], (7, 300)), numpy.broadcast_to(x[0, :, :1], (40, 9))):
        check(broad, 9, rcm.topk(broad, 9))
    assert len(calls) == 2  # both are copied


def test_no_axes_and_no_rows():
    values, indices = rcm.topk(numpy.float32(3), 1)
    assert (values, indices) == (3, 0) and values.shape == indices.shape == ()
    for shape, axis, want in (((0, 9), -1, (0, 4)), ((9, 0), 0, (4, 0)), ((3, 0, 9), 2, (3, 0, 4))):
        values, indices = rcm.topk(numpy.zeros(shape, numpy.float16), 4, axis=axis, recall=0.9)
        assert values.shape == indices.shape == want
        assert (values.dtype, indices.dtype) == (numpy.float16, numpy.int64)


class Exported:
    """Something that has DLPack and nothing else."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack__(self, **more):
        return self.array.__dlpack__(**more)

    def __dlpack_device__(self):
        return self.device


def test_other_kinds_of_array(calls):
    x = made((5, 64))
    interface = types.SimpleNamespace(__array_interface__=x.__array_interface__, keep=x)
    for other in (Exported(x), interface, memoryview(x), x.view(numpy.matrix)):
        got = rcm.topk(other, 5)
        assert type(got.values) is numpy.ndarray
        check(x, 5, got)
    assert {call.x for call in calls} == {x.ctypes.data}
    check(numpy.array([1.5, 2.5]), 1, rcm.topk([1.5, 2.5], 1))
    with pytest.raises(TypeError, match="copy x to the CPU"):
        rcm.topk(Exported(x, (2, 0)), 5)


# ---- recall


@pytest.mark.parametrize("shape", [(4096, 64, 128, 1), (4096, 64, 100, 2), (5000, 200, 150, 3)])
@pytest.mark.parametrize("assignment", ["interleaved", "contiguous"])
def test_recall_is_that_of_the_model(shape, assignment):
    n, k, b, k_b = shape
    rows = 300
    x = made((rows, n), seed=7)
    got = rcm.topk(x, k, b=b, k_b=k_b, assignment=assignment, return_choice=True)
    threshold = numpy.sort(x, axis=-1)[:, -k:][:, :1]
    recall = (got.values >= threshold).mean()
    want = rcm.recall(n, k, b, k_b, assignment=assignment)
    # |z| > 4 by chance: 6e-5 a case; the seed is fixed.
    assert abs(recall - want) < 4 * rcm.recall_sd(n, k, b, k_b) / rows**0.5
    assert got.choice == ("bucketed", b, k_b, assignment, want, None)


@pytest.mark.parametrize("goal", [dict(recall=0.9), dict(recall="0.99"), dict(
    recall=decimal.Decimal("0.95"), confidence=0.9), dict(recall=numpy.float32(0.5))])
def test_what_the_library_chooses(goal):
    n, k, rows = 8192, 100, 200
    x = made((rows, n), seed=3)
    values, indices, choice = rcm.topk(x, k, **goal, return_choice=True)
    assert choice.recall >= float(goal["recall"])
    assert choice.select.deploy in ("bucketed", "exact", "threshold")
    assert (choice.method == "bucketed") == (choice.select.deploy == "bucketed")
    hits = (values >= numpy.sort(x, axis=-1)[:, -k:][:, :1]).mean(axis=1)
    if choice.method == "exact":
        assert numpy.all(hits == 1) and choice.recall == 1
        return
    sd = rcm.recall_sd(n, k, choice.b, choice.k_b)
    assert abs(hits.mean() - choice.recall) < 4 * sd / rows**0.5
    if "confidence" in goal:
        assert hits.mean() >= 0.95  # of all rows together
    same = rcm.topk(x, k, b=choice.b, k_b=choice.k_b)
    numpy.testing.assert_array_equal(same.indices, indices)


def test_a_profile_of_another_cpu_is_said_to_be_one(tmp_path):
    """A stored profile names its CPU."""
    text = rcm.profile("cpu-epyc-zen4").text()
    other = tmp_path / "other.profile"
    other.write_text(text.replace("AMD EPYC, family 25, model 17", "Another, family 1, model 2"))
    x = numpy.zeros((2, 4096), numpy.float32)
    if os.path.exists("/proc/cpuinfo"):
        says = "is of Another, family 1, model 2, but this machine is"
        with pytest.warns(UserWarning, match=says):
            rcm.topk(x, 64, recall=0.95, profile=other)


def test_choice_by_a_profile_is_kept():
    x = numpy.zeros((64, 2**17), numpy.int8)[:, ::-1]
    first = rcm.topk(x, 2048, recall=0.95, profile="H100-PCIe", return_choice=True)
    alone = rcm.select(2**17, 2048, 0.95, m=64, profile="H100-PCIe")
    chosen = first.choice.select
    assert (chosen.b, chosen.k_b, chosen.objective) == (alone.b, alone.k_b, alone.objective)
    assert [one.kind for one in chosen.contenders] == ["buckets", "exact"]
    assert all((one.profile, one.basis) == (None, "predicted") for one in chosen.contenders)
    assert alone.contenders[0].profile
    before = _topk._choose.cache_info()
    rcm.topk(x, 2048, recall=0.95, profile="H100-PCIe")
    after = _topk._choose.cache_info()
    assert (after.hits, after.misses) == (before.hits + 1, before.misses)


@pytest.mark.parametrize("m, n, k, recall", [(8, 2**17, 64, 0.95), (4, 2**20, 1024, 0.9),
                                             (64, 2**16, 256, 0.6)])
def test_runs_exact_where_that_is_the_verdict(m, n, k, recall):
    """Buckets run only where they are surely faster, even if they are predicted to be faster."""
    x = numpy.random.default_rng(n).standard_normal((m, n), dtype=numpy.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of another CPU
        got = rcm.topk(x, k, recall=recall, profile="cpu-epyc-zen4", return_choice=True)
    chosen = got.choice.select
    assert (got.choice.method == "exact") == (chosen.verdict == "exact") != (
        chosen.verdict == "buckets")
    assert chosen.verdict == "exact" or not chosen.too_close
    if (m, n) == (8, 2**17):
        assert chosen.over_exact < 1 and chosen.too_close and got.choice.method == "exact"
    if got.choice.method == "exact":
        numpy.testing.assert_array_equal(got.values, rcm.topk(x, k).values)


def test_recall_1_is_exact():
    x = made((3, 999), "ties")
    got = rcm.topk(x, 30, 1.0, return_choice=True)
    assert got.choice == ("exact", None, None, None, 1.0, None)
    check(x, 30, got)
    assert rcm.topk(x, 30, return_choice=True).choice == got.choice


# ---- threads


def test_same_bits_for_any_number_of_threads():
    for x in (made((7, 40_000), "ties"), made(400_000, "ties")):
        for more in ({}, {"b": 3000, "k_b": 2}):
            want = rcm.topk(x, 1000, threads=1, **more)
            for threads in (0, 2, 5):
                got = rcm.topk(x, 1000, threads=threads, **more)
                for one, other in zip(got, want):
                    numpy.testing.assert_array_equal(one, other)


def test_calls_in_many_threads():
    arrays = [made((3, 20_000), seed=seed) for seed in range(8)]

    def work(i):
        check(arrays[i % 8], 5 + i, rcm.topk(arrays[i % 8], 5 + i, threads=1 + i % 2))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(64)))


def test_others_run_during_a_call():
    x, ended = made((64, 200_000)), []

    def work():
        rcm.topk(x, 50_000, threads=1)
        ended.append(True)

    thread, turns = threading.Thread(target=work), 0
    thread.start()
    while not ended:
        time.sleep(0.001)
        turns += 1
    thread.join()
    assert turns > 5  # 1 if the call keeps the lock of the interpreter


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="there is no /proc")
@pytest.mark.parametrize("name", ["topk", "sim", "attention"])
def test_the_library_stays(name):
    """Its threads, or those of OpenMP, wait in it when Python ends."""
    code = ("import gc\n"
            "from recallmodel import _library\n"
            f"assert _library.{name}()\n"
            f"_library.{name}.cache_clear()\n"
            "gc.collect()\n"
            f"assert 'librecallmodel-{name}' in open('/proc/self/maps').read()\n")
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)


def test_child_of_fork():
    code = ("import os, numpy, recallmodel\n"
            "x = numpy.arange(2**20, dtype='int32').reshape(16, -1)\n"
            "recallmodel.topk(x, 3, threads=4)\n"
            "child = os.fork()\n"
            "if child == 0:\n"
            "    right = recallmodel.topk(x, 3, threads=4).indices[2, 0] == 65535\n"
            "    os._exit(7 if right and len(os.listdir('/proc/self/task')) == 4 else 1)\n"
            "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n")
    run = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                           start_new_session=True)
    try:
        assert run.communicate(timeout=20)[0].split() == ["7"]
    finally:
        if run.poll() is None:
            os.killpg(run.pid, 9)


def test_large_workspace_is_not_kept():
    x = made(600_000)
    check(x, 200_000, rcm.topk(x, 200_000))
    assert 0 < _topk_call._kept.room <= _topk_call.KEPT_MOST


# ---- errors


@pytest.mark.parametrize("what, says", [
    (dict(k=101), "k = 101 is not in 0 .. 100, the length of axis 1"),
    (dict(k=-1), "k = -1 is not in"),
    (dict(axis=2), "axis = 2 is not in -2 .. 1"),
    (dict(axis=0.95), "a recall is given by its name: recall=0.95"),
    (dict(recall=0), "0.95 for 95 %"), (dict(recall=1.5), "recall"),
    (dict(recall=float("nan")), "recall"), (dict(recall="high"), "recall"),
    (dict(recall=0.9, confidence=1), "below 1"), (dict(confidence=0.9), "give recall=0.95"),
    (dict(recall=0.9, b=10, k_b=1), "either recall or b and k_b"), (dict(b=10), "give both"),
    (dict(k_b=1), "give both"), (dict(b=101, k_b=1), "b = 101 is not in 1 .. 100"),
    (dict(b=10, k_b=6), "k_b = 6 is not in 1 .. 5"),
    (dict(b=40, k_b=4), "k_b = 4 is not in 1 .. 3"),
    (dict(b=4, k_b=1), "4 buckets of 1 hold 4"), (dict(threads=-1), "threads"),
    (dict(b=10, k_b=1, assignment="contiguous-floor"), "interleaved, contiguous"),
    (dict(index_dtype="int16"), "int32 or int64"), (dict(recall=0.9, profile="none"), "H100-PCIe"),
    (dict(x=numpy.zeros((3, 0), "f")), "not in 0 .. 0"),
    (dict(nan="first"), "'last' or 'largest'"),
    (dict(x=numpy.full(9, 2**60), recall=0.9), "beyond 2\\*\\*53"),
    (dict(out=(numpy.zeros((3, 5), "d"), numpy.zeros((3, 5), int))), "it must have"),
])
def test_wrong_values(what, says):
    with pytest.raises(ValueError, match=says) as error:
        rcm.topk(**{"x": made((3, 100)), "k": 5, **what})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("what, says", [
    (dict(x=numpy.zeros((3, 100), ">f4")), "newbyteorder"),
    (dict(x=1j), "complex128"),
    (dict(out=3), "must be a pair"), (dict(axis=0, dim=0), "two names"),
    (dict(x="text"), "type <U4"), (dict(x=None), "object"),
    (dict(x=numpy.ma.masked_less(made((3, 100)), 0)), "masked"), (dict(k=2.5), "whole"),
    (dict(k=[1, 2]), "k must be one number"), (dict(recall=[0.9]), "recall must be one number"),
    (dict(recall=0.9, profile=3), "profile must be"), (dict(b="9", k_b=1), "b must be whole"),
    (dict(recall=0.9, profile=[1]), "profile must be"),
    (dict(axis=[0]), "axis must be one number"),
])
def test_wrong_types(what, says):
    with pytest.raises(TypeError, match=says) as error:
        rcm.topk(**{"x": made((3, 100)), "k": 5, **what})
    assert "\n" not in str(error.value)


def test_instruction_set():
    library, best = _library.topk(), rcm.topk_isa()
    assert best in {_library.text_of(library.rcm_top_k_isa(i)) for i in range(3)}
    try:
        assert library.rcm_top_k_use_isa(b"generic") and rcm.topk_isa() == "generic"
    finally:
        library.rcm_top_k_use_isa(best.encode())
    code = "import recallmodel; print(recallmodel.topk_isa())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                         env={**os.environ, "RCM_TOP_K_ISA": "generic"})
    assert run.stdout.split() == ["generic"], run.stderr


# ---- the kernels of the GPU in their emulation


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_kernels_of_the_gpu(dtype):
    build = pathlib.Path(os.environ.get("RECALLMODEL", "build/recallmodel")).parent
    emulated = build / "gpu/librecallmodel-gpu-emulated.so"
    if not emulated.exists():
        pytest.skip(f"{emulated} was not built")
    library = _library.ffi.dlopen(str(emulated.resolve()))
    x = made((3, 500), "ties", dtype)
    rows = dict(x=x.ctypes.data, m=3, n=450, stride=500,
                dtype=_topk_gpu.DTYPES[_topk._type_of(x)])
    keep = []

    def allocate(size):
        keep.append(numpy.empty(size + 255, numpy.uint8))
        return -(-keep[-1].ctypes.data // 256) * 256, keep[-1]

    for way in (_topk.EXACT, _topk.Way(1, 450, 1, 0, None)):
        values, indices = numpy.empty((3, 20), x.dtype), numpy.empty((3, 20), numpy.int32)
        outputs = dict(values=values.ctypes.data, indices=indices.ctypes.data)
        for in_order in (False, True):
            _topk_gpu.topk(library, rows, 20, way, allocate, **outputs, sorted=in_order)
            check(x[:, :450], 20, (values, indices), in_order=in_order)
    with pytest.raises(_topk_gpu.Refused, match="the shape"):
        _topk_gpu.topk(library, rows, 451, _topk.EXACT, allocate, **outputs)
    with pytest.raises(RuntimeError, match="librecallmodel-gpu: .*null"):
        _topk_gpu.topk(library, rows, 20, _topk.EXACT, allocate)


def test_a_number_has_no_top_0():
    assert rcm.topk(numpy.array(3.0), 1).values == 3
    with pytest.raises(ValueError, match="k of a single number = 0 is not in 1 .. 1"):
        rcm.topk(numpy.array(3.0), 0)
