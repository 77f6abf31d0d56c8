"""ctypes over librecallmodel: the structures of model/recallmodel.h, and one function for each that is public."""
import ctypes
import dataclasses
import os
import pathlib
from ctypes import POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint64, c_void_p

import numpy

_ASSIGNMENTS = {"interleaved": 0, "contiguous": 1, "contiguous-floor": 2}
_DTYPES = ("f32", "f16", "bf16")


class _Topk(Structure):
    _fields_ = [("n", c_uint64), ("k", c_uint64), ("b", c_uint64), ("k_b", c_uint64), ("m", c_uint64), ("valid", c_uint64),
                ("assignment", c_int)]


class _Target(Structure):
    _fields_ = [("loss", c_double), ("align", c_uint64), ("divisors", c_bool)]


class _Lost(Structure):
    _fields_ = [("first", c_uint64), ("length", c_size_t), ("probability", POINTER(c_double))]


class _Cost(Structure):
    _fields_ = [("exact", c_double), ("approximate", c_double), ("speedup", c_double), ("stage1", c_char_p), ("stage2", c_char_p)]


class _Kernel(Structure):
    _fields_ = [("name", c_char_p), ("limits", c_char_p), ("k_b_max", c_uint64)]  # and functions, which are not called from here


class _CostModel(Structure):
    _fields_ = [("name", c_char_p), ("unit", c_char_p)]  # and its algorithms


class _Prediction(Structure):
    _fields_ = [("time_us", c_double), ("stage1_us", c_double), ("stage2_us", c_double), ("bound", c_char_p), ("stage2", c_char_p),
                ("measured", c_bool)]


class _ProfileHead(Structure):
    _fields_ = [("name", c_char_p), ("kernel", POINTER(_Kernel)), ("dtype", c_int), ("date", c_char_p), ("source", c_char_p),
                ("runs", c_char_p)]  # and its numbers


class _Selection(Structure):
    _fields_ = [("p", _Topk), ("target", _Target), ("confidence", c_double), ("most_lost", c_uint64), ("kernel", POINTER(_Kernel)),
                ("k_b_max", c_uint64), ("objective", c_void_p), ("context", c_void_p), ("grows", c_bool), ("steps", c_bool)]


class _Choice(Structure):
    _fields_ = [("p", _Topk), ("objective", c_double)]


def _load():
    """The library: $RECALLMODEL_LIBRARY, the one beside this file (pip install), or that of a built source tree."""
    here = pathlib.Path(__file__).resolve().parent
    places = [os.environ.get("RECALLMODEL_LIBRARY"), *sorted(here.glob("librecallmodel.so*")),
              *sorted((here.parents[1] / "build").glob("librecallmodel.so*"))]
    for place in filter(None, places):
        if pathlib.Path(place).exists():
            return ctypes.CDLL(str(place))
    raise ImportError("librecallmodel.so is not here: run make, or pip install . in the source tree, or set RECALLMODEL_LIBRARY")


_lib = _load()


def _declare(name, result, *arguments):
    function = getattr(_lib, name)
    function.restype = result
    function.argtypes = arguments
    return function


_version = _declare("rcm_version", c_char_p)
_of_shape = {name: _declare("rcm_" + name, c_double, _Topk) for name in (
    "loss_exact", "recall_exact", "loss_binomial", "recall_binomial", "loss_bound", "recall_sd", "recall_worst_case", "probability_exact")}
