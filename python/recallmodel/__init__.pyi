"""The types of the module, for mypy and editors. deliver/packaging/test_wheel.sh holds them to it."""
import os
import pathlib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import (Any, Generic, Literal, NamedTuple, Optional, Protocol, TypeVar, Union,
                    overload)

from numpy import float32, float64, int64, number
from numpy.typing import ArrayLike, NDArray

__version__: str
__all__ = [
    "Beyond", "Choice", "Chosen", "Device", "Profile", "Reaching", "Runs", "Simulation",
    "SparseAttention", "Threshold", "TopK", "TopKChosen", "attention_methods", "blocks_loss",
    "blocks_recall", "blocks_sd", "blocks_smallest", "cost", "devices", "exact_time_us",
    "largest_k", "largest_n", "loss", "loss_binomial", "loss_bound", "lost_law", "predict_us",
    "probability_exact", "profile", "profiles", "reaching", "read_profile", "read_runs",
    "recall", "recall_binomial", "recall_quantile", "recall_sd", "recall_worst_case",
    "register_torch", "runs", "select", "simulate", "smallest_b", "sparse_attention",
    "stand_in", "survival", "topk", "topk_isa", "version", "write_profile", "xla_b"]

_Assignment = Literal["interleaved", "contiguous", "contiguous-floor"]
_Kernels = Literal["interleaved", "contiguous"]
_Path = Union[str, os.PathLike[str]]
_Recall = Union[float, str, Decimal]
_Dtype = Literal["f32", "f16", "bf16"]

class _Array(Protocol):
    def __array__(self) -> NDArray[Any]: ...

# What numpy.asarray makes numbers of. ArrayLike would take a text, too.
_Numbers = Union[float, number[Any], _Array, Sequence[float], Sequence[Sequence[float]]]
# Results of the kind of the argument; of numbers and lists they are arrays.
_Kind = TypeVar("_Kind")
_Lists = Union[float, Sequence[float], Sequence[Sequence[float]]]
# Measured quantities: an array of the broadcast shape of b and k_b, or a number.
_Floats = Any

def version() -> str: ...

# Numbers give a number, arrays an array: each function has both signatures.

@overload
def recall(n: int, k: int, b: int, k_b: int, *, valid: int = 0,
           assignment: _Assignment = "interleaved") -> float: ...
@overload
def recall(n: _Numbers, k: _Numbers, b: _Numbers, k_b: _Numbers, *, valid: _Numbers = 0,
           assignment: _Assignment = "interleaved") -> NDArray[float64]: ...
@overload
def loss(n: int, k: int, b: int, k_b: int, *, valid: int = 0,
         assignment: _Assignment = "interleaved") -> float: ...
@overload
def loss(n: _Numbers, k: _Numbers, b: _Numbers, k_b: _Numbers, *, valid: _Numbers = 0,
         assignment: _Assignment = "interleaved") -> NDArray[float64]: ...
@overload
def recall_binomial(n: int, k: int, b: int, k_b: int, *, valid: int = 0,
                    assignment: _Assignment = "interleaved") -> float: ...
@overload
def recall_binomial(n: _Numbers, k: _Numbers, b: _Numbers, k_b: _Numbers, *, valid: _Numbers = 0,
                    assignment: _Assignment = "interleaved") -> NDArray[float64]: ...
@overload
def loss_binomial(n: int, k: int, b: int, k_b: int, *, valid: int = 0,
                  assignment: _Assignment = "interleaved") -> float: ...
@overload
def loss_binomial(n: _Numbers, k: _Numbers, b: _Numbers, k_b: _Numbers, *, valid: _Numbers = 0,
                  assignment: _Assignment = "interleaved") -> NDArray[float64]: ...
@overload
def loss_bound(n: int, k: int, b: int, k_b: int, *, valid: int = 0,
               assignment: _Assignment = "interleaved") -> float: ...
@overload
def loss_bound(n: _Numbers, k: _Numbers, b: _Numbers, k_b: _Numbers, *, valid: _Numbers = 0,
               assignment: _Assignment = "interleaved") -> NDArray[float64]: ...
@overload
def recall_sd(n: int, k: int, b: int, k_b: int, *, valid: int = 0,
              assignment: _Assignment = "interleaved") -> float: ...
@overload
def recall_sd(n: _Numbers, k: _Numbers, b: _Numbers, k_b: _Numbers, *, valid: _Numbers = 0,
              assignment: _Assignment = "interleaved") -> NDArray[float64]: ...
@overload
def recall_worst_case(n: int, k: int, b: int, k_b: int, *, valid: int = 0,
                      assignment: _Assignment = "interleaved") -> float: ...
