"""pip install . builds the command and the four C libraries with a C compiler alone, and puts them
and the measured runs beside the Python module (packaging/build_c.py)."""
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
sys.path.insert(0, str(HERE / "packaging"))
import build_c  # noqa: E402


class WithLibraries(build_py):
    def run(self):
        super().run()
        place = pathlib.Path(self.build_lib) / "recallmodel"
        work = pathlib.Path(self.get_finalized_command("build").build_temp) / "recallmodel"
        build_c.build(place, work)
        shutil.copytree("runs", place / "runs", dirs_exist_ok=True)


class AnyPython(bdist_wheel):
    """A wheel for this platform, and for every Python 3: it loads the libraries with ctypes."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class Binary(Distribution):
    """A wheel for this platform only."""

    def has_ext_modules(self):
        return True


setup(
    name="recallmodel", version=build_c.version(), license="Apache-2.0",
    description="Recall and cost of bucketed approximate top-k",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license_files=["LICENSE", "packaging/licenses/*"],
    python_requires=">=3.9", install_requires=["numpy"],
    packages=["recallmodel"], py_modules=["recallmodel_command"], package_dir={"": "python"},
    package_data={"recallmodel": ["*.pyi", "py.typed"]},
    entry_points={"console_scripts": ["recallmodel = recallmodel_command:main"]},
    distclass=Binary, cmdclass={"build_py": WithLibraries, "bdist_wheel": AnyPython})
