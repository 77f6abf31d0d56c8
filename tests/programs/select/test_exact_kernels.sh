#!/usr/bin/env bash
# Kernels of exact top-k alone in the command: calibrate makes the profiles that ship, predict and
# devices show them, select takes one as its contender and names it; what does not go together is an
# error; the caption of the figure ours-exact says what its numbers say.
#
# SPDX-License-Identifier: Apache-2.0
# shellcheck source=tests/shell.sh
source "$(dirname "$0")/../../shell.sh"

# The values of a profile, without its date: "key value" with six digits.
values() {
    awk -F'[ =]+' '/^(launch|row|rows|roof|long|median|p95|held_out|n_|k_|m_|exact_count)/ {
        printf "%s %.6g\n", $1, $2 }' "$1"
}

# calibrate makes three of the profiles again
PROGRAM=$program PROFILES=$folder tools/exact_profiles.sh gvr_v2_b200 deepselect_b200 \
    flashinfer_multi_cta_a100 >"$folder/said"
for name in gvr_v2_b200 deepselect_b200 flashinfer_multi_cta_a100; do
    diff <(values "model/time/profiles/exact/$name.profile") <(values "$folder/$name.profile") ||
        fail "$name is another one"
done
prints '^gvr_v2_b200: 36 runs; fit 3.5 and 12.7 %; n left out 8.2 and 29.9 %; k left out 5.1 ' \
    <"$folder/said" || fail "what exact_profiles.sh says"
prints 'k left out not tried' <"$folder/said" || fail "one k, none left out"
pass

# predict: by the beginning of a name, and by a file; k = n selects nothing
question=(--n 65536 --k 512 --m 64)
one=$("$program" predict --device gvr "${question[@]}" --csv)
two=$("$program" predict --device "$folder/gvr_v2_b200.profile" "${question[@]}" --csv)
columns=n,k,m,valid,assignment,exact_us,low_us,high_us,way,within_runs,beyond,padded_n
[ "$(sed -n 1p <<<"$one")" = "$columns" ] || fail "columns of predict"
same=$(paste -d, <(sed -n 2p <<<"$one") <(sed -n 2p <<<"$two") |
    awk -F, '{ print ($6 / $18 - 1 < 1e-5 && $18 / $6 - 1 < 1e-5) }')
[ "$same" = 1 ] || fail "predict by a name and by a file: $one $two"
[ "$("$program" predict --device gvr --n 4096 --k 4096 --csv | sed -n 2p)" = \
    "4096,4096,1,4096,interleaved,,,,,false,," ] || fail "predict of k = n"
"$program" devices | prints '^ *B200 *gvr_v2_b200 .* 0.77 to 1.12' || fail "devices"
rejects "has no stage 1" "$program" predict --device gvr --n 4096 --k 64 --b 128
rejects "gvr_v2_b200 is for f32; leave --dtype out" \
    "$program" predict --device gvr --n 4096 --k 64 --dtype f16
pass