@overload
def recall_worst_case(n: _Numbers, k: _Numbers, b: _Numbers, k_b: _Numbers, *, valid: _Numbers = 0,
                      assignment: _Assignment = "interleaved") -> NDArray[float64]: ...
@overload
def probability_exact(n: int, k: int, b: int, k_b: int, *, valid: int = 0,
                      assignment: _Assignment = "interleaved") -> float: ...
@overload
def probability_exact(n: _Numbers, k: _Numbers, b: _Numbers, k_b: _Numbers, *, valid: _Numbers = 0,
                      assignment: _Assignment = "interleaved") -> NDArray[float64]: ...
@overload
def survival(n: int, k: int, b: int, k_b: int, rank: int) -> float: ...
@overload
def survival(n: _Numbers, k: _Numbers, b: _Numbers, k_b: _Numbers,
             rank: _Numbers) -> NDArray[float64]: ...
def lost_law(n: int, k: int, b: int, k_b: int) -> tuple[NDArray[int64], NDArray[float64]]: ...
@overload
def recall_quantile(n: int, k: int, b: int, k_b: int, probability: float, m: int = 1) -> float: ...
@overload
def recall_quantile(n: _Numbers, k: _Numbers, b: _Numbers, k_b: _Numbers, probability: _Numbers,
                    m: _Numbers = 1) -> NDArray[float64]: ...
@overload
def smallest_b(n: int, k: int, k_b: int, target: _Recall, *, align: int = 1,
               divisors: bool = False) -> int64: ...
@overload
def smallest_b(n: _Numbers, k: _Numbers, k_b: _Numbers, target: _Numbers, *, align: int = 1,
               divisors: bool = False) -> NDArray[int64]: ...
@overload
def largest_k(n: int, b: int, k_b: int, target: _Recall) -> int64: ...
@overload
def largest_k(n: _Numbers, b: _Numbers, k_b: _Numbers, target: _Numbers) -> NDArray[int64]: ...
@overload
def largest_n(k: int, b: int, k_b: int, target: _Recall) -> int64: ...
@overload
def largest_n(k: _Numbers, b: _Numbers, k_b: _Numbers, target: _Numbers) -> NDArray[int64]: ...
@overload
def xla_b(n: int, k: int, target: _Recall, m: int = 1, rank: Optional[int] = None) -> int64: ...
@overload
def xla_b(n: _Numbers, k: _Numbers, target: _Numbers, m: _Numbers = 1,
          rank: Optional[int] = None) -> NDArray[int64]: ...
@overload
def cost(model: str, n: int, k: int, b: int, k_b: int, m: int = 1) -> float: ...
@overload
def cost(model: str, n: _Numbers, k: _Numbers, b: _Numbers, k_b: _Numbers,
         m: _Numbers = 1) -> NDArray[float64]: ...
@overload
def predict_us(profile: Union[Profile, _Path], n: int, k: int, b: int, k_b: int,
               m: int = 1) -> float: ...
@overload
def predict_us(profile: Union[Profile, _Path], n: _Numbers, k: _Numbers, b: _Numbers, k_b: _Numbers,
               m: _Numbers = 1) -> NDArray[float64]: ...
@overload
def exact_time_us(profile: Union[Profile, _Path], n: int, k: int, m: int = 1) -> float: ...
@overload
def exact_time_us(profile: Union[Profile, _Path], n: _Numbers, k: _Numbers,
                  m: _Numbers = 1) -> NDArray[float64]: ...
@overload
def blocks_recall(n: int, k: int, blocks: int, *, block: int = 8) -> float: ...
@overload
def blocks_recall(n: _Numbers, k: _Numbers, blocks: _Numbers, *,
                  block: _Numbers = 8) -> NDArray[float64]: ...
@overload
def blocks_loss(n: int, k: int, blocks: int, *, block: int = 8) -> float: ...
@overload
def blocks_loss(n: _Numbers, k: _Numbers, blocks: _Numbers, *,
                block: _Numbers = 8) -> NDArray[float64]: ...
@overload
def blocks_sd(n: int, k: int, blocks: int, *, block: int = 8) -> float: ...
@overload
def blocks_sd(n: _Numbers, k: _Numbers, blocks: _Numbers, *,
              block: _Numbers = 8) -> NDArray[float64]: ...
@overload
def blocks_smallest(n: int, k: int, target: float, *, block: int = 8) -> int64: ...
@overload
def blocks_smallest(n: _Numbers, k: _Numbers, target: _Numbers, *,
                    block: _Numbers = 8) -> NDArray[int64]: ...

@dataclass(frozen=True)
class Reaching:
    mean: float
    sd: float
    quantile: Optional[int]

