"""Devices and calibrated profiles: those of the library, by name, and those in files."""
import ctypes
import dataclasses
import os
import pathlib
from ctypes import byref

from . import _library as lib

TEXT_MOST = 65536  # RCM_PROFILE_TEXT_MOST


def _rows_of(registry):
    """The rows of one of the library's registries."""
    index = 0
    while (pointer := registry(index)):
        yield pointer.contents
        index += 1


def _names_like(names, name):
    """The names equal to this one or, if there is none, those that begin with it.

    Letter case, blanks, - and _ do not count.
    """
    name = os.fsencode(name)
    begin_so = [one for one in names if lib.name_begins(one, name)]
    return [one for one in begin_so if lib.name_begins(name, one)] or begin_so


def _rows_like(registry, name):
    """The rows of a registry; with a name, those with this name or else with this beginning."""
    rows = list(_rows_of(registry))
    if name is None:
        return rows
    names = _names_like({row.name for row in rows}, name)
    return [row for row in rows if row.name in names]


# ---- devices


@dataclasses.dataclass(frozen=True)
class Device:
    """A device of the roofline: its name, its peak rates (None: unknown) and their source.

    fma_rate counts a fused multiply-add as two operations. vector_rate counts comparisons and
    selections. matrix_rate is that of dense bfloat16. shortest_kernel_us is the shortest kernel
    that was measured on it. architecture is the maker's name of it.
    """
    name: str
    bandwidth_bytes_per_s: float
    fma_rate_per_s: float
    vector_rate_per_s: float
    matrix_rate_per_s: float
    memory_bytes: float
    on_chip_bytes: float
    multiprocessors: float
    shortest_kernel_us: float
    architecture: str
    source: str


def _device_of(row):
    def value(name):
        found = getattr(row, name)
        if found is None or isinstance(found, bytes):
            return found and found.decode()
        return found if found > 0 else None

    return Device(**{field.name: value(field.name) for field in dataclasses.fields(Device)})


def devices(name=None):
    """The devices of the library; with a name, those with this name or, if there is none, those
    whose names begin with it.

    Letter case, blanks, - and _ do not count, as for the command's --device.
    """
    return [_device_of(row) for row in _rows_like(lib.device, name)]


# ---- profiles


class Profile:
    """A calibrated profile: the parameters of a kernel on a device, from a fit to measured runs.

    name, kernel, dtype, date, source, runs: text. parameters: the fitted values, by name. figures:
    the range of the runs and the errors of the predictions, by name.
    median_error, p95_error, held_out_median_error, held_out_p95_error: of |predicted/measured - 1|;
    held out: of sizes n that a fit to the other sizes did not see (0: not tried).
    stands_in_for: the card to which the profile was carried (stand_in), or None.
    """

    def __init__(self, row, device=None, keep=None):
        def positive(names):
            return {name: getattr(row, name) for name in names if getattr(row, name) > 0}

        # row and device may be parts of keep, which must then stay.
        self._row, self._device, self._keep = row, device, keep
        self.name, self.kernel = row.name.decode(), row.kernel.contents.name.decode()
        self.dtype = lib.DTYPES[row.dtype]
        self.date, self.source = row.date.decode(), row.source.decode()
        self.runs = row.runs.decode()
        self.stands_in_for = row.stands_in_for.decode() if row.stands_in_for else None
        self.parameters, self.figures = positive(lib.PARAMETERS), positive(lib.FIGURES)
        self.median_error, self.p95_error = row.median_error, row.p95_error
        self.held_out_median_error = row.held_out_median_error
        self.held_out_p95_error = row.held_out_p95_error

    def text(self):
        """The text that `recallmodel calibrate` writes, without the standard errors.

        ValueError for a stand-in, which nobody measured.
        """
        if self.stands_in_for:
            raise ValueError(f"the profile of {self.name} stands in for {self.stands_in_for}; a "
                             "file would take it for a measurement")
        device = None if self._device is None else byref(self._device)
        length = lib.profile_text_write(None, 0, byref(self._row), device, None)
        text = ctypes.create_string_buffer(length + 1)
        lib.profile_text_write(text, len(text), byref(self._row), device, None)
        return text.value.decode()

    def __reduce__(self):
        return _profile_of_text, (self.text().encode(),)

    def __repr__(self):
        return f"Profile({self.name!r}, kernel={self.kernel!r}, dtype={self.dtype!r})"


def _profile_of_text(data, path="profile"):
    """The profile in these bytes. ValueError, with path and line, if they are not a profile."""
    text = lib.DeviceText()
    error = ctypes.create_string_buffer(800)
    line = lib.profile_text_read(data, len(data), byref(text), error, len(error))
    if line != 0:
        raise ValueError(f"{path}:{f'{line}:' if line > 0 else ''} {error.value.decode()}")
    if not text.has_profile:
        raise ValueError(f"{path} is a device without a profile; recallmodel calibrate writes one")
    return Profile(text.profile, text.device, text)


def profiles(name=None):
    """The profiles of the library; with a name, those of the devices with this name or, if there
    is none, of those whose names begin with it.

    Letter case, blanks, - and _ do not count, as for the command's --device.
    """
    rates = {row.name: row for row in _rows_of(lib.device)}
    return [Profile(row, rates.get(row.name)) for row in _rows_like(lib.profile, name)]


