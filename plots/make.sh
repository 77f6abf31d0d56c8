#!/usr/bin/env bash
# Makes figures into paper_figures/: plots/make.sh [--csv] [FIGURE...]; --csv: the numbers alone. A figure is three files in plots/:
#   FIGURE.data   the commands whose CSV is drawn, one a line; lines of one figure print the same columns. $PAPER_DATA: the folder of published
#                 numbers; a line recallmodel-bench .. --grid PART: what gpu/run.sh measured of it. Without them the figure waits.
#   FIGURE.gp     the picture (a table has none; "# height N": of 1000, "# column": its PDF is readable at one column's width), by gnuplot, from that CSV (columns by name) and, where they are at hand, published numbers
#   FIGURE.txt    the caption; its first line is the title
# PAPER_DATA=DIR: published numbers, as CSV or as the authors' own clone has them (plots/published.py). RUNS=DIR: measured runs (gpu/runs).
# RECALLMODEL: the command.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath "${RECALLMODEL:-./recallmodel}")
into=${FIGURES:-paper_figures}
data=${PAPER_DATA:-../shared/paper-data}
runs=${RUNS:-gpu/runs}
mkdir -p "$into"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pictures=1
if [ "${1:-}" = --csv ]; then pictures=; shift; fi
if [ $# = 0 ]; then
    for file in plots/*.data; do set -- "$@" "$(basename "$file" .data)"; done
fi
if [ $pictures ] && ! command -v gnuplot >/dev/null; then
    pictures=
    echo "figures: gnuplot is not here; install it (Debian: gnuplot-nox) for pictures. The CSV files are made all the same." >&2
fi

published=""
if [ -d "$data" ]; then
    if ls "$data"/*.csv >/dev/null 2>&1; then
        published=$(realpath "$data")
    else
        python3 plots/published.py "$data" "$work/published" 2>"$work/not-found" && published=$work/published || cat "$work/not-found" >&2
    fi
fi

# The newest run of a part, if there is one; without remarks and with one header it is put where figures read it.
run_of() { ls -t "$runs"/*[0-9]-"$1".csv 2>/dev/null | head -n 1; }
mkdir "$work/runs"
for file in "$runs"/*.csv; do
    [ -f "$file" ] || continue
    part=$(basename "$file" .csv | sed 's/.*[0-9][0-9]*-[0-9][0-9]-[0-9][0-9]-//')
    awk '/^#/ { next } !header { header = $0; print; next } $0 != header' "$(run_of "$part")" >"$work/runs/$part.csv"
done
about_run() { sed -n "1s/.*date=\([0-9-]*\).* gpu=\"\([^\"]*\)\".*/\2, \1/p" "$(run_of "$1")"; }

# What the figure's gnuplot files read of published."/..", or runs."/..".
reads() { [ -f "plots/$1.gp" ] || return 0; grep -oh "$2"'\."/[a-z0-9_-]*\.csv' "plots/$1.gp" $(sed -n 's/^load "\(.*\)"$/\1/p' "plots/$1.gp") 2>/dev/null | sed 's/.*"\///; s/\.csv$//' | sort -u; }
parts_of() { sed -n 's/^recallmodel-bench .*--grid \([a-z0-9-]*\).*/\1/p' "plots/$1.data"; }

# What a figure waits for; nothing if it can be made.
waits_for() {
    local part
    for part in $(parts_of "$1"); do
        [ -f "$work/runs/$part.csv" ] || { echo "a run on a GPU: make gpu-run PARTS=$part"; return; }
    done
    if grep -q '^[^#]*\$PAPER_DATA' "plots/$1.data" && [ ! "$published" ]; then echo "published data: PAPER_DATA=DIR"; fi
}

# Runs the commands of a figure; the header once.
make_csv() {
    local line first=1
    while IFS= read -r line; do
        case $line in
        '' | '#'*) continue ;;
        recallmodel-bench*) cp "$work/runs/$(sed 's/.*--grid //' <<<"$line").csv" "$work/one" ;;
        *) (export PAPER_DATA=$published && eval "\"$program\" ${line#recallmodel }") 2>>"$work/left-out" >"$work/one" ;;
        esac
        if [ $first = 1 ]; then cat "$work/one"; else tail -n +2 "$work/one"; fi
        first=0
    done <"plots/$1.data"
}

# The folder of the published numbers, if it has the file that the figure reads.
published_for() {
    local wanted
    wanted=$(reads "$1" published | head -n 1)
    [ "$published" ] && [ "$wanted" ] && [ -f "$published/$wanted.csv" ] && echo "$published" || true
}

