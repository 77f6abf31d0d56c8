"""pip install . builds the four C libraries with make and puts them, and the measured runs, beside
the Python module."""
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

HERE = pathlib.Path(__file__).resolve().parent
HEADER = (HERE / "model/recallmodel.h").read_text()
VERSION = re.search(r'#define RCM_VERSION "(.*)"', HEADER).group(1)


class WithLibraries(build_py):
    def run(self):
        super().run()
        names = ("librecallmodel", "librecallmodel-sim", "librecallmodel-attention",
                 "librecallmodel-topk")
        libraries = [f"build/{name}.so.{VERSION}" for name in names]
        if subprocess.call(["make", "-C", str(HERE), *libraries]) != 0:
            raise SystemExit("the C libraries could not be built; this needs make, a C compiler "
                             "and the headers of Random123 and OpenBLAS (Debian: make gcc "
                             "librandom123-dev libopenblas-dev)")
        place = pathlib.Path(self.build_lib) / "recallmodel"
        for library in libraries:
            shutil.copy(HERE / library, place)
        shutil.copytree(HERE / "runs", place / "runs", dirs_exist_ok=True)


class Binary(Distribution):
    """A wheel for this platform only."""

    def has_ext_modules(self):
        return True


setup(version=VERSION, cmdclass={"build_py": WithLibraries}, distclass=Binary)
