#!/usr/bin/env bash
# `simulate --input rope` and `select --rope-theta`: the names in JSON and CSV, threads, checkpoint;
# and nothing changes where there is no RoPE.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"

rows=(simulate --input rope --n 1000 --k 20 --b 9,10 --kb 3 --rope-theta 1e5 --head-dim 64
    --repetitions 40)

# The result does not depend on the threads; another seed is another head.
"$program" "${rows[@]}" --threads 1 --csv >"$folder/one"
"$program" "${rows[@]}" --threads 3 --csv >"$folder/three"
cmp -s "$folder/one" "$folder/three" || fail "one thread and three differ"
"$program" "${rows[@]}" --seed 2 --csv >"$folder/other"
cmp -s <(cut -d, -f20- "$folder/one") <(cut -d, -f20- "$folder/other") &&
    fail "the seed is not used"
for column in rope_theta head_dim rope_share wave_recall; do
    sed -n 1p "$folder/one" | prints ",$column," || fail "no column $column"
done
pass

# A checkpoint of one theta is not continued with another.
"$program" "${rows[@]}" --checkpoint "$folder/state" --csv >"$folder/whole"
cmp -s "$folder/one" "$folder/whole" || fail "a checkpoint changes the result"
grep -q '^rope 100000 head_dim 64 share 0.15 spread 1.1$' "$folder/state" ||
    fail "the checkpoint does not say which rows: $(grep -a rope "$folder/state")"
rejects "another simulation" "$program" "${rows[@]}" --rope-share 0.5 --checkpoint "$folder/state"
"$program" simulate --input iid --n 100 --k 5 --checkpoint "$folder/iid" >/dev/null
grep -q '^rope' "$folder/iid" && fail "a checkpoint of other rows speaks of RoPE"
pass

# JSON. The shares of the pairs add up to the share of all.
"$program" "${rows[@]}" --json >"$folder/json"
awk '/"share":/ { sub(",", "", $2); sum += $2; pairs++ }
    END { exit !(pairs == 32 && sum > 0.1499999 && sum < 0.1500001) }' "$folder/json" ||
    fail "the shares of the pairs"
question=(select --n 8192 --k 128 --kb-max 16)
"$program" "${question[@]}" --rope-theta 1e5 --head-dim 64 --json >"$folder/json"
tr -d ' \n' <"$folder/json" >"$folder/line"
grep -q '"rope":{"rope_theta":100000.0,"head_dim":64,"choice":{"resonates":false,' "$folder/line" ||
    fail "the JSON of select: $(cat "$folder/json")"
grep -q '"avoided":{"resonates":true,.*"multiple":1,"pair":1,"b":9,"k_b":16}' "$folder/line" ||
    fail "what select avoided: $(cat "$folder/json")"
pass

# Where the top-k lie in a short stretch, more b resonate: 10, which was the choice, too.
"$program" "${question[@]}" --rope-theta 1e5 --head-dim 64 --rope-stretch 64 --json \
    >"$folder/json"
tr -d ' \n' <"$folder/json" >"$folder/stretch"
grep -q '"stretch":64,"choice":{"resonates":false,' "$folder/stretch" ||
    fail "the stretch in JSON: $(cat "$folder/json")"
"$program" "${question[@]}" --rope-theta 1e5 --head-dim 64 | sed -n 2p | prints "b = 10," ||
    fail "b without a stretch"
"$program" "${question[@]}" --rope-theta 1e5 --head-dim 64 --rope-stretch 64 | sed -n 2p |
    prints "b = 10," && fail "the stretch is not used"
"$program" select --n 8192 --k 64 --rope-theta 1e5 --head-dim 64 --rope-stretch 16 |
    prints "no bucket has two elements" || fail "b above the stretch"
rejects "--rope-stretch needs --rope-theta" "$program" "${question[@]}" --rope-stretch 64
pass

# Without the option nothing is said of it, and where nothing resonates the choice is the same.
"$program" "${question[@]}" --json | prints rope && fail "JSON speaks of RoPE"
"$program" "${question[@]}" --csv | prints rope && fail "CSV speaks of RoPE"
"$program" "${question[@]}" --csv >"$folder/without"
"$program" "${question[@]}" --rope-theta 1e9 --head-dim 2 --csv >"$folder/with" # 6.28 alone
cmp -s "$folder/without" <(cut -d, -f1-16 "$folder/with") || fail "the choice changed without need"
pass
finish
