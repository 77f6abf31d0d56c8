#!/usr/bin/env bash
# README, CONTRIBUTING, CHANGELOG, CITATION.cff and docs/: links lead somewhere, commands run,
# answers and examples are what is printed today, lines fit the page. The checks are in check_*.py.
#
# Against: the command, the library, the header.
#
# Slow: 30 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "what the pages run is run by other tests"
needs_python
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES # of the make that runs this test
# CASES=few leaves out the numbers that take long (check_numbers.py).
CASES=${CASES:-all} PYTHONDONTWRITEBYTECODE=1 "$python" tests/docs/check_pages.py
