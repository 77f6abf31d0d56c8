#!/usr/bin/env bash
# `recallmodel sparse`: bad input, full disks, closed pipes.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/programs/attention/sparse.sh

# Bad input: one line that names the option.
refuse "--queries is missing" --keys $small/keys.npy
refuse "--keys is missing" --queries $small/queries.npy
refuse "--keys nowhere.npy cannot be opened" --queries $small/queries.npy --keys nowhere.npy
refuse "--values has 2 files, and --keys has 1" "${of_small[@]:0:4}" \
    --values $small/values.npy,$small/values.npy
refuse "has an empty path" --queries a.npy,, --keys b.npy
refuse "--values $small/queries.npy has 4 heads, and --keys $small/keys.npy has 2" \
    "${of_small[@]:0:4}" --values $small/queries.npy
refuse "--queries $small/values.npy has 4 components in its last axis" \
    --queries $small/values.npy --keys $small/keys.npy
refuse "2 heads, which is not a multiple of the 4" --queries $small/keys.npy \
    --keys $small/queries.npy
refuse "--last 9 is more than the 8 queries" "${of_small[@]}" --last 9
refuse "--sink 1 and --window 255 cover all of the 256 keys" "${of_small[@]:0:6}" --window 255
refuse "--budget '0' is outside (0, 1]" "${of_small[@]}" --budget 0
refuse "--budget '1.5' is outside (0, 1]" "${of_small[@]}" --budget 1.5
refuse "--method 'frob' is not known; give one of full, streaming, random, topk" \
    "${of_small[@]}" --method topk,frob
refuse "--keys-unroped is given without --queries-unroped; give both, or --rope-theta" \
    "${of_small[@]}" --keys-unroped $small/keys.npy
refuse "--queries-unroped is given without --keys-unroped; give both, or --rope-theta" \
    "${of_small[@]}" --queries-unroped $small/queries.npy
refuse "--layers 'a' is not a list of layers" "${of_small[@]}" --layers a
refuse "--layers has 2 numbers, and the files have 1 layers" "${of_small[@]}" --layers 3,4
refuse "--rope-scaling needs --rope-theta; give both" \
    "${of_small[@]}" --rope-scaling linear:4
refuse "--rope-scaling 'yarn:4' is not known" "${of_small[@]}" --rope-theta 1e4 \
    --rope-scaling yarn:4
refuse "--rope-theta '1' is not above 1" "${of_small[@]}" --rope-theta 1
refuse "RoPE is scaled by a factor that is below 1" "${of_small[@]}" --rope-theta 1e4 \
    --rope-scaling linear:0.5
refuse "--dtype 'f32' is not known" "${of_small[@]}" --dtype f32
refuse "--threads 5000 is too many" "${of_small[@]}" --threads 5000
refuse "--element-bytes 17 is outside [1, 16]" "${of_small[@]}" --element-bytes 17
refuse "--components is" "${of_small[@]}" --components 9 --method sparq


# Readers that go away, and full disks.
many=("${of_small[@]}" --method topk --budget 0.003:0.003:0.999 --per-head)
for format in "" --json --csv; do
    status=0
    sparse "${of_small[@]}" --method topk $format >/dev/full 2>"$folder/err" || status=$?
    [ $status = 1 ] && prints "could not be written: No space left" <"$folder/err" ||
        fail "a full disk, $format: status $status"
    (status=$("$program" sparse "${many[@]}" $format \
         2>"$folder/err" | {
         read -r _ || true
         exec <&-
         sleep 0.1
     }; echo "${PIPESTATUS[0]}")
     [ "$status" = 141 ] || fail "a closed pipe, $format: status $status")
    [ ! -s "$folder/err" ] || fail "a closed pipe, $format: $(cat "$folder/err")"
    pass
done
finish
