"""pip install . builds the command and the five C libraries with make, and puts them and the
measured runs beside the Python module.

With RECALLMODEL_GSL, the words that link GSL ("-lgsl -lgslcblas"), it builds recallmodel-calibrate
instead: the command once more, linked with GSL, as bin/recallmodel-gsl-VERSION beside the other
one. recallmodel_command prefers it. With RECALLMODEL_CUDA, the folder of what `make wheel-cuda`
compiled, it builds recallmodel-cuda: these libraries, and the scripts of the benchmark. CC, AR,
CFLAGS and LDFLAGS are as for make. For another machine than this one BUILD_CC is a compiler for
this one: a generator runs during the build.
"""
import os
import pathlib
import re
import shutil
import subprocess
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
VERSION = re.search('#define RCM_VERSION "(.*)"',
                    pathlib.Path("model/recallmodel.h").read_text(encoding="utf-8")).group(1)
GSL = os.environ.get("RECALLMODEL_GSL", "")
CUDA = os.environ.get("RECALLMODEL_CUDA", "")
PROFILES = "generated/shipped_profiles.inc"


def make(work, *targets, **settings):
    """Runs make. SystemExit, with what it said, if it fails."""
    given = os.environ.get("CC") or next(filter(shutil.which, ("gcc", "cc", "clang")), "")
    if not given or not shutil.which("make"):
        raise SystemExit("the C libraries need make and a C compiler; install make and gcc, or "
                         "install the wheel, which is compiled")
    settings = {"CC": given, "BUILD": work, "FFI": work / "_ffi.py", "PYTHON": sys.executable,
                "WARNINGS": "", "HAS_MPI": "", "HAS_GSL": GSL, "GSL_LIBS": GSL, **settings}
    environment = {"CFLAGS": "-O2", "LDFLAGS": "-s", **os.environ}
    environment["LDFLAGS"] += " -Wl,-rpath,'$$ORIGIN'"
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL"):  # of a make that this is a part of
        environment.pop(name, None)
    done = subprocess.run(
        ["make", f"-j{os.cpu_count()}", *(f"{name}={value}" for name, value in settings.items()),
         *targets], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stdout[-3000:])


class WithLibraries(build_py):
    def run(self):
        super().run()
        if CUDA:
            kernels = pathlib.Path(self.build_lib) / CUDA_PACKAGE
            kernels.mkdir(parents=True, exist_ok=True)
            for name in (f"librecallmodel-gpu.so.{VERSION}", "librecallmodel-bench.so"):
                shutil.copy(pathlib.Path(CUDA) / name, kernels)
            return
        place = pathlib.Path(self.build_lib) / "recallmodel"
        work = pathlib.Path(self.get_finalized_command("build").build_temp) / "recallmodel"
        if not GSL:
            import cffi  # noqa: F401 - make needs it, too
        targets = ["for-pip-calibrate" if GSL else "for-pip"]
        if os.environ.get("BUILD_CC"):  # the profiles as C, which make then takes as they are
            here = work / "here" / PROFILES
            make(work / "here", here, CC=os.environ["BUILD_CC"], AR="ar")
            (work / PROFILES).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(here, work / PROFILES)
            targets += ["-o", work / PROFILES]
        make(work, *targets)
        (place / "bin").mkdir(parents=True, exist_ok=True)
        name = f"recallmodel-gsl-{VERSION}" if GSL else "recallmodel"
        shutil.copy(work / "recallmodel", place / "bin" / name)
        if not GSL:
            for library in work.glob(f"*.so.{VERSION}"):
                shutil.copy(library, place / library.name.replace(VERSION, VERSION.split(".")[0]))
            shutil.copy(work / "_ffi.py", place)
            shutil.copytree("runs", place / "runs", dirs_exist_ok=True)


class AnyPython(bdist_wheel):
    """A wheel for this platform, and for every Python 3: cffi loads the libraries."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class Binary(Distribution):
    """A wheel for this platform only."""

    def has_ext_modules(self):
        return True

    def has_pure_modules(self):
        return True  # what build_py makes, also where it copies no module


# Beside Apache-2.0: Random123, jansson, and the copy of libgomp that `make wheel` puts in.
LICENCES = "Apache-2.0 AND BSD-3-Clause AND MIT AND GPL-3.0-or-later WITH GCC-exception-3.1"
PLAIN = {
    "name": "recallmodel", "license": LICENCES, "install_requires": ["cffi", "numpy"],
    "description": "Recall and cost of bucketed approximate top-k",
    "long_description": (HERE / "README.md").read_text(encoding="utf-8"),
    "packages": ["recallmodel"], "py_modules": ["recallmodel_command"],
    "package_dir": {"": "python"}, "package_data": {"recallmodel": ["py.typed"]},
    "extras_require": {"calibrate": [f"recallmodel-calibrate=={VERSION}"],
                       "cuda": [f"recallmodel-cuda=={VERSION}"], "torch": ["torch"]},
    "entry_points": {"console_scripts": ["recallmodel = recallmodel_command:main"]}}
CALIBRATE = {
    "name": "recallmodel-calibrate", "license": "GPL-3.0-or-later AND " + LICENCES,
    "install_requires": [f"recallmodel=={VERSION}"], "packages": [], "py_modules": [],
    "description": "The command of recallmodel with `calibrate`, linked with GSL",
    "long_description": "The extra `calibrate` of recallmodel: `pip install "
                        "'recallmodel[calibrate]'`."}
CUDA_PACKAGE = "recallmodel_cuda"
KERNELS = {
    "name": "recallmodel-cuda",
    "license": "Apache-2.0 AND BSD-3-Clause AND Apache-2.0 WITH LLVM-exception AND "
               "LicenseRef-NVIDIA-CUDA",
    "install_requires": [f"recallmodel=={VERSION}"], "packages": [], "py_modules": [],
    "description": "The CUDA kernels of recallmodel, and their benchmark",
    "long_description": "The extra `cuda` of recallmodel: `pip install 'recallmodel[cuda]'`."}

setup(version=VERSION, long_description_content_type="text/markdown", python_requires=">=3.9",
      license_files=["LICENSE", "deliver/packaging/licenses/*"], distclass=Binary,
      cmdclass={"build_py": WithLibraries, "bdist_wheel": AnyPython},
      **(KERNELS if CUDA else CALIBRATE if GSL else PLAIN))
