#!/usr/bin/env bash
# Quantiles that the distribution of a row does not resolve, and distributions that are too wide to
# compute: the command prints "-" or null at once, and one line that says why.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
says() { # text that must be printed, arguments ..
    local want=$1 out
    shift
    out=$("$program" "$@")
    grep -qF -- "$want" <<<"$(tr '\n' ' ' <<<"$out")" ||
        fail "recallmodel $*: does not say: $want"$'\n'"$out"
    pass
}
shape=(--n 1000 --k 100 --b 50 --kb 2)
right="-: the distribution of the recall is accurate to 1e-12, which says nothing about"
says "$right a share of 1e-18" "${shape[@]}" --quantile .000000000000000001
says "all but 1e-18 of rows reach" "${shape[@]}" --quantile .000000000000000001
says '"recall_quantile": null' "${shape[@]}" --quantile .000000000000000001 --json
says '"recall_quantile": null' "${shape[@]}" --quantile .0000000000001 --json
says '"recall_quantile": 0.' "${shape[@]}" --quantile .00000000001 --json
says "$right 2000000000 rows at once" "${shape[@]}" --m 2e9 --quantile .05
says '"recall_quantile_all": null' "${shape[@]}" --m 2e9 --quantile .05 --json
large=(--n 2^50 --k 2^40 --b 4 --kb 2^38)
wide="-: not computed, because the distribution of the recall is too wide or would take"
start=$(date +%s)
says "$wide" "${large[@]}" --quantile .05
says "$wide" "${large[@]}" --at-least .5
[ $(($(date +%s) - start)) -le 10 ] || fail "these answers take more than 10 s"
says 'quantile' --n 58282360289 --k 420156 --b 2 --kb 210126 --quantile 0.05
says '"recall_quantile": 0.99' --n 58282360289 --k 420156 --b 2 --kb 210126 --quantile 0.05 --json
finish
