#!/usr/bin/env bash
# The figures: the committed numbers are what the command prints today, the pictures draw these
# numbers, and published points come from CSV files or from the authors' files.
#
# CASES=few checks the numbers of three figures and draws no picture.
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

# agree OLD NEW: two CSV files have the same header, the same text, and the same numbers to 1e-9
# (another machine may round the last digits differently). Prints the first difference.
agree() {
    awk -F, '
        function abs(x) { return x < 0 ? -x : x }
        function close_to(x, y) { return x + 0 != 0 && abs(x - y) <= 1e-9 * abs(x) + 1e-15 }
        function differ(what) { print what; failed = 1; exit 1 }
        NR == FNR { want[FNR] = $0; lines = FNR; next }
        {
            if (split(want[FNR], field, ",") != NF)
                differ("line " FNR ": " $0)
            for (i = 1; i <= NF; i++)
                if ($i != field[i] && !close_to($i, field[i]))
                    differ("line " FNR ", column " i ": " $i ", committed " field[i])
        }
        END { if (!failed && FNR != lines) differ(FNR " lines, committed " lines) }' "$1" "$2"
}

published=${PAPER_DATA:-../shared/paper-data}
[ -f "$published/theory.csv" ] || published=""
# Pictures only where they do not take minutes.
pictures=""
options=(--csv)
if [ "${CASES:-}" = few ]; then
    echo "SHORTENED: the numbers of three figures, no picture"
elif [ -z "${SANITIZE:-}" ] && command -v gnuplot >/dev/null; then
    pictures=yes
    options=()
else
    echo "SKIPPED: pictures: under the sanitizers, or there is no gnuplot"
fi

# ---- each figure: FIGURE.data, FIGURE.gp and FIGURE.txt, as plots/make.sh --help says

# A figure of measured runs says which part of gpu/run.sh it waits for, and that part exists.
check_waits_for_run() {
    local figure=$1 part
    FIGURES=$folder/figures RUNS=/nowhere succeeds "$figure" plots/make.sh "$figure"
    contains "waits for a run on a GPU: make gpu-run PARTS=" "$folder/out" "$figure without a run"
    [ ! -e "$folder/figures/$figure" ] || fail "$figure without a run: $(cat "$folder/out")"
    part=$(sed -n 's/.*--grid //p' "plots/$figure.data")
    grep -q "set -- .* $part\( \|\$\)" gpu/run.sh || fail "$figure: gpu/run.sh has no part $part"
}

# The pictures are not empty. Without the numbers there is another picture, or none.
check_picture() {
    local figure=$1 made=$folder/figures/$1/$1 blank=$folder/blank/$1/$1
    not_empty "$made.png"
    not_empty "$made.pdf"
    mkdir -p "$folder/blank/$figure"
    head -n 1 "paper_figures/$figure/$figure.csv" >"$blank.csv"
    if FIGURES=$folder/blank PAPER_DATA=none RUNS=/nowhere \
        plots/make.sh --redraw "$figure" >/dev/null 2>&1; then
        ! cmp -s "$blank.png" "$made.png" || fail "$figure does not draw its numbers"
    fi
}

# check_made FIGURE PAPER_DATA: what plots/make.sh makes is what is committed.
check_made() {
    local figure=$1 made=$folder/figures/$1 committed=paper_figures/$1
    FIGURES=$folder/figures PAPER_DATA=$2 RUNS=/nowhere \
        succeeds "$figure" plots/make.sh "${options[@]}" "$figure"
    agree "$committed/$figure.csv" "$made/$figure.csv" ||
        fail "$figure has changed: run make figures/$figure and look at the result"
    cmp -s "$committed/commands.sh" "$made/commands.sh" ||
        fail "$figure: the commands differ from those that are committed"
    grep -q "$figure/$figure.csv" "$folder/figures/index.html" || fail "$figure is not on the page"
    if [ "$pictures" ] && [ -f "plots/$figure.gp" ]; then check_picture "$figure"; fi
}

# A figure of runs on a CPU says that it waits for them where there are none.
check_waits_for_cpu() {
    CPU_RUNS=/nowhere FIGURES=$folder/none succeeds "$1" plots/make.sh --csv "$1"
    contains "waits for a run on a CPU: make bench-cpu" "$folder/out" "$1 without a run"
    [ ! -e "$folder/none/$1" ] || fail "$1 without a run: $(cat "$folder/out")"
}