_survival = _declare("rcm_survival", c_double, _Topk, c_uint64)
_smallest_b = _declare("rcm_smallest_b", c_uint64, _Topk, _Target)
_largest_k = _declare("rcm_largest_k", c_uint64, _Topk, _Target)
_largest_n = _declare("rcm_largest_n", c_uint64, _Topk, _Target)
_cost_model = _declare("rcm_cost_model", POINTER(_CostModel), c_size_t)
_cost = _declare("rcm_cost", _Cost, POINTER(_CostModel), _Topk)
_lost = _declare("rcm_lost", c_int, _Topk, POINTER(_Lost))
_lost_free = _declare("rcm_lost_free", None, POINTER(_Lost))
_lost_recall_quantile = _declare("rcm_lost_recall_quantile", c_double, POINTER(_Lost), c_uint64, c_double, c_uint64)
_kernel = _declare("rcm_kernel", POINTER(_Kernel), c_size_t)
_select = _declare("rcm_select", _Choice, POINTER(_Selection))
_profile = _declare("rcm_profile", POINTER(_ProfileHead), c_size_t)
_predict = _declare("rcm_predict", _Prediction, POINTER(_ProfileHead), _Topk)
_predict_exact = _declare("rcm_predict_exact", c_double, POINTER(_ProfileHead), _Topk)
_xla_b = _declare("rcm_xla_b", c_uint64, _Topk, c_double)


def version():
    """The version of the C library."""
    return _version().decode()


def _counts(**named):
    """The arguments as arrays of one shape, checked: whole numbers that a uint64 holds."""
    arrays = []
    for name, value in named.items():
        array = numpy.asarray(value)
        if array.dtype.kind not in "iu" and not (array.dtype.kind == "f" and numpy.all(array == numpy.floor(array))):
            raise TypeError(f"{name} must be whole numbers, not {array.dtype}")
        if numpy.any(array < 0):
            raise ValueError(f"{name} must not be negative")
        arrays.append(array)
    return numpy.broadcast_arrays(*arrays)


def _each(function, result, *arrays):
    """function(values..) for each place of broadcast arrays, as an array of that shape, or a number."""
    out = numpy.empty(arrays[0].shape, dtype=result)
    for place in numpy.ndindex(out.shape):
        out[place] = function(*(array[place] for array in arrays))
    return out[()]


def _shape(n, k, b, k_b, m=1, valid=0, assignment="interleaved"):
    return _Topk(int(n), int(k), int(b), int(k_b), int(m), int(valid), _ASSIGNMENTS[assignment])


def _shape_function(name, text):
    call = _of_shape[name]

    def function(n, k, b, k_b, *, valid=0, assignment="interleaved"):
        n, k, b, k_b, valid = _counts(n=n, k=k, b=b, k_b=k_b, valid=valid)
        return _each(lambda *v: call(_shape(*v[:4], valid=v[4], assignment=assignment)), float, n, k, b, k_b, valid)

    function.__doc__ = f"""{text}

    n, k, b, k_b: elements in a row, wanted, buckets, kept of each; whole numbers or arrays, broadcast.
    valid: only so many elements of a row exist (0: all). assignment: interleaved, contiguous or contiguous-floor.
    Returns float64 of the broadcast shape; NaN outside the domain (1 <= k <= n < 2^53, 1 <= b <= n, k_b >= 1).
    """
    return function


recall = _shape_function("recall_exact", "Expected share of the true top-k that survives, when it lies anywhere. Error below 2.2e-16.")
loss = _shape_function("loss_exact", "1 - recall, computed as such. Relative error below 1e-13.")
recall_binomial = _shape_function("recall_binomial", "The approximation of Key et al., Eq. (1): independent of n, at most the recall.")
loss_binomial = _shape_function("loss_binomial", "1 - recall_binomial, computed as such.")
loss_bound = _shape_function("loss_bound", "A closed form that the loss does not exceed.")
recall_sd = _shape_function("recall_sd", "Standard deviation of the recall of one row.")
recall_worst_case = _shape_function("recall_worst_case", "Recall where the top-k lie in as few buckets as possible.")
probability_exact = _shape_function("probability_exact", "Probability that a row loses nothing.")


def survival(n, k, b, k_b, rank):
    """Probability that the element of this rank (1: the largest, up to k) survives stage 1. Arrays are broadcast; float64."""
    arrays = _counts(n=n, k=k, b=b, k_b=k_b, rank=rank)
    return _each(lambda *v: _survival(_shape(*v[:4]), int(v[4])), float, *arrays)


