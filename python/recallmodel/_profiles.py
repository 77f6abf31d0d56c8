"""Devices and calibrated profiles: those of the library, by name, and those in files."""
from __future__ import annotations

import dataclasses
import os
import pathlib
import warnings
from typing import Any, Optional, Union

from . import _library as lib
from ._library import Dtype, Path, ffi, model, rows_of, text_of


def _names_like(names, name):
    """The names equal to this one or, if there is none, those that begin with it.

    Letter case, blanks, - and _ do not count.
    """
    name = os.fsencode(name)
    begin_so = [one for one in names if model.rcm_name_begins(one.encode(), name)]
    return [one for one in begin_so if model.rcm_name_begins(name, one.encode())] or begin_so


def _rows_like(registry, name):
    """The rows of a registry; with a name, those with this name or else with this beginning or else
    of the device that it means."""
    rows = list(rows_of(registry))
    if name is None:
        return rows
    names = _names_like({text_of(row.name) for row in rows}, name)
    meant = None if names else _device_meant(name)[0]
    if meant:
        names = [text_of(meant.name)]
    return [row for row in rows if text_of(row.name) in names]


# ---- devices


@dataclasses.dataclass(frozen=True)
class Device:
    """A device of the roofline: its name, its peak rates (None: unknown) and their source.

    fma_rate counts a fused multiply-add as two operations. vector_rate counts comparisons and
    selections. matrix_rate is that of dense bfloat16. shortest_kernel_us is the shortest kernel
    that was measured on it. architecture is the maker's name of it.
    """
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


def _device_of(row):
    def value(name):
        found = getattr(row, name)
        if isinstance(found, float):
            return found if found > 0 else None
        return text_of(found) if found else None

    return Device(**{field.name: value(field.name) for field in dataclasses.fields(Device)})


def devices(name: Optional[str] = None) -> list[Device]:
    """The devices of the library; with a name, those with this name or, if there is none, those
    whose names begin with it or else the one that it means ("NVIDIA H100 80GB HBM3").

    Letter case, blanks, - and _ do not count, as for the command's --device.
    """
    return [_device_of(row) for row in _rows_like(model.rcm_device, name)]


# ---- profiles


class Profile:
    """A calibrated profile: the parameters of a kernel on a device, from a fit to measured runs.

    name, kernel, dtype, date, source, runs: text. parameters: the fitted values, by name. figures:
    the range of the runs and the errors of the predictions, by name.
    median_error, p95_error, held_out_median_error, held_out_p95_error: of |predicted/measured - 1|;
    held out: of sizes n that a fit to the other sizes did not see (0: not tried).
    stands_in_for: the card to which the profile was carried (stand_in), or None.
    """

    def __init__(self, row: Any, device: Any = None, keep: Any = None) -> None:
        def positive(names):
            return {name: getattr(row, name) for name in names if getattr(row, name) > 0}

        # row and device are pointers, and may lead into keep, which must then stay.
        self._row, self._device, self._keep = row, device or ffi.NULL, keep
        self.name, self.kernel = text_of(row.name), text_of(row.kernel.name)
        self.dtype = lib.DTYPES[row.dtype]
        self.date, self.source = text_of(row.date), text_of(row.source)
        self.runs = text_of(row.runs)
        self.stands_in_for: Optional[str] = text_of(row.stands_in_for) or None
        self.parameters: dict[str, float] = positive(lib.PARAMETERS)
        self.figures: dict[str, float] = positive(lib.FIGURES)
        self.median_error: float = row.median_error
        self.p95_error: float = row.p95_error
        self.held_out_median_error: float = row.held_out_median_error
        self.held_out_p95_error: float = row.held_out_p95_error

    def text(self) -> str:
        """The text that `recallmodel calibrate` writes, without the standard errors.

        ValueError for a stand-in, which nobody measured.
        """
        if self.stands_in_for:
            raise ValueError(f"the profile of {self.name} stands in for {self.stands_in_for}; a "
                             "file would take it for a measurement")
        what = self._row, self._device, ffi.NULL
        text = ffi.new("char[]", model.rcm_profile_text_write(ffi.NULL, 0, *what) + 1)
        model.rcm_profile_text_write(text, len(text), *what)
        return text_of(text)

    def __reduce__(self) -> tuple[Any, ...]:
        return _profile_of_text, (self.text().encode(),)

    def __repr__(self):
        return f"Profile({self.name!r}, kernel={self.kernel!r}, dtype={self.dtype!r})"


