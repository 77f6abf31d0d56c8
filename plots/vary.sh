#!/usr/bin/env bash
# vary.sh - a figure with other numbers: the same commands and the same picture, another n or rho.
#
#   plots/vary.sh FIGURE OPTION=VALUE ..         N=8192 RHO=0:0.1:0.9 KB=1,2
#
# Writes into build/figures/FIGURE (FIGURES=DIR: into DIR): the CSV file, the pictures, a caption
# that says what was changed, and the commands. paper_figures/ is not touched. OPTION is one that
# the commands of the figure have, as it is or in capitals. The axes follow the numbers. Published
# points are left out: they belong to the numbers of the paper. A figure of measured runs cannot be
# varied.
#
# RECALLMODEL is the command. Exit status 2: wrong arguments.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
program=$(realpath -m "${RECALLMODEL:-$(dirname "$0")/../recallmodel}")
cd "$(dirname "$0")/.."
into=$(realpath -m "${FIGURES:-build/figures}")
wrong() { echo "figure: $*" >&2; exit 2; }
[ $# -ge 2 ] || wrong "give a figure and what to change: make figure FIGURE=key-06 N=8192"
figure=$1
shift
at=plots/${figure%%-*}/$figure
data=$at.data
[ -f "$data" ] || wrong "there is no figure '$figure'; make figures lists them"
if grep -q '^plots/\|^cat \|^recallmodel-bench' "$data"; then
    wrong "$figure is of measured runs, which have no other numbers; vary one such as key-06"
fi

# The commands, a line each.
commands=$(sed -e '/^#/d' -e ':a' -e '/\\$/N; s/ *\\\n */ /; ta' "$data")
options=$(grep -o -- ' --[a-z-]* ' <<<"$commands" | sort -u | tr -d ' ' | tr '\n' ' ')
changes=""
for change; do
    name=$(tr 'A-Z_' 'a-z-' <<<"${change%%=*}")
    value=${change#*=}
    [[ $change = *=* && $value =~ ^[A-Za-z0-9.,:^-]+$ ]] ||
        wrong "'$change' is not OPTION=VALUE, such as N=8192"
    grep -q -- " --$name " <<<"$commands" ||
        wrong "$figure has no --$name; its commands have $options"
    commands=$(sed -E "s/ --$name [^ ]+/ --$name $value/g" <<<"$commands")
    changes+="${changes:+, }--$name $value"
done

# A tree with this figure alone. Of the published runs it has the first lines, so that no point is
# drawn.
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/${at%/*}"
cp plots/*.sh plots/*.awk plots/*.sed plots/*.gp "$tree/plots"
while read -r file; do
    mkdir -p "$tree/$(dirname "$file")"
    awk '/^#/ { next } { print; exit }' "$file" >"$tree/$file"
done < <(find runs -name '*.csv')
for file in runs/*/SOURCE; do cp "$file" "$tree/$file"; done
echo "$commands" >"$tree/$data"
if [ -f "$at.gp" ]; then
    sed -E '/^ *set (x|y|x2|y2)range /d; /^ *set [xy]tics .*[0-9]/d' "$at.gp" \
        >"$tree/$at.gp"
fi
title=$(sed -n 1p "$at.txt")
{
    echo "$title"
    fold -s -w 100 <<<"Varied: $changes. All else is as in the figure $figure. Words and numbers \
inside the picture that are not of an axis are those of that figure. No published points."
} >"$tree/$at.txt"
mkdir -p "$into"
FIGURES=$tree/made RECALLMODEL=$program "$tree/plots/make.sh" "$figure" || exit 1
sed -i '/^Published: /d' "$tree/made/$figure/caption.txt"
rm -rf "${into:?}/$figure"
mv "$tree/made/$figure" "$into/$figure"
echo "$into/$figure"
