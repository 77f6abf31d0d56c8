#!/usr/bin/env bash
# The recipes of CONTRIBUTING.md, "Add something": each of tests/house/recipes/ is an example as a
# patch. All are applied to a copy of the sources, which then builds, passes the tests that the
# recipes name, and prints what they say it prints.
#
#   Add a cost model                       a heading of CONTRIBUTING.md
#   tests: build/tests/..                  what tests/run.sh takes
#   prints: recallmodel COMMAND => TEXT
#
# Slow: 40 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "the recipes do not depend on the sanitizers"
command -v git >/dev/null || skip "there is no git"
[ -f CONTRIBUTING.md ] || skip "there is no CONTRIBUTING.md"

cp -r Makefile tools base model sim calibrate attention gpu topk programs tests runs "$folder"
recipes=("$PWD"/tests/house/recipes/*.patch)
for recipe in "${recipes[@]}"; do
    grep -qFx "### $(head -n 1 "$recipe")" CONTRIBUTING.md || fail "$recipe: no such heading"
    (cd "$folder" && git apply "$recipe") || fail "$recipe does not apply"
done
cd "$folder"
read -ra tests <<<"$(sed -n 's/^tests: //p' "${recipes[@]}" | tr ' ' '\n' | sort -u | tr '\n' ' ')"
# -O0: a fifth of the time.
env -u MAKEFLAGS make -s -j"${JOBS:-2}" BUILD=build CFLAGS=-O0 build/recallmodel build-tests \
    RUN="${tests[*]}" >out 2>&1 || fail "the recipes do not build: $(tail -n 20 out)"
for test in "${tests[@]}"; do
    CASES=few BUILD=build RECALLMODEL=build/recallmodel "$test" >out 2>&1 ||
        fail "$test: $(cat out)"
    pass
done
PATH=$folder/build:$PATH
while IFS= read -r line; do
    eval "${line% => *}" >out 2>&1 && grep -qF -- "${line##* => }" out || fail "$line: $(cat out)"
    pass
done < <(sed -n 's/^prints: //p' "${recipes[@]}")
finish
