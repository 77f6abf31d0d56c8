#!/usr/bin/env bash
# run_notebook.sh - executes a notebook and writes it as HTML; make notebooks calls it.
#
#   tools/run_notebook.sh notebooks/NAME.ipynb FOLDER
#
# An error in a cell is an error of the command. PYTHON is the interpreter.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
notebook=$1
folder=$2
top=$(realpath "$(dirname "$0")/..")

start=$SECONDS
rm -f "$folder/$(basename "$notebook" .ipynb).html"
export PYTHONPATH=$top/python PYDEVD_DISABLE_FILE_VALIDATION=1
"${PYTHON:-/usr/bin/python3}" -m nbconvert --log-level=ERROR --to html --execute \
    --ExecutePreprocessor.timeout=300 "$notebook" --output-dir "$folder"
printf '  %-8s %s, %s s\n' NOTEBOOK "$notebook" $((SECONDS - start))
