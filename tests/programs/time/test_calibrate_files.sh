#!/usr/bin/env bash
# What `calibrate` and `predict` read and write: devices, links, pipes, too many bytes, absurd
# times, many rows, all digits, labels.
#
# Against: the previous content of the files; `--json` beside `--csv`.
#
# Slow: 14 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"

# The command in 20 s and 1 GB (AddressSanitizer maps terabytes, so it has no limit).
limited() (
    [ "${SANITIZE:-}" ] || ulimit -v 1000000
    exec timeout 20 "$program" "$@"
)
refused() { rejects "$1" limited "${@:2}"; } # text of the line, arguments ..

# Runs of a made-up kernel: 10 us, 1 TB/s, 1e-4 us a candidate.
{
    echo n,k,b,k_b,m,time_us
    for n in 4096 65536 1048576 16777216; do for b in 64 1024; do for m in 1 8; do
        awk -v n=$n -v b=$b -v m=$m 'BEGIN {
            us = 10 + m * (4 * n + 12 * b) * 1e-6 + 1e-4 * m * b
            printf "%d,32,%d,1,%d,%.9g\n", n, b, m, us
        }'
    done; done; done
} >"$folder/runs.csv"
calibrate() { "$program" calibrate "$folder/runs.csv" --kernel generic --dtype f32 "$@"; }

# -o takes a new file, a regular file or a link to one, which stays a link. It takes nothing else
# and leaves no other file.
calibrate -o "$folder/new" >/dev/null
mkdir "$folder/there"
echo old >"$folder/there/real"
ln -s there/real "$folder/link"
calibrate -o "$folder/link" >/dev/null
[ -L "$folder/link" ] && [ ! -L "$folder/there/real" ] && cmp -s "$folder/link" "$folder/new" ||
    fail "a link to a file is not followed"
mkfifo "$folder/pipe"
ln -s pipe "$folder/to-pipe"
ln -s nowhere "$folder/to-nothing"
ln -s loop "$folder/loop"
ln -s /dev/null "$folder/to-device"
for name in pipe to-pipe to-device there; do
    refused "-o $folder/$name is not a regular file" calibrate "$folder/runs.csv" \
        --kernel generic -o "$folder/$name"
done
refused "-o $folder/to-nothing is a link to nothing" calibrate "$folder/runs.csv" \
    --kernel generic -o "$folder/to-nothing"
refused "-o $folder/loop" calibrate "$folder/runs.csv" --kernel generic -o "$folder/loop"
[ -p "$folder/pipe" ] && [ -L "$folder/to-device" ] && [ -c /dev/null ] &&
    [ ! -e "$folder/nowhere" ] ||
    fail "something was replaced"
if mknod "$folder/device" c 1 7 2>/dev/null; then # as root
    refused "-o $folder/device is not a regular file" calibrate "$folder/runs.csv" \
        --kernel generic -o "$folder/device"
    [ -c "$folder/device" ] || fail "a device node was replaced"
fi
ls "$folder" "$folder/there" | grep '\.......$' && fail "a temporary file is left"
pass

# Runs come from files and pipes of at most a stated size.
refused "/dev/zero is a device; give a file or a pipe" calibrate /dev/zero
refused "/dev/zero is a device; give a file or a pipe" predict --device h100-pcie --runs /dev/zero
refused "$folder is a folder; give a file or a pipe" predict --device h100-pcie --runs "$folder"
cat "$folder/runs.csv" | "$program" calibrate /dev/stdin \
    --kernel generic --dtype f32 --csv >"$folder/from-pipe"
calibrate --csv | cmp -s - "$folder/from-pipe" || fail "a pipe is not read as the file is"
(
    [ "${SANITIZE:-}" ] || ulimit -v 2000000
    yes '# a remark of some length, again and again' | head -c 300000000 |
        timeout 60 "$program" calibrate /dev/stdin
) 2>"$folder/err" && fail "300 MB"
grep -q "has more than 256 MiB" "$folder/err" || fail "300 MB: $(head -c 300 "$folder/err")"
pass

# Times that no call can take: the message names their line.
for time in 1e300 1e-9 1e12; do
    { cat "$folder/runs.csv"; echo "4096,32,64,1,1,$time"; } >"$folder/absurd.csv"
    refused "absurd.csv:18, column 6 (time_us): '$time' is not a time of a call" \
        calibrate "$folder/absurd.csv" --kernel generic
done
pass

# predict --csv adds the numbers of --json with all digits; a second run replaces the columns.
"$program" predict --device "$folder/new" --runs "$folder/runs.csv" --csv >"$folder/csv" 2>/dev/null
"$program" predict --device "$folder/new" --runs "$folder/runs.csv" --json >"$folder/json"
python3 - "$folder" <<'PYTHON' || fail "digits are lost"
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/csv")))
runs = json.load(open(sys.argv[1] + "/json"))["runs"]
assert len(rows) == len(runs) == 16
for row, run in zip(rows, runs):
    for name in "predicted_us", "low_us", "high_us":
        assert float(row[name]) == run[name], (name, row, run)
    assert row["within_runs"] == str(run["within_runs"]).lower() == "true", row
    assert row["beyond"] == run["beyond"] == "", row
assert any(len(row["predicted_us"]) > 12 for row in rows)
PYTHON
"$program" predict --device "$folder/new" --runs "$folder/csv" --csv 2>/dev/null |
    cmp -s - "$folder/csv" ||
    fail "columns that are there are not replaced"
pass

# Labels: another variant of the kernel, another type of the same width, what lies beyond the runs.
"$program" predict --device h100-pcie --n 2^20 --k 64 --kb 1 --b 64 \
    --kernel graphcore-thread --dtype bf16 --json >"$folder/json"
