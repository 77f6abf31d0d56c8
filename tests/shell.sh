# shell.sh - what the shell tests share. A test sources it first and then runs in the top folder of
# the repository, with
#
#   build    the build folder       } absolute paths
#   program  the command            }
#   python   the Python that the Makefile names, or else the first python3
#   folder   an empty folder, which is removed when the test ends
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=$(realpath -m "${BUILD:-build}")
program=$(realpath -m "${RECALLMODEL:-$build/recallmodel}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0
unset RECALLMODEL_RUNS # the measured runs of this tree
python=${PYTHON:-/usr/bin/python3}
command -v "$python" >/dev/null || python=python3

# fail WHY ..: the test ends here.
fail() {
    echo "FAIL: $*"
    exit 1
}

# skip WHY ..: the test ends here, because it cannot run on this machine.
skip() {
    echo "SKIPPED: $*"
    exit 0
}

needs_python() { command -v "$python" >/dev/null || skip "there is no $python"; }

# unsanitized WHY ..: the test ends here if it runs under the sanitizers.
unsanitized() { [ -z "${SANITIZE:-}" ] || skip "$@"; }

# One more group of checks has passed.
pass() { passed=$((passed + 1)); }

# The last call of a test: says how many groups of checks have passed.
finish() {
    echo "$passed passed, 0 failed"
    exit 0
}

# same FILE FILE WHAT: the files are equal.
same() {
    cmp -s "$1" "$2" || fail "$3: $(diff "$1" "$2" | sed -n 1,5p)"
    pass
}

# has_mpi: whether $mpi, the command on several processes, can run here; says why not.
mpi=$build/recallmodel-mpi
has_mpi() {
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    if [ -n "${SANITIZE:-}" ]; then
        echo "SKIPPED: MPI under the sanitizers (Open MPI leaks by itself)"
    elif [ ! -x "$mpi" ] || ! command -v mpirun >/dev/null; then
        echo "SKIPPED: MPI: recallmodel-mpi was not built, or there is no mpirun"
    else
        return 0
    fi
    return 1
}

# COMMAND | prints PATTERN: whether what the command prints has such a line. It reads everything:
# `grep -q` stops at the first match, and a command that still prints then ends by SIGPIPE, which
# pipefail takes for a failure.
prints() {
    local text
    text=$(cat)
    grep -q -- "$1" <<<"$text"
}

# rejects TEXT COMMAND ..: the command ends with status 2, prints nothing on stdout, and one line
# on stderr, which contains the text.
rejects() {
    local text=$1 status=0
    shift
    "$@" >"$folder/out" 2>"$folder/err" || status=$?
    [ $status = 2 ] && [ ! -s "$folder/out" ] && [ "$(wc -l <"$folder/err")" = 1 ] &&
        grep -qF -- "$text" "$folder/err" ||
        fail "$*: status $status, $(head -c 300 "$folder/err")"
}
