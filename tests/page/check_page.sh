#!/usr/bin/env bash
# check_page.sh - runs the tests of the page in Chromium: all, or those that are named.
#
#   tests/page/check_page.sh [tests/page/check_engine.py ..]
#
# They are not named test_*: make check needs no browser. make check-page builds what they test and
# installs what they need.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- tests/page/check_*.py
JOBS=1 LIMIT_S=300 tests/run.sh "$@"
