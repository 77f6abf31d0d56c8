"""pip install . builds the command and the four C libraries with a C compiler alone, and puts them
and the measured runs beside the Python module (deliver/packaging/build_c.py).

With RECALLMODEL_GSL it builds recallmodel-calibrate instead: the command once more, linked with
GSL, as bin/recallmodel-gsl-VERSION beside the other one. recallmodel_command prefers it."""
import os
import pathlib
import shutil
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
os.chdir(HERE)
sys.path.insert(0, str(HERE / "deliver/packaging"))
import build_c  # noqa: E402


class WithLibraries(build_py):
    def run(self):
        super().run()
        place = pathlib.Path(self.build_lib) / "recallmodel"
        work = pathlib.Path(self.get_finalized_command("build").build_temp) / "recallmodel"
        build_c.build(place, work)
        if not build_c.GSL:
            shutil.copytree("runs", place / "runs", dirs_exist_ok=True)


class AnyPython(bdist_wheel):
    """A wheel for this platform, and for every Python 3: it loads the libraries with ctypes."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class Binary(Distribution):
    """A wheel for this platform only."""

    def has_ext_modules(self):
        return True

    def has_pure_modules(self):
        return True  # what build_py makes, also where it copies no module


VERSION = build_c.version()
# Beside Apache-2.0: Random123, jansson, and the copy of libgomp that `make wheel` puts in.
LICENCES = "Apache-2.0 AND BSD-3-Clause AND MIT AND GPL-3.0-or-later WITH GCC-exception-3.1"
PLAIN = {
    "name": "recallmodel", "license": LICENCES, "install_requires": ["numpy"],
    "description": "Recall and cost of bucketed approximate top-k",
    "long_description": (HERE / "README.md").read_text(encoding="utf-8"),
    "packages": ["recallmodel"], "py_modules": ["recallmodel_command"],
    "package_dir": {"": "python"}, "package_data": {"recallmodel": ["*.pyi", "py.typed"]},
    "extras_require": {"calibrate": [f"recallmodel-calibrate=={VERSION}"], "torch": ["torch"]},
    "entry_points": {"console_scripts": ["recallmodel = recallmodel_command:main"]}}
CALIBRATE = {
    "name": "recallmodel-calibrate", "license": "GPL-3.0-or-later AND " + LICENCES,
    "install_requires": [f"recallmodel=={VERSION}"], "packages": [], "py_modules": [],
    "description": "The command of recallmodel with `calibrate`, linked with GSL",
    "long_description": "The extra `calibrate` of recallmodel: `pip install "
                        "'recallmodel[calibrate]'`."}

setup(version=VERSION, long_description_content_type="text/markdown", python_requires=">=3.9",
      license_files=["LICENSE", "deliver/packaging/licenses/*"], distclass=Binary,
      cmdclass={"build_py": WithLibraries, "bdist_wheel": AnyPython},
      **(CALIBRATE if build_c.GSL else PLAIN))
