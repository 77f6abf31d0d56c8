"""The documents: texts that this repository contains or that a Debian machine has.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import glob
import os
import pathlib
import random
import re
import shutil
import subprocess
import sysconfig

ROOT = pathlib.Path(__file__).resolve().parents[2]
# find: a function that returns (text, where it was read), or raises Missing with what to install.
Document = collections.namedtuple("Document", "name what find")


class Missing(Exception):
    """A text that this machine does not have; the message says where it would come from."""


def read(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise Missing(f"{path}: {error.strerror}") from error


def output_of(command, package, **environment):
    """What a command prints; it belongs to a Debian package."""
    if not shutil.which(command[0]):
        raise Missing(f"there is no command {command[0]} (Debian: {package})")
    run = subprocess.run(command, capture_output=True, timeout=60, stdin=subprocess.DEVNULL,
                         env={**os.environ, "LC_ALL": "C.UTF-8", **environment})
    text = run.stdout.decode("utf-8", "replace")
    if run.returncode or not text:
        raise Missing(f"{' '.join(command)} prints nothing (Debian: {package})")
    return text


def c_sources():
    """The sources of the library's model, in the order of their names."""
    files = sorted((ROOT / "model").glob("*/*.c"))
    if not files:
        raise Missing(f"{ROOT}/model has no sources")
    return "\n".join(read(path) for path in files), "model/*/*.c of this repository"


def project_pages():
    """Documentation of this repository."""
    names = ("simulation", "quick-start", "choosing", "gpu")
    text = "\n".join(read(ROOT / "docs" / f"{name}.md") for name in names)
    return text, f"docs/{{{','.join(names)}}}.md of this repository"


def bash_manual():
    """bash(1) as man prints it, without bold and underlined letters."""
    text = output_of(["man", "-P", "cat", "bash"], "man-db and bash", MANWIDTH="80")
    return re.sub(".\b", "", text), "man bash"


def licences():
    names = ("GPL-3", "MPL-2.0")
    folder = "/usr/share/common-licenses"
    return "\n".join(read(f"{folder}/{name}") for name in names), f"{folder}/{{{','.join(names)}}}"


def python_source():
    path = pathlib.Path(sysconfig.get_paths()["stdlib"]) / "tarfile.py"
    return read(path), str(path)


def essay():
    """An essay on translating programs, by Sean M. Burke and Jordan Lachler."""
    paths = sorted(glob.glob("/usr/share/perl/5*/Locale/Maketext/TPJ13.pod"))
    if not paths:
        raise Missing("there is no Locale/Maketext/TPJ13.pod (Debian: perl-modules-5.36)")
    return read(paths[-1]), paths[-1]


def king_james():
    """Verses, one in a line, without the numbers in front."""
    command = ["bible", "-f", "1Samuel1:1-31:13"]
    text = output_of(command, "bible-kjv")
    return re.sub(r"^1Sm\d+:\d+ ", "", text, flags=re.MULTILINE), " ".join(command)


def numbers():
    """As in the task Math.Find of InfiniteBench: a list, in which the largest is to be found."""
    draw = random.Random(1)
    return f"[{', '.join(str(draw.randrange(100)) for _ in range(6000))}]", "random, seed 1"


DOCUMENTS = (
    Document("c-sources", "C sources of this project", c_sources),
    Document("bash-manual", "the manual page bash(1)", bash_manual),
    Document("licences", "the licences GPL-3 and MPL-2.0", licences),
    Document("python-source", "Python's tarfile.py", python_source),
    Document("essay", "an essay in the documentation of Perl", essay),
    Document("king-james", "1 Samuel in the King James Bible", king_james),
    Document("project-pages", "documentation of this project", project_pages),
    Document("numbers", "a list of whole numbers below 100", numbers),
)


def own_text(path):
    """A Document that is a text file of the user."""
    path = pathlib.Path(path)
    return Document(path.stem, f"the file {path.name}", lambda: (read(path), path.name))
