#!/usr/bin/env bash
# The figures of SAAP: the numbers in their captions are those of their CSV files, and
# tools/saap_figures.py says what is wrong with its arguments.
#
# Against: the CSV files of the figures; a number that was changed.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
needs_python

"$python" tests/figures/saap_captions.py paper_figures || fail "captions; see above"
pass

# It finds a number that has changed.
cp -r paper_figures/saap-* paper_figures/ours-sparse "$folder"
sed -i 's/,11\.325,/,12.325,/' "$folder/saap-02/saap-02.csv"
"$python" tests/figures/saap_captions.py "$folder" >"$folder/out" &&
    fail "saap_captions.py does not find a number that has changed"
grep -q "does not say 'few buckets after it (imbalance 5.8 to 12.3)" "$folder/out" ||
    fail "saap_captions.py: $(cat "$folder/out")"
pass

if "$python" -c 'import numpy' 2>/dev/null; then
    mkdir "$folder/tensors"
    rejects "has no bash-manual/document.json; see make real-tensors" \
        "$python" tools/saap_figures.py "$folder/tensors" -o "$folder/into"
    rejects "there is no part '4'; there are 1 2 3 5" \
        "$python" tools/saap_figures.py "$folder/tensors" 4
    pass
else
    echo "SKIPPED: tools/saap_figures.py: there is no NumPy"
fi
finish
