"""The OpenBLAS in NumPy's wheel, for sparse attention where the system has none.

attention/products.c takes libopenblas.so.0 of the system or, where there is none, the library that
RECALLMODEL_OPENBLAS names. NumPy's wheels carry one. In this process it is then the one that NumPy
itself uses, so its number of threads is put back after a call.
"""
import ctypes
import functools
import importlib.util
import os
import pathlib
import threading

VARIABLE = "RECALLMODEL_OPENBLAS"
# The names of its functions since NumPy 2.0, and before.
_KINDS = (("scipy_", "64_"), ("", "64_"), ("scipy_", ""), ("", ""))


def of_numpy():
    """The path of the OpenBLAS in NumPy's wheel; None if this NumPy is not of a wheel. NumPy is not
    imported."""
    found = importlib.util.find_spec("numpy")
    if found is None or not found.origin:
        return None
    folder = pathlib.Path(found.origin).parents[1] / "numpy.libs"
    paths = sorted(folder.glob("lib*openblas*.so*"))
    return str(paths[0]) if paths else None


def name_for_command(environment):
    """Names it in the environment of the command, if that names none."""
    path = of_numpy()
    if path and not environment.get(VARIABLE):
        environment[VARIABLE] = path


@functools.lru_cache(maxsize=None)
def _threads():
    """The functions that get and set the number of threads of NumPy's OpenBLAS; None if it has
    none."""
    path = of_numpy()
    if path is None:
        return None
    library = ctypes.CDLL(path)
    for before, behind in _KINDS:
        names = [f"{before}openblas_{what}_num_threads{behind}" for what in ("get", "set")]
        if all(hasattr(library, name) for name in names):
            return tuple(getattr(library, name) for name in names)
    return None


class _OneThread:
    """NumPy's OpenBLAS has one thread inside, and as many as before outside.

    attention/products.c sets one thread when it loads a library, which may be another. So the
    number is set here only once a call has been seen to change it.
    """

    def __init__(self):
        self.lock, self.inside, self.before, self.is_used = threading.Lock(), 0, 1, False

    def __enter__(self):
        functions = _threads()
        name_for_command(os.environ)
        with self.lock:
            self.inside += 1
            if functions and self.inside == 1:
                self.before = functions[0]()
                if self.is_used:
                    functions[1](1)

    def __exit__(self, *error):
        functions = _threads()
        with self.lock:
            self.inside -= 1
            if functions and self.inside == 0 and functions[0]() != self.before:
                self.is_used = True
                functions[1](self.before)


one_thread = _OneThread()
