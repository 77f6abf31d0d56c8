"""What was measured on this machine: tune() measures, and select(device="this") answers from it."""
from __future__ import annotations

import functools
import math
import os
import pathlib
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any, Literal, Optional

from . import _library as lib
from ._arrays import decimal_text, goal
from ._library import Dtype, Path, ffi, model
from ._profiles import (
    _profile_for, _profile_of_this_machine, path_of_this_machine, profile_of_copy)
from ._topk_more import axis_of, check_k

if TYPE_CHECKING:
    from ._select import Choice
    from ._arrays import Recall

Where = Literal["auto", "cpu", "gpu"]
_DTYPES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16"}


def wisdom_path() -> pathlib.Path:
    """The file that keeps what was measured, as for the command."""
    return path_of_this_machine("wisdom.csv")


class Here:
    """This machine, by what a file has of it.

    gpu: is it its GPU, of which something was measured, or its CPU? row: its struct rcm_device, or
    None. own: the Profile that it has, or None. stored: did bench --calibrate make it? rows, count:
    struct rcm_measured.
    """

    def __init__(self, path: Optional[Path] = None, on: Where = "auto") -> None:
        rows = list(self._read(path or wisdom_path()))
        parts = {gpu: [row for row in rows if model.rcm_measured_here(row, gpu, machine)]
                 for gpu, machine in ((True, _machine(True)), (False, _machine(False)))}
        self.gpu = on == "gpu" or (on == "auto" and bool(parts[True]))
        kept = parts[self.gpu]
        self.count, self.rows = len(kept), ffi.new("struct rcm_measured[]", len(kept) or 1)
        for i, row in enumerate(kept):
            self.rows[i] = row[0]
        self._text = lib.new("rcm_device_text")
        model.rcm_device_here(self.gpu, self._text)
        self.row = ffi.addressof(self._text, "device") if self.gpu else None
        self.own, self.stored = None, False
        if self._text.has_profile:
            self.own = profile_of_copy(self._text.profile, self.row, self)
        if not self.gpu:
            try:
                self.own, self.stored = _profile_of_this_machine(), True
            except (OSError, ValueError):
                pass  # the profile of another CPU, fitted to what was measured

    @staticmethod
    def _read(path):
        try:
            text = pathlib.Path(path).read_bytes()
        except FileNotFoundError:
            return
        for line in text.split(b"\n"):
            row = lib.new("rcm_measured")
            if b"\0" not in line and model.rcm_measured_read(line, row) == 0:
                yield row

    def fitted(self, profile, selection):
        """A copy of the Profile that is fitted to what was measured."""
        copy = profile_of_copy(profile._row[0], self.row, (profile, self))
        model.rcm_fit_here(copy._row, selection)
        return copy

    def profile_for(self, kernel, dtype):
        """The profile that answers: on a GPU that of this project's kernel, which is timed."""
        return _profile_for(self.row, self.own, kernel or ("ours" if self.gpu else None),
                            dtype if self.gpu else None)  # a CPU's answers for every type


def here_of(device: Any) -> Optional[Here]:
    """The machine that "this" and the path of a file of tune() mean; None: another device.
    ValueError if nothing was measured."""
    if isinstance(device, Here):
        return device
    if not isinstance(device, (str, os.PathLike)) or not (
            device == "this" or str(device).endswith(".csv")):
        return None
    here = Here(None if device == "this" else device)
    if here.count == 0 and not here.stored:
        raise ValueError(f"device={str(device)!r}: nothing was measured on this machine; measure "
                         "the question in seconds: recallmodel.tune(n, k, m)")
    return here


