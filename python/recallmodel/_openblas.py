"""The OpenBLAS in NumPy's wheel, which sparse attention takes where the system has none.

In this process it is then the one that NumPy itself uses, so its number of threads is put back
after a call. attention/products.h says which library is taken.
"""
import ctypes
import functools
import threading

from recallmodel_command import name_openblas, openblas_of_numpy

# What stands before and behind the names of its functions: since NumPy 2.0, and before.
_KINDS = (("scipy_", "64_"), ("", "64_"), ("scipy_", ""), ("", ""))


@functools.lru_cache(maxsize=None)
def _threads():
    """The functions that get and set the number of threads of NumPy's OpenBLAS; None if it has
    none."""
    path = openblas_of_numpy()
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
        name_openblas()
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
