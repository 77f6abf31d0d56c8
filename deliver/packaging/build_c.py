"""Builds the command and the four C libraries with a C compiler alone.

setup.py calls it, so that `pip install` needs neither make nor pkg-config. The Makefile builds the
same files for developers; tests/python/test_setup.py holds the flags here to those there.

CC is the compiler, CFLAGS the flags of optimisation, LDFLAGS those of the linker. For another
machine than this one BUILD_CC is a compiler for this one: a generator runs during the build.
RECALLMODEL_GSL has the words that link GSL ("-lgsl -lgslcblas"), under whose licence the command is
then passed on; without it the command has no calibrate.
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess

BASE_FLAGS = ["-std=c11", "-ffp-contract=off"]
POSIX = ["-D_POSIX_C_SOURCE=200809L"]
LIBRARY = ["-fPIC", "-fvisibility=hidden"]
OPENMP = ["-fopenmp"]  # left out where the compiler has none: then there is one thread

# The folders whose C files are compiled, and with what.
LAYERS = {
    "base": LIBRARY + POSIX,
    "model/*": LIBRARY,
    "sim": OPENMP + ["-fPIC", "-fno-semantic-interposition"] + POSIX,
    "sim/*": OPENMP + ["-fPIC", "-fno-semantic-interposition"] + POSIX,
    "calibrate": POSIX,
    "calibrate/runs": POSIX,
    "attention": OPENMP + ["-fPIC"] + POSIX,
    "attention/*": OPENMP + ["-fPIC"] + POSIX,
    "topk": OPENMP + LIBRARY,
    "programs/common": POSIX,
    "programs/bench": POSIX,
    "programs/bench-cpu": OPENMP + POSIX,
    "programs/recallmodel": POSIX,
    "programs/recallmodel/*": POSIX,
}
# What only one of the two kinds of command has.
GSL = shlex.split(os.environ.get("RECALLMODEL_GSL", ""))
FOR_GSL = [re.compile("calibrate/[^/]*$"), re.compile("programs/recallmodel/calibrate/")]
WITHOUT_GSL = [re.compile("programs/recallmodel/without_gsl/")]
# What is compiled for instruction sets of an x86-64; which runs is found out at run time.
AVX2 = ["-mavx2", "-mbmi", "-mbmi2", "-mlzcnt", "-mpopcnt"]
ISA = {"topk/isa_avx2.c": AVX2,
       "topk/isa_avx512.c": ["-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512vbmi2", *AVX2]}

# What is linked: the layers of each file, and its libraries.
COMMAND = ["programs/recallmodel", "programs/recallmodel/*", "programs/bench",
           "programs/bench-cpu", "programs/common",
           "model/*", "calibrate", "calibrate/runs", "attention", "attention/*", "sim", "sim/*",
           "base"]
COMMAND_LIBS = [*GSL, "-lm", "-ldl", "-lpthread"]
JANSSON = pathlib.Path("jansson")  # its sources, in the sdist; elsewhere the system's library
SHARED = {
    "librecallmodel": (["model/*", "base"], ["-lm"]),
    "librecallmodel-topk": (["topk"], ["-lm"]),
    "librecallmodel-sim": (["sim", "sim/*", "base"], ["-lm"]),
    "librecallmodel-attention": (["attention", "attention/*", "sim", "sim/*", "base"],
                                 ["-lm", "-ldl", "-lpthread"]),
}
PROFILES = "model/time/profiles.c"
GENERATOR = "model/time/profiles/to_c.c"
# What the generator is linked with, and what of that needs its result.
READS_PROFILES = "model/time/", "model/cost/", "model/shape/", "base/"
NEEDS_PROFILES = PROFILES, "model/time/stand_in.c"
EMPTY = "int main(void) { return 0; }\n"
PARALLEL = "#include <omp.h>\nint main(void) { return omp_get_max_threads() == 0; }\n"


def all_sources(layer):
    """The C files of a layer, in order, relative to the current folder."""
    return sorted(path.as_posix() for path in pathlib.Path().glob(layer + "/*.c")
                  if path.as_posix() != "sim/team/mpi.c")


def sources(layer):
    """Those that are compiled, with GSL or without."""
    return [path for path in all_sources(layer)
            if not any(left_out.match(path) for left_out in (WITHOUT_GSL if GSL else FOR_GSL))]


def profiles():
    """The profiles that come with the library, in the order of rcm_profile(): those of CPUs after
    the others, and exact top-k alone last."""
    folder = pathlib.Path("model/time/profiles")
    mine = sorted(folder.glob("*.profile"), key=lambda path: (path.name.startswith("c"), path.name))
    return [path.as_posix() for path in mine + sorted(folder.glob("exact/*.profile"))]


def version():
    """The version in model/recallmodel.h."""
    text = pathlib.Path("model/recallmodel.h").read_text(encoding="utf-8")
    return re.search(r'#define RCM_VERSION "(.*)"', text).group(1)


def sources_git():
    """The state of the sources, which programs that measure print with their results."""
    noted = pathlib.Path("deliver/packaging/git-describe")
    if noted.is_file():
        return noted.read_text(encoding="utf-8").strip()
    try:
        return subprocess.run(["git", "describe", "--always", "--dirty"], check=True, text=True,
                              capture_output=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _run(command):
    """Runs a command of the compiler; SystemExit with what it said if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(command)}\n{done.stderr[:2000]}")
    return done.stdout


def _compiler():
    """The command of the compiler. SystemExit if there is none."""
    given = shlex.split(os.environ.get("CC", ""))
    for command in [given] if given else [["gcc"], ["cc"], ["clang"]]:
        if shutil.which(command[0]):
            return command
    raise SystemExit("the C libraries need a C compiler, and there is no "
                     f"{given[0] if given else 'gcc, cc or clang'} on the path; install gcc, or "
                     "install the wheel, which is compiled")


