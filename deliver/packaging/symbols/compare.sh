#!/usr/bin/env bash
# compare.sh - whether a shared library exports the symbols of its list.
#
#   deliver/packaging/symbols/compare.sh LIST LIBRARY
#
# LIST has the form of Debian's symbols files. It prints a line for each symbol that was removed or
# added, and a line that says what to do; then it returns 1.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
export LC_ALL=C
list=$1
library=$2
listed=$(sed -n 's/^ \([^@ ]*\)@.*/\1/p' "$list" | sort)
found=$(nm -D --defined-only "$library" | awk 'NF == 3 {print $3}' | sort)
status=0

# ours FLAG: the names that stand in one of both lists alone.
ours() { comm "$1" <(echo "$listed") <(echo "$found"); }

read -r soname _ <"$list"
has=$(objdump -p "$library" | sed -n 's/^ *SONAME *//p')
if [ "$has" != "$soname" ]; then
    echo "$library: its soname is $has, but $list is for $soname."
    status=1
fi
for name in $(ours -23); do
    echo "$library: $name was removed. Programs that call it no longer start. Bring it back, or" \
        "raise the first number of RCM_VERSION (the soname) and take it out of $list."
    status=1
done
for name in $(ours -13); do
    echo "$library: $name was added. If it stands in a public header, add the line" \
        "' $name@Base VERSION' to $list, with the version that it comes with; otherwise hide it."
    status=1
done
exit $status
