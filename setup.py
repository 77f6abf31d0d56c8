"""pip install .: builds the C library with make and puts it beside the Python module."""
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution

HERE = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r'#define RCM_VERSION "(.*)"', (HERE / "model/recallmodel.h").read_text()).group(1)


class WithLibrary(build_py):
    def run(self):
        super().run()
        library = HERE / f"build/librecallmodel.so.{VERSION}"
        subprocess.check_call(["make", "-C", str(HERE), str(library.relative_to(HERE))])
        shutil.copy(library, pathlib.Path(self.build_lib) / "recallmodel" / library.name)


class Binary(Distribution):
    """The wheel belongs to this platform."""

    def has_ext_modules(self):
        return True


setup(version=VERSION, cmdclass={"build_py": WithLibrary}, distclass=Binary)
