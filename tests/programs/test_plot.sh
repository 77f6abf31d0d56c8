#!/usr/bin/env bash
# --plot: a picture of a question, and the same answer as without it. gnuplot and the shell run no
# name. A picture is whole or absent, and one line says what cannot be drawn. Then names in
# plots/make.py.
#
# Slow: 4 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
export RECALLMODEL=$program

# Without gnuplot the answer is complete, and one line says what is missing.
mkdir "$folder/empty"
PATH=$folder/empty $program --n 4096 --k 64 --kb 2 --plot "$folder/x.png" >"$folder/out" \
    2>"$folder/err" && fail "without gnuplot"
grep -q "needs gnuplot" "$folder/err" && [ "$(wc -l <"$folder/err")" = 1 ] &&
    grep -q "0.950694" "$folder/out" ||
    fail "without gnuplot: $(cat "$folder/err")"
pass
command -v gnuplot >/dev/null || { echo "SKIPPED: the rest: gnuplot is not here"; finish; }

kinds="png pdf svg"
if [ "${CASES:-}" = few ]; then kinds=png; fi
for how in "--n 262144 --k 1024 --kb 1,2 --quantile 0.05" \
    "select --n 131072 --k 2048" \
    "select --n 131072 --k 2048 --device h100-pcie --m 64" \
    "distribution --n 262144 --k 1024 --b 512,1024 --kb 4" \
    "simulate --n 2048 --k 64 --kb 1,2 --b 64,128 --repetitions 50" \
    "simulate --n 1024 --k 64 --kb 1,2 --input ar1 --rho 0,0.5 --repetitions 20"; do
    for kind in $kinds; do
        $program $how --plot "$folder/own.$kind" >"$folder/out" 2>"$folder/err" ||
            fail "$how: $(cat "$folder/err")"
        [ "$(wc -c <"$folder/own.$kind")" -gt 5000 ] || fail "$how: an empty $kind"
        [ ! -s "$folder/err" ] || grep -q "left out" "$folder/err" ||
            fail "$how: $(cat "$folder/err")"
        rm "$folder/own.$kind"
    done
    $program $how >"$folder/plain" 2>/dev/null
    cmp -s "$folder/plain" "$folder/out" || fail "$how: another answer with --plot"
    pass
done
$program --n 4096 --k 64 --kb 2 --plot - | prints "kb = 2 .*E" || fail "--plot - draws nothing"
pass

# On a terminal of 80 columns: the target and exact top-k as lines with their names, and no error
# far below the target.
how="select --n 131072 --k 2048 --m 64 --device h100-pcie --kernel graphcore"
for columns in 80 120; do
    $program $how >"$folder/plain"
    COLUMNS=$columns $program $how --plot - | tail -n "+$(($(wc -l <"$folder/plain") + 1))" \
        >"$folder/drawn"
    for name in "recall 0.95" "exact top-k" "b = 2048, kb = 3"; do
        grep -q "$name" "$folder/drawn" || fail "--plot - without '$name'"
    done
    width=$(awk '{ if (length($0) > w) w = length($0) } END { print w }' "$folder/drawn")
    [ "$width" -le "$columns" ] && [ "$width" -gt $((columns - 10)) ] ||
        fail "--plot - is $width wide on $columns columns"
    grep -Eq '1e-0?[5-9]|1e-[1-9][0-9]' "$folder/drawn" && fail "an axis below the target's range"
    pass
done
$program --n 2^18 --k 1024 --plot - >"$folder/drawn"
grep -Eq '^ *1e-0?[5-9]|^ *1e-[1-9][0-9]' "$folder/drawn" &&
    fail "recall: an axis below the target's range"
pass

