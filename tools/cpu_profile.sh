#!/usr/bin/env bash
# cpu_profile.sh [FOLDER ..] - makes model/time/profiles/NAME_f32.profile from the measured runs in
# runs/NAME (by default of every runs/cpu-*), and prints how good it is. Of each folder it takes
# cpu-small.csv and cpu-calibrate.csv, those that are there. A row whose interval is wider than a
# factor of 1.5 was disturbed, and is left out. So are fewer than 16 buckets before 2026-11-25,
# whose kernel is gone, and inputs other than normal, of which exact top-k takes up to six times as
# long.
#
#   PROGRAM=build/recallmodel  PROFILES=model/time/profiles
#   MOST_THREADS=1   leaves out runs of more threads, on a machine that was busy
#   L3_BYTES=2^26    what a virtual machine has of the last cache that it says. cpu-xeon-emr is made
#                    with both: rows of 64 MB to 1 GB are read at 9 to 18 GB/s there
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
program=${PROGRAM:-build/recallmodel}
profiles=${PROFILES:-model/time/profiles}
if [ $# -eq 0 ]; then set -- runs/cpu-*; fi
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT

# "AMD EPYC, family 25, model 17", as the remark of the benchmark has it.
card_of() {
    local remark='.* cpu="\([^"]*\)" family=\([0-9]*\) model=\([0-9]*\) .*'
    sed -n "s/$remark/\1, family \2, model \3/p" "$1"
}

for runs in "$@"; do
    name=$(basename "$runs")
    files=()
    for file in "$runs"/cpu-small.csv "$runs"/cpu-calibrate.csv; do
        if [ -f "$file" ]; then files+=("$file"); fi
    done
    if [ ${#files[@]} -eq 0 ]; then
        echo "cpu_profile.sh: $runs has no cpu-small.csv; run make bench-cpu" >&2
        exit 2
    fi
    # one head, and the rows that were not disturbed
    awk -F, -v most="${MOST_THREADS:-1024}" '/^#/ {
                if (!low) { print }
                if (match($0, /date=[0-9-]*/)) {
                    old = substr($0, RSTART + 5, RLENGTH - 5) < "2026-11-25"
                }
                next
            }
        $1 == "work" { if (!low) { for (i = 1; i <= NF; i++) { at[$i] = i }
                low = at["time_us_low"]; high = at["time_us_high"]; print } next }
        $at["input"] != "normal" || $at["threads"] > most { next }
        old && $1 != "exact" && $at["b"] < 16 { next }
        $high <= 1.5 * $low { print; next }
        { wide++ }
        END { print wide + 0 " disturbed rows left out" > "/dev/stderr" }' "${files[@]}" \
        >"$temporary/$name.csv"
    if [ -n "${L3_BYTES:-}" ]; then
        sed -i "s/ l3=[0-9]* / l3=$((${L3_BYTES/^/**})) /" "$temporary/$name.csv"
    fi
    "$program" calibrate "$temporary/$name.csv" --kernel cpu --dtype f32 --name "$name" \
        --contiguous "$temporary/$name.csv" --cross-validate \
        --source "measured by recallmodel bench: runs/$name" --card "$(card_of "$runs/SOURCE")" \
        -o "$profiles/${name//-/_}_f32.profile"
done