check_figure() {
    local figure=$1 needs=none
    [ -f "plots/$figure.txt" ] || fail "$figure has no caption"
    [ -f "plots/$figure.gp" ] || sed -n 1p "plots/$figure.txt" | prints 'a table)$' ||
        fail "$figure has no picture, and its title does not say that it is a table"
    if grep -q '^recallmodel-bench' "plots/$figure.data"; then
        check_waits_for_run "$figure"
        pass
        return
    fi
    if grep -q '^plots/cpu\.py\|^plots/tradeoff\.py cpu$' "plots/$figure.data"; then
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
    if grep -q '^[^#]*\$PAPER_DATA' "plots/$figure.data"; then
        FIGURES=$folder/none PAPER_DATA=none succeeds "$figure" plots/make.sh --csv "$figure"
        contains "waits for published data" "$folder/out" "$figure without published data"
        if [ ! "$published" ]; then
            echo "SKIPPED: $figure: the published numbers are not here"
            return
        fi
        needs=$published
    fi
    [ -s "paper_figures/$figure/$figure.csv" ] &&
        { [ ! -f "plots/$figure.gp" ] || [ -s "paper_figures/$figure/$figure.png" ]; } ||
        fail "$figure is not committed: run make figures/$figure"
    case $figure in
    samaga-6 | ours-regret | key-tradeoff)
        if [ "${SANITIZE:-}" ]; then
            echo "SKIPPED: $figure under the sanitizers: it takes minutes"
            return
        fi
        ;;
    esac
    check_made "$figure" "$needs"
    pass
}

