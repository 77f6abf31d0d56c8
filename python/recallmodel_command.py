"""The command `recallmodel`, which pip puts on the path.

It is a module of its own, beside the package, because the package imports NumPy, which takes ten
times as long as most answers of the command.
"""
import importlib.util
import os
import pathlib
import shutil
import sys

OPENBLAS = "RECALLMODEL_OPENBLAS"


def openblas_of_numpy():
    """The path of the OpenBLAS in NumPy's wheel; None if this NumPy is not of a wheel. NumPy is not
    imported.

    attention/products.c takes libopenblas.so.0 of the system or, where there is none, the library
    that RECALLMODEL_OPENBLAS names.
    """
    found = importlib.util.find_spec("numpy")
    if found is None or not found.origin:
        return None
    folder = pathlib.Path(found.origin).parents[1] / "numpy.libs"
    paths = sorted(folder.glob("lib*openblas*.so*"))
    return str(paths[0]) if paths else None


def name_openblas():
    """Names NumPy's OpenBLAS in the environment, if that names none."""
    path = openblas_of_numpy()
    if path and not os.environ.get(OPENBLAS):
        os.environ[OPENBLAS] = path


def _is_program(path):
    """Is it the compiled command, and not the script that calls this module?"""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF" and os.access(path, os.X_OK)
    except OSError:
        return False


def _with_gsl(installed):
    """The command of the extra calibrate, of the version that is installed; "" without one."""
    if not list(installed.parent.glob(f"{installed.name}-gsl-*")):
        return ""
    import importlib.metadata  # it takes longer than most answers
    return f"{installed}-gsl-{importlib.metadata.version('recallmodel')}"


def _program():
    """The compiled command: that of pip install (first the one with GSL), that of a source tree
    after make, or that on the path."""
    here = pathlib.Path(__file__).resolve().parent
    installed = here / "recallmodel" / "bin" / "recallmodel"
    built = here.parent / "build" / "recallmodel"
    for path in [_with_gsl(installed), installed, built, shutil.which("recallmodel") or ""]:
        if _is_program(path):
            return path
    raise SystemExit(f"recallmodel: the command is neither {installed} nor {built}: run make, or "
                     "pip install . in the source tree")


def main():
    """Becomes the command, with the arguments of this process. It does not return."""
    program = _program()
    name_openblas()
    os.environ.setdefault("RECALLMODEL_PYTHON", sys.executable)  # of the peers of tune
    os.execv(program, ["recallmodel", *sys.argv[1:]])