# select: its time is that of exact top-k, and is named
question=(--n 131072 --k 1024 --m 64 --device b200)
us=$("$program" predict --device gvr --n 131072 --k 1024 --m 64 --csv | sed -n 2p | cut -d, -f6)
answer=$("$program" select "${question[@]}" --exact-kernel gvr_v2 --json)
python3 - "$us" "$answer" <<'PYTHON' || fail "select --json"
import json
import sys
us, answer = float(sys.argv[1]), json.loads(sys.argv[2])
kernel = answer["contenders"][0]
assert answer["exact_objective"] == kernel["time_us"] == us
assert kernel["profile"] == "gvr_v2_b200" and kernel["card"] == "B200"
assert not kernel["carried"] and not kernel["at_most"]
assert kernel["low_us"] < us < kernel["high_us"]
assert answer["headline"].startswith("Use exact top-k, gvr_2: "), answer["headline"]
assert answer["cause"] == "too_close" and answer["verdict"] == "exact"
assert answer["over_exact"] == answer["choice"]["objective"] / us
# it is compared with alone, and who names it can call it
exact = [one for one in answer["contenders"] if one["kind"] == "exact"]
assert [one["profile"] for one in exact] == ["gvr_v2_b200"] and exact[0] == answer["contenders"][0]
assert exact[0]["callable"] and exact[0]["package"] is None and exact[0]["time_us"] == us
assert not exact[0]["carried"] and exact[0]["card"] == "B200" and exact[0]["loses"] == 0
assert (exact[0]["low_us"], exact[0]["high_us"]) == (kernel["low_us"], kernel["high_us"])
assert answer["verdict"] == answer["deploy"] == "exact"
assert answer["headline"].startswith("Use exact top-k, gvr_2: about 10.8 us, ")
PYTHON
text=$("$program" select "${question[@]}" --exact-kernel gvr_v2)
prints '^\* exact, gvr_2  *10.8 us  *8.34 to 12.1 us  *0  *B200' <<<"$text" ||
    fail "select in words: $text"
[ "$(grep -c '^[* ] exact, ' <<<"$text")" = 1 ] || fail "compared with others, too: $text"
"$program" select "${question[@]}" --exact-kernel gvr_v2 --csv | prints ',gvr_v2_b200,' ||
    fail "select --csv"
"$program" select --n 2^22 --k 1024 --device b200 --exact-kernel gvr --verbose | tr -s ' \n' ' ' |
    prints 'beyond its runs in n' || fail "beyond the runs"
# runs to 262127 answer for 2^18
"$program" predict --device gvr --n 2^18 --k 1024 --csv | prints ',true,,$' || fail "n of 1e-4 more"
# the same as the measured time of the same value
measured=$("$program" select "${question[@]}" --exact-us "$us" --csv | sed -n 2p | cut -d, -f14)
[ "$measured" = "$("$program" select "${question[@]}" --exact-kernel gvr --csv | sed -n 2p |
    cut -d, -f14)" ] || fail "--exact-us of the same time"
# a profile of the caller's own, and one with a stage 1, which has an exact top-k, too
"$program" select "${question[@]}" --exact-kernel "$folder/gvr_v2_b200.profile" --csv |
    prints ',gvr_v2_b200,' || fail "--exact-kernel FILE"
pass

rejects "leave one of them out" "$program" select "${question[@]}" --exact-kernel gvr --exact-us 4
rejects "--exact-kernel needs --device" "$program" select --n 4096 --k 64 --exact-kernel gvr
rejects "leave --objective out" "$program" select "${question[@]}" --exact-kernel gvr \
    --objective candidates
rejects "may mean flashinfer_0_6_14_b200, " "$program" select "${question[@]}" \
    --exact-kernel flashinfer
rejects "is not known; give one of aiter_mi355x, " "$program" select "${question[@]}" \
    --exact-kernel nothing
rejects "did you mean gvr_v2_b200?" "$program" select "${question[@]}" --exact-kernel grv_v2_b200
# The profile of a file: what runs on the card that it names competes.
contenders_of() {
    "$program" select --n 131072 --k 2048 --m 8 --dtype f32 --device "$1" --json --brief |
        python3 -c 'import json, sys
answer = json.load(sys.stdin)
print(answer["verdict"], *(one["name"] for one in answer["contenders"]), sep=",")'
}
known=$(contenders_of h200)
[[ $known == exact,recallmodel,*torch.topk* ]] || fail "$known"
for card in "name = H200" "name = mine\ncard = NVIDIA H200" "name = NVIDIA H200" "name = mine"; do
    sed "s/^name = .*/$card/" model/time/profiles/h200_ours_f32.profile >"$folder/own.profile"
    got=$(contenders_of "$folder/own.profile")
    [[ $card == "name = mine" || $got == "$known" ]] || fail "$card: $got"