figures=$(basename -s .data plots/*.data)
if [ "${CASES:-}" = few ]; then figures="key-03 key-08 samaga-10"; fi
for figure in $figures; do check_figure "$figure"; done

# agree finds a number that has changed.
sed '3s/,0\.\([0-8]\)/,0.9\1/' paper_figures/key-03/key-03.csv >"$folder/changed.csv"
agree "$folder/changed.csv" paper_figures/key-03/key-03.csv >/dev/null &&
    fail "agree does not find a number that has changed"
pass

# ---- what the papers print, and what is published

check_numbers() {
    local moved=$folder/moved
    # shellcheck disable=SC2086 # one folder, or no argument
    python3 tests/figures/figure_numbers.py paper_figures $published ||
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
    for part in key-1 key-15 key-17 samaga-2; do cp "$folder/cells" "$start-$part.csv"; done
    { with_n 1409; with_n 1659 | grep -v '^#\|^work,'; } >"$start-key-8.csv"
}

check_runs() {
    local figure figures=(key-01 key-08 key-15 key-17 samaga-2-times)
    make_runs
    FIGURES=$folder/figures RUNS=$folder/runs \
        succeeds "measured runs" plots/make.sh "${figures[@]}"
    for figure in "${figures[@]}"; do
        contains "emulation (times mean nothing), 20" "$folder/figures/$figure/caption.txt" \
            "the caption of $figure does not say which runs it draws"
        not_empty "$folder/figures/$figure/$figure.png"
    done
    pass
}

if [ "$pictures" ] && [ -x "$bench" ]; then
    check_runs
else
    echo "SKIPPED: figures of runs: there is no emulated benchmark, or no picture is drawn"
fi

# ---- the authors' own files, which plots/published.py reads

# make_clone FOLDER: writes a clone of their repository, two files with one row each.
make_clone() {
    mkdir -p "$1/notebooks/data/correlation" "$1/data/generic2"
    paste -sd ' ' - >"$1/notebooks/data/theoretical_models.jsonl" <<'END'
{"algorithm":"approx","n":64,"k":8,"b":8,"k_b":1,"m":1,
"recall_model":0.6,"recall_simulation":0.65,"recall_simulation_n":64,"recall_simulation_std":0.1,
"cost_basic":64.0,"cost_serial":128,"cost_parallel":9.0}
END
    paste -sd ' ' - >"$1/data/generic2/measure_speed_approx_finer_multi2.jsonl" <<'END'
{"topk_size":64,"k":8,"j":2,"k_mult":4,"batch_size":1,"method":"priority_queue.topk",
"n_inner":16,"duration":[3.2e-4,1.6e-4,4.8e-4]}
END
}

# last_row FILE ROW WHAT: the last line of the file is the row.
last_row() { [ "$(tail -n 1 "$1")" = "$2" ] || fail "$3: $(cat "$1")"; }

check_clone() {
    local clone=$folder/clone into=$folder/converted
    make_clone "$clone"
    python3 plots/published.py "$clone" "$into" 2>"$folder/err" ||
        fail "published.py: $(cat "$folder/err")"
    last_row "$into/theory.csv" "64,8,8,1,0.6,0.65,0.1,64,64.0,128,9.0" "theory"
    last_row "$into/h100_pcie_bucketed.csv" "64,8,16,2,1,4,20.0" "times"
    contains "no correlation/results.jsonl" "$folder/err" \
        "published.py does not say what is missing"
    python3 plots/published.py "$folder/figures" "$folder/none" 2>/dev/null &&
        fail "published.py accepts a folder without published files"

    # ours-regret needs what the clone lacks.
    FIGURES=$folder/cloned PAPER_DATA=$clone plots/make.sh "${options[@]}" key-03 ours-regret \
        >"$folder/out" 2>"$folder/err" || true
    grep -q "data of Key et al" "$folder/cloned/key-03/caption.txt" ||
        fail "make.sh does not read the clone: $(cat "$folder/out" "$folder/err")"
    contains "ours-regret *waits for published data, h100_pcie_torch_topk.csv" "$folder/out" \
        "make.sh does not say what the clone lacks"

    # With one bad file, the others are still read.
    echo "version https://git-lfs.github.com/spec/v1" \
        >"$clone/notebooks/data/theoretical_models.jsonl"
    python3 plots/published.py "$clone" "$into-2" 2>"$folder/err" &&
        [ -f "$into-2/h100_pcie_bucketed.csv" ] ||
        fail "published.py stops at a bad file: $(cat "$folder/err")"
    contains "no file of JSON lines" "$folder/err" "published.py does not report a bad file"
    pass
}

if command -v python3 >/dev/null; then
    check_clone
else
    echo "SKIPPED: published.py: there is no python3"
fi

# ---- published points: they are drawn if they are available; the caption says whether they are

check_published_points() {
    local made=$folder/pictures/key-03 without=$folder/figures/key-03/key-03.png
    local -x FIGURES=$folder/pictures
    PAPER_DATA=$published succeeds "key-03" plots/make.sh key-03
    # A picture with published points is kept if they are not available.
    cp "$made/key-03.png" "$folder/with.png"
    mkdir "$folder/lacks"
    PAPER_DATA=$folder/lacks plots/make.sh key-03 >"$folder/out" 2>/dev/null &&
        grep -q "kept as it is: it has published points" "$folder/out" &&
        cmp -s "$folder/with.png" "$made/key-03.png" || fail "key-03 loses its published points"
    grep -q "data of Key et al" "$made/caption.txt" && ! cmp -s "$made/key-03.png" "$without" ||
        fail "key-03 has no published points"
    # PAPER_DATA=none draws the picture without them.
    PAPER_DATA=none succeeds "key-03" plots/make.sh key-03
    grep -q "none were available" "$made/caption.txt" && cmp -s "$made/key-03.png" "$without" ||
        fail "PAPER_DATA=none keeps the published points"
}

if [ "$pictures" ]; then
    grep -q "none were available" "$folder/figures/key-03/caption.txt" ||
        fail "the caption does not say that points are missing"
    if [ "$published" ]; then check_published_points; fi
    pass
fi

# ---- what cannot be made

# The command of one figure fails; the other figure and the page are made all the same.
mkdir "$folder/p d"
echo "n,k" >"$folder/p d/h100_pcie_bucketed.csv"
echo "n,k" >"$folder/p d/h100_pcie_torch_topk.csv"
made="$folder/some where"
FIGURES=$made PAPER_DATA="$folder/p d" plots/make.sh --csv ours-regret key-02 \
    >"$folder/out" 2>"$folder/err" && fail "make.sh succeeds although a command fails"
contains "figures: recallmodel calibrate .*\(lacks\|column\)" "$folder/err" \
    "make.sh does not say which command fails"
[ -f "$made/key-02/key-02.csv" ] && [ -f "$made/index.html" ] ||
    fail "make.sh stops at a command that fails: $(cat "$folder/err")"
pass

# The folder of runs has a file that is no run, and a run without rows.
mkdir "$folder/odd"
echo "notes" >"$folder/odd/notes.csv"
echo "#" >"$folder/odd/x-2026-01-01-key-1.csv"
RUNS=$folder/odd FIGURES=$folder/odd-figures \
    succeeds "a run without rows" plots/make.sh --csv key-01 </dev/null
contains "waits for a run" "$folder/out" "make.sh accepts a run without rows"
pass

# Wrong arguments: nothing is made.
for what in "no-such-figure" "key-02 no-such-figure"; do
    # shellcheck disable=SC2086 # one or two figures
    plots/make.sh $what >"$folder/out" 2>"$folder/err" &&
        fail "make.sh accepts an unknown figure"
    [ ! -s "$folder/out" ] || fail "make.sh makes a figure before it rejects another"
    contains "there is no figure 'no-such-figure'" "$folder/err" \
        "make.sh does not name the unknown figure"
done
PAPER_DATA=/nowhere plots/make.sh key-02 >/dev/null 2>"$folder/err" &&
    fail "make.sh accepts PAPER_DATA without such a folder"
contains "/nowhere is no folder" "$folder/err" "make.sh does not name the missing folder"
pass
finish
