#!/usr/bin/env bash
# The figures: the committed numbers are what the command prints today, the pictures draw these
# numbers, and what has not changed is kept, on a machine with other fonts, too.
#
# CASES=few checks the numbers of three figures and draws one picture.
#
# Against: what the command prints today, to 1e-9; `figure_numbers.py`; made-up runs.
#
# Slow: 17 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
export RECALLMODEL=$program

# succeeds WHAT COMMAND ..: the command ends with status 0. $folder/out gets what it prints.
succeeds() {
    local what=$1
    shift
    "$@" >"$folder/out" 2>&1 || fail "$what: $(cat "$folder/out")"
}

# contains TEXT FILE WHY: the file contains the text (a basic regular expression).
contains() { grep -q -- "$1" "$2" || fail "$3: $(cat "$2")"; }

# not_empty FILE: the picture has more than 8000 bytes; a smaller one counts as empty.
not_empty() { [ "$(wc -c <"$1")" -gt 8000 ] || fail "$(basename "$1") is empty"; }

# Where the files of $figure stand, without their endings.
at() { echo "paper_figures/$figure/$figure"; }
# agree OLD NEW: have they the same numbers?
agree() { plots/make.py --agree "$@"; }
# caption_of FIGURE IN: the caption, with what the numbers in that folder add to it.
caption_of() {
    PYTHONPATH=plots python3 -c 'import pathlib, sys, figure
print(figure.Figure(sys.argv[1]).caption_in(pathlib.Path(sys.argv[2])))' "$1" "$2/$1"
}
# csv_of FIGURE IN: its numbers, which may be those of another figure.
csv_of() {
    local of
    of=$(sed -n 's/^# numbers of //p' "paper_figures/$1/$1.txt" 2>/dev/null) || true
    echo "$2/${of:-$1}/${of:-$1}.csv"
}

# Pictures only where they do not take minutes.
pictures="" # yes: of all figures
draws=""    # yes: there is a gnuplot
options=(--csv)
if [ -z "${SANITIZE:-}" ] && command -v gnuplot >/dev/null; then
    draws=yes
    if [ "${CASES:-}" != few ]; then
        pictures=yes
        options=()
    fi
else
    echo "SKIPPED: pictures: under the sanitizers, or there is no gnuplot"
fi
[ "${CASES:-}" != few ] || echo "SHORTENED: the numbers of three figures, one picture"

# ---- each figure: its data, gp and txt, as plots/make.py --help says

# A figure of measured runs says which row of gpu/plan.ini it waits for, and that row exists.
check_waits_for_run() {
    local figure=$1 part
    FIGURES=$folder/figures RUNS=/nowhere succeeds "$figure" plots/make.py "$figure"
    contains "waits for a run on a GPU: make gpu-run PARTS=" "$folder/out" "$figure without a run"
    [ ! -e "$folder/figures/$figure" ] || fail "$figure without a run: $(cat "$folder/out")"
    part=$(sed -n 's/.*--grid //p' "$(at).txt")
    grep -qx "\[$part\]" gpu/plan.ini || fail "$figure: gpu/plan.ini has no row $part"
}

# The pictures are not empty. Without the numbers there is another picture, or none.
check_picture() {
    local figure=$1 made=$folder/figures/$1/$1 blank=$folder/blank/$1/$1
    not_empty "$made.svg"
    not_empty "$made.pdf"
    [ ! -f "$blank.svg" ] || ! cmp -s "$blank.svg" "$made.svg" ||
        fail "$figure does not draw its numbers"
}

# Was this SVG drawn by the gnuplot of this machine? Another version may draw other lines.
of_this_gnuplot() {
    grep -qi "Produced by $(gnuplot --version | sed 's/ *$//')" "$1"
}

# make_all FIGURE ..: makes them at once, and once more with pictures without numbers.
make_all() {
    local figure numbers drawn=()
    for figure; do
        numbers=$(csv_of "$figure" .)
        mkdir -p "$folder/figures/${numbers%/*}" "$folder/blank/${numbers%/*}"
        # kept if the numbers agree, so that the pictures do
        cp "paper_figures/$numbers" "$folder/figures/$numbers"
        head -n 1 "paper_figures/$numbers" >"$folder/blank/$numbers"
        [ ! -f "$(at).gp" ] || drawn+=("$figure")
    done
    FIGURES=$folder/figures RUNS=/nowhere succeeds "all figures" \
        plots/make.py "${options[@]}" "$@"
    [ -z "$pictures" ] ||
        FIGURES=$folder/blank RUNS=/nowhere plots/make.py --redraw "${drawn[@]}" \
            >/dev/null 2>&1 || true
}

