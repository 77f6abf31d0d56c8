#!/usr/bin/env bash
# tools/install_packages.sh, with commands of the test in the place of apt-get, dpkg-query, sudo and
# id: nothing is installed here.
#
# Slow: 3 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
shopt -s extglob
fake() { # the name of a command, its text
    printf '#!%s\n%s\n' "$(command -v bash)" "$2" >"$folder/bin/$1"
    chmod +x "$folder/bin/$1"
}

# The commands that the script may use are links in one folder; the others are the test's own.
mkdir "$folder/bin"
for tool in bash dirname sed tr env; do ln -s "$(command -v $tool)" "$folder/bin/$tool"; done
fake dpkg-query 'for name; do :; done
case " $INSTALLED " in *" $name "*) echo "install ok installed" ;; *) exit 1 ;; esac'
fake id 'echo "$USER_ID"'
fake apt-get 'echo "apt-get $*" >>"$LOG"; [ "$1" != "${FAILS:-}" ]'
fake sudo 'echo "sudo $1" >>"$LOG"; exec "$@"'
export INSTALLED="gcc make" USER_ID=1000 LOG=$folder/log

install() { # the arguments; sets status, and leaves the output in $folder/out
    rm -f "$LOG"
    touch "$LOG"
    status=0
    PATH=$folder/bin tools/install_packages.sh "$@" >"$folder/out" 2>&1 || status=$?
}

# Nothing is missing: no output, and apt-get is not called.
install gcc make
[ $status = 0 ] && [ ! -s "$folder/out" ] && [ ! -s "$LOG" ] ||
    fail "nothing missing: $(cat "$folder/out" "$LOG")"
pass

# Something is missing: it says what and how, and installs only that, through sudo.
install gcc valgrind make check
[ $status = 0 ] || fail "status $status: $(cat "$folder/out")"
grep -qx "These packages are missing and will be installed: valgrind check" "$folder/out" ||
    fail "what is missing: $(cat "$folder/out")"
grep -qx "with: sudo apt-get install .*" "$folder/out" || fail "how: $(cat "$folder/out")"
[ "$(tr '\n' ';' <"$LOG")" = "sudo apt-get;apt-get update -qq;sudo env;apt-get install -y -qq \
--no-install-recommends valgrind check;" ] || fail "what was called: $(cat "$LOG")"
pass

# It says so before it installs: a first step that fails ends it, and the message is there.
FAILS=update install valgrind
[ $status != 0 ] && grep -q "will be installed: valgrind" "$folder/out" ||
    fail "update fails: status $status"
grep -q "install" "$LOG" && fail "apt-get install was called after an update that failed"
FAILS=install install valgrind
[ $status != 0 ] || fail "apt-get install failed, the script did not"
pass

# root needs no sudo.
USER_ID=0 install valgrind
[ $status = 0 ] && grep -qx "with: apt-get install .*" "$folder/out" ||
    fail "root: $(cat "$folder/out")"
grep -q sudo "$LOG" && fail "root calls sudo"
pass

# Without names: those of packages.txt, without its remarks.
install
wanted=$(sed 's/#.*//' packages.txt | grep -v -x -e '' -e gcc -e make | tr '\n' ' ')
[ "$(sed -n 's/^These .* installed: //p' "$folder/out") " = "$wanted" ] ||
    fail "$(cat "$folder/out")"
pass

# --build: a few of them, of which the first is gcc; none that only tests need.
INSTALLED="make libc6-dev" install --build
libraries="librandom123-dev libgsl-dev libjansson-dev"
grep -qx "These packages .* installed: gcc $libraries" "$folder/out" ||
    fail "--build: $(cat "$folder/out")"
INSTALLED="gcc make libc6-dev $libraries" install --build
[ $status = 0 ] && [ ! -s "$LOG" ] || fail "--build: more is wanted: $(cat "$folder/out")"
pass

# Without sudo: a message, and status 1. Without apt-get: the packages' names, and status 0.
rm "$folder/bin/sudo"
install valgrind
[ $status = 1 ] && grep -q "as root: apt-get install valgrind" "$folder/out" && [ ! -s "$LOG" ] ||
    fail "without sudo: status $status, $(cat "$folder/out")"
rm "$folder/bin/apt-get"
install gcc valgrind
[ $status = 0 ] && grep -q "no apt-get.*: gcc valgrind$" "$folder/out" ||
    fail "without apt-get: $(cat "$folder/out")"
pass

# make check, make demo and make packages call it first.
for target in check demo packages; do
    commands=$(env -u BUILD -u RUN -u MAKEFLAGS make -n --no-print-directory $target 2>/dev/null)
    [[ $commands = *([[:space:]])tools/install_packages.sh* ]] ||
        fail "make $target does not call it first"
done
pass
# make alone makes all. What is missing is said before anything is compiled or computed, with the
# line that installs it; the kernels of a GPU and their benchmark do not need the library of tests.
plain() { env -u BUILD -u RUN -u MAKEFLAGS make --no-print-directory "$@"; }
goal=$(plain -pn 2>/dev/null | sed -n 's/^.DEFAULT_GOAL := //p')
[ "$goal" = all ] || fail "make alone makes $goal"
! plain -j4 BUILD="$folder/none" CC=/bin/false all >"$folder/out" 2>&1 ||
    fail "make without a compiler"
grep -q "This installs them: tools/install_packages.sh --build" "$folder/out" &&
    ! grep -q "^  CC " "$folder/out" || fail "make without a compiler: $(cat "$folder/out")"
! plain BUILD="$folder/none" TEST_FLAGS=-nostdinc check-one TEST=model/test_cost \
    >"$folder/out" 2>&1 || fail "make check-one without headers"
grep -q "headers check.h .* This installs them: make packages" "$folder/out" &&
    ! grep -q "^  " "$folder/out" || fail "make check-one without headers: $(cat "$folder/out")"
mkdir "$folder/few"
for command in bash sh make env sed grep mkdir touch cc gcc; do
    ln -s "$(command -v $command)" "$folder/few/$command"
done
! PATH=$folder/few plain figures >"$folder/out" 2>&1 || fail "make figures without gnuplot"
grep -q "needs gnuplot: tools/install_packages.sh gnuplot-nox" "$folder/out" ||
    fail "make figures without gnuplot: $(cat "$folder/out")"
plain -n gpu-programs HAS_NVCC=yes 2>/dev/null | grep -e '-lcheck' >"$folder/out" &&
    fail "make gpu links libcheck: $(cat "$folder/out")"
pass
finish
