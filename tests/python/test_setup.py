"""setup.py compiles what the Makefile compiles, with the same flags.

Against: the commands of `make`.
"""
import os
import pathlib
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deliver/packaging"))
import build_c  # noqa: E402

# Of the Makefile alone: optimisation, warnings, the include path, dependencies, output.
OTHER = ("-O", "-g", "-W", "-I", "-M")


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """The commands of `make` without GSL for a folder in which nothing is built, none of which is
    run."""
    place = tmp_path_factory.mktemp("plan")
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BUILD", "CC", "SANITIZE")}
    text = subprocess.run(["make", "-n", "V=1", "CC=gcc", "HAS_GSL=",
                           f"BUILD={place}", f"{place}/recallmodel",
                           *(f"{place}/{name}.so.{build_c.version()}" for name in build_c.SHARED)],
                          cwd=ROOT, env=environment, check=True, capture_output=True, text=True,
                          timeout=100).stdout
    lines = [shlex.split(line) for line in text.splitlines() if line.startswith("gcc ")]
    return str(place), lines


def flags_of(words):
    """The flags of a command that say what is compiled."""
    return sorted(word for word in words if word.startswith("-") and not word.startswith(OTHER)
                  and word not in ("-c", "-o") and not word.startswith("-DRCM_GIT"))


def test_same_sources_and_flags(plan, monkeypatch):
    monkeypatch.chdir(ROOT)
    by_make = {words[words.index("-c") + 1]: flags_of(words) for words in plan[1] if "-c" in words}
    by_setup = {}
    compiler = build_c.Compiler.__new__(build_c.Compiler)
    compiler.is_x86_64 = any("-mavx2" in words for words in plan[1])
    compiler.openmp = [flag for flag in build_c.OPENMP if any(flag in words for words in plan[1])]
    for layer in build_c.LAYERS:
        for source in build_c.sources(layer):
            by_setup[source] = flags_of(compiler.flags_of(layer, source))
    assert by_make == by_setup


def test_same_files_are_linked(plan, monkeypatch):
    monkeypatch.chdir(ROOT)
    place, lines = plan
    linked = {words[words.index("-o") + 1]: words for words in lines
              if "-o" in words and "-c" not in words}
    expected = {"recallmodel": (build_c.COMMAND, ["-ljansson", *build_c.COMMAND_LIBS]),
                **{f"{name}.so.{build_c.version()}": both
                   for name, both in build_c.SHARED.items()}}
    for name, (layers, libraries) in expected.items():
        words = linked[f"{place}/{name}"]
        got = {word[len(place) + 1:-2] + ".c" for word in words
               if word.startswith(place) and word.endswith(".o")}
        want = {source for layer in layers for source in build_c.sources(layer)
                if not source.startswith("base/")}  # these are in an archive
        assert got == want, name
        assert [word for word in words if word.startswith("-l")] == libraries, name


def test_same_profiles(plan, monkeypatch):
    monkeypatch.chdir(ROOT)
    place, _ = plan
    text = subprocess.run(
        ["make", "-n", "-B", f"BUILD={place}", f"{place}/generated/shipped_profiles.inc"],
        check=True, capture_output=True, text=True, timeout=100).stdout
    line = next(line for line in text.splitlines() if line.endswith("shipped_profiles.inc"))
    assert [word for word in line.split() if word.endswith(".profile")] == build_c.profiles()