def tune(n: int, k: int, m: int = 1, recall: Recall = 0.95, *, confidence: Optional[float] = None,
         dtype: Optional[Dtype] = None, on: Where = "auto", threads: Optional[int] = None,
         seconds: float = 5.0, peers: Optional[str] = None,
         wisdom: Optional[Path] = None) -> Choice:
    """Times what can find the top k here, keeps the times, and chooses: `recallmodel tune`.

    Exact top-k of this library, its best buckets of each k_b, and the top-k of other packages that
    import; each result is proved. On the GPU, if there is one of NVIDIA, or else on the CPU.

    n, k, m: elements of a row, wanted of each, rows. recall: what buckets must reach, on average
    or, with confidence, in a row. dtype: f32, f16 or bf16. on: "auto", "cpu" or "gpu". threads: of
    a CPU; None: as topk takes them. seconds: no measurement begins later. peers: modules such as
    "numpy,torch", or "none". wisdom: the file that keeps the times; None: wisdom_path().

    Returns the Choice of select(device="this"). ValueError: what the command says is wrong.
    RuntimeError: nothing could be timed. A warning: the times cannot be kept; the Choice is then a
    prediction.
    """
    named = dict(n=n, k=k, m=m, recall=decimal_text("recall", recall), dtype=dtype, on=on,
                 threads=threads, seconds=seconds, peers=peers, wisdom=wisdom)
    if confidence is not None:
        named["confidence"] = decimal_text("confidence", confidence)
    options = [f"--{name}={value}" for name, value in named.items() if value is not None]
    done = subprocess.run([sys.executable, "-m", "recallmodel", "tune", "--json", *options],
                          capture_output=True, text=True)
    if done.returncode != 0:
        kind = ValueError if done.returncode == 2 else RuntimeError
        raise kind((done.stderr.strip().splitlines() or ["recallmodel tune failed"])[-1])
    for line in done.stderr.splitlines():
        if "is not kept" in line:
            warnings.warn(line, RuntimeWarning, stacklevel=2)
    from ._select import select
    gpu = on == "gpu" or (on == "auto" and lib.text_of(_machine(True)) != "")
    return select(n, k, recall, m=m, confidence=confidence, dtype=dtype,
                  device=Here(wisdom, "gpu" if gpu else "cpu"))  # type: ignore[arg-type]


@functools.lru_cache(maxsize=4096)
def _tuned(n, k, m, recall, confidence, dtype, on):
    """The Choice by what was measured of these rows; measures them if nothing was."""
    from ._select import select
    here = Here(None, on)
    if here.count:
        found = select(n, k, recall, m=m, confidence=confidence, dtype=dtype,
                       device=here)  # type: ignore[arg-type]
        if found.contenders[0].measured:
            return found
    return tune(n, k, m, recall, confidence=confidence, dtype=dtype, on=on)


def of_topk(x: Any, k: int, axis: int, recall: Any, confidence: Any, b: Any, profile: Any,
            is_plain: bool) -> tuple[Optional[int], Optional[int]]:
    """b and k_b that topk(.., tune=True) takes; None: exact."""
    if recall is None or b is not None or profile is not None or not is_plain:
        raise ValueError("tune=True measures for a recall and rows of one length; give recall=, "
                         "and leave b, k_b, profile, lengths and starts out")
    dtype = _DTYPES.get(str(getattr(x, "dtype", None)).rpartition(".")[2])
    if dtype is None:
        raise TypeError(f"x has elements of type {getattr(x, 'dtype', type(x))}; tune=True takes "
                        "float32, float16 and bfloat16")
    goal("recall", recall)
    axis = axis_of(axis, x.shape)
    n = x.shape[axis] if x.shape else 1
    if check_k(k, n, axis) in (0, n) or 0 in x.shape:
        return None, None  # nothing to choose
    choice = _tuned(n, int(k), math.prod(x.shape) // n, str(recall), confidence, dtype,
                    "gpu" if getattr(x, "is_cuda", False) else "cpu")
    return (choice.b, choice.k_b) if choice.verdict == "buckets" else (None, None)


def _machine(gpu):
    text = ffi.new("char[]", model.RCM_MACHINE_TEXT)
    model.rcm_this_machine(gpu, text)
    return text


def topk_isa() -> str:
    """The instruction set that topk uses on this CPU: "avx512", "avx2" or "generic".

    It is the best that this machine runs, or what the environment variable RCM_TOP_K_ISA names.
    """
    return lib.text_of(lib.topk().rcm_top_k_isa_in_use())
