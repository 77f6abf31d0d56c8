#!/usr/bin/env bash
# Makes figures into paper_figures/.
#
#   plots/make.sh [--csv | --redraw] [FIGURE ..]
#
# Makes all figures, or those named, as many at once as there are cores; a line says that one is
# done. --csv: only the numbers; --redraw: only the pictures.
#
# A figure is three files in plots/ROOM/, where ROOM is the first part of its name (key, samaga,
# saap, ours, ..):
#   FIGURE.data   the commands that print the CSV of the figure, one a line; a line that ends in a
#                 backslash continues. All commands of a figure print the same columns.
#                 A line "cat plots/.." copies a CSV file that was measured and committed.
#                 A line "plots/SCRIPT.py WHAT .." runs a script that prints CSV from the program's
#                 numbers and the runs in runs/. A line "recallmodel-bench .. --grid PART" is what
#                 gpu/run.sh measured of that part; without it the figure waits. With remarks
#                 "# columns a,b,c" the page shows these columns as a table. The caption names the
#                 folders of runs/ that FIGURE.data and FIGURE.gp name, and those of a remark
#                 "# sources keyetal helion" (for what a script reads).
#   FIGURE.gp     the gnuplot program that draws the picture (a table has none). It draws that CSV,
#                 with columns by name, the published numbers in runs/ (the variable published), and
#                 own runs where there are some (the variable runs). Remarks: "# height N" (the
#                 width is 1000), "# column" (the PDF is readable at the width of one column).
#   FIGURE.txt    the caption; its first line is the title.
#
# What has not changed is kept: a CSV file whose numbers agree to 1e-9 (plots/agree.awk), and a PNG
# file if the SVG is the same as before. The SVG does not depend on the fonts of the machine.
# Delete a PNG file to draw it with other fonts.
#
# Variables:
#   RUNS=DIR          measured runs (gpu/runs).
#   CPU_RUNS=DIR      measured runs of a CPU (the newest of runs/cpu-*).
#   FIGURES=DIR       the folder to write to (paper_figures).
#   RECALLMODEL=FILE  the command.
#   JOBS=N            so many figures at once (nproc).
set -euo pipefail
program=$(realpath -m "${RECALLMODEL:-$(dirname "$0")/../recallmodel}")
into=${FIGURES:+$(realpath -m "$FIGURES")}
runs=${RUNS:+$(realpath -m "$RUNS")}
[ ! "${CPU_RUNS:-}" ] || CPU_RUNS=$(realpath -m "$CPU_RUNS")
export CPU_RUNS=${CPU_RUNS:-} PYTHONDONTWRITEBYTECODE=1
cd "$(dirname "$0")/.."
export RECALLMODEL_RUNS=$PWD/runs
into=${into:-$PWD/paper_figures}
runs=${runs:-gpu/runs}
wrong() { echo "figures: $*" >&2; exit 2; }
# at FIGURE: where its files stand, without their endings.
at() { echo "plots/${1%%-*}/$1"; }
cores=$(nproc)
jobs=${JOBS:-$cores}
case $jobs in
'' | 0* | *[!0-9]*) wrong "JOBS: '$jobs' is no number from 1 on" ;;
esac

mode=both
case ${1:-} in
--csv | --redraw) mode=${1#--}; shift ;;
--help) sed -n '2,/^set/s/^# \{0,1\}//p' "plots/$(basename "$0")"; exit ;;
esac
if [ $# = 0 ]; then
    for file in plots/*/*.data; do set -- "$@" "$(basename "$file" .data)"; done
fi
for figure; do
    [ -f "$(at "$figure").data" ] && continue
    wrong "there is no figure '$figure'; there are $(basename -s .data plots/*/*.data | xargs)"
done
[ "$mode" = redraw ] || [ -x "$program" ] ||
    wrong "there is no program $program; run make, or set RECALLMODEL=PATH"
pictures=1
if [ "$mode" = csv ]; then
    pictures=
elif ! command -v gnuplot >/dev/null; then
    pictures=
    echo "figures: gnuplot was not found; only the CSV files are made." \
        "Install gnuplot (Debian: gnuplot-nox) for pictures." >&2
fi

mkdir -p "$into"
work=$(mktemp -d)
# What runs in the background does not hear Ctrl-C.
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
# No name that the user chose reaches gnuplot: its programs see only this folder, and links in it.
case $work in
*[!a-zA-Z0-9_./+-]*) wrong "TMPDIR: $work has letters that gnuplot would interpret; give another" ;;
esac

# Published numbers.
ln -s "$PWD/runs" "$work/published"