done
[[ $got == buckets,* && $got != *torch.topk* ]] || fail "of no card: $got"
pass
rejects "did you mean H100-SXM?" "$program" select --n 4096 --k 64 --device H100-SMX
rejects "k = n selects nothing" "$program" select --n 4096 --k 4096 --device b200 \
    --exact-kernel gvr
rejects "has no stage 1" "$program" select --n 4096 --k 64 --device gvr
rejects "only finds the exact top-k" "$program" select --n 4096 --k 64 --kernel exact
rejects "no row has the kernel 'nothing'" "$program" calibrate runs/trtllm/exact-b200.csv \
    --kernel exact --runs-kernel nothing
rejects "only finds the exact top-k" "$program" calibrate runs/keyetal/two-stage.csv \
    --kernel exact --dtype f16
rejects "only finds the exact top-k" "$program" calibrate --plan --kernel exact-once
rejects "exclude each other" "$program" calibrate trtllm/exact-b200 --kernel exact \
    --runs-kernel gvr_v2 --no-held-out --cross-validate
rejects "--no-held-out leaves out what" "$program" calibrate trtllm/exact-b200 --kernel exact \
    --runs-kernel gvr_v2 --no-held-out --json
pass

# the table of a bound counts the launch, as its headline does; CSV has the bound alone
question=(--n 8192 --k 512 --recall 0.95 --device b200 --exact-kernel gvr --dtype f32
    --objective roofline)
"$program" select "${question[@]}" --verbose | prints '^\* .* 1.51 us  *1.0x  *27.7 %' ||
    fail "launch"
"$program" select "${question[@]}" --csv | awk -F, 'NR > 1 && $12 > 0.1 { exit 1 }' ||
    fail "the objective of CSV has a launch"
# what is an option of a subcommand, without the subcommand
rejects "exact-kernel is an option of select; name the subcommand first" "$program" \
    "${question[@]}"
# Without --exact-kernel, the fastest of all that can be called, measured there or carried, of the
# type of the values; with a smaller k than any run has, it takes at most the time of the smallest.
for k in 512 8; do
    "$program" select --n 131072 --k $k --m 1 --device b200 --dtype f32 --json >"$folder/$k"
done
"$program" select --n 131072 --k 1024 --m 1 --device b200 --dtype f16 --json >"$folder/f16"
python3 - "$folder" <<'PYTHON' || fail "the kernels of the card"
import json
import sys
smallest, small, f16 = (json.load(open(f"{sys.argv[1]}/{name}")) for name in ("512", "8", "f16"))
def exact(answer, name):
    return next((one for one in answer["contenders"] if one["name"] == name), None)
for answer in smallest, small:
    sglang = exact(answer, "SGLang topk_v2")
    assert sglang["profile"] == "sglang_v2_decode_b200"
    assert sglang["card"] == "B200" and not sglang["carried"]
    assert sglang["time_us"] == answer["exact_objective"]
    gvr = exact(answer, "gvr_2")
    assert not gvr["callable"] and gvr["time_us"] < answer["exact_objective"]
first, at_most = exact(smallest, "SGLang topk_v2"), exact(small, "SGLang topk_v2")
assert not first["at_most"] and at_most["at_most"]
assert at_most["time_us"] == first["time_us"] and at_most["high_us"] == first["high_us"]
assert abs(at_most["low_us"] / first["low_us"] - 0.25) < 1e-9
ours = exact(f16, "recallmodel")
assert ours["profile"] == "recallmodel_h200_f16" and ours["carried"]
assert ours["time_us"] == f16["exact_objective"] and not exact(f16, "SGLang topk_v2")
PYTHON
"$program" select --n 131072 --k 8 --device b200 --dtype f32 |
    prints '^. exact, SGLang topk_v2 .* B200, larger k or n$' || fail "larger k or n"
# the buckets and the kernel are of other types
"$program" select --n 2^20 --k 100 --device h200 --dtype f32 --exact-kernel torch_topk_h100 |
    tr -s ' \n' ' ' |
    prints 'exact, torch.topk .* H100-PCIe, carried, another type C and CUDA' || fail "types"
