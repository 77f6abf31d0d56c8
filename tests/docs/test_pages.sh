#!/usr/bin/env bash
# README, CONTRIBUTING, CHANGELOG, CITATION.cff and docs/: links lead somewhere, commands run,
# answers and examples are what is printed today, lines fit the page. The checks are in check_*.py.
#
# Against: the command, the library, the header.
#
# Slow: 30 s.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
here=$(dirname "$0")
python=${PYTHON:-/usr/bin/python3}
command -v "$python" >/dev/null || python=python3
command -v "$python" >/dev/null || { echo "SKIPPED: there is no python3"; exit 0; }
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES # of the make that runs this test
# CASES=few leaves out the numbers that take long (check_numbers.py).
CASES=${CASES:-all} PYTHONDONTWRITEBYTECODE=1 exec "$python" "$here/check_pages.py"