def _profile_of_text(data, path="profile"):
    """The profile in these bytes. ValueError, with path and line, if they are not a profile."""
    text, error = lib.new("rcm_device_text"), ffi.new("char[]", 800)
    line = model.rcm_profile_text_read(data, len(data), text, error, len(error))
    if line != 0:
        raise ValueError(f"{path}:{f'{line}:' if line > 0 else ''} {text_of(error)}")
    if not text.has_profile:
        raise ValueError(f"{path} is a device without a profile; recallmodel calibrate writes one")
    return Profile(ffi.addressof(text, "profile"), ffi.addressof(text, "device"), text)


def profile_of_copy(profile, device, keep):
    """A Profile of a struct rcm_profile, of which it takes a copy."""
    return Profile(ffi.new("struct rcm_profile *", profile), device, keep)


def profiles(name: Optional[str] = None) -> list[Profile]:
    """The profiles of the library; with a name, those of the devices with this name or, if there
    is none, of those whose names begin with it.

    Letter case, blanks, - and _ do not count, as for the command's --device.
    """
    rates = {text_of(row.name): row for row in rows_of(model.rcm_device)}
    return [Profile(row, rates.get(text_of(row.name)))
            for row in _rows_like(model.rcm_profile, name)]


def _device_meant(name):
    """The library's row of the device that a name means (None: of none or several), and the names
    of the others that it may mean."""
    found, count = ffi.new("struct rcm_device *[]", 64), ffi.new("size_t *")
    row = model.rcm_device_meant(os.fsencode(name), found, len(found), count)
    return row or None, [text_of(one.name) for one in found[0:min(count[0], len(found))]]


def _device_row(device):
    """The library's row of a device: a Device, or a name as the command's --device takes it. A
    warning says which card of a family it is."""
    name = getattr(device, "name", device)
    row, others = _device_meant(name)
    if row is None:
        same = model.rcm_device_same_chip(os.fsencode(name))
        what = "is not known, and no other card answers for it; give one of devices()"
        if others:
            what = f"may mean {', '.join(others)}; give one of them"
        elif model.rcm_device_is_part(os.fsencode(name)):
            what = "is a part of a card, and none is known; give the path of a profile of it"
        elif "." in name:
            what = "is no device and no file; give one of devices()"
        elif same:
            what = ("is not known; it has the chip and the memory of "
                    f"{text_of(same.name)}: give that")
        raise ValueError(f"device {name!r} {what}")
    if not others and model.rcm_device_guessed(os.fsencode(name), row):
        warnings.warn(f"{name} is taken as {text_of(row.name)}", stacklevel=4)
    if others:
        too = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
        warnings.warn(f"{name} is taken as {text_of(row.name)}; there "
                      f"{'are' if len(others) > 1 else 'is'} {too}, too", stacklevel=4)
    return row


def _cpus():
    """The names of the CPUs that have a profile."""
    return {text_of(row.name) for row in rows_of(model.rcm_profile)
            if row.kernel.model == model.RCM_TIME_CPU}


def _device_or_profile(device):
    """What the command's --device takes, as (row of a device, None) or, of a CPU, this machine or
    a file, (row or None, Profile)."""
    if isinstance(device, str) and not _device_meant(device)[0] and (
            device == "this" or "/" in device or ("." in device and os.path.exists(device))
            or _names_like(_cpus(), device)):
        own = _profile_of_any(device)
        return own._device or None, own
    return _device_row(device), None


def _kernel_row(kernel):
    """The library's row of a kernel, or NULL."""
    if kernel is not None and not isinstance(kernel, str):
        raise TypeError(f"kernel = {kernel!r} is not a name; give a str")
    return model.rcm_kernel_by_name(kernel.encode()) if kernel else ffi.NULL


def _type_row(dtype):
    """A pointer to the number of a type, or NULL."""
    if not dtype:
        return ffi.NULL
    return ffi.new("enum rcm_dtype *", lib.number_of(dtype, Dtype, "dtype"))


def stand_in(device: Union[Device, str], *, kernel: Optional[str] = None,
             dtype: Optional[Dtype] = None) -> Profile:
    """The profile of another card, carried to this one by the rates of both (docs/models.md 21).

    device: a name or a Device. kernel, dtype: which profile; without them, that of this
    project's kernel on a card with CUDA, of Graphcore's on other GPUs, of Samaga et al. on a TPU,
    in its own type. ValueError if none stands in.
    """
    row, out = _device_row(device), lib.new("rcm_profile")
    if not model.rcm_stand_in_for(row, ffi.NULL, _kernel_row(kernel), _type_row(dtype), out):
        raise ValueError(f"no profile of kernel {kernel!r} stands in for {device!r}")
    return Profile(out, row)