# Caption, and where the numbers that are not from models come from.
write_caption() {
    local part
    cat "plots/$1.txt"
    for part in $(parts_of "$1"); do
        echo "Measured: $(about_run "$part") ($(basename "$(run_of "$part")"))."
    done
    if [ "$(reads "$1" published)" ] || grep -q '^[^#]*\$PAPER_DATA' "plots/$1.data"; then
        [ "$(published_for "$1")" ] || { grep -q '^[^#]*\$PAPER_DATA' "plots/$1.data" && [ "$published" ]; } &&
            echo "Published points: data of Key et al. (github.com/graphcore-research/pytorch-approx-topk)." || echo "Published points: none were at hand when this was drawn."
    fi
    for part in $(reads "$1" runs); do
        [ -f "$work/runs/$part.csv" ] && echo "Our runs: $(about_run "$part")." || echo "Our runs: none so far (make gpu-run PARTS=${part#torch-})."
    done | sort -u
}

draw() {
    local type terminal height
    height=$(sed -n 's/^# height \([0-9]*\)$/\1/p' "plots/$1.gp")
    height=${height:-420}
    for type in png pdf; do # the same picture twice: a font of 11 is 1.5 % of the width
        terminal="pngcairo size 1000,$height font 'DejaVu Sans,11' background 'white'"
        if [ $type = pdf ]; then
            terminal="pdfcairo size 17cm,$(awk "BEGIN { print $height * 17 / 1000 }")cm font 'DejaVu Sans,11' fontscale 0.55 linewidth 0.7 pointscale 0.6"
            if grep -q '^# column$' "plots/$1.gp"; then terminal="pdfcairo size 12cm,8cm font 'DejaVu Sans,11' fontscale 0.62 linewidth 0.8 pointscale 0.6"; fi
        fi
        gnuplot -e "csv='$2/$1.csv'; published='$(published_for "$1")'; runs='$work/runs'" -e "set terminal $terminal; set output '$2/$1.$type'" plots/style.gp "plots/$1.gp" 2>"$work/warnings" || { head -n 5 "$work/warnings" >&2; return 1; }
        sed -i '/Skipping data file with no valid points/d;/^$/d' "$work/warnings" # published points that are not there
        if [ -s "$work/warnings" ]; then echo "figures: gnuplot on $1:" >&2; head -n 5 "$work/warnings" >&2; return 1; fi
    done
}

number=0
for figure in "$@"; do
    number=$((number + 1))
    [ -f "plots/$figure.data" ] || { echo "figures: there is no figure '$figure'; there are $(cd plots && echo *.data | sed 's/\.data//g')" >&2; exit 2; }
    printf '[%d/%d] %-22s' $number $# "$figure"
    start=$(date +%s.%N)
    folder=$into/$figure
    waits=$(waits_for "$figure")
    if [ "$waits" ]; then
        [ -f "$folder/$figure.csv" ] && echo "kept as it is; it would need $waits" || echo "waits for $waits"
        continue
    fi
    mkdir -p "$folder"
    : >"$work/left-out"
    make_csv "$figure" >"$work/csv"
    mv "$work/csv" "$folder/$figure.csv"
    grep -v '^#' "plots/$figure.data" >"$folder/commands.sh"
    write_caption "$figure" >"$folder/caption.txt"
    if [ $pictures ] && [ -f "plots/$figure.gp" ]; then
        draw "$figure" "$folder"
    fi
    printf '%6s rows %6.1f s\n' "$(($(wc -l <"$folder/$figure.csv") - 1))" "$(echo "$(date +%s.%N) $start" | awk '{ print $1 - $2 }')"
done

# The page: every figure that is there, with its caption and its commands.
escape() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' "$1"; }
{
    cat <<'HEAD'
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>recallmodel: figures</title>
<style>body{font:16px/1.5 sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#222}img{max-width:100%}pre{background:#f4f4f4;padding:.6em;overflow:auto;font-size:13px}h2{margin-top:2.5em}</style></head><body>
<h1>Figures</h1><p>Made by <code>make figures</code>: numbers by recallmodel, pictures by gnuplot.</p>
HEAD
    for file in plots/*.txt; do
        figure=$(basename "$file" .txt)
        folder=$into/$figure
        echo "<h2 id=\"$figure\">$(escape "$file" | head -n 1)</h2>"
        if [ ! -f "$folder/caption.txt" ]; then
            waits=$(waits_for "$figure")
            echo "<p>$([ "$waits" ] && echo "Waits for $waits." || echo "Not made yet: make figures/$figure.")</p>"
            continue
        fi
        [ -f "$folder/$figure.png" ] && echo "<p><img src=\"$figure/$figure.png\" alt=\"$figure\"></p>"
        echo "<p>$(escape "$folder/caption.txt" | tail -n +2)</p><p><a href=\"$figure/$figure.csv\">$figure.csv</a></p><pre>$(escape "$folder/commands.sh")</pre>"
    done
    echo '</body></html>'
} >"$into/index.html"
