#!/usr/bin/env bash
# The recall that recallmodel bench measured, against the model: plots/measured_recall.py --check,
# on recalls that are drawn by chance, on those with a fault, and on the committed runs of a CPU.
#
# Against: Eq. (1) computed anew; recalls that `made_up_recalls.py` draws by chance, and four
# faults in them, each of which must be noticed.
#
# Slow: 6 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
unsanitized "the check is in Python, and asks what test_command_distribution asks under them"
export RECALLMODEL=$program PYTHONDONTWRITEBYTECODE=1
needs_python
check() { python3 plots/measured_recall.py --check "$@" >"$folder/out" 2>"$folder/err"; }

# Recalls of the model's distribution (seed 1) pass. A cell that was timed twice counts once.
mkdir "$folder/runs"
python3 tests/programs/measure/made_up_recalls.py "$folder/runs"
check "$folder/runs" || fail "recalls by chance: $(cat "$folder/err")"
cells=$(grep -c ^two-stage "$folder/runs/cpu-small.csv")
prints "^Over $((cells / 2)) cells z has the mean -\?0\.[0-9]* and the" \
    <"$folder/out" || fail "of $((cells / 2)) cells: $(cat "$folder/out")"
pass

# notices FAULT TEXT: with that fault the check fails, and says the text.
notices() {
    python3 tests/programs/measure/made_up_recalls.py "$folder/runs" "$1"
    check "$folder/runs" && fail "a fault is not noticed: $1"
    prints "^FAIL: .*$2" <"$folder/err" || fail "$1: $(cat "$folder/err")"
}
notices biased "the mean of z is -"
notices outlier "n 20000, k 20, b 700, k_b 4, m 1: . lost, .* a chance of at most"
notices model "n 4096, k 40, b 256, k_b 2, m 4: recall_model .*, Eq. (1)"
notices sign "n 4096, k 40, b 40, k_b 1, m 4: z .*, computed"
status=0
check /nowhere || status=$?
[ $status = 3 ] && prints "waits for a run on a CPU" <"$folder/err" || fail "without runs: $status"
pass

for runs in runs/cpu-*; do
    if ! compgen -G "$runs/*.csv" >/dev/null; then
        echo "SKIPPED: measured recall: there are no runs in runs/ (make bench-cpu)"
        break
    fi
    check "$runs" || fail "$runs: $(cat "$folder/err")"
    echo "$runs: $(cat "$folder/out")"
    pass
done
finish
