#!/usr/bin/env bash
# Claims of Key et al. and the captions that repeat them, by the published runs (key_claims.py);
# what was measured on a small model (key_smollm2_claims.py); that both notice a number that has
# changed. plots/key.py: bad arguments, the example of Figure 2 by the simulation.
#
# Against: the published runs and the CSV files of the figures, with twenty numbers changed that
# must each be noticed; the simulation, on the row of Figure 2.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
export RECALLMODEL=$program PYTHONDONTWRITEBYTECODE=1
needs_python

# claims FIGURES RUNS: what key_claims.py prints; its status.
claims() { python3 tests/figures/key_claims.py "$1" "$2" >"$folder/out" 2>&1; }

claims paper_figures runs || fail "claims of Key et al.: $(cat "$folder/out")"
pass

# change FILE SED: changes a number in the copy.
change() {
    cmp -s <(sed "$2" "$folder/$1") "$folder/$1" && fail "the change '$2' changes nothing in $1"
    sed -i "$2" "$folder/$1"
}
# noticed CLAIM WHAT: that claim fails, with these words.
noticed() { prints "^FAIL: $1: .*$2" <"$folder/out" || fail "not noticed: $1, $2"; }

mkdir "$folder/figures" "$folder/runs"
cp -r paper_figures/key-* paper_figures/samaga-6 "$folder/figures"
cp -r runs/keyetal "$folder/runs"
change figures/key-02/key-02.csv '2s/^0,7,0,0,1,0,/0,7,0,0,1,1,/'
change figures/key-07/key-07.csv 's/,14\.78,/,29.56,/'
change figures/key-04/key-04.csv '/^pharmebinet/s/,0\.362579584,/,0.352579584,/'
change figures/key-04/key-04.csv '/^vocabulary/s/,52\.5,/,62.5,/'
change runs/keyetal/pharmebinet-times.csv 's/,3275$/,3000/'
change runs/keyetal/decoding.csv 's/1\.9/1.5/'
change runs/keyetal/steps.csv 's/28900/38900/'
change figures/key-07/key-07.csv 's/,contiguous,0\.75675,/,contiguous,0.85675,/'
change figures/key-08/key-08.csv 's/,1\.00386$/,0.99386/'
change figures/key-bandwidth/key-bandwidth.csv 's/,1263\.23$/,1363.23/'
change figures/key-15/key-15.csv 's/^1024,256,1,12\./1024,256,1,13./'
change figures/key-16/key-16.csv 's/^1024,4,1,4,1,/1024,4,1,4,1,1/'
change runs/keyetal/two-stage.csv '/^4096,1024,1024,1,1,/s/,\([^,]*\),\([^,]*\)$/,\1e9,\2/'
change runs/keyetal/exact.csv '2,$s/$/e2/'
change runs/keyetal/argmax.csv '/^1048576,16384,256,compiled,/s/,compiled,/,compiled,1/'
change figures/samaga-6/samaga-6.csv '/,15360,/s/,-0\.1471$/,-6.1471/'
claims "$folder/figures" "$folder/runs" && fail "key_claims.py accepts numbers that have changed"
noticed key-02 "is_kept"
noticed key-02-scores "speed-up of squad, k_b = 2"
noticed key-04 "the most time without a term"
noticed key-04 "largest gap"
noticed key-04 "error of torch.topk"
noticed key-05 "1.9 within 7 %"
noticed key-05 "fitted dense step of n = 32768"
noticed key-07 "score of .*contiguous"
noticed key-08 "contiguous is faster in all"
noticed key-bandwidth "argmax at n = 1048576"
noticed key-15 "log2 s of n = 1024, k = 256, m = 1"
noticed key-16 "log2 s of n = 1024, k = 4, m = 1"
noticed key-17 "least rank correlation, serial"
noticed argmax "the most"
noticed B.1 "largest standard error"
noticed samaga-6 "z of n = 15360, b = 512, k_b = 1"
pass

# The small model: what is said of it; and a loss, two errors and a time that have changed.
small() { python3 tests/figures/key_smollm2_claims.py "$1/key-07-smollm2" >"$folder/out" 2>&1; }
small paper_figures || fail "the small model: $(cat "$folder/out")"
change figures/key-07-smollm2/repetition.csv '/^[^,]*,[^,]*,essay,/s/,96,2,1,contiguous,/&1/'
change figures/key-07-smollm2/sparq-errors.csv '/^192,4,8,contiguous,/s/,0\.0038948,/,0.1,/'
change figures/key-07-smollm2/key-07-smollm2.csv '/^1472,96,96,1,1,inter/s/,1\.57526,/,2,/'
change figures/key-07-smollm2/key-07-smollm2.csv '/^1472,192,96,2,1,inter/s/,4\.2925/,5/'
small "$folder/figures" && fail "the small model: changed numbers are accepted"
for what in "error of interleaved, k = 96, k_b = 1" "perplexity, contiguous" \
    "it is exact" "speed-up of k, k_b = (192, 2)" "page's error of k = 96, k_b = 1" \
    "page's time of k = 192, k_b = 2"; do
    prints "^FAIL: .*$what" <"$folder/out" || fail "not noticed: $what"
done
pass

# Figure 8: even with a line of memory for each of 1659 elements, the lines take .012 us.
awk '/^lines_per_us = / { exit !(1659/$3 < 0.0125 && 1659/$3 > 0.0123) }' \
    model/time/profiles/h100_pcie_graphcore_f16.profile || fail "the time of the lines"
pass

# The row of Figure 2 through the algorithm of the simulation: it keeps 3 of the 4.
python3 - "$folder/row.f32" <<'END'
import struct, sys
sys.path.insert(0, "plots")
from key import EXAMPLE
open(sys.argv[1], "wb").write(struct.pack(f"<{len(EXAMPLE)}f", *EXAMPLE))
END
"$program" simulate --file "$folder/row.f32" --dtype f32 --row 11 --k 4 --b 3 --kb 2 --csv |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "recall_mean") at = i }
             NR == 2 { exit !(at && $at == 0.75) }' || fail "the recall of the row of Figure 2"
pass

# Bad arguments: one line, status 2, nothing on stdout.
refuses() {
    local status=0
    python3 "$@" >"$folder/out" 2>"$folder/err" || status=$?
    [ $status = 2 ] && [ ! -s "$folder/out" ] && [ "$(wc -l <"$folder/err")" = 1 ] ||
        fail "$*: status $status, $(cat "$folder/out" "$folder/err")"
}
refuses plots/key.py
refuses plots/key.py everything runs/keyetal
refuses plots/key.py shapes
refuses plots/key.py example runs/keyetal
refuses plots/key_smollm2.py
refuses plots/exact.py
refuses plots/histogram_note.py everything
refuses plots/samaga.py
refuses plots/pays.py
refuses plots/pays_text.py --write
refuses plots/monte_carlo.py 15360
refuses plots/monte_carlo.py 15360 480 one
pass
finish