# What plots/make.py makes is what is committed: the numbers, the caption, and what is drawn.
check_made() {
    local figure=$1 made=$folder/figures/$1
    cmp -s "$(csv_of "$figure" paper_figures)" "$(csv_of "$figure" "$folder/figures")" ||
        fail "$figure has changed: run make figures/$figure and look at the result"
    if [ -e "paper_figures/$figure/caption.txt" ] || [ -e "$made/caption.txt" ]; then
        cmp -s "paper_figures/$figure/caption.txt" "$made/caption.txt" ||
            fail "$figure: the caption differs from the one that is committed"
    fi
    grep -q "id=\"$figure\"" "$folder/figures/index.html" || fail "$figure is not on the page"
    if [ "$pictures" ] && [ -f "$(at).gp" ]; then
        ! of_this_gnuplot "$(at).svg" || cmp -s "$(at).svg" "$made/$figure.svg" ||
            fail "$figure draws something else than what is committed: run make figures/$figure"
        check_picture "$figure"
    fi
}

# A figure of runs on a CPU says that it waits for them where there are none.
check_waits_for_cpu() {
    CPU_RUNS=/nowhere FIGURES=$folder/none succeeds "$1" plots/make.py --csv "$1"
    contains "waits for a run on a CPU: make bench-cpu" "$folder/out" "$1 without a run"
    [ ! -e "$folder/none/$1" ] || fail "$1 without a run: $(cat "$folder/out")"
}

# Is the figure there, as a whole? Notes in `makes` those that plots/make.py can make here.
check_figure() {
    local figure=$1
    [ -f "$(at).txt" ] || fail "$figure has no caption"
    [ -f "$(at).gp" ] || sed -n 1p "$(at).txt" | prints 'a table)$' ||
        fail "$figure has no picture, and its title does not say that it is a table"
    if grep -qs '^recallmodel-bench' "$(at).txt"; then
        check_waits_for_run "$figure"
        pass
        return
    fi
    if grep -qs '^plots/cpu\.py\|^plots/tradeoff\.py cpu$' "$(at).txt"; then
        if ! command -v python3 >/dev/null; then
            echo "SKIPPED: $figure: there is no python3"
            return
        fi
        check_waits_for_cpu "$figure"
        if ! compgen -G "runs/cpu-*/cpu-small.csv" >/dev/null; then
            echo "SKIPPED: $figure: there are no runs of a CPU (make bench-cpu)"
            pass
            return
        fi
    fi
    [ -s "$(csv_of "$figure" paper_figures)" ] && { [ ! -f "$(at).gp" ] || [ -s "$(at).svg" ]; } ||
        fail "$figure is not committed: run make figures/$figure"
    case $figure in
    samaga-6 | ours-regret | key-tradeoff)
        if [ "${SANITIZE:-}" ]; then
            echo "SKIPPED: $figure under the sanitizers: it takes minutes"
            return
        fi
        ;;
    esac
    makes+=("$figure")
}

