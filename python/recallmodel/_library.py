"""The C libraries, by cffi. What they declare has the names of the headers.

make and pip install write _ffi.py from the headers: deliver/packaging/declarations.py. The names
below are types for the annotations, too; tests/python/test_recallmodel.py compares them with the
libraries'.
"""
import functools
import importlib.util
import os
import pathlib
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args

import numpy

Path = Union[str, "os.PathLike[str]"]
Assignment = Literal["interleaved", "contiguous", "contiguous-floor"]  # of both libraries
KernelAssignment = Literal["interleaved", "contiguous"]  # those that the kernels of topk/ know
Dtype = Literal["f32", "f16", "bf16"]
RowDtype = Literal["unknown", "f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2"]
Weights = Literal["unsaid", "scores", "probabilities"]  # what the elements of rows are
Input = Literal["placement", "file", "iid", "ar1", "lognormal", "uniform", "ties", "sorted",
                "constant", "rope"]
Shuffle = Literal["none", "row", "once"]
Objective = Literal["candidates", "basic", "serial", "parallel", "time", "roofline"]
CostModel = Literal["basic", "serial", "parallel"]
Deploy = Literal["bucketed", "exact", "threshold", "none"]
Verdict = Literal["exact", "threshold", "buckets", "none"]
Kind = Literal["exact", "threshold", "buckets"]  # of a Contender
Ties = Literal["any", "repeatable", "position"]

ASSIGNMENTS: tuple[str, ...] = get_args(Assignment)
DTYPES: tuple[str, ...] = get_args(Dtype)
INPUTS: tuple[str, ...] = get_args(Input)

GPU = "librecallmodel-gpu"
MEMBER = "\1"  # before the name of a member in a message: base/message.h
_HERE = pathlib.Path(__file__).resolve().parent
_BUILD = _HERE.parents[1] / "build"

try:
    from ._ffi import ffi
except ModuleNotFoundError as error:
    if error.name != f"{__package__}._ffi":
        raise
    raise ImportError(f"{_HERE / '_ffi.py'} is missing: run make with python3-cffi, or pip install "
                      ". in the source tree") from None


def load(name: str) -> Any:
    """Loads the library of that name; ImportError if there is none.

    It is the file $RECALLMODEL_LIBRARY, which names librecallmodel; otherwise the newest file of
    that name beside $RECALLMODEL_LIBRARY, beside this file (pip install) or in build/ of the
    source tree, in this order; that of the kernels also in cuda_package().
    """
    # Not unloaded when Python ends: threads of OpenMP wait in what they need.
    flags = ffi.RTLD_NOW | ffi.RTLD_NODELETE
    given = os.environ.get("RECALLMODEL_LIBRARY")
    if given and name == "librecallmodel":
        return ffi.dlopen(given, flags)
    folders = [pathlib.Path(given).parent] if given else []
    for folder in [*folders, _HERE, _BUILD]:
        found = sorted(folder.glob(name + ".so*"), key=lambda place: place.stat().st_mtime)
        if found:
            return ffi.dlopen(str(found[-1]), flags)
    if name == GPU:
        return ffi.dlopen(str(cuda_package() / f"{name}.so.{text_of(model.rcm_version())}"), flags)
    raise ImportError(f"{name}.so is neither in {_HERE} nor in {_BUILD}: run make, or pip install "
                      ". in the source tree")


def cuda_package() -> pathlib.Path:
    """The folder of the package recallmodel_cuda, which has librecallmodel-gpu.so.VERSION,
    and librecallmodel-bench.so. ImportError if it is not installed, or is of another version than
    this module.
    """
    spec = importlib.util.find_spec("recallmodel_cuda")  # found, not imported
    folders = list(map(pathlib.Path, spec.submodule_search_locations or ())) if spec else []
    found = [file for folder in folders for file in folder.glob(f"{GPU}.so.*")]
    mend = "pip install 'recallmodel[cuda]'"
    if not found:
        raise ImportError(f"{GPU}.so is missing: {mend}, or run make gpu in the source tree (it "
                          "needs nvcc)")
    version = text_of(model.rcm_version())
    of_this = [file.parent for file in found if file.name == f"{GPU}.so.{version}"]
    if not of_this:
        raise ImportError(f"recallmodel is {version}, but recallmodel-cuda "
                          f"{found[0].name.partition('.so.')[2]}: {mend}")
    return of_this[0]


model = load("librecallmodel")


@functools.lru_cache(maxsize=None)
def sim() -> Any:
    """The simulation, loaded at the first call: the model works without it."""
    return load("librecallmodel-sim")


@functools.lru_cache(maxsize=None)
def attention() -> Any:
    """Sparse attention, loaded at the first call."""
    return load("librecallmodel-attention")


@functools.lru_cache(maxsize=None)
def topk() -> Any:
    """Top-k on a CPU, loaded at the first call."""
    return load("librecallmodel-topk")


# ---- C and Python


def new(name: str, /, **fields: Any) -> Any:
    """A pointer to a new structure, which owns it; what is not given is 0."""
    return ffi.new(f"struct {name} *", fields)


def text_of(chars: Any) -> str:
    """The text that a pointer or an array of char holds, members by name; that of NULL is empty."""
    return ffi.string(chars).decode().replace(MEMBER, "") if chars else ""


def number_of(name: Any, kind: Any, what: str) -> int:
    """The number of a name in an enumeration, whose names are a Literal."""
    names = get_args(kind)
    if name not in names:
        raise ValueError(f"{what} {name!r} is not known; give one of {', '.join(names)}")
    return names.index(name)


def dtype_of(name: str) -> "numpy.dtype[Any]":
    """The type of NumPy with the fields of a structure of whole numbers and enumerations."""
    fields = dict(ffi.typeof(f"struct {name}").fields)
    return numpy.dtype({"names": list(fields), "itemsize": ffi.sizeof(f"struct {name}"),
                        "offsets": [field.offset for field in fields.values()],
                        "formats": [f"u{ffi.sizeof(field.type)}" for field in fields.values()]})


def rows_of(registry: Any) -> Iterator[Any]:
    """Pointers to the rows of one of the library's registries, a function."""
    index = 0
    while row := registry(index):
        yield row
        index += 1


# ---- the keys of the text of a profile


def _keys() -> dict[str, Any]:
    """struct rcm_text_key by its name, in the order of that text."""
    keys: dict[str, Any] = {}
    while (key := model.rcm_text_key(len(keys))).name:
        keys[text_of(key.name)] = key
    return keys


KEYS = _keys()
PARAMETERS = [name for name, key in KEYS.items() if key.kind == model.RCM_TEXT_PARAMETER]
# In the order of struct rcm_profile.
FIGURES = sorted((name for name, key in KEYS.items() if key.kind == model.RCM_TEXT_NUMBER),
                 key=lambda name: KEYS[name].offset)