"$program" select --n 4096 --k 64 --device b200 --dtype f32 --exact-kernel gvr |
    prints 'another type' && fail "types"
# no table is wider than a page
for tables in devices runs; do
    [ "$("$program" "$tables" | awk 'length > 100' | wc -l)" = 0 ] || fail "$tables is wide"
done
pass

# a profile without a run of exact top-k claims no gain; with a time of one's own it does
question=(--n 2^28 --k 128 --recall 0.99 --device v100s)
"$program" select "${question[@]}" | tr '\n' ' ' >"$folder/answer"
prints 'Use buckets, b = 16384, k_b = 1, if your exact top-k takes longer than 1.23 ms: 0.39 %' \
    <"$folder/answer" || fail "the gain is not known: $(cat "$folder/answer")"
prints '^[^*]*\* buckets b 16384, k_b 1 .* V100S  ' <"$folder/answer" ||
    fail "what can be called: $(cat "$folder/answer")"
prints ' exact, ' <"$folder/answer" && fail "an exact top-k on a V100S"
"$program" select "${question[@]}" --exact-us 5000 >"$folder/answer"
prints '^Use buckets, b = 16384, k_b = 1: about 1.23 ms, 0.39 % lost' <"$folder/answer" &&
    prints '^  exact, yours  *5 ms  *-  *0  *as you measured' <"$folder/answer" || fail "--exact-us"
"$program" select "${question[@]}" --objective roofline | tr '\n' ' ' | tr -s ' ' |
    prints 'Next: time your exact top-k, and give it as --exact-us' || fail "exact line"
"$program" predict --n 2^28 --k 128 --kb 1 --device v100s | tr '\n' ' ' |
    prints 'not known, because no run of the profile is of exact top-k' || fail "predict"
pass

# the caption of ours-exact: one row reaches at most 1.5 %; many rows 70 and 4.5 %, which leaves 1.4
# and 22 times, of torch.topk on an H100 PCIe and an H200 10 and 13
awk -F, 'NR > 1 && $8 != "NaN" { share = $8 * 100
        if ($5 == 1 && share > one) { one = share }
        if ($5 > 1 && $2 == "gvr_v2_b200" && share > gvr) { gvr = share }
        if ($5 > 1 && $2 == "torch_topk_blackwell" && share > torch) { torch = share }
        if ($5 > 1 && $2 == "torch_topk_h100_pcie" && share > h100) { h100 = share }
        if ($5 > 1 && $2 ~ "torch_topk_h200" && share > h200) { h200 = share } }
    END { printf "%.1f %.0f %.1f %.1f %.0f %.0f %.0f\n", one, gvr, torch, 100 / gvr, 100 / torch,
              100 / h100, 100 / h200 }' \
    paper_figures/ours-exact/ours-exact.csv >"$folder/shares"
[ "$(cat "$folder/shares")" = "1.5 70 4.5 1.4 22 10 13" ] || fail "shares $(cat "$folder/shares")"
caption=$(tr '\n' ' ' <paper_figures/ours-exact/ours-exact.txt)
for text in "at most 1.5 %" "70 % with gvr_v2" "4.5 % with torch.topk" \
    "1.4 times faster than gvr_v2 and 22 times faster" "10 and 13 times on the H100 PCIe and H200"
do
    grep -qF -- "$text" <<<"$caption" || fail "the caption lacks: $text"
done
pass
# predict names the fastest exact top-k that select names, and compares with it.
for card in h200 h100-pcie l4; do
    "$program" predict --n 131072 --k 2048 --m 64 --b 2048 --kb 2 --device $card --json \
        >"$folder/predict"
    "$program" select --n 131072 --k 2048 --m 64 --device $card --json >"$folder/select"
    python3 - "$folder" <<'PYTHON' || fail "predict --device $card"