def reaching(n: int, k: int, b: int, k_b: int, share: float = 1e-6) -> Reaching: ...

# ---- selection

@dataclass(frozen=True)
class Threshold:
    b: int
    k_b: int
    reaching: float
    objective: float

@dataclass(frozen=True)
class Beyond:
    b: int
    k_b: int
    time_us: float
    low_us: float
    high_us: float

@dataclass(frozen=True)
class Choice:
    b: Optional[int]
    k_b: Optional[int]
    candidates: Optional[int]
    recall: Optional[float]
    objective: Optional[float]
    deploy: Literal["bucketed", "exact", "threshold"]
    exact_objective: Optional[float]
    over_exact: Optional[float]
    low_us: Optional[float]
    high_us: Optional[float]
    stand_in: Optional[str]
    threshold: Optional[Threshold]
    beyond: Optional[Beyond]
    too_close: bool
    cause: str
    reason: str

def select(n: int, k: int, target: _Recall, *, m: int = 1, confidence: Optional[float] = None,
           objective: Optional[str] = None, profile: Optional[Union[Profile, _Path]] = None,
           device: Optional[Union[Device, str]] = None, dtype: Optional[_Dtype] = None,
           exact_us: Optional[float] = None, exact_kernel: Optional[Union[Profile, _Path]] = None,
           kernel: Optional[str] = None, k_b_max: int = 4, align: int = 1, divisors: bool = False,
           rope_theta: Optional[float] = None, head_dim: Optional[int] = None,
           d: Optional[int] = None, beyond_runs: bool = False) -> Choice: ...

# ---- devices and profiles

@dataclass(frozen=True)
class Device:
    name: str
    bandwidth_bytes_per_s: Optional[float]
    fma_rate_per_s: Optional[float]
    vector_rate_per_s: Optional[float]
    matrix_rate_per_s: Optional[float]
    memory_bytes: Optional[float]
    on_chip_bytes: Optional[float]
    multiprocessors: Optional[float]
    shortest_kernel_us: Optional[float]
    architecture: Optional[str]
    source: str

