#!/usr/bin/env bash
# Every text that a command reads, with a byte order mark and with CR LF: the answer is the same.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"

# alike FILE COMMAND ..: TEXT in the command stands for the file.
alike() {
    local file=$1 text
    shift
    for text in plain mark crlf both; do
        case $text in
        plain) cat "$file" ;;
        mark) printf '\357\273\277' && cat "$file" ;;
        crlf) sed 's/$/\r/' "$file" ;;
        both) printf '\357\273\277' && sed 's/$/\r/' "$file" ;;
        esac >"$folder/text.${file##*.}"
        "$program" "${@/TEXT/$folder/text.${file##*.}}" >"$folder/$text" 2>&1 ||
            fail "$text $file: $(cat "$folder/$text")"
        same "$folder/plain" "$folder/$text" "$text $file"
    done
    pass
}

printf '100\n80\n80\n' >"$folder/sizes.txt"
alike "$folder/sizes.txt" parts --sizes TEXT --k 10 --send 5 --csv
alike tests/golden/groups.labels simulate --file tests/golden/groups.npy --k 8 --b 4 --kb 2 \
    --groups TEXT --json
alike model/time/profiles/h100_pcie_graphcore_f16.profile devices --device TEXT
head -n 50 runs/keyetal/two-stage.csv >"$folder/runs.csv"
alike "$folder/runs.csv" predict --device h100-pcie --runs TEXT
finish
