#!/usr/bin/env bash
# The command under valgrind, with few questions: no error and no leak, also where it rejects the
# arguments.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "valgrind does not run with the sanitizers"
command -v valgrind >/dev/null || skip "valgrind is not installed"
check() { # expected status, arguments ..
    local want=$1 status=0
    shift
    valgrind -q --suppressions=tests/programs/valgrind.supp --leak-check=full \
        --show-leak-kinds=all --errors-for-leak-kinds=all --error-exitcode=99 \
        "$program" "$@" >/dev/null 2>"$folder/log" || status=$?
    [ "$status" = "$want" ] ||
        fail "recallmodel $*: status $status, want $want"$'\n'"$(cat "$folder/log")"
    pass
}
check 0 --n 262144 --k 1024 --kb 4
check 2 --n 10 --k 20 --json
if [ "${CASES:-}" = few ]; then finish; fi
check 0 --n 2^20 --k 2048,4096 --device H200 --json
check 0 --n 1000 --k 10 --valid 500 --assignment contiguous --divisors --csv
check 0 ranks --n 2^20 --k 512
check 0 bounds --n 2^20 --k 512 --recall 0.5:0.1:0.9
check 0 cost --n 100 --k 10 --json
check 0 devices --json
check 0 --n 2^52 --k 2^50 --kb 2^30 --b 2^20..1048580
check 0 --help
check 0 simulate --n 1000 --k 50 --kb 1,3 --repetitions 20 --json --ranks 1,50 --threads 1
check 0 simulate --n 300 --k 50 --kb 1,3 --input ar1 --rho 0:0.3:0.9 --shuffle none,row,once \
    --repetitions 5 --threads 1 --temperature 1
check 0 simulate --file tests/fuzz/seeds/fuzz_number/0 --dtype f16 --row 3 --k 2 --kb 1,2 \
    --recall 0.5 --csv --threads 1
check 0 count --n 256 --k 16 --input ties --json
check 0 simulate --file tests/golden/groups.npy --k 8 --b 4 --kb 2 --threads 1 --json \
    --groups tests/golden/groups.labels --recall 0.5
check 2 simulate --file tests/fuzz/seeds/fuzz_npy/0 --k 2
check 2 simulate --n 1000 --k 50 --input fiel
check 2 --n 262144 --k 1024 --kb 4,,
check 2 --n 262144 --k 1024 --kb 4096 --b 1,2,3
check 2 --n 10 --k 2 --device ./nowhere
# this machine, with what was measured on it
export XDG_CONFIG_HOME=$folder
"$program" tune --n 300 --k 5 --seconds 0.5 >/dev/null
check 0 select --n 300 --k 5 --device this,H200,this --m 1,2
check 0 predict --n 300 --k 5 --b 20 --kb 1 --device this
check 2 predict --n 300 --k 5 --b 20 --kb 1 --device H200 --carry-to this
check 2 select --n 10 --k 20 --device this
finish