# Names that gnuplot or a shell could run are names of files.
plot=("$program" --n 4096 --k 64 --kb 2 --plot)
mkdir "$folder/names"
for name in '|id >pwned #.png' '`id >pwned`.png' '$(id >pwned).png' \
    "'; system('id >pwned'); '.png" '%s%n.png' $'a\nb.png' \
    '<x.png' '-x.png' "it's.png" '"q".png' '@a.png' '\.png'; do
    (cd "$folder/names" && "${plot[@]}=$name" >/dev/null 2>"$folder/err") ||
        fail "'$name': $(cat "$folder/err")"
    [ "$(ls -A "$folder/names")" = "$(printf '%s\n' "$name")" ] ||
        fail "'$name' leaves $(ls -A "$folder/names")"
    [ "$(head -c 4 "$folder/names/$name" | tail -c 3)" = PNG ] || fail "'$name' is no picture"
    rm -f -- "$folder/names/$name"
    pass
done

# --plot writes new files and replaces regular ones, also through a link. For anything else it ends
# with status 2 before it computes.
echo before >"$folder/old.png"
ln -s old.png "$folder/link.png"
"${plot[@]}" "$folder/link.png" >/dev/null || fail "a link to a file"
[ -L "$folder/link.png" ] && [ "$(wc -c <"$folder/old.png")" -gt 5000 ] || fail "a link is replaced"
ln -s nowhere "$folder/dangling.png"
ln -s /dev/null "$folder/null.png"
mkfifo "$folder/pipe.png"
mkdir "$folder/folder.png"
for name in dangling null pipe folder; do
    status=0; timeout 20 "${plot[@]}" "$folder/$name.png" >"$folder/out" 2>"$folder/err" ||
        status=$?
    [ $status = 2 ] && [ ! -s "$folder/out" ] && [ "$(wc -l <"$folder/err")" = 1 ] ||
        fail "$name: status $status, $(cat "$folder/err")"
done
[ -c /dev/null ] && [ -p "$folder/pipe.png" ] && [ -L "$folder/dangling.png" ] &&
    [ -L "$folder/null.png" ] || fail "something was replaced"
pass

# A picture that cannot be written: status 1, the whole answer, one line, no new file, and an
# earlier picture stays.
"${plot[@]}" /nowhere/x.png >"$folder/out" 2>"$folder/err" &&
    fail "a picture that cannot be written"
$program --n 4096 --k 64 --kb 2 | cmp -s - "$folder/out" ||
    fail "the answer differs where the picture cannot be written"
[ "$(wc -l <"$folder/err")" = 1 ] || fail "$(cat "$folder/err")"
pass
mkdir "$folder/small"
echo before >"$folder/small/old.png"
for name in new.png old.png new.svg new.pdf; do # no file may have more than 4 KiB
    status=0
    (
        ulimit -f 4
        trap '' XFSZ
        exec "${plot[@]}" "$folder/small/$name" >/dev/null 2>"$folder/err"
    ) || status=$?
    [ $status = 1 ] && [ "$(wc -l <"$folder/err")" = 1 ] ||
        fail "a full disk: status $status, $(cat "$folder/err")"
    [ "$(ls "$folder/small")" = old.png ] && [ "$(cat "$folder/small/old.png")" = before ] ||
        fail "a full disk leaves $(ls "$folder/small")"
done
pass

# plots/make.py runs no name either: of a folder, of the program, of a file of runs.
odd=$folder/'a'\''b"c `touch pwned` $(touch pwned) d'
mkdir -p "$odd/runs"
ln -s "$program" "$odd/recallmodel"
printf '# stage1 git=x gpu="touch pwned" date=2026-01-01\nwork,n\na,1\n' \
    >"$odd/runs/x|e;touch pwned;-2026-01-01-key-1.csv"
RUNS=$odd/runs RECALLMODEL=$odd/recallmodel FIGURES=$odd/figures \
    plots/make.py key-02 samaga-10 >"$folder/out" 2>&1 ||
    fail "odd names: $(cat "$folder/out")"
[ -z "$(find "$folder" . -maxdepth 2 -name pwned)" ] ||
    fail "a name is run: $(find "$folder" . -maxdepth 2 -name pwned)"
[ -s "$odd/figures/samaga-10/samaga-10.svg" ] || fail "no picture: $(cat "$folder/out")"
pass
finish
