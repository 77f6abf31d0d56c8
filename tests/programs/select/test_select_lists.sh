#!/usr/bin/env bash
# select with lists: check_tables.py. And what lists do to CSV, JSON and to questions in reverse.
#
# Against: each question alone.
#
# Slow: 4 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
export RECALLMODEL=$program PYTHONDONTWRITEBYTECODE=1
needs_python
python3 tests/programs/select/check_tables.py || fail "see above"
pass
"$program" select --n 128256,4096 --k 50 --m 1,8 --device h100-pcie,l4 --csv >"$folder/csv"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; columns = NF }
    NF != columns { exit 1 }
    NR > 1 { seen[$at["device"] " " $at["n"] " " $at["m"]] = 1 }
    END { for (key in seen) count++; exit count != 8 }' "$folder/csv" ||
    fail "CSV: $(cut -d, -f 1-8 "$folder/csv")"
"$program" select --n 128256,4096 --k 50 --m 1,8 --device h100-pcie,l4 --json --brief \
    >"$folder/json"
python3 - "$folder/json" <<'END' || fail "JSON"
import json
import sys

asked = [(a["device"], a["n"], a["m"]) for a in json.load(open(sys.argv[1]))["queries"]]
assert asked == [(d, n, m) for d in ("H100-PCIe", "L4") for m in (1, 8) for n in (128256, 4096)]
END
pass
rejects "--b and --m exclude" "$program" select --b 512 --kb 2 --n 4096 --m 1,2
rejects "did you mean RTX-4090" "$program" select --n 4096 --k 50 --device l4,rtx4900
"$program" select --n 4096,8192 --k 50 --device "l4,NVIDIA GeForce RTX 4090,a100 40gb" --csv \
    >"$folder/csv" 2>"$folder/err"
[[ $(cut -d, -f 1-8 "$folder/csv") == *L4*RTX-4090*A100-SXM-40GB* ]] || fail "$(cat "$folder/csv")"
[[ $(cat "$folder/err") == "recallmodel: --device: a100 40gb is taken as A100-SXM-40GB; there is \
A100-PCIe-40GB, too" ]] || fail "$(cat "$folder/err")"
pass
rejects "measured on a GPU" "$program" select --n 4096 --k 50 --device l4,cpu --exact-kernel gvr
rejects "needs the rates" "$program" select --n 4096 --k 50 --device cpu --objective roofline
rejects "no profile for this --dtype" "$program" select --n 4096 --k 50 --device cpu --dtype f16
finish
