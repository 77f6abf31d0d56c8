#!/usr/bin/env bash
# Figures and sentences of measured runs on a CPU: made-up runs, which of several folders is taken,
# and what docs/cpu.md says of the committed runs.
#
# Against: runs that `cpu_figures.py` makes up, and what follows from them; figures with a number
# changed.
#
# Slow: 10 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
export RECALLMODEL=$program PYTHONDONTWRITEBYTECODE=1
needs_python

# ---- made-up runs

export CPU_RUNS=$folder/cpu-made-up
mkdir "$CPU_RUNS" "$folder/csv"
python3 tests/figures/cpu_figures.py write "$CPU_RUNS"
for what in frontier models map; do
    script=(cpu.py $what)
    if [ $what = frontier ]; then script=(tradeoff.py cpu); fi
    python3 plots/"${script[@]}" >"$folder/csv/$what.csv" || fail "${script[*]}"
    python3 plots/"${script[0]}" caption "${script[1]}" "$folder/csv/$what.csv" \
        >"$folder/$what.txt" || fail "${script[0]} caption ${script[1]}"
    tr '\n' ' ' <"$folder/$what.txt" |
        prints "Made Up (cpu-made-up, none), 2026-01-02, .* 1 disturbed row" ||
        fail "the caption of $what: $(cat "$folder/$what.txt")"
done
python3 tests/figures/cpu_figures.py check "$CPU_RUNS" "$folder/csv" >"$folder/out" ||
    fail "$(cat "$folder/out")"
pass

# The check finds a time and a place of the line that have changed.
for change in "frontier 3s/^\(\([^,]*,\)\{11\}\)/\19/" "models 2,60s/,[0-9.]*$/,9/" \
    "map /^line/d"; do
    cp "$folder/csv"/*.csv "$folder"
    sed -i "${change#* }" "$folder/${change%% *}.csv"
    ! cmp -s "$folder/${change%% *}.csv" "$folder/csv/${change%% *}.csv" || fail "no change"
    python3 tests/figures/cpu_figures.py check "$CPU_RUNS" "$folder" >"$folder/out" &&
        fail "a change of ${change%% *} is not noticed"
done
pass

# Pictures, and what remains where the runs are gone.
if [ -z "${SANITIZE:-}" ] && command -v gnuplot >/dev/null; then
    export FIGURES=$folder/figures
    plots/make.py ours-cpu ours-cpu-models ours-cpu-map >"$folder/out" 2>&1 ||
        fail "made-up runs: $(cat "$folder/out")"
    for figure in ours-cpu ours-cpu-models ours-cpu-map; do
        [ "$(wc -c <"$FIGURES/$figure/$figure.svg")" -gt 8000 ] || fail "$figure is empty"
    done
    cp "$FIGURES/ours-cpu/caption.txt" "$folder/caption"
    CPU_RUNS=/nowhere plots/make.py ours-cpu | prints "kept as it is" || fail "a figure is lost"
    CPU_RUNS=/nowhere plots/make.py --redraw ours-cpu >/dev/null || fail "--redraw without runs"
    cmp -s "$FIGURES/ours-cpu/caption.txt" "$folder/caption" || fail "the caption is lost"
    unset FIGURES
    pass
else
    echo "SKIPPED: pictures: under the sanitizers, or there is no gnuplot"
fi

# ---- which folder

# A copy of the scripts finds runs/cpu-* beside it: the newest, and none that has no rows.
mkdir -p "$folder/top/plots" "$folder/top/runs"
cp plots/*.py "$folder/top/plots"
for name in cpu-old cpu-young cpu-empty; do
    cp -r "$CPU_RUNS" "$folder/top/runs/$name"
done
sed -i '1s/date=2026-01/date=2026-09/' "$folder/top/runs/cpu-young/cpu-small.csv"
sed -i '4,$d; 1s/date=2026-01/date=2026-12/' "$folder/top/runs/cpu-empty/cpu-small.csv"
env -u CPU_RUNS python3 "$folder/top/plots/cpu.py" folder | prints "/cpu-young$" ||
    fail "the newest folder"
rm -r "$folder/top/runs"
status=0
env -u CPU_RUNS python3 "$folder/top/plots/cpu.py" map >"$folder/out" 2>"$folder/err" || status=$?
[ $status = 3 ] && prints "waits for a run on a CPU: make bench-cpu" <"$folder/err" ||
    fail "without runs: status $status, $(cat "$folder/err")"
rejects "give models, map" python3 plots/cpu.py nothing
pass

# ---- the sentences of docs/cpu.md

unset CPU_RUNS
if ! compgen -G "runs/cpu-*/cpu-small.csv" >/dev/null; then
    echo "SKIPPED: docs/cpu.md: there are no runs in runs/ (make bench-cpu)"
    finish
fi
cp docs/cpu.md "$folder/cpu.md"
python3 plots/cpu.py text --write "$folder/cpu.md" || fail "cpu.py text"
cmp "$folder/cpu.md" docs/cpu.md ||
    fail "docs/cpu.md is not of these runs: plots/cpu.py text --write docs/cpu.md"
sed -i '/<!-- .cpu-map -->/d' "$folder/cpu.md"
python3 plots/cpu.py text --write "$folder/cpu.md" 2>"$folder/err" && fail "a page without marks"
prints "lacks the lines" <"$folder/err" || fail "marks: $(cat "$folder/err")"
pass
finish