def lost_law(n, k, b, k_b):
    """The law of the number of lost elements of one row: (lost, probability), arrays of one length. One shape, no arrays."""
    law = _Lost()
    if _lost(_shape(n, k, b, k_b), byref(law)) != 0:
        raise ValueError("outside the domain, or the law would take too long")
    try:
        probability = numpy.ctypeslib.as_array(law.probability, (law.length,)).copy()
    finally:
        first = law.first
        _lost_free(byref(law))
    return numpy.arange(first, first + len(probability)), probability


def recall_quantile(n, k, b, k_b, probability, m=1):
    """The recall that each of m rows reaches, all at once, with this probability. Arrays are broadcast; NaN where it cannot be had."""
    n, k, b, k_b, m = _counts(n=n, k=k, b=b, k_b=k_b, m=m)
    n, k, b, k_b, m, probability = numpy.broadcast_arrays(n, k, b, k_b, m, numpy.asarray(probability, dtype=float))

    def one(n, k, b, k_b, m, probability):
        law = _Lost()
        if _lost(_shape(n, k, b, k_b), byref(law)) != 0:
            return numpy.nan
        quantile = _lost_recall_quantile(byref(law), int(k), float(probability), int(m))
        _lost_free(byref(law))
        return quantile

    return _each(one, float, n, k, b, k_b, m, probability)


def smallest_b(n, k, k_b, target, *, align=1, divisors=False):
    """The smallest b whose expected recall reaches `target`; 0 where none does. b is a multiple of align and, with divisors, divides n.

    target: a recall in (0, 1], number or array. Returns uint64 of the broadcast shape.
    """
    n, k, k_b = _counts(n=n, k=k, k_b=k_b)
    n, k, k_b, target = numpy.broadcast_arrays(n, k, k_b, numpy.asarray(target, dtype=float))
    return _each(lambda n, k, k_b, r: _smallest_b(_shape(n, k, 0, k_b), _Target(1.0 - r, align, divisors)), numpy.uint64, n, k, k_b, target)


def largest_k(n, b, k_b, target):
    """The largest k that b buckets of k_b keep at a recall of `target` in rows of n; 0 if none. uint64 of the broadcast shape."""
    n, b, k_b = _counts(n=n, b=b, k_b=k_b)
    n, b, k_b, target = numpy.broadcast_arrays(n, b, k_b, numpy.asarray(target, dtype=float))
    return _each(lambda n, b, k_b, r: _largest_k(_shape(n, 0, b, k_b), _Target(1.0 - r, 1, False)), numpy.uint64, n, b, k_b, target)


def largest_n(k, b, k_b, target):
    """The largest n of which b buckets of k_b keep k at a recall of `target`; 2^53 - 1 if all n. uint64 of the broadcast shape."""
    k, b, k_b = _counts(k=k, b=b, k_b=k_b)
    k, b, k_b, target = numpy.broadcast_arrays(k, b, k_b, numpy.asarray(target, dtype=float))
    return _each(lambda k, b, k_b, r: _largest_n(_shape(0, k, b, k_b), _Target(1.0 - r, 1, False)), numpy.uint64, k, b, k_b, target)


def _named(registry, name, what):
    index, names = 0, []
    while (row := registry(index)):
        if row.contents.name.decode() == name:
            return row
        names.append(row.contents.name.decode())
        index += 1
    raise ValueError(f"{what} {name!r} is not known; there are {', '.join(names)}")


def cost(model, n, k, b, k_b, m=1):
    """Cost of both stages in a cost model (basic, serial, parallel), in its own unit. Arrays are broadcast; float64."""
    row = _named(_cost_model, model, "cost model")
    arrays = _counts(n=n, k=k, b=b, k_b=k_b, m=m)
    return _each(lambda *v: _cost(row, _shape(*v)).approximate, float, *arrays)