figures=$(basename -a paper_figures/*/)
if [ "${CASES:-}" = few ]; then figures="key-03 key-09 samaga-10"; fi
makes=()
for figure in $figures; do check_figure "$figure"; done
make_all "${makes[@]}"
for figure in "${makes[@]}"; do
    check_made "$figure"
    pass
done

# agree finds a number that has changed.
sed '3s/,0\.\([0-8]\)/,0.9\1/' paper_figures/key-03/key-03.csv >"$folder/changed.csv"
agree "$folder/changed.csv" paper_figures/key-03/key-03.csv >/dev/null &&
    fail "agree does not find a number that has changed"
pass

# ---- what the papers print, and what is published

check_numbers() {
    local moved=$folder/moved
    python3 tests/figures/figure_numbers.py paper_figures ||
        fail "numbers of the figures are wrong; see above"
    mkdir -p "$moved"
    cp -r paper_figures/* "$moved"
    sed -i '2s/^\(.*\),true,/\1,false,/; s/,1.6466/,1.6467/; s/,0\.17236/,0.17237/' \
        "$moved/key-03/key-03.csv"
    python3 tests/figures/figure_numbers.py "$moved" >"$folder/out" &&
        fail "figure_numbers.py does not find a number that has changed"
    contains "FAIL: key-03: loss of k_b = 1, b = 262144" "$folder/out" \
        "figure_numbers.py does not say which figure has changed"
    pass
}

if command -v python3 >/dev/null; then
    check_numbers
else
    echo "SKIPPED: numbers of the figures: there is no python3"
fi

# ---- measured runs: they are drawn, and the caption says from which device. The runs here come
# from the emulated kernels.

bench=$build/gpu/recallmodel-bench-emulated

# with_n N: the rows of $folder/cells for another n, with 96 in place of k = 64 and b = 64.
with_n() { sed "s/,1024,/,$1,/; s/,64,/,96,/g; s/,64,/,96,/g" "$folder/cells"; }

# Writes the runs that five figures wait for into $folder/runs.
make_runs() {
    local part start=$folder/runs/emulation-2026-01-01
    local common=(--n 1024 --k "64,256" --m 1 --dtype float16 --timing graph)
    mkdir "$folder/runs"
    "$bench" two-stage "${common[@]}" --b 64,256 --kb 1,2 -o "$folder/cells" >/dev/null 2>&1
    "$bench" exact "${common[@]}" --kernel radix -o "$folder/exact" >/dev/null 2>&1
    grep -v '^#\|^work,' "$folder/exact" >>"$folder/cells"
    for part in key-1 key-15 key-17; do cp "$folder/cells" "$start-$part.csv"; done
    { with_n 1409; with_n 1659 | grep -v '^#\|^work,'; } >"$start-key-8.csv"
}

check_runs() {
    local figure figures=(key-01 key-08 key-15 key-17)
    make_runs
    FIGURES=$folder/figures RUNS=$folder/runs \
        succeeds "measured runs" plots/make.py "${figures[@]}"
    for figure in "${figures[@]}"; do
        contains "emulation (times mean nothing), 20" "$folder/figures/$figure/caption.txt" \
            "the caption of $figure does not say which runs it draws"
        not_empty "$folder/figures/$figure/$figure.svg"
    done
    pass
}

if [ "$pictures" ] && [ -x "$bench" ]; then
    check_runs
else
    echo "SKIPPED: figures of runs: there is no emulated benchmark, or no picture is drawn"
fi

# ---- what has not changed is kept

# as_other_fonts COMMAND ..: where DejaVu Sans is another font.
as_other_fonts() {
    cat >"$folder/fonts.conf" <<END
<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><cachedir>$folder/fonts</cachedir>
<match target="pattern"><test name="family"><string>DejaVu Sans</string></test>
<edit name="family" mode="assign" binding="strong"><string>DejaVu Sans Mono</string></edit></match>
</fontconfig>
END
    FONTCONFIG_FILE=$folder/fonts.conf "$@"
}

# The same numbers keep each file, with other fonts, too. A changed number draws another picture.
check_kept() {
    local figure=samaga-8 kept=$folder/kept/samaga-8
    local -x FIGURES=$folder/kept
    succeeds "$figure" plots/make.py $figure
    cp -r "$kept" "$folder/first"
    PNG=1 as_other_fonts succeeds "other fonts" plots/make.py $figure
    not_empty "$kept/$figure.png"
    for file in $figure.csv $figure.svg; do
        cmp "$folder/first/$file" "$kept/$file" || fail "other fonts change $file"
    done
    sed -i '2s/,1093,/,2186,/' "$kept/$figure.csv"
    ! cmp -s "$folder/first/$figure.csv" "$kept/$figure.csv" || fail "no number was changed"
    succeeds "a changed number" plots/make.py --redraw $figure
    ! cmp -s "$folder/first/$figure.svg" "$kept/$figure.svg" ||
        fail "a changed number does not change the picture"
    pass
}

# A CSV file is kept if its numbers agree, and replaced if not.
check_kept_csv() {
    local kept=$folder/kept-csv/samaga-8/samaga-8.csv
    local -x FIGURES=$folder/kept-csv
    succeeds "samaga-8" plots/make.py --csv samaga-8
    cp "$kept" "$folder/first.csv"
    sed -i 's/,\(0\.[0-9]\{12,14\}\)\([0-8]\),/,\19,/' "$kept"
    ! cmp -s "$folder/first.csv" "$kept" || fail "no last digit was changed"
    cp "$kept" "$folder/last-digit.csv"
    succeeds "samaga-8" plots/make.py --csv samaga-8
    cmp "$folder/last-digit.csv" "$kept" || fail "a CSV file that agrees is not kept"
    sed -i '5s/,0\.\([0-9]\)/,0.0\1/' "$kept"
    succeeds "samaga-8" plots/make.py --csv samaga-8
    cmp "$folder/first.csv" "$kept" || fail "a number that has changed is kept"
    pass
}

if [ "$draws" ]; then check_kept; fi
check_kept_csv

# ---- published points are drawn, and the caption says where they are from

check_published_points() {
    local figure drawn
    for figure in key-03 key-06 key-15 key-16 key-18; do
        caption_of "$figure" paper_figures | prints "^Published: runs/keyetal (Key et al.)\.$" ||
            fail "the caption of $figure does not say where its points are from"
        drawn=$(grep -c '<use xlink:href' "paper_figures/$figure/$figure.svg")
        [ "$drawn" -gt 25 ] || fail "$figure has $drawn points"
    done
    pass
}
check_published_points

# ---- what cannot be made

# The command of one figure fails; the other figure and the page are made all the same.
cat >"$folder/fails" <<END
#!/bin/sh
[ "\$1" != bounds ] || { echo "recallmodel: it lacks a column" >&2; exit 2; }
exec "$program" "\$@"
END
chmod +x "$folder/fails"
made="$folder/some where"
FIGURES=$made RECALLMODEL=$folder/fails plots/make.py --csv samaga-8 key-02 \
    >"$folder/out" 2>"$folder/err" && fail "make.py succeeds although a command fails"
contains "figures: recallmodel bounds .*lacks a column" "$folder/err" \
    "make.py does not say which command fails"
[ -f "$made/key-02/key-02.csv" ] && [ -f "$made/index.html" ] ||
    fail "make.py stops at a command that fails: $(cat "$folder/err")"
pass

# Figures with the numbers of another figure: its commands run once, and there is one CSV.
check_shared() {
    local -x FIGURES=$folder/shared
    printf '#!/bin/sh\necho >>"%s"\nexec "%s" "$@"\n' "$folder/asked" "$program" >"$folder/asks"
    chmod +x "$folder/asks"
    RECALLMODEL=$folder/asks succeeds "shared" plots/make.py --csv key-19 key-18 key-20
    [ "$(wc -l <"$folder/asked")" = 6 ] ||
        fail "the 6 commands of key-18 to 20 run $(wc -l <"$folder/asked") times"
    [ ! -e "$FIGURES/key-19/key-19.csv" ] || fail "key-19 has a CSV of its own"
    agree "$FIGURES/key-18/key-18.csv" paper_figures/key-18/key-18.csv || fail "key-18 differs"
    pass
}
check_shared

# The folder of runs has a file that is no run, and a run without rows.
mkdir "$folder/odd"
echo "notes" >"$folder/odd/notes.csv"
echo "#" >"$folder/odd/x-2026-01-01-key-1.csv"
RUNS=$folder/odd FIGURES=$folder/odd-figures \
    succeeds "a run without rows" plots/make.py --csv key-01 </dev/null
contains "waits for a run" "$folder/out" "make.py accepts a run without rows"
pass

# Wrong arguments: nothing is made.
for what in "no-such-figure" "key-02 no-such-figure"; do
    # shellcheck disable=SC2086 # one or two figures
    plots/make.py $what >"$folder/out" 2>"$folder/err" &&
        fail "make.py accepts an unknown figure"
    [ ! -s "$folder/out" ] || fail "make.py makes a figure before it rejects another"
    contains "there is no figure 'no-such-figure'" "$folder/err" \
        "make.py does not name the unknown figure"
done
JOBS=two rejects "figures: JOBS: 'two' is no number from 1 on" plots/make.py key-02
pass
finish
