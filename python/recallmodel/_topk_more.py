"""What topk takes and the library does not: other types of numbers, NaN first, axes, out=."""
import numpy

from ._arrays import count, real

_SMALL = ("bool", "uint8", "int16", "uint16")  # int32 has all their values
_LARGE = ("uint32", "int64", "uint64")
_EXACT = 2**53  # float64 has every integer up to here
_WIDE = {"int": True, "int64": True, "int32": False}


def of_known_type(array):
    """The same numbers in a type that the library takes, in the same order: the array itself where
    it is of one, a copy, or None where there is none, because the integers are too large."""
    if array.dtype.name in _SMALL:
        return array.astype(numpy.int32)
    if array.dtype.name not in _LARGE:
        return array
    exact = array.size == 0 or (int(array.max()) <= _EXACT and int(array.min()) >= -_EXACT)
    return array.astype(numpy.float64) if exact else None


def by_numpy(array, k, axis, largest):
    """Exact top-k of integers that no type of the library holds, best first."""
    rising = numpy.moveaxis(numpy.argsort(array, axis=axis, kind="stable"), axis, -1)
    best = rising[..., ::-1][..., :k] if largest else rising[..., :k]
    return numpy.moveaxis(best, -1, axis)


def put_nan_first(array, axis, values, indices):
    """Puts the NaN of a row before its other elements, in outputs that are sorted."""
    rows = numpy.moveaxis(array, axis, -1)
    values, indices = numpy.moveaxis(values, axis, -1), numpy.moveaxis(indices, axis, -1)
    k = values.shape[-1]
    nan = numpy.isnan(rows)
    for row in map(tuple, numpy.argwhere(nan.any(axis=-1))):
        first = nan[row].nonzero()[0][:k]
        values[row] = numpy.concatenate((rows[row][first], values[row][:k - len(first)]))
        indices[row] = numpy.concatenate((first, indices[row][:k - len(first)]))


def checked_nan(nan):
    """Does NaN count as the largest value?"""
    if nan not in ("last", "largest"):
        raise ValueError(f"nan = {nan!r} must be 'last' or 'largest'")
    return nan == "largest"


def is_wide(index_dtype):
    """Are the indices int64? index_dtype: int32 or int64, of NumPy, PyTorch or JAX, or its name."""
    name = str(getattr(index_dtype, "__name__", index_dtype)).rpartition(".")[2]
    if name not in _WIDE:
        raise ValueError(f"index_dtype = {index_dtype!r} must be int32 or int64")
    return _WIDE[name]


def whole(name, value, least, most):
    """One argument as an int in least .. most."""
    if type(value) is not int:
        value = count(name, value)
    if not least <= value <= most:
        raise ValueError(f"{name} = {value} is not in {least} .. {most}")
    return value


def axis_of(axis, shape):
    """The axis, not negative. A number without axes has axis 0, of length 1."""
    axes, number = max(len(shape), 1), axis
    if type(axis) is not int:
        number = int(real("axis", axis)) if real("axis", axis) % 1 == 0 else axes
    if not -axes <= number < axes:
        hint = "; a recall is given by its name: recall=" if type(axis) is float else ""
        raise ValueError(f"axis = {axis} is not in {-axes} .. {axes - 1}, the axes of x"
                         f"{hint}{axis if hint else ''}")
    return number % axes


def check_k(k, n, axis):
    if type(k) is not int:
        k = count("k", k, 0)
    if not 0 <= k <= n:
        raise ValueError(f"k = {k} is not in 0 .. {n}, the length of axis {axis} of x")
    return k


def check_indices(n, wide):
    if not wide and n > 2**31 - 1:
        raise ValueError(f"int32 indices cannot count n = {n} elements; give index_dtype='int64'")


def checked_axis(axis, dim):
    """axis, or dim, which is PyTorch's name of it."""
    if axis is None:
        raise TypeError("axis = None is no axis; give one, such as -1, or x.ravel() for all of x")
    if dim is None:
        return axis
    if type(axis) is not int or axis != -1:
        raise TypeError("axis and dim are two names of one argument; give only one")
    return dim


def checked_largest(largest, mode):
    """Are the largest wanted? By `largest`, or by mode, which is NumPy's name of it."""
    if mode is None:
        return True if largest is None else largest
    if not isinstance(mode, str) or mode not in ("largest", "smallest"):
        raise ValueError(f"mode = {mode!r} must be 'largest' or 'smallest'")
    if largest is not None and bool(largest) != (mode == "largest"):
        raise ValueError(f"mode = {mode!r} and largest = {largest!r} contradict each other; give "
                         f"only one")
    return mode == "largest"


def put_out(out, values, indices, copy):
    """Copies the results into out, a pair of arrays or tensors of their shapes and types. A result
    of None is left out."""
    try:
        own_values, own_indices = out
    except (TypeError, ValueError):
        raise TypeError("out must be a pair of arrays, for values and for indices") from None
    for name, own, result in (("values", own_values, values), ("indices", own_indices, indices)):
        if result is None:
            continue
        if tuple(own.shape) != tuple(result.shape) or own.dtype != result.dtype:
            raise ValueError(f"out of {name} has shape {tuple(own.shape)} and type {own.dtype}; it "
                             f"must have {tuple(result.shape)} and {result.dtype}")
        copy(own, result)
    return None if values is None else own_values, own_indices
