#!/usr/bin/env bash
# What the documentation site is made of, without its generator: every public name of the libraries
# has an entry in the C reference, every name of the module one in the Python reference, every
# subcommand and every figure its place, every page stands in the navigation, and links between
# pages lead to pages. make check-site checks the built site.
#
# Against: the symbols of the libraries, the header of the kernels, the module's names,
# `recallmodel help`, a contract by hand.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
needs_python
unsanitized "Python under the sanitizers"
for library in librecallmodel librecallmodel-topk; do
    nm -D --defined-only "$build/$library".so.* | sed -n 's/.* T \(rcm_\w*\)$/\1/p'
done >"$folder/symbols"
mkdir "$folder/reference"
"$build/describe" markdown "$folder/reference"
RECALLMODEL=$program BUILD=$build PYTHONDONTWRITEBYTECODE=1 \
    PYTHONPATH=deliver/site:tests/docs \
    RECALLMODEL_LIBRARY=$(echo "$build"/librecallmodel.so.*) \
    "$python" tests/docs/check_site.py "$folder"
