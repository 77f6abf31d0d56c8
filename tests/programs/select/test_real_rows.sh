#!/usr/bin/env bash
# The numbers that docs/real-data.md says of real rows are those of the measured files of
# ours-real-rows and ours-resonance. With bad arguments, tools/real_rows.py says what is wrong.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
page=$(tr '\n' ' ' <docs/real-data.md)
says() { grep -qF -- "$1" <<<"$page" || fail "docs/real-data.md does not say '$1'"; }
of() { awk -F, "$1" "paper_figures/ours-$2.csv"; } # an awk program on a file

# reached ROPE COLUMN: how many choices reached their target, "348 of 360"
reached() {
    of 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["rope"] == "'"$1"'" && ("'"$3"'" == "" || $at["layer"] != "vocabulary") {
            all++; if ($at["'"$2"'"] >= $at["target"]) reached++ }
        END { printf "%d of %d", reached, all }' real-rows/choices
}
interleaved=$(reached ignored interleaved "")
contiguous=$(reached ignored contiguous "")
# The logits over the vocabulary of Key et al.: the losses over those of the model.
ratio='NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $1 == "vocabulary" { print $at["loss_measured"]/$at["loss"] }'
losses=$(awk -F, "$ratio" paper_figures/key-04/key-04.csv | sort -g)
[ "$(wc -l <<<"$losses")" = 22 ] || fail "losses of the vocabulary: $losses"
least=$(head -n 1 <<<"$losses" | awk '{ printf "%.2f", $1 }')
most=$(tail -n 1 <<<"$losses" | awk '{ printf "%.1f", $1 }')
least=${least#0}
says "from $least to $most times"
kept=$(awk '$1 <= 1' <<<"$losses" | wc -l)
says "$((22 - kept)) of the 22 lose more"
says "in ${interleaved} cases interleaved"
says "in $contiguous."
[ "$(reached avoided interleaved layers)" = "296 of 300" ] || fail "choices with --rope-theta"
says "296 of the 300 cases of the layers reach their target, where 290 did without"
[ "$(reached ignored interleaved layers)" = "290 of 300" ] || fail "choices of the layers"
pass

# The least and the largest ratio of an assignment at k_b = 4, of layers or of the vocabulary.
ratios() {
    of '$3 == 4 && $5 == "'"$1"'" && ($1 == "vocabulary") == '"$2"' {
            if (!n++ || $10 < least) least = $10
            if ($10 > most) most = $10 }
        END { printf "%.2f to %.2f", least, most }' real-rows/ours-real-rows
}
says "interleaved buckets lose $(ratios interleaved 0) of what the model says on attention logits"
[ "$(ratios interleaved 1)" = "0.96 to 0.99" ] || fail "the vocabulary: $(ratios interleaved 1)"
[ "$(ratios contiguous 0) $(ratios contiguous 1)" = "2.69 to 4.60 2.38 to 3.38" ] ||
    fail "runs: $(ratios contiguous 0), $(ratios contiguous 1)"
says "Contiguous buckets lose 2.4 to 4.6 times"
# Each row of the table of recalls.
for layer in 2 8 15 22 28 vocabulary; do
    says "$(of '$1 == "'$layer'" && $2 == 256 {
            cell[$5 $3] = sprintf("%.3f (%.2f)", $7, $8); gsub(/0\./, ".", cell[$5 $3]) }
        END { printf "| '$layer' | %s | %s | %s | %s |", cell["interleaved1"], cell["interleaved4"],
                     cell["contiguous1"], cell["contiguous4"] }' real-rows/ours-real-rows)"
done
pass

recall_at() { # SERIES B: of the sweep of b
    of '$1 == "b" && $2 == "'"$1"'" && $3 == '"$2"' { printf "%.3f", $6 }' \
        resonance/ours-resonance
}
says "| as it is | $(recall_at "as it is" 9) | $(recall_at "as it is" 10) |"
says "| without RoPE | $(recall_at "without RoPE" 9) | $(recall_at "without RoPE" 10) |"
says "the wavelength 10 | $(recall_at "wavelength 10" 9) | $(recall_at "wavelength 10" 10) |"
says "it says $(recall_at "wave model" 9) at b = 9 and $(recall_at "wave model" 18) at b = 18"
says "where $(recall_at "as it is" 9) and $(recall_at "as it is" 18) were measured"
says "| shuffled alike in all rows | $(recall_at shuffled 9) | $(recall_at shuffled 10) |"
pass

if "$python" -c 'import numpy' 2>/dev/null; then
    "$python" tools/real_rows.py "$folder" >/dev/null 2>"$folder/error" && fail "an empty folder"
    grep -q 'has no DOCUMENT/document.json; see make real-tensors' "$folder/error" ||
        fail "real_rows.py: $(cat "$folder/error")"
    pass
else
    echo "SKIPPED: tools/real_rows.py: there is no NumPy"
fi
finish
