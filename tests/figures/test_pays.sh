#!/usr/bin/env bash
# ours-pays and ours-winners: numbers, captions and the pages, computed again from the runs.
#
# The gains of `ours-pays`, who wins in `ours-winners`, their captions and what `runs.md` and
# `choosing.md` say of them; the card that FlashInfer does not state; what a top-k before top-p
# saves; the launches of `select`.
# Against: the runs and the rates of the devices, joined by other code; the recall and the least
# bound of samples, by the command; a number changed.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
needs_python
export RECALLMODEL=$program PYTHONDONTWRITEBYTECODE=1

"$python" tests/figures/pays_claims.py paper_figures docs || fail "see above"
pass

# The pages have the sentences of today's figures.
cp docs/runs.md docs/choosing.md "$folder"
"$python" plots/pays_text.py --write "$folder/runs.md" "$folder/choosing.md"
for page in runs choosing; do
    cmp -s "docs/$page.md" "$folder/$page.md" ||
        fail "docs/$page.md: run plots/pays_text.py --write docs/runs.md docs/choosing.md"
done
pass

# A number that has changed is found: in a figure, in a page, in a caption.
# finds WHAT FILE FROM TO: with FROM replaced in the file the checks fail.
finds() {
    rm -rf "$folder/figures" "$folder/docs"
    mkdir "$folder/figures" "$folder/docs"
    cp -r paper_figures/ours-pays paper_figures/ours-winners "$folder/figures"
    cp docs/runs.md docs/choosing.md "$folder/docs"
    sed -i "s/$3/$4/" "$folder/$2"
    cmp -s "$folder/$2" "${2/figures/paper_figures}" && fail "$1: there is nothing to change"
    "$python" tests/figures/pays_claims.py "$folder/figures" "$folder/docs" quick \
        >"$folder/out" 2>&1 &&
        fail "$1: not found"
    pass
}
finds "a gain" figures/ours-pays/ours-pays.csv ',16\.20079653,' ',16.30079653,'
finds "a share" docs/runs.md 'the median: 16 %' 'the median: 17 %'
finds "a caption" figures/ours-pays/ours-pays.txt '16 % of the most' '17 % of the most'
finds "a winner" figures/ours-winners/ours-winners.csv ',gvr_v2,3\.4495,' ',hpc_ops_fp32,3.4495,'
finds "a lead" figures/ours-winners/ours-winners.csv ',2\.53833$' ',2.63833'
finds "a count" figures/ours-winners/ours-winners.txt 'in 43 of 49' 'in 44 of 49'
finish