def _profile_for(device, own, kernel, dtype):
    """What answers for a device, a kernel and a type, as for the command; None: nothing does. own:
    a Profile, which alone is looked at; its device is then the one."""
    row = device
    if own is not None:
        row = own._device or lib.new("rcm_device", name=own._row.name)
    answer = model.rcm_profile_for(row, own._row if own else ffi.NULL, _kernel_row(kernel),
                                   _type_row(dtype))
    if not answer.found:
        return None
    if own is not None and not answer.profile.stands_in_for:
        return own
    return profile_of_copy(answer.profile, row, (row, own))


def read_profile(path: Path) -> Profile:
    """Reads a profile that `recallmodel calibrate` wrote.

    ValueError, with the line, if the file is not a profile.
    """
    path = pathlib.Path(path)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is not a regular file")
    with open(path, "rb") as file:
        return _profile_of_text(file.read(model.RCM_PROFILE_TEXT_MOST), path)


def write_profile(profile: Union[Profile, Path], path: Path) -> None:
    """Writes a profile to a file that read_profile and the command's --device can read.

    profile: a Profile, the name of a device that has one, or the path of a file.
    """
    pathlib.Path(path).write_text(_profile_of_any(profile).text(), encoding="utf-8")


def profile(name_or_path: Union[Profile, Path], *, kernel: Optional[str] = None,
            dtype: Optional[Dtype] = None) -> Profile:
    """The profile of a device of the library, or that of a file.

    The beginning of a name is enough if only one device begins so. A path has a / or a . in it, or
    is a pathlib.Path. kernel, dtype: which profile, if a device has several; without them, the
    first.
    """
    found = _profile_of_any(name_or_path, kernel, dtype)
    if kernel not in (None, found.kernel) or dtype not in (None, found.dtype):
        raise ValueError(f"{name_or_path} is of kernel {found.kernel!r} and dtype {found.dtype!r}")
    return found


def path_of_this_machine(file):
    """A file that the command keeps, by the rule of programs/common/this_machine.h."""
    given = os.environ.get("XDG_CONFIG_HOME", "")
    home = pathlib.Path(given) if given.startswith("/") else pathlib.Path.home() / ".config"
    return home / "recallmodel" / file


def _profile_of_this_machine():
    """What recallmodel bench --calibrate stored."""
    path = path_of_this_machine("cpu.profile")
    if not path.exists():
        raise ValueError("profile 'this': there is no profile of this machine; make it in two "
                         "minutes: recallmodel bench --calibrate")
    return read_profile(path)


def _warn_of_another_cpu(profile):
    """A profile of a CPU says little about another one."""
    row, here = profile._row, ffi.new("char[]", model.RCM_CPU_TEXT)
    card = text_of(row.card) if row.kernel.model == model.RCM_TIME_CPU else ""
    if card and model.rcm_this_cpu(here) and text_of(here) != card:
        warnings.warn(f"the profile {profile.name} is of {card}, but this machine is "
                      f"{text_of(here)}; recallmodel bench --calibrate makes one",
                      stacklevel=4)


def _profile_of_any(value, kernel=None, dtype=None):
    """The Profile that value is, names, or is the path of, as for the command's --device."""
    if isinstance(value, Profile):
        return value
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"profile must be a Profile, the name of a device or a path, not {value!r}")
    if value == "this":
        return _profile_of_this_machine()
    every = {text_of(row.name) for registry in (model.rcm_device, model.rcm_profile)
             for row in rows_of(registry)}
    names = sorted(_names_like(every, value)) if isinstance(value, str) else []
    if len(names) > 1 and set(names) <= _cpus():
        names = [text_of(model.rcm_cpu_meant(os.fsencode(value)).name)]
    if not names and (isinstance(value, os.PathLike) or "/" in value or "." in value):
        return read_profile(value)
    if len(names) > 1:
        raise ValueError(f"profile {value!r} may mean {', '.join(names)}; give one of them")
    found = [one for one in profiles() if one.name in names]
    if not found:
        no = "has no profile" if names else "is not known"
        with_profile = ", ".join(sorted({one.name for one in profiles()}))
        raise ValueError(f"profile {value!r} {no}; there are those of {with_profile}; "
                         "or give the path of a file (./my.profile)")
    fitting = [one for one in found if kernel in (None, one.kernel) and dtype in (None, one.dtype)]
    return (fitting or found)[0]
