#!/usr/bin/env bash
# make builds in a folder whose path has a blank: an object of each layer, and a library.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "the path does not depend on the sanitizers"

copy="$folder/a blank"
mkdir "$copy"
cp -r Makefile packages.txt tools base model sim calibrate programs gpu topk tests "$copy"
objects=()
for layer in sim calibrate programs/common programs/bench programs/recallmodel \
    programs/recallmodel-bench; do
    sources=("$layer"/*.c)
    objects+=("build/${sources[0]%.c}.o")
done
cd "$copy"
env -u BUILD -u MAKEFLAGS make -s CFLAGS=-O0 build/libbase.a "${objects[@]}" \
    >"$folder/out" 2>&1 || fail "$(tail -n 5 "$folder/out")"
for file in build/libbase.a "${objects[@]}"; do
    [ -s "$file" ] || fail "there is no $file"
    pass
done
finish