class Compiler:
    """A compiler, and what it can do."""

    def __init__(self, command, place):
        self.command, self.place = command, place
        place.mkdir(parents=True, exist_ok=True)
        self.is_x86_64 = self._builds(f"#ifndef __x86_64__\n#error\n#endif\n{EMPTY}")
        self.openmp = OPENMP if self._builds(PARALLEL, *OPENMP) else []
        self.include = ["-I."]
        self.json = ["-ljansson"]
        if JANSSON.is_dir():
            self.json = [str(self.object_of(path.as_posix()))
                         for path in sorted(JANSSON.glob("*.c"))]
            self.include.append(f"-I{JANSSON}")
        elif not self._builds(f"#include <jansson.h>\n{EMPTY}"):
            raise SystemExit("the header of jansson was not found; install it (Debian: "
                             "libjansson-dev), or install the sdist, which has its sources")
        if pathlib.Path("include/Random123").is_dir():  # of the sdist
            self.include.append("-Iinclude")
        elif not self._builds(f"#include <Random123/philox.h>\n{EMPTY}"):
            raise SystemExit("the headers of Random123 were not found; install them (Debian: "
                             "librandom123-dev), or install the sdist, which has them")

    def _builds(self, text, *flags):
        probe = self.place / "probe.c"
        probe.write_text(text, encoding="utf-8")
        done = subprocess.run([*self.command, *flags, str(probe), "-o",
                               str(self.place / "probe.out")], capture_output=True)
        return done.returncode == 0

    def flags_of(self, layer, source):
        """The flags of a source file but those of optimisation."""
        flags = [flag for flag in LAYERS[layer] if flag not in OPENMP or self.openmp]
        if self.is_x86_64:
            flags = flags + ISA.get(source, [])
        if source == "programs/recallmodel/main.c":
            flags = flags + [f'-DRCM_GIT="{sources_git()}"']
        return BASE_FLAGS + flags

    def object_of(self, source):
        return self.place / (source[:-len(".c")] + ".o")

    def compile(self, layer, source):
        """Compiles one source file, of a layer or of jansson."""
        out = self.object_of(source)
        out.parent.mkdir(parents=True, exist_ok=True)
        flags = self.flags_of(layer, source) if layer else ["-DHAVE_CONFIG_H"]
        _run([*self.command, *flags, *optimisation(), *self.include,
              f"-I{self.place}", "-c", source, "-o", str(out)])

    def objects(self, layers):
        return [str(self.object_of(source)) for layer in layers for source in sources(layer)]

    def link(self, out, layers, *more):
        _run([*self.command, *optimisation(), *self.openmp, *linking(), *self.objects(layers),
              *more, "-o", str(out)])


def optimisation():
    return shlex.split(os.environ.get("CFLAGS", "-O2"))


def linking():
    return shlex.split(os.environ.get("LDFLAGS", "-s"))


def compile_all(compiler, jobs):
    """Compiles (layer, source) pairs, several at a time, the largest first."""
    jobs = sorted(jobs, key=lambda job: (job[1] not in ISA, -os.path.getsize(job[1])))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(compiler.compile, *job) for job in jobs]:
            done.result()


def jobs_of(layers):
    return [(layer, source) for layer in layers for source in sources(layer)]


def generate_profiles(compiler, place):
    """Writes the shipped profiles as C. The library's own reader reads them, so what it needs is
    compiled first, by a compiler for this machine."""
    program = compiler.place / "to_c"
    objects = [str(compiler.object_of(source)) for layer in ("model/*", "base")
               for source in sources(layer)
               if source.startswith(READS_PROFILES) and source not in NEEDS_PROFILES]
    _run([*compiler.command, *BASE_FLAGS, *optimisation(), *compiler.include, GENERATOR, *objects,
          "-lm", "-o", str(program)])
    text = _run([str(program.resolve()), *profiles()])
    (place / "shipped_profiles.inc").write_text(text, encoding="utf-8")


def build(place, work):
    """Builds everything into the folder `place`: the libraries, and bin/recallmodel; with GSL only
    the command, as bin/recallmodel-gsl-VERSION. The objects go into `work`. The current folder must
    be that of the sources."""
    compiler = Compiler(_compiler(), work / "target")
    first = [job for job in jobs_of(["model/*", "base"]) if job[1] != PROFILES]
    host = os.environ.get("BUILD_CC")
    here = Compiler(shlex.split(host), work / "here") if host else compiler
    if host:
        compile_all(here, first)
    compile_all(compiler, [job for job in jobs_of(COMMAND if GSL else LAYERS)
                           if job[1] != PROFILES] +
                [(None, path.as_posix()) for path in sorted(JANSSON.glob("*.c"))])
    generate_profiles(here, compiler.place)
    compiler.compile("model/*", PROFILES)
    (place / "bin").mkdir(parents=True, exist_ok=True)
    if not GSL:
        link_libraries(compiler, place)
    name = f"recallmodel-gsl-{version()}" if GSL else "recallmodel"
    compiler.link(place / "bin" / name, COMMAND, *compiler.json, *COMMAND_LIBS)


def link_libraries(compiler, place):
    major = version().split(".")[0]
    for name, (layers, libraries) in SHARED.items():
        file = place / f"{name}.so.{major}"
        more = [str(place / f"librecallmodel.so.{major}")] if name == "librecallmodel-topk" else []
        compiler.link(file, layers, "-shared", f"-Wl,-soname,{file.name}", "-Wl,-rpath,$ORIGIN",
                      *more, *libraries)
