# shell.sh - what the shell tests share. A test sources it first and then runs in the top folder of
# the repository, with
#
#   build    the build folder       } absolute paths
#   program  the command            }
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

# fail WHY ..: the test ends here.
fail() {
    echo "FAIL: $*"
    exit 1
}

# One more group of checks has passed.
pass() { passed=$((passed + 1)); }

# The last call of a test: says how many groups of checks have passed.
finish() {
    echo "$passed passed, 0 failed"
    exit 0
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
