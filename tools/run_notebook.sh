#!/usr/bin/env bash
# run_notebook.sh - executes a notebook and writes it as HTML; make notebooks calls it.
#
#   tools/run_notebook.sh notebooks/NAME.ipynb FOLDER
#
# An error in a cell is an error of the command. PAPER_DATA=DIR is the folder of published runs;
# PAPER_DATA=none is without them. If it is not set, ../shared/paper-data is used where it exists.
# PYTHON is the interpreter.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
notebook=$1
folder=$2
top=$(realpath "$(dirname "$0")/..")
data=${PAPER_DATA:-}
if [ "$data" ] && [ "$data" != none ] && [ ! -d "$data" ]; then
    echo "PAPER_DATA: $data is not a folder; give one with published CSV files, or PAPER_DATA=none"
    exit 2
fi

start=$SECONDS
rm -f "$folder/$(basename "$notebook" .ipynb).html"
PAPER_DATA=$(realpath -m "${data:-../shared/paper-data}")
export PAPER_DATA PYTHONPATH=$top/python PYDEVD_DISABLE_FILE_VALIDATION=1
"${PYTHON:-/usr/bin/python3}" -m nbconvert --log-level=ERROR --to html --execute \
    --ExecutePreprocessor.timeout=300 "$notebook" --output-dir "$folder"
printf '  %-8s %s, %s s\n' NOTEBOOK "$notebook" $((SECONDS - start))
