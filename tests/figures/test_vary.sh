#!/usr/bin/env bash
# A figure with other numbers: the CSV has them, the picture is drawn, without published points, and
# the committed figure is untouched; what cannot be varied says why.
#
# Against: the CSV file and paper_figures, which stays as it is.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
export RECALLMODEL=$program FIGURES=$folder/made
command -v gnuplot >/dev/null || skip "there is no gnuplot"
before=$(cat paper_figures/key-06/* | cksum)
plots/make.py --vary key-06 N=1024 RHO=0,0.5,0.9 KB=1,2 repetitions=50 >"$folder/out" 2>&1 ||
    fail "key-06: $(cat "$folder/out")"
csv=$folder/made/key-06/key-06.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 && ($at["n"] != 1024 || $at["k_b"] > 2) { exit 1 }
    NR > 1 { seen[$at["rho"]] = 1 }
    END { exit !(seen["0"] && seen["0.5"] && seen["0.9"] && length(seen) == 3 && NR == 25) }' \
    "$csv" || fail "the numbers: $(cut -c1-80 "$csv")"
[ "$(wc -c <"$folder/made/key-06/key-06.png")" -gt 8000 ] || fail "the picture is empty"
points=$(grep -c '<use xlink:href' "$folder/made/key-06/key-06.svg" || true)
[ "$points" -lt 8 ] || fail "it draws $points points" # the keys have some
tr '\n' ' ' <"$folder/made/key-06/key-06.txt" |
    prints "Varied: --n 1024, --rho 0,0.5,0.9, --kb 1,2, --repetitions 50. All else" ||
    fail "the caption: $(cat "$folder/made/key-06/key-06.txt")"
grep -q -- "--n 1024 .*--repetitions 50" "$folder/made/key-06/key-06.data" || fail "the commands"
[ "$before" = "$(cat paper_figures/key-06/* | cksum)" ] || fail "paper_figures has changed"
pass
rejects "give a figure and what to change" plots/make.py --vary
rejects "there is no figure 'key-6'" plots/make.py --vary key-6 N=1024
rejects "has no --d; its commands have --assignment" plots/make.py --vary key-06 D=64
rejects "is not OPTION=VALUE" plots/make.py --vary key-06 8192
rejects "is not OPTION=VALUE" plots/make.py --vary key-06 'N=8192;true'
rejects "key-tradeoff is of measured runs" plots/make.py --vary key-tradeoff N=8192
finish
