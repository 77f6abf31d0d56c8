#!/usr/bin/env python3
"""sdist.py - writes the source distribution that pip builds with make and a C compiler alone.

    deliver/packaging/sdist.py FOLDER JANSSON

It has the sources of the command and the libraries, the module, the measured runs, the headers of
Random123, from the include path or the folder RANDOM123, and the sources of jansson, from the
folder JANSSON. No tests, and nothing of git: the commit stands in deliver/packaging/commit. The
same sources and SOURCE_DATE_EPOCH give the same bytes. Prints the path of the file.
"""
import gzip
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

FOLDERS = ["base", "model", "sim", "calibrate", "attention", "topk", "programs/common",
           "programs/bench", "programs/bench-cpu", "programs/recallmodel"]
PATTERNS = ["*.c", "*.h", "*.inc", "*.map", "*.mk", "*.profile"]
MORE = ["Makefile", "setup.py", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md",
        "CITATION.cff", "tools/compile.mk", "programs/programs.mk", "gpu/topk_gpu.h",
        "gpu/host/*.h", "gpu/kernels/sample.h", "gpu/peers/peer.h", "deliver/packaging/python.mk",
        "deliver/packaging/declarations.py",
        "deliver/packaging/glibc_2_34.h", "deliver/packaging/licenses/*.txt",
        "python/recallmodel_command.py", "python/recallmodel/*.py", "python/recallmodel/py.typed",
        "runs/index.csv", "runs/*/*"]
COMMIT = pathlib.Path("deliver/packaging/commit")
RANDOM123 = ["philox.h", "array.h", "features/*.h"]


def files():
    """The files that are taken as they are, by their paths."""
    found = [path for folder in FOLDERS for pattern in PATTERNS
             for path in pathlib.Path(folder).rglob(pattern)]
    for pattern in MORE:
        found += [path for path in pathlib.Path().glob(pattern) if path.is_file()]
    return sorted({path.as_posix() for path in found} - {"python/recallmodel/_ffi.py"})


def commit():
    """What COMMIT says in an archive of git: the commit, if the sources are that of one."""
    text = COMMIT.read_text(encoding="utf-8")
    if "$" not in text:
        return text
    asked = [subprocess.run(["git", *words], capture_output=True, text=True).stdout
             for words in (["status", "--porcelain", "-uno"], ["rev-parse", "HEAD"])]
    return "unknown\n" if asked[0] else asked[1]


def random123():
    """The headers of Random123: (name in the archive, path)."""
    folders = [os.environ.get("RANDOM123", ""), "include/Random123", "/usr/include/Random123",
               "/usr/local/include/Random123"]
    for folder in map(pathlib.Path, filter(None, folders)):
        if (folder / "philox.h").is_file():
            found = sorted(path for pattern in RANDOM123 for path in folder.glob(pattern))
            return [(f"include/Random123/{path.relative_to(folder).as_posix()}", path)
                    for path in found]
    raise SystemExit("sdist.py: the headers of Random123 were not found; install them (Debian: "
                     "librandom123-dev), or name their folder by RANDOM123")


def metadata():
    """PKG-INFO, as setuptools writes it."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "setup.py", "-q", "egg_info", "--egg-base", folder],
                       check=True, stdout=subprocess.DEVNULL)
        return (pathlib.Path(folder) / "recallmodel.egg-info" / "PKG-INFO").read_bytes()


def main():
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    place = pathlib.Path(sys.argv[1])
    version = re.search('RCM_VERSION "(.*)"', pathlib.Path("model/recallmodel.h").read_text())
    name = f"recallmodel-{version.group(1)}"
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    contents = [("PKG-INFO", metadata()),
                (COMMIT.as_posix(), commit().encode()),
                *((path, pathlib.Path(path).read_bytes()) for path in files()),
                *((inside, path.read_bytes()) for inside, path in random123()),
                *((f"jansson/{path.name}", path.read_bytes())
                  for path in pathlib.Path(sys.argv[2]).glob("*.[ch]"))]
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=moment) as stream:
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
            for inside, data in sorted(contents):
                entry = tarfile.TarInfo(f"{name}/{inside}")
                entry.size, entry.mtime, entry.mode = len(data), moment, 0o644
                archive.addfile(entry, io.BytesIO(data))
    place.mkdir(parents=True, exist_ok=True)
    out = place / f"{name}.tar.gz"
    out.write_bytes(packed.getvalue())
    print(out)


if __name__ == "__main__":
    main()
