"""The rows of an array or a file: opened, looked at, cut, in groups."""
import os
import pathlib
import tempfile
import warnings

import numpy

from . import _library as lib
from ._arrays import count, unmasked, whole_rows
from ._library import INPUTS, RowDtype, ffi, sim, text_of

# What NumPy has no name for, as .npy files have it and as the library calls it.
OF_ML_DTYPES = {"bfloat16": "bf16", "float8_e4m3fn": "f8e4m3", "float8_e5m2": "f8e5m2"}


def open_rows(rows, dtype, stack):
    """An open struct row_file of a path or of an array, which goes through a temporary .npy file.

    The stack closes and removes what is open.
    """
    path = rows
    if not isinstance(rows, (str, os.PathLike)):
        array = unmasked("rows", rows)
        if array.dtype.name in OF_ML_DTYPES:
            dtype = OF_ML_DTYPES[array.dtype.name]
            array = array.view(f"u{array.dtype.itemsize}")
        elif (dtype in OF_ML_DTYPES.values() and array.dtype.kind in "Viu"
              and array.dtype.itemsize == (2 if dtype == "bf16" else 1)):
            pass  # as a .npy file of them is read
        elif array.dtype.kind != "f" or array.dtype.itemsize > 8:
            raise TypeError("rows must be float16, bfloat16, float32, float64, float8_e4m3fn or "
                            f"float8_e5m2, not {array.dtype}")
        if array.ndim == 0 or array.size == 0:
            raise ValueError("rows must be an array whose last axis is the row, not empty")
        path = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory())) / "rows.npy"
        numpy.save(path, numpy.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")))
    file, error = lib.new("row_file"), ffi.new("char[]", 700)
    number = lib.number_of(dtype or "unknown", RowDtype, "dtype")
    if sim().row_file_open(file, os.fsencode(path), number, 0, (error, len(error))) != 0:
        message = f"{path} {text_of(error)}"
        if not os.path.exists(path):
            inputs = ", ".join(name for name in INPUTS if name != "file")
            message += f"; what can be generated is {inputs}"
        raise ValueError(message)
    stack.callback(sim().row_file_close, file)
    return file


def look_at(spec, weights):
    """Warns of rows that do not look like what they are taken for; an error if they cannot be."""
    masks, more = ffi.new("char[]", sim().ROW_NOTICE), ffi.new("char[]", sim().ROW_NOTICE)
    if sim().row_look(spec.file, spec.repetitions, spec.valid, spec.length, spec.k, weights, masks,
                      more) != 0:
        raise ValueError(f"rows: {text_of(masks)}")
    for line in filter(None, map(text_of, (masks, more))):
        warnings.warn(f"rows: {line}", stacklevel=3)


def groups_of(file, groups, stack):
    """The struct row_groups of an open file and their labels; (NULL, None) if there are none.

    groups: None, a number of leading axes, or one label a row. The stack holds what it points to.
    """
    found = lib.new("row_groups")
    if groups is None:
        groups = sim().row_groups_usual_axes(file)
    if numpy.ndim(groups) == 0:
        axes, error = count("groups", groups, 0, 1000), ffi.new("char[]", 400)
        if axes == 0:
            return ffi.NULL, None
        if sim().row_groups_of_axes(found, file, axes, (error, len(error))) != 0:
            raise ValueError(f"groups = {axes}: the array {text_of(error)}")
        label, labels = ffi.new("char[]", 200), []
        for i in range(found.groups):
            sim().row_group_label(found, i, label, len(label))
            labels.append(text_of(label))
        return found, tuple(labels)
    labels = unmasked("groups", groups).ravel()
    if len(labels) != file.rows:
        raise ValueError(f"groups has {len(labels)} labels, but there are {file.rows} rows")
    # Numbered in the order of their first rows, as by the command.
    unique, first, which = numpy.unique(labels, return_index=True, return_inverse=True)
    if len(unique) < 2:
        raise ValueError("groups puts all rows into one group, which says nothing about others; "
                         "give two labels or more")
    order = numpy.argsort(first)
    number = numpy.empty(len(order), numpy.uint32)
    number[order] = numpy.arange(len(order))
    of_row = ffi.from_buffer("uint32_t[]", numpy.ascontiguousarray(number[which]))
    stack.callback(lambda: of_row)  # until the simulation has ended
    found.groups, found.rows, found.of_row = len(unique), file.rows, of_row
    return found, tuple(unique[order].tolist())


def lengths_of(lengths, offsets, file, n, stack):
    """The length of each row; None where all have `valid`. Cuts an open file by the offsets, which
    the stack then holds."""
    if offsets is not None:
        if lengths is not None:
            raise ValueError("offsets and lengths both say how long each row is; give one")
        if not file:
            raise ValueError("offsets cut the rows of an array or a file; give lengths")
        offsets, error = whole_rows("offsets", offsets), ffi.new("char[]", 400)
        stack.callback(lambda: offsets)  # until the simulation has ended
        if sim().row_file_cut(file, ffi.from_buffer("uint64_t[]", offsets), len(offsets) - 1,
                              (error, len(error))) != 0:
            raise ValueError(f"offsets {text_of(error)}")
        return numpy.diff(offsets)
    if lengths is None:
        return None
    lengths = whole_rows("lengths", lengths)
    if file and len(lengths) != file.rows:
        raise ValueError(f"lengths has {len(lengths)} numbers, but there are {file.rows} rows; "
                         "give one for each row")
    if lengths.max() > n:
        raise ValueError(f"lengths = {lengths.max()} is larger than n = {n}; give at most that")
    return lengths
