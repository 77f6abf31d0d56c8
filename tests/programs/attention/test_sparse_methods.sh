#!/usr/bin/env bash
# `recallmodel sparse`: the options of the methods reach them, and bad ones are refused.
#
# Against: the answer without the option.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
small=tests/programs/attention/sparse
tensors="--queries $small/queries.npy --keys $small/keys.npy --values $small/values.npy"
read -ra of_small <<<"$tensors --window 16 --k 16 --budget 0.2 --threads 1 --clusters 8"
sparse() { "$program" sparse "${of_small[@]}" "$@"; }
refuse() { # text of the line, arguments ..
    rejects "$1" "$program" sparse "${of_small[@]}" "${@:2}"
    pass
}
column() { # name, arguments ..: that column of the only row
    sparse --csv "${@:2}" |
        awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) at = i }
            NR == 2 { print $at }'
}
differ() { # column, method, option ..: the option changes the column
    [ "$(column "$1" --method "$2")" != "$(column "$1" --method "$2" "${@:3}")" ] ||
        fail "${*:3} changes no $1 of $2"
    pass
}
equal() { # column, method, option ..
    [ "$(column "$1" --method "$2")" = "$(column "$1" --method "$2" "${@:3}")" ] ||
        fail "${*:3} changes the $1 of $2"
    pass
}

differ error sparq --mean-value
equal recall sparq --mean-value
differ bytes_read sparq --components 3
differ error bucketed --kb 4
differ error bucketed --ratio 2
differ error sparq-bucketed --ratio 2
differ error kmeans --iterations 1
differ error kmeans --spherical
differ error full --int8-keys
differ bytes_read quest --int8-keys
differ bytes_read kmeans-topk --inside 0.2
differ bytes_read quest --page 5
differ error blocks --block-factor 0.05
differ error blocks --block 32
differ bytes_read hisa --block 32
differ error hisa --block-factor 1
differ bytes_read lsh-gray --chunk 5
differ bytes_read lsh-magicpig --bits 4
differ bytes_read lsh-magicpig --tables 10
[ "$(column error --method blocks --block-factor 1)" = "$(column error --method topk)" ] ||
    fail "blocks that open a block for each key are not exact"
pass

# 51 keys of 239: with five times as many candidates all are candidates.
for assignment in interleaved contiguous; do
    buckets="--method sparq-bucketed --kb 4 --assignment $assignment"
    [ "$(column error $buckets --ratio 5)" = "$(column error --method sparq)" ] ||
        fail "$assignment buckets that keep all keys are not exact"
    [ "$(column error $buckets --ratio 2)" != "$(column error $buckets)" ] ||
        fail "--ratio changes nothing for $assignment buckets"
    pass
done

# Where the budget is less than a key, the dense part is corrected all the same.
read -ra of_small <<<"$tensors --window 16 --k 16 --budget 0.001 --threads 1"
[ "$(column visited --method sparq)" = 0 ] || fail "a key is visited"
differ error sparq --mean-value
equal error sparq --components 3
equal visited sparq --mean-value
read -ra of_small <<<"$tensors --window 16 --k 16 --budget 0.2 --threads 1"

refuse "--inside 1.5 is outside (0, 1]" --method kmeans-topk --inside 1.5
refuse "--time measures float32 keys" --method topk --int8-keys --time warm
refuse "--bits 33 is outside [1, 32]" --method lsh-gray --bits 33
refuse "--ratio" --method sparq-bucketed --ratio 0
refuse "--tables is below 2" --method lsh-magicpig --tables 1
refuse "--components is more than those of a key" --method sparq --components 1000
refuse "--block-factor 'x' is not a number" --method blocks --block-factor x
refuse "--method lsh-argmax-query needs the queries of all" --method lsh-argmax-query --last 2

# It is not among the methods that are taken by default.
sparse --csv --last 2 >"$folder/out" 2>"$folder/err"
[ ! -s "$folder/err" ] && prints ^lsh-argmax, <"$folder/out" || fail "$(sed -n 1,3p "$folder/err")"
! prints ^lsh-argmax-query <"$folder/out" || fail "lsh-argmax-query is a default"
pass
finish