python3 - "$folder/json" <<'PYTHON' || fail "labels"
import json, sys
answer = json.load(open(sys.argv[1]))
assert (answer["kernel"], answer["kernel_of_profile"]) == ("graphcore-thread", "graphcore"), answer
assert (answer["dtype"], answer["dtype_of_profile"]) == ("bf16", "f16"), answer
(row,) = answer["predictions"]
assert row["beyond"] == "kernel" and row["within_runs"] is False, row
assert row["low_us"] is None and row["predicted_us"] > 500, row
assert answer["exact_low_us"] < answer["exact_us"] < answer["exact_high_us"]
PYTHON
"$program" predict --device h100-pcie --n 2^20 --k 64 --kb 1 --b 64 \
    --kernel graphcore-thread --dtype bf16 >"$folder/text"
for want in "Predicted for the kernel graphcore-thread with the parameters of graphcore" \
    "Predicted for bf16 by a profile of f16" unknown; do
    grep -q "$want" "$folder/text" || fail "no '$want' in $(cat "$folder/text")"
done
"$program" predict --device h100-pcie --n 2^24 --k 64 --kb 1 --b 64 --m 600 --csv >"$folder/text"
grep -q '"n, m"' "$folder/text" || fail "beyond: $(cat "$folder/text")"
refused "H100-PCIe has no profile of this kernel; give one of graphcore, graphcore-thread" \
    predict --device h100-pcie --n 100 --k 10 --kernel xla
refused "device has no profile of this kernel; give one of generic" predict \
    --device "$folder/new" --n 100 --k 10 --kernel ours
refused "no profile for this --dtype" predict --device cpu-epyc --n 100 --k 10 --dtype f16
refused "MI300X has no profile" predict --device mi300x --kernel ours --n 100 --k 10
pass

# Contiguous buckets, of the same file: all but the start takes 1.6 times as long.
sed -n '1s/$/,assignment/p' "$folder/runs.csv" >"$folder/both.csv"
awk -F, -v OFS=, 'NR > 1 { print $0, "interleaved"; $6 = 10 + 1.6 * ($6 - 10)
    print $0, "contiguous" }' "$folder/runs.csv" >>"$folder/both.csv"
"$program" calibrate "$folder/both.csv" --kernel generic --dtype f32 --no-held-out \
    --contiguous "$folder/both.csv" -o "$folder/both" >"$folder/text"
prints '^Contiguous buckets, measured/predicted: 5 % of 16 runs are below [.01-9]*, 5 % above 1' \
    <"$folder/text" || fail "the report of contiguous buckets: $(cat "$folder/text")"
calibrate --no-held-out -o "$folder/alone" >/dev/null
{ diff "$folder/alone" "$folder/both" || true; } | sed -n 's/ = .*//; s/^[<>] //p' \
    >"$folder/difference"
[ "$(tr -d '\n' <"$folder/difference")" = \
    runsrunscontiguous_ratiocontiguous_countcontiguous_p05_ratiocontiguous_p95_ratio ] ||
    fail "contiguous runs change: $(cat "$folder/difference")"
error_of() { # assignment
    "$program" predict --device "$folder/both" --runs "$folder/both.csv" --json \
        --assignment "$1" 2>/dev/null |
        awk '/"median_error"/ { print $2 < 0.08 } /"k_b"/ { n++ } END { print n }'
}
for assignment in interleaved contiguous; do
    [ "$(error_of $assignment | tr '\n' ' ')" = '1 16 ' ] ||
        fail "$assignment: $(error_of $assignment)"
done
refused "the profile of device knows interleaved buckets alone" predict --n 4096 --k 32 \
    --device "$folder/alone" --assignment contiguous
refused "no row has contiguous in the column assignment" calibrate "$folder/runs.csv" \
    --kernel generic --contiguous "$folder/runs.csv"
head -9 "$folder/both.csv" >"$folder/few.csv"
refused "4 runs of contiguous buckets, with k_b that interleaved ones have, are too few" \
    calibrate "$folder/runs.csv" --kernel generic --no-held-out --contiguous "$folder/few.csv"
pass

# 10,800 rows of 3 sizes: the fit uses some of them and says how many; it ends in time. The
# sanitizers see nothing new in it.
[ -z "${SANITIZE:-}" ] || finish
awk 'BEGIN {
    print "n,k,b,k_b,m"
    for (i = 0; i < 10800; i++) {
        n = 2 ^ (11 + 5 * (i % 3)); k = 12 * 2 ^ (int(i / 3) % 5); kb = 1 + int(i / 15) % 4
        print n "," k "," int(k * 2 ^ (1 + i % 2) / kb) "," kb "," 16 ^ (int(i / 60) % 3)
    }
}' >"$folder/many.csv"
"$program" predict --device h100-pcie --runs "$folder/many.csv" --csv 2>/dev/null | cut -d, -f1-6 |
    awk -F, -v OFS=, 'NR == 1 { $6 = "time_us" } NR > 1 { $6 *= 1 + 0.03 * ((NR * 7) % 5 - 2) }
        { print }' >"$folder/many-runs.csv"
timeout 200 "$program" calibrate "$folder/many-runs.csv" --json >"$folder/json" ||
    fail "10,800 rows: status $?"
python3 - "$folder/json" <<'PYTHON' || fail "10,800 rows"
import json, sys
answer = json.load(open(sys.argv[1]))
assert answer["runs"] == 10800 and answer["fitted_runs"] == 2400, answer["fitted_runs"]
assert answer["median_error"] < 0.05, answer["median_error"]
assert answer["each_left_out"]["runs"] == 10800 and len(answer["each_size_left_out"]) == 3
PYTHON
pass
finish
