#!/usr/bin/env bash
# predict, exact top-k of rows that take less if they are padded: what it prints.
#
# Against: the prediction at the length that they are padded to: tests/python/test_padded.py.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"

"$program" predict --device h100-pcie --n 320 --k 8 --m 4096 |
    prints '^Exact top-k of the whole rows: 54.*, padded to 400\.$' || fail "text of both stages"
"$program" predict --device torch_topk_h100_pcie --n 320 --k 16 --m 8192 |
    prints '^Rows padded to 400 elements take less' || fail "text of an exact kernel"
shapes="n,k,m
320,16,8192
400,16,8192"
"$program" predict --device torch_topk_h100_pcie --runs /dev/stdin --csv <<<"$shapes" |
    awk -F, 'NR > 1 { us[NR] = $4 } END { exit !(us[3] > 0 && us[2] > 5 * us[3]) }' ||
    fail "--runs compares with calls that were not padded"
pass
