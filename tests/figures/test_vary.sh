#!/usr/bin/env bash
# A figure with other numbers: the CSV has them, the picture is drawn, without published points, and
# the committed figure is untouched; what cannot be varied says what can.
#
# Against: the CSV file and paper_figures, which stays as it is.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES # of the make that runs this test
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
[ "$(wc -c <"$folder/made/key-06/key-06.svg")" -gt 8000 ] || fail "the picture is empty"
points=$(grep -c '<use xlink:href' "$folder/made/key-06/key-06.svg" || true)
[ "$points" -lt 8 ] || fail "it draws $points points" # the keys have some
tr '\n' ' ' <"$folder/made/key-06/key-06.txt" |
    prints "Varied: --n 1024, --rho 0,0.5,0.9, --kb 1,2, --repetitions 50. All else" ||
    fail "the caption: $(cat "$folder/made/key-06/key-06.txt")"
grep -q -- "--n 1024 .*--repetitions 50" "$folder/made/key-06/key-06.txt" || fail "the commands"
[ "$before" = "$(cat paper_figures/key-06/* | cksum)" ] || fail "paper_figures has changed"
pass
rejects "give a figure and what to change" plots/make.py --vary
rejects "there is no figure 'key-6'" plots/make.py --vary key-6 N=1024
rejects "has no --d; it takes --input" plots/make.py --vary key-06 D=64
rejects "key-03 cannot draw --n 2^17; it takes --b --kb (of 1,2,4,8)" plots/make.py --vary key-03 \
    N=2^17
rejects "key-06 cannot draw --kb 3" plots/make.py --vary key-06 KB=3
rejects "key-17: with b=512 a part of the picture has nothing" plots/make.py --vary key-17 b=512
rejects "make figure FIGURE=NAME n=8192 varies one" \
    make figures/key-06 n=8192
rejects "is not OPTION=VALUE" plots/make.py --vary key-06 8192
rejects "is not OPTION=VALUE" plots/make.py --vary key-06 'N=8192;true'

# Each figure draws with another value of an option that it says it takes, or refuses it in one
# line; but for the two that take 10 s.
drawn=0
while read -r figure option own; do
    case $option in n) value=4096 ;; k) value=64 ;; repetitions) value=20 ;; kb) value=2 ;;
    seed) value=9 ;; recall) value=0.9 ;; *) value=$own ;; esac
    if plots/make.py --vary "$figure" "$option=$value" >"$folder/out" 2>"$folder/stderr"; then
        drawn=$((drawn + 1))
        sed '1,/^$/d' "$folder/made/$figure/$figure.txt" |
            prints "^recallmodel.* --$option $value" ||
            fail "$figure $option=$value was not heard"
    else
        [ "$(wc -l <"$folder/stderr")" = 1 ] &&
            grep -q "it takes --\|recallmodel: --" "$folder/stderr" ||
            fail "$figure $option=$value: $(cat "$folder/stderr")"
    fi
done < <(PYTHONPATH=plots "$python" - <<'END'
import re

import make

for name in make.known():
    figure = make.Figure(name)
    if figure.of_program() and name not in ("ours-need", "ours-regret"):
        taken = sorted(make.options_taken(figure))
        known = [one for one in ("n", "k", "repetitions", "seed", "kb", "recall") if one in taken]
        option = known[len(name) % len(known)] if known else taken[-1]
        print(name, option, re.search(f" --{option} ([^ ,]*)", figure.data)[1])
END
)
[ $drawn -gt 12 ] || fail "only $drawn variations were drawn"
pass
rejects "key-tradeoff is of measured runs" plots/make.py --vary key-tradeoff N=8192
finish