import json
import sys
said, answer = (json.load(open(f"{sys.argv[1]}/{name}")) for name in ("predict", "select"))
want = next(one for one in answer["contenders"] if one["kind"] == "exact")
assert want["name"] == "recallmodel"
for name in "name", "card", "time_us", "low_us", "high_us", "carried", "at_most", "beyond":
    assert said["fastest_exact"][name] == want[name], name
row, = said["predictions"]
assert abs(row["speedup_fastest"] * row["predicted_us"] / want["time_us"] - 1) < 1e-9
assert row["speedup"] == (said["exact_us"] and said["exact_us"] / row["predicted_us"])
PYTHON
done

# --have: what cannot be called here is shown, and never first; torch.topk, and the buckets of
# another project than ours, always can.
have() { # NAMES: the name of the first contender, and how many can be called
    "$program" select --n 131072 --k 512 --m 64 --dtype f32 --device b200 --have "$1" --json |
        python3 -c 'import json, sys
answer = json.load(sys.stdin)
assert not any(c["callable"] and c["left_out"] for c in answer["contenders"])
assert [c["left_out"] for c in answer["contenders"] if c["name"] == "DeepSelect"] == [True]
assert [c["left_out"] for c in answer["contenders"] if c["name"] == "gvr_2"] == [False]
print(answer["contenders"][0]["name"], sum(c["callable"] for c in answer["contenders"]))'
}
[ "$(have recallmodel)" = "recallmodel 3" ] || fail "--have recallmodel: $(have recallmodel)"
[ "$(have flashinfer,sglang_v1)" = "flashinfer.top_k 4" ] ||
    fail "--have flashinfer: $(have flashinfer,sglang_v1)"
[ "$(have torch)" = "graphcore 2" ] || fail "--have torch: $(have torch)"
# ... and where our buckets may not be called, or keep less for a budget, those of the card answer.
while read -r name want question; do
    # shellcheck disable=SC2086
    got=$("$program" select $question --json --brief |
        python3 -c 'import json, sys
print([c["name"] for c in json.load(sys.stdin)["contenders"] if c["kind"] == "buckets"][0])')
    [ "$got" = "$want" ] || fail "$name: the buckets are those of $got"
done <<'QUESTIONS'
all ours --n 131072 --k 256 --m 64 --device h100-pcie
have graphcore --n 131072 --k 256 --m 64 --device h100-pcie --have torch
ties graphcore --n 131072 --k 256 --m 64 --device rtx4090 --ties repeatable
budget graphcore --n 16384 --k 64 --device h100-pcie --budget 15
QUESTIONS
pass

# No time is below what every kernel takes: the shortest one, and the memory beyond the cache.
shape=(--n 131072 --k 1024 --m 64)
rejects "--exact-us is 0.01 us, less than the 2.17 us that every kernel takes on H100-PCIe" \
    "$program" select "${shape[@]}" --device h100-pcie --exact-us 0.01
rejects "--exact-us is 100 us, less than the 797 us that" \
    "$program" select --n 131072 --k 1024 --m 6400 --device h100-pcie --exact-us 100
"$program" select "${shape[@]}" --device h100-pcie --exact-us 2.2 >/dev/null || fail "2.2 us"
"$program" select "${shape[@]}" --exact-us 0.01 --objective time --device tpuv5e >/dev/null ||
    fail "of a TPU no kernel is known"
sed -E 's/^([a-z0-9_]+_us) = [0-9.e+-]+/\1 = 1e-7/
    s/^(roof[a-z_]+|lines[a-z_]+) = [0-9.e+-]+/\1 = 2e15/' \
    "model/time/profiles/h100_pcie_graphcore_f16.profile" > "$folder/milliseconds.profile"
rejects "us that every kernel takes on H100-PCIe to read the rows; calibrate it by runs in" \
    "$program" select --n 131072 --k 1024 --m 6400 --device "$folder/milliseconds.profile"
pass
finish
