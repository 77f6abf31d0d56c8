"""The command: python -m recallmodel, and recallmodel on the path after pip install."""
import os
import pathlib
import sys

from . import _openblas


def _program():
    """The path of the command: that of pip install, or that of a source tree after make."""
    here = pathlib.Path(__file__).resolve().parent
    tried = [here / "bin" / "recallmodel", here.parents[1] / "build" / "recallmodel"]
    for path in tried:
        if os.access(path, os.X_OK):
            return path
    raise SystemExit(f"recallmodel: the command is neither {tried[0]} nor {tried[1]}: run make, or "
                     "pip install . in the source tree")


def main():
    """Becomes the command, with the arguments of this process. It does not return."""
    program = _program()
    _openblas.name_for_command(os.environ)
    sys.stdout.flush()
    os.execv(program, ["recallmodel", *sys.argv[1:]])


if __name__ == "__main__":
    main()