# Measured runs: files DEVICE-YYYY-MM-DD-PART.csv. For each part, the newest file that has rows is
# copied, without remarks and with one header, to where figures read it. The device and the date
# that its first line gives go into a file beside it.
mkdir "$work/runs"
day='[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'
for file in "$runs"/*-$day-*.csv; do
    [ -f "$file" ] || continue
    echo "$file" | sed "s/^\(.*-\($day\)-\([a-z0-9-]*\)\.csv\)$/\3 \2 \1/"
done | sort | while read -r part _ file; do
    awk '/^#/ { next }
        !header { header = $0; print; next }
        $0 != header { print; rows++ }
        END { exit !rows }' "$file" >"$work/run" || continue
    mv "$work/run" "$work/runs/$part.csv"
    about=$(sed -n '1s/.*date=\([0-9-]*\).* gpu="\([^"]*\)".*/\2, \1/p' "$file")
    printf '%s (%s)\n' "$about" "$(basename "$file")" >"$work/runs/$part.about"
done

# Measured runs of a CPU: plots/cpu_runs.py says which. Without them this is empty.
cpu_runs=$(python3 plots/cpu.py folder 2>/dev/null || true)

# The folders of runs/ whose published numbers figure $1 draws.
sources_of() {
    local loaded folder
    [ ! -f "$(at "$1").gp" ] || loaded=$(sed -n 's/^load "\(.*\)"$/\1/p' "$(at "$1").gp")
    # shellcheck disable=SC2046,SC2086 # none or one name, which has no blanks
    cat "$(at "$1").data" $(ls "$(at "$1").gp" 2>/dev/null) ${loaded:-} >"$work/named"
    for folder in runs/*/; do
        folder=$(basename "$folder")
        if grep -q "^[^#]*[ /]$folder/\|^# sources.* $folder\( \|$\)" "$work/named"; then
            echo "$folder"
        fi
    done
}

# The CSV files that the gnuplot files of figure $1 read from the folder $2 of own runs.
reads() {
    local loaded
    [ -f "$(at "$1").gp" ] || return 0
    loaded=$(sed -n 's/^load "\(.*\)"$/\1/p' "$(at "$1").gp")
    # shellcheck disable=SC2086 # none or one name, which has no blanks
    grep -oh "$2"'\."/[a-z0-9_-]*\.csv' "$(at "$1").gp" $loaded |
        sed 's/.*"\///; s/\.csv$//' | sort -u
}
parts_of() { sed -n 's/^recallmodel-bench .*--grid \([a-z0-9-]*\).*/\1/p' "$(at "$1").data"; }
# The commands of figure $1 whose script also prints captions; and those of them on runs of a CPU.
captions_of() { grep '^plots/\(cpu\|tradeoff\)\.py [a-z]*$' "$(at "$1").data" || true; }
cpu_of() { captions_of "$1" | grep '/cpu\.py\| cpu$' || true; }

# Prints what a figure waits for, and nothing if the figure can be made.
waits_for() {
    local part
    for part in $(parts_of "$1"); do
        [ -f "$work/runs/$part.csv" ] && continue
        echo "a run on a GPU: make gpu-run PARTS=$part"
        return
    done
    if [ "$(cpu_of "$1")" ] && [ ! "$cpu_runs" ]; then
        command -v python3 >/dev/null || { echo "python3"; return; }
        echo "a run on a CPU: make bench-cpu"
        return
    fi
}

# Runs the commands of a figure, and keeps the header of the first.
make_csv() {
    local line first=1
    # Without -r: a line that ends in a backslash continues.
    # shellcheck disable=SC2162
    while IFS= read line; do
        case $line in
        '' | '#'*) continue ;;
        'cat plots/'*) cp "${line#cat }" "$work/one" ;;
        plots/*.py' '*)
            # shellcheck disable=SC2086 # the words of the line
            RECALLMODEL=$program python3 $line >"$work/one" || return 1
            ;;
        recallmodel-bench*) cp "$work/runs/$(sed 's/.*--grid //' <<<"$line").csv" "$work/one" ;;
        *)
            if ! eval '"$program"' "${line#recallmodel }" 2>"$work/errors" >"$work/one"; then
                echo "figures: $line: $(tail -n 1 "$work/errors")" >&2
                return 1
            fi
            ;;
        esac
        if [ $first = 1 ]; then cat "$work/one"; else tail -n +2 "$work/one"; fi
        first=0
    done <"$(at "$1").data" >"$work/csv"
}

# The caption of figure $1, and the sources of numbers that are not from models. Without the runs of
# a CPU the caption in the folder $2 stays: it says what was measured.
write_caption() {
    local part script
    if [ "$(cpu_of "$1")" ] && [ ! "$cpu_runs" ]; then
        cat "$2/caption.txt"
        return
    fi
    cat "$(at "$1").txt"
    while read -r script part; do
        RECALLMODEL=$program python3 "$script" caption "$part" "$work/csv" || return 1
    done < <(captions_of "$1")
    for part in $(parts_of "$1"); do
        echo "Measured: $(cat "$work/runs/$part.about")."
    done
    for part in $(sources_of "$1"); do
        echo "Published: runs/$part ($(sed -n '1s/\(,\|\.$\).*//p' "runs/$part/SOURCE"))."
    done
    for part in $(reads "$1" runs); do
        if [ -f "$work/runs/$part.csv" ]; then
            echo "Our runs: $(cat "$work/runs/$part.about")."
        else
            echo "Our runs: none so far (make gpu-run PARTS=${part#torch-})."
        fi
    done | sort -u
}