def _device_row(device):
    """The library's row of a device: a Device, a name or the beginning of a name."""
    name = getattr(device, "name", device)
    rows = _rows_like(lib.device, name)
    if len(rows) != 1:
        names = ", ".join(row.name.decode() for row in rows or _rows_like(lib.device, None))
        what = "may mean several; give one of" if rows else "is not known; give one of"
        raise ValueError(f"device {name!r} {what} {names}")
    return ctypes.pointer(rows[0])


def _kernel_row(kernel):
    """The library's row of a kernel, or None."""
    for row in _rows_of(lib.kernel):
        if row.name.decode() == kernel:
            return ctypes.pointer(row)
    return None


def _type_row(dtype):
    """A pointer to the number of a type, or None."""
    return dtype and byref(ctypes.c_int(lib.number_of(dtype, lib.DTYPES, "dtype")))


def stand_in(device, *, kernel=None, dtype=None):
    """The profile of another card, carried to this one by the rates of both (docs/models.md 21).

    device: a name or a Device. kernel, dtype: which profile; without them, that of Graphcore's
    kernel on a GPU, of Samaga et al. on a TPU, in its own type. ValueError if none stands in.
    """
    row, out = _device_row(device), lib.Profile()
    if not lib.stand_in_for(row, None, _kernel_row(kernel), _type_row(dtype), byref(out)):
        raise ValueError(f"no profile of kernel {kernel!r} stands in for {device!r}")
    return Profile(out, row.contents, row)


def _profile_for(device, own, kernel, dtype):
    """What answers for a device, a kernel and a type, as for the command; None: nothing does. own:
    a Profile, which alone is looked at; its device is then the one."""
    row = device
    if own is not None:
        row = ctypes.pointer(own._device or lib.Device(name=own._row.name))
    answer = lib.profile_for(row, own and byref(own._row), _kernel_row(kernel), _type_row(dtype))
    if not answer.found:
        return None
    if own is not None and not answer.profile.stands_in_for:
        return own
    return Profile(answer.profile, row.contents, (row, own))


def read_profile(path):
    """Reads a profile that `recallmodel calibrate` wrote.

    ValueError, with the line, if the file is not a profile.
    """
    path = pathlib.Path(path)
    if path.exists() and not path.is_file():
        raise ValueError(f"{path} is not a regular file")
    with open(path, "rb") as file:
        return _profile_of_text(file.read(TEXT_MOST), path)


def write_profile(profile, path):
    """Writes a profile to a file that read_profile and the command's --device can read.

    profile: a Profile, the name of a device that has one, or the path of a file.
    """
    pathlib.Path(path).write_text(_profile_of_any(profile).text(), encoding="utf-8")


def profile(name_or_path, *, kernel=None, dtype=None):
    """The profile of a device of the library, or that of a file.

    The beginning of a name is enough if only one device begins so. A path has a / or a . in it, or
    is a pathlib.Path. kernel, dtype: which profile, if a device has several; without them, the
    first.
    """
    found = _profile_of_any(name_or_path, kernel, dtype)
    if kernel not in (None, found.kernel) or dtype not in (None, found.dtype):
        raise ValueError(f"{name_or_path} is of kernel {found.kernel!r} and dtype {found.dtype!r}")
    return found


def _profile_of_this_machine():
    """What recallmodel bench --calibrate stored."""
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    path = pathlib.Path(home) / "recallmodel" / "cpu.profile"
    if not path.exists():
        raise ValueError("profile 'this': there is no profile of this machine; make it in two "
                         "minutes: recallmodel bench --calibrate")
    return read_profile(path)


def _profile_of_any(value, kernel=None, dtype=None):
    """The Profile that value is, names, or is the path of, as for the command's --device."""
    if isinstance(value, Profile):
        return value
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"profile must be a Profile, the name of a device or a path, not {value!r}")
    if value == "this":
        return _profile_of_this_machine()
    every = {row.name for registry in (lib.device, lib.profile) for row in _rows_of(registry)}
    names = sorted(_names_like(every, value)) if isinstance(value, str) else []
    if not names and (isinstance(value, os.PathLike) or "/" in value or "." in value):
        return read_profile(value)
    if len(names) > 1:
        raise ValueError(f"profile {value!r} may mean {_join_names(names)}; give one of them")
    found = [one for one in profiles() if one.name.encode() in names]
    if not found:
        no = "has no profile" if names else "is not known"
        with_profile = _join_names(sorted({row.name for row in _rows_of(lib.profile)}))
        raise ValueError(f"profile {value!r} {no}; there are those of {with_profile}; "
                         "or give the path of a file (./my.profile)")
    fitting = [one for one in found if kernel in (None, one.kernel) and dtype in (None, one.dtype)]
    return (fitting or found)[0]


def _join_names(names):
    return ", ".join(name.decode() for name in names)


def _profile_pointer(profile):
    if not isinstance(profile, Profile):
        raise TypeError("profile must be a Profile, such as recallmodel.profiles()[0], "
                        f"not {profile!r}")
    return ctypes.pointer(profile._row)
