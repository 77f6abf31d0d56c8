#!/usr/bin/env bash
# The tables of docs/real-data.md are those of the measured files of ours-before-rope, and so are
# the numbers of that figure. tools/before_rope.py says what is wrong with its arguments; its
# arithmetic.
#
# Against: the measured files in `paper_figures/ours-before-rope/`, one with a number changed; RoPE
# and shares of variance by hand.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
needs_python

cp docs/real-data.md "$folder/page.md"
"$python" tools/before_rope_tables.py --write "$folder/page.md"
cmp -s "$folder/page.md" docs/real-data.md ||
    fail "tables: $(diff "$folder/page.md" docs/real-data.md)"
measured=paper_figures/ours-before-rope
cp -r "$measured" "$folder/measured"
"$python" tools/before_rope_tables.py --figure "$folder/measured"
cmp -s "$folder/measured/ours-before-rope.csv" "$measured/ours-before-rope.csv" ||
    fail "the figure is another"
pass

page=$(tr '\n' ' ' <docs/real-data.md)
says() { grep -qF -- "$1" <<<"$page" || fail "docs/real-data.md does not say '$1'"; }
spread() { # ORDER BUCKETS COLUMN: a number of spread.csv, with two digits
    awk -F, '$1 == "'"$1"'" && $2 == "'"$2"'" { x = sprintf("%.2g", $'"$3"'); sub(/^0/, "", x)
        print x }' "$measured/spread.csv"
}
as="as it is"
says "is $(spread "$as" after 4) of that of all, before RoPE $(spread "$as" before 4) ("
says "logits $(spread "$as" after 5) lies between buckets after RoPE, $(spread "$as" before 5) "
says "between those before it, and $(spread "$as" after 6) between 128 runs"
says "still loses $(awk -F, '/^content at other places,0.05,/ { printf "%.2g", $7 }' \
    "$measured/turned.csv") times as much"
part=$(awk -F, '$1 == "real" { if (!n++ || $3 < least) least = $3; if ($3 > most) most = $3 }
    END { x = sprintf("%.2f to %.2f", least, most); gsub(/0\./, ".", x); print x }' \
    "$measured/position.csv")
says "where its layers have $part."
pass

# A number that has changed is found.
sed -i '2s/,0\.05,[0-9.]*,/,0.05,0.7777,/' "$folder/measured/transfer.csv"
"$python" tools/before_rope_tables.py --write "$folder/page.md" "$folder/measured"
grep -q '| own | \.78 |' "$folder/page.md" || fail "a number that has changed is not found"
rejects "has no length.csv" "$python" tools/before_rope_tables.py "$folder"
pass

if "$python" -c 'import numpy' 2>/dev/null; then
    rejects "there is no part 'lenght'; there are length" "$python" tools/before_rope.py x lenght
    rejects "has no bash-manual/layer-15/keys.npy; see make" \
        "$python" tools/before_rope.py "$folder" -o "$folder" partition
    RECALLMODEL=$program "$python" - <<'END' || fail "functions of before_rope.py; see above"
import sys
sys.path.insert(0, "tools")
import math
import numpy
from before_rope_cases import at_share, between, mean_and_error, rotate, share_between, times

rows = [{"visited": v, "error": e} for v, e in ((0, 9), (0.02, 0.4), (0.08, 0.1), (0.3, 0))]
assert math.isclose(at_share(rows, "error", 0.04), math.log(0.2))
assert at_share(rows, "error", 0.1) is None and at_share(rows, "error", 0.01) is None
mean, error, count = mean_and_error([[1, 3], [4], []])
assert (mean, count) == (3, 2) and math.isclose(error, 1)
assert between(numpy.array([0, 0, 1, 1]), numpy.array([1.0, 3, 5, 7])) == 0.8
# RoPE: products depend on the distance alone; theta 1e4, 4 components, by hand.
x = numpy.array([[[1.0, 2, 3, 4]]])
turned = rotate(x, numpy.array([2.0]), 1e4)[0, 0]
want = [math.cos(2) - 3 * math.sin(2), 2 * math.cos(.02) - 4 * math.sin(.02),
        3 * math.cos(2) + math.sin(2), 4 * math.cos(.02) + 2 * math.sin(.02)]
assert numpy.allclose(turned, want)
half = rotate(x, numpy.array([2.0]), 1e4, slice(0, 1))[0, 0]
assert numpy.allclose(half, [want[0], 2, want[2], 4])
# Logits that follow the position alone are all told by times; those of chance by 128 / count.
n = 1 + 128 + 4 + 12800
keys = numpy.zeros((1, n, 2))
keys[0, 1:-132, 0] = numpy.repeat(numpy.random.default_rng(1).standard_normal(128), 100)
queries = numpy.array([[[1.0, 0]] * 4])
assert share_between(keys, queries, times(keys, queries)) > 1 - 1e-9
keys[0, :, 0] = numpy.random.default_rng(2).standard_normal(n)
assert 0.005 < share_between(keys, queries, times(keys, queries)) < 0.015
END
    pass
else
    echo "SKIPPED: tools/before_rope.py: there is no NumPy"
fi
finish