def xla_b(n, k, target, m=64):
    """The buckets that XLA's approx_max_k takes for this recall_target; 0: it sorts the whole row. uint64 of the broadcast shape."""
    n, k, m = _counts(n=n, k=k, m=m)
    n, k, m, target = numpy.broadcast_arrays(n, k, m, numpy.asarray(target, dtype=float))
    return _each(lambda n, k, m, r: _xla_b(_shape(n, k, 1, 1, m), 1.0 - r), numpy.uint64, n, k, m, target)


# ---- time and selection


class Profile:
    """A calibrated profile that comes with the library: name, kernel, dtype, date, source, runs."""

    def __init__(self, pointer):
        head = pointer.contents
        self._pointer = pointer
        self.name, self.kernel, self.dtype = head.name.decode(), head.kernel.contents.name.decode(), _DTYPES[head.dtype]
        self.date, self.source, self.runs = head.date.decode(), head.source.decode(), head.runs.decode()

    def __repr__(self):
        return f"Profile({self.name!r}, kernel={self.kernel!r}, dtype={self.dtype!r})"


def profiles():
    """All profiles that come with the library."""
    found = []
    while (pointer := _profile(len(found))):
        found.append(Profile(pointer))
    return found


def predict_us(profile, n, k, b, k_b, m=1):
    """Predicted time of both stages, microseconds. Arrays are broadcast; NaN where the profile has none."""
    arrays = _counts(n=n, k=k, b=b, k_b=k_b, m=m)
    return _each(lambda *v: _predict(profile._pointer, _shape(*v)).time_us, float, *arrays)


def exact_time_us(profile, n, k, m=1):
    """Predicted time of the exact top-k, microseconds. Arrays are broadcast."""
    arrays = _counts(n=n, k=k, m=m)
    return _each(lambda n, k, m: _predict_exact(profile._pointer, _shape(n, k, 1, 1, m)), float, *arrays)


@dataclasses.dataclass(frozen=True)
class Choice:
    """What select chose; objective is in its own unit (candidates, operations, steps, us)."""
    b: int
    k_b: int
    candidates: int
    recall: float
    objective: float


def select(n, k, target, *, m=1, confidence=None, objective="candidates", profile=None, kernel=None, k_b_max=16, align=1, divisors=False):
    """The b and k_b of least objective that reach a recall, or None where nothing does.

    target: the recall, on the mean or, with confidence, of a row with that probability. objective: candidates, basic, serial, parallel or
    time, which needs a profile, whose kernel it then is. kernel: any (None), ours, graphcore or xla. k_b_max: the largest k_b.
    align, divisors: b is a multiple of it, divides n.
    """
    selection = _Selection(p=_shape(n, k, 0, 0, m), target=_Target(1.0 - target, align, divisors), k_b_max=k_b_max)
    if confidence is not None:
        selection.confidence = confidence
        selection.most_lost = int(k) - int(numpy.ceil(round(target * int(k), 9)))
    if objective == "time":
        if profile is None:
            raise ValueError("objective='time' needs a profile, such as recallmodel.profiles()[0]")
        selection.kernel = profile._pointer.contents.kernel
        selection.objective = ctypes.cast(_lib.rcm_objective_time, c_void_p)
        selection.context = ctypes.cast(profile._pointer, c_void_p)
        selection.steps = True
    else:
        if kernel is not None:
            selection.kernel = _named(_kernel, kernel, "kernel")
        if objective == "candidates":
            selection.objective = ctypes.cast(_lib.rcm_objective_candidates, c_void_p)
        else:
            selection.objective = ctypes.cast(_lib.rcm_objective_cost, c_void_p)
            selection.context = ctypes.cast(_named(_cost_model, objective, "objective"), c_void_p)
        selection.grows = objective in ("candidates", "basic")
    choice = _select(byref(selection))
    if not numpy.isfinite(choice.objective):
        return None
    p = choice.p
    return Choice(p.b, p.k_b, min(p.b * p.k_b, p.n), _of_shape["recall_exact"](p), choice.objective)