# A file as the text of HTML.
escape() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g' "$1"; }

# gnuplot's terminal for a picture of figure $1: png, or the same picture as svg or pdf. In all of
# them a font of 11 is 1.5 % of the width. The smallest, 8, is 6.1 points in a PDF of 17.6 cm.
terminal_of() { # figure, type
    local height font="font 'DejaVu Sans,11'"
    height=$(sed -n 's/^# height \([0-9]*\)$/\1/p' "$(at "$1").gp")
    height=${height:-420}
    if [ "$2" = svg ]; then
        echo "svg size 1000,$height $font fontscale 1.15 background 'white'"
    elif [ "$2" = png ]; then
        echo "pngcairo size 1000,$height $font background 'white'"
    elif grep -q '^# column$' "$(at "$1").gp"; then
        echo "pdfcairo size 12cm,8cm $font fontscale 0.62 linewidth 0.8 pointscale 0.6"
    else
        height=$(awk "BEGIN { print $height * 17.6 / 1000 }")
        echo "pdfcairo size 17.6cm,${height}cm $font fontscale 0.57 linewidth 0.7 pointscale 0.6"
    fi
}

# Draws $work/picture.TYPE of figure $1. A warning of gnuplot is an error, except about own runs
# that are missing.
draw_one() { # figure, type
    local inputs
    inputs="csv='$work/csv'; published='$work/published'; runs='$work/runs'"
    if ! gnuplot -e "$inputs" \
        -e "set terminal $(terminal_of "$1" "$2"); set output '$work/picture.$2'" \
        plots/style.gp "$(at "$1").gp" 2>"$work/warnings"; then
        echo "figures: gnuplot on $1: $(grep -v '^$' "$work/warnings" | sed -n 1,5p)" >&2
        return 1
    fi
    sed -i '/Skipping data file with no valid points/d;/^$/d' "$work/warnings"
    if [ -s "$work/warnings" ]; then
        echo "figures: gnuplot on $1: $(head -n 5 "$work/warnings")" >&2
        return 1
    fi
}

# Shortens $work/picture.svg and gives it the title of figure $1.
tidy_svg() {
    local title
    title=$(escape "$(at "$1").txt" | sed -n '1{s/[&|\\]/\\&/g;p}')
    sed -E -f plots/svg.sed "$work/picture.svg" | sed -z -E 's/<g [^>]*>\n<\/g>\n//g' |
        sed "s|^<title>.*|<title>$title</title>|" >"$work/tidy.svg"
}

# Draws figure $1 into the folder $2. If the SVG has not changed, the PNG is kept: it depends on the
# fonts of the machine.
draw() {
    local type
    for type in svg pdf; do draw_one "$1" $type || return 1; done
    tidy_svg "$1" || return 1
    if ! { [ -f "$2/$1.png" ] && cmp -s "$work/tidy.svg" "$2/$1.svg"; }; then
        draw_one "$1" png || return 1
        mv "$work/picture.png" "$2/$1.png"
    fi
    mv "$work/tidy.svg" "$2/$1.svg"
    mv "$work/picture.pdf" "$2/$1.pdf"
}

# Makes a figure and says what it did. Returns 1 if the figure could not be made.
make_figure() {
    local figure=$1 folder=$into/$1 start waits
    start=$(date +%s.%N)
    waits=$(waits_for "$figure")
    if [ "$mode" = redraw ] && [ -f "$folder/$figure.csv" ]; then
        cp "$folder/$figure.csv" "$work/csv" || return 1
    elif [ "$waits" ]; then
        if [ -f "$folder/$figure.csv" ]; then
            echo "kept as it is; to make it again you need $waits"
        else
            echo "waits for $waits"
        fi
        return 0
    else
        make_csv "$figure" || return 1
    fi
    mkdir -p "$folder" || return 1
    if [ -f "$folder/$figure.csv" ] &&
        awk -f plots/agree.awk "$folder/$figure.csv" "$work/csv" >"$work/differs"; then
        cp "$folder/$figure.csv" "$work/csv" || return 1
    else
        cp "$work/csv" "$folder/$figure.csv" || return 1
    fi
    grep -v '^#' "$(at "$figure").data" >"$folder/commands.sh" || return 1
    write_caption "$figure" "$folder" >"$work/caption" || return 1
    cp "$work/caption" "$folder/caption.txt" || return 1
    if [ $pictures ] && [ -f "$(at "$figure").gp" ]; then draw "$figure" "$folder" || return 1; fi
    printf '%6s rows %6.1f s\n' "$(($(wc -l <"$folder/$figure.csv") - 1))" \
        "$(echo "$(date +%s.%N) $start" | awk '{ print $1 - $2 }')"
}

