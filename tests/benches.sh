# benches.sh - what the tests of the two benchmarks share; a test sources it after shell.sh.
#
# SPDX-License-Identifier: Apache-2.0
. tests/signals.sh

# The rows of a CSV, with that of the names, without remarks; 0 if there is no file.
rows() { if [ -f "$1" ]; then grep -vc '^#' "$1" || true; else echo 0; fi; }

# column FILE NAME: that column of the rows.
column() {
    awk -F, -v name="$2" '/^#/ { next }
        !at { for (i = 1; i <= NF; i++) if ($i == name) at = i; next }
        { print $at }' "$1"
}

# wait_for_rows FILE COUNT: until it has so many, a minute at most.
wait_for_rows() {
    for _ in $(seq 3000); do
        if [ "$(rows "$1")" -ge "$2" ]; then return; fi
        sleep 0.02
    done
}

# interrupts FILE COMMAND ..: Ctrl-C while it writes rows into that file ends it with status 130 and
# whole rows, and it says how to continue.
interrupts() {
    local file=$1 process status=0
    shift
    default_signals "$@" -o "$file" >/dev/null 2>"$folder/stderr" &
    process=$!
    wait_for_rows "$file" 2
    kill -INT $process
    wait_for $process 60 || status=$?
    [ $status = 130 ] || fail "SIGINT returns $status"
    prints "run the same command again" <"$folder/stderr" ||
        fail "SIGINT says $(cat "$folder/stderr")"
    tail -c 1 "$file" | od -c | prints '\\n' || fail "SIGINT left half a row"
}
