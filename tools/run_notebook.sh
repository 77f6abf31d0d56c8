#!/usr/bin/env bash
# run_notebook.sh - executes a notebook and writes it, with its outputs, as HTML and as .ipynb; make
# notebooks calls it.
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
executed=$folder/$(basename "$notebook")
rm -f "${executed%.ipynb}.html" "$executed"
export PYTHONPATH=$top/python PYDEVD_DISABLE_FILE_VALIDATION=1
convert=("${PYTHON:-/usr/bin/python3}" -m nbconvert --log-level=ERROR --output-dir "$folder")
"${convert[@]}" --to notebook --execute --ExecutePreprocessor.timeout=300 "$notebook" \
    --output "$(basename "$notebook")"
"${convert[@]}" --to html "$executed"
printf '  %-8s %s, %s s\n' NOTEBOOK "$notebook" $((SECONDS - start))