class Profile:
    name: str
    kernel: str
    dtype: str
    date: str
    source: str
    runs: str
    stands_in_for: Optional[str]
    parameters: dict[str, float]
    figures: dict[str, float]
    median_error: float
    p95_error: float
    held_out_median_error: float
    held_out_p95_error: float
    def __init__(self, row: Any, device: Any = None, keep: Any = None) -> None: ...
    def text(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def devices(name: Optional[str] = None) -> list[Device]: ...
def profiles(name: Optional[str] = None) -> list[Profile]: ...
def profile(name_or_path: Union[Profile, _Path], *, kernel: Optional[str] = None,
            dtype: Optional[_Dtype] = None) -> Profile: ...
def read_profile(path: _Path) -> Profile: ...
def stand_in(device: Union[Device, str], *, kernel: Optional[str] = None,
             dtype: Optional[_Dtype] = None) -> Profile: ...
def write_profile(profile: Union[Profile, _Path], path: _Path) -> None: ...

# ---- rows

@dataclass(frozen=True, eq=False, repr=False)
class Simulation:
    rows: int
    k: int
    recall_mean: _Floats
    recall_sd: _Floats
    recall_stderr: _Floats
    recall_worst: _Floats
    recall_p01: _Floats
    recall_p05: _Floats
    recall_p50: _Floats
    recall_value_mean: _Floats
    exact_rows: _Floats
    certified_rows: _Floats
    mass_mean: _Floats
    mass_worst: _Floats
    value_mean: _Floats
    value_worst: _Floats
    reaching_mean: _Floats
    reaching_sd: _Floats
    reaching_worst: _Floats
    groups: Optional[tuple[Any, ...]]
    group_rows: Optional[NDArray[int64]]
    recall_groups: Optional[NDArray[float64]]
    mass_groups: Optional[NDArray[float64]]
    recall_se_groups: _Floats
    _lost_of_groups: Optional[tuple[Any, ...]]
    _lost: tuple[Any, ...]
    def recall_lower(self, confidence: float = 0.95,
                     comparisons: Optional[int] = None) -> _Floats: ...
    def recall_interval(self, confidence: float = 0.95) -> tuple[_Floats, _Floats]: ...

def simulate(rows: Union[ArrayLike, _Path], k: int, b: _Numbers, k_b: _Numbers, *,
             n: Optional[int] = None, rho: float = 0.5, assignment: _Assignment = "interleaved",
             shuffle: Literal["none", "row", "once"] = "none", valid: int = 0,
             repetitions: Optional[int] = None, seed: int = 1, temperature: float = 1.0,
             threads: int = 0, dtype: Optional[str] = None,
             groups: Optional[Union[int, Sequence[Any], NDArray[Any]]] = None,
             rope_theta: Optional[float] = None, head_dim: Optional[int] = None,
             rope_share: Optional[float] = None, rope_spread: Optional[float] = None,
             rope_weights: Optional[_Numbers] = None) -> Simulation: ...

# ---- sparse attention

@dataclass(frozen=True, eq=False)
class SparseAttention:
    output: NDArray[float32]
    visited: float
    selectivity: float
    knob: Optional[int]
    bytes_read: float
    index_bytes: float

def attention_methods() -> tuple[str, ...]: ...
def sparse_attention(queries: ArrayLike, keys: ArrayLike, values: ArrayLike, method: str = "topk",
                     budget: float = 0.05, sink: int = 1, window: int = 128, *,
                     queries_unroped: Optional[ArrayLike] = None,
                     keys_unroped: Optional[ArrayLike] = None, index: Optional[_Path] = None,
                     layer: Optional[int] = None, share: bool = False, threads: int = 0,
                     **options: Any) -> SparseAttention: ...

# ---- measured runs

@dataclass(frozen=True)
class Runs:
    name: str
    rows: int
    what: str
    device: str
    dtype: str
    licence: str
    statistic: str
    cache: str
    launch: str
    lengths: str
    path: pathlib.Path
    def source(self) -> str: ...

def runs() -> list[Runs]: ...
def read_runs(name_or_path: _Path) -> dict[str, NDArray[Any]]: ...

# ---- top-k of arrays: of the kind that x is, NumPy, PyTorch or JAX

class TopK(NamedTuple, Generic[_Kind]):
    values: _Kind
    indices: _Kind

class Chosen(NamedTuple):
    method: str
    b: Optional[int]
    k_b: Optional[int]
    assignment: Optional[str]
    recall: float
    select: Optional[Choice]

class TopKChosen(NamedTuple, Generic[_Kind]):
    values: _Kind
    indices: _Kind
    choice: Chosen

@overload
def topk(x: _Lists, k: int, axis: Optional[int] = None, largest: bool = True, sorted: bool = True, *,
         dim: Optional[int] = None, recall: Optional[_Recall] = None,
         confidence: Optional[float] = None, b: Optional[int] = None, k_b: Optional[int] = None,
         assignment: _Kernels = "interleaved", profile: Optional[Union[Profile, _Path]] = None,
         threads: int = 0, nan: Literal["last", "largest"] = "last", index_dtype: Any = None,
         out: Optional[tuple[Any, Any]] = None, return_choice: Literal[False] = False
         ) -> TopK[NDArray[Any]]: ...
@overload
def topk(x: _Lists, k: int, axis: Optional[int] = None, largest: bool = True, sorted: bool = True, *,
         dim: Optional[int] = None, recall: Optional[_Recall] = None,
         confidence: Optional[float] = None, b: Optional[int] = None, k_b: Optional[int] = None,
         assignment: _Kernels = "interleaved", profile: Optional[Union[Profile, _Path]] = None,
         threads: int = 0, nan: Literal["last", "largest"] = "last", index_dtype: Any = None,
         out: Optional[tuple[Any, Any]] = None, return_choice: Literal[True]
         ) -> TopKChosen[NDArray[Any]]: ...
@overload
def topk(x: _Kind, k: int, axis: Optional[int] = None, largest: bool = True, sorted: bool = True, *,
         dim: Optional[int] = None, recall: Optional[_Recall] = None,
         confidence: Optional[float] = None, b: Optional[int] = None, k_b: Optional[int] = None,
         assignment: _Kernels = "interleaved", profile: Optional[Union[Profile, _Path]] = None,
         threads: int = 0, nan: Literal["last", "largest"] = "last", index_dtype: Any = None,
         out: Optional[tuple[Any, Any]] = None, return_choice: Literal[False] = False
         ) -> TopK[_Kind]: ...
@overload
def topk(x: _Kind, k: int, axis: Optional[int] = None, largest: bool = True, sorted: bool = True, *,
         dim: Optional[int] = None, recall: Optional[_Recall] = None,
         confidence: Optional[float] = None, b: Optional[int] = None, k_b: Optional[int] = None,
         assignment: _Kernels = "interleaved", profile: Optional[Union[Profile, _Path]] = None,
         threads: int = 0, nan: Literal["last", "largest"] = "last", index_dtype: Any = None,
         out: Optional[tuple[Any, Any]] = None, return_choice: Literal[True]
         ) -> TopKChosen[_Kind]: ...
def topk_isa() -> str: ...
def register_torch() -> None: ...