# Makes figure $1, which is number $2 of $3, in a folder of its own, and prints a line about it.
one_figure() {
    local said shared=$work status=0
    work=$work/figure-$2 # of this background process alone
    mkdir "$work"
    ln -s "$shared/runs" "$shared/published" "$work"
    said=$(make_figure "$1") || { said="could not be made"; status=1; }
    printf '[%d/%d] %-22s%s\n' "$2" "$3" "$1" "$said"
    rm -rf "$work"
    return $status
}

[ "$jobs" -le $# ] || jobs=$#
export OMP_NUM_THREADS=$((cores > jobs ? cores / jobs : 1))
number=0
running=0
status=0
for figure; do
    number=$((number + 1))
    if [ $running = "$jobs" ]; then wait -n || status=1; else running=$((running + 1)); fi
    one_figure "$figure" $number $# &
done
while [ $running -gt 0 ]; do
    wait -n || status=1
    running=$((running - 1))
done

# The page: every figure, with its caption and its commands, or what it waits for.
html_table() { # of the columns that a remark in FIGURE.data names; these have no commas
    local columns
    columns=$(sed -n 's/^# columns //p' "$(at "$1").data" | paste -sd, -)
    [ "$columns" ] || return 0
    awk -F, -v columns="$columns" '
        BEGIN { count = split(columns, name, ","); print "<table>" }
        { for (i = 1; NR == 1 && i <= NF; i++) at[$i] = i
          printf "<tr>"
          for (i = 1; i <= count; i++) {
              value = $at[name[i]]
              if (NR > 1 && value ~ /^[0-9]+\.[0-9]+$/) value = sprintf("%.6g", value)
              printf NR == 1 ? "<th>%s</th>" : "<td>%s</td>", value
          }
          print "</tr>" }
        END { print "</table>" }' "$into/$1/$1.csv"
}
{
    cat <<'HEAD'
<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>recallmodel: figures</title>
<style>
body{font:16px/1.5 sans-serif;max-width:1000px;margin:2em auto;padding:0 1em;color:#222}
img{max-width:100%}pre{background:#f4f4f4;padding:.6em;overflow:auto;font-size:13px}
h2{margin-top:2.5em}table{border-collapse:collapse}
td,th{padding:.15em .7em;text-align:right;border-bottom:1px solid #ddd;font-weight:normal}
</style></head><body><h1>Figures</h1>
<p>Made by <code>make figures</code>: numbers by recallmodel, pictures by gnuplot.</p><ul>
HEAD
    for file in plots/*/*.txt; do
        echo "<li><a href=\"#$(basename "$file" .txt)\">$(escape "$file" | sed -n 1p)</a></li>"
    done
    echo '</ul>'
    for file in plots/*/*.txt; do
        figure=$(basename "$file" .txt)
        folder=$into/$figure
        title=$(escape "$file" | sed -n 1p)
        echo "<h2 id=\"$figure\">$title</h2>"
        if [ ! -f "$folder/caption.txt" ]; then
            waits=$(waits_for "$figure")
            [ "$waits" ] && waits="Waits for $waits." || waits="Not made yet: make figures/$figure."
            echo "<p>$waits</p>"
            continue
        fi
        if [ -f "$folder/$figure.png" ]; then
            alt=$(sed 's/"/\&quot;/g' <<<"$title")
            echo "<p><img src=\"$figure/$figure.png\" alt=\"$alt\"></p>"
        fi
        html_table "$figure"
        echo "<p>$(escape "$folder/caption.txt" | tail -n +2)</p>"
        more=
        if [ -f "$folder/$figure.svg" ]; then
            more=", <a href=\"$figure/$figure.svg\">$figure.svg</a>"
        fi
        echo "<p><a href=\"$figure/$figure.csv\">$figure.csv</a>$more</p>"
        echo "<pre>$(escape "$folder/commands.sh")</pre>"
    done
    echo '</body></html>'
} >"$work/index.html"
mv "$work/index.html" "$into/index.html"
exit $status
