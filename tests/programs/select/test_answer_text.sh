#!/usr/bin/env bash
# The answer of `select` in words: the question with what is assumed, the decision, "may take as
# long", the contenders, what each line is about, what to do next, at most 24 lines,
# or 32 with two calls.
#
# Against: the band and the objective in its JSON.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
failed=0
checks=0
answer=""
ask() { answer=$("$program" "$@") || answer="status $?"; asked="$*"; }
fail() { echo "FAIL: $asked: $1"; echo "$answer"; failed=1; }
contains() { grep -qE -- "$1" <<<"$(tr '\n' ' ' <<<"$answer")"; }
says() {
    checks=$((checks + 1))
    contains "$1" || fail "does not say '$1'"
}
silent() {
    checks=$((checks + 1))
    if contains "$1"; then fail "says '$1'"; fi
}
value() { # name, arguments ..: the first number of that name in the JSON
    "$program" "${@:2}" --json |
        awk -v name="\"$1\":" '$1 == name && !n++ { sub(/,$/, "", $2); print $2 }'
}

# Of which buckets the time is: those of the kernel.
note='contiguous +the time is that of interleaved buckets'
of_ours=(select --n 2^18 --k 1024 --recall 0.9 --m 512 --device h200)
of_theirs=(select --n 2^18 --k 1024 --recall 0.9 --device h100-pcie --kernel graphcore)
of_drtopk=(select --n 2^24 --k 1024 --recall 0.9 --device v100s --kernel drtopk)
ask "${of_theirs[@]}" --assignment contiguous
says "$note"
# The ratios of the table in docs/cpu.md; those of the H200, 1.15 to 2.1 (docs/gpu.md), lie between.
says "$(awk -F '|' '{ split($2, of, ",") }
                    $2 ~ /interleaved, 256/ { for (i = 3; i < NF; i++) time[of[1], i] = $i }
                    $2 ~ /contiguous, 256/ { for (i = 3; i < NF; i++) {
                        r = $i / time[of[1], i]
                        low = low == "" || r < low ? r : low
                        high = r > high ? r : high } }
                    END { printf "take %.1f to +%.1f times it", low, high }' docs/cpu.md)"
ask "${of_theirs[@]}"
silent "$note"
ask "${of_ours[@]}" --assignment contiguous
# the table has the band of contiguous buckets, which is another one
says "  buckets b 4690, k_b 1 +146 us +97.6 to 215 us +10 % +H200 "
silent "$note"
interleaved=$(value objective "${of_ours[@]}")
contiguous=$(value objective "${of_ours[@]}" --assignment contiguous)
awk -v a="$contiguous" -v b="$interleaved" 'BEGIN { r = a / b; exit !(r > 1.05 && r < 2.2) }' ||
    fail "contiguous $contiguous, interleaved $interleaved"
ask "${of_ours[@]}"
says "buckets b [0-9]+, k_b [0-9] +[0-9.]+ us +[0-9.]+ to [0-9.]+ us +[0-9.]+ % +H200 "
silent "buckets b 4690, k_b 1 +146 us"
ask "${of_drtopk[@]}" --assignment contiguous
says '[*] buckets b 8192, k_b 1 +237 us +223 to 266 us +6 % +V100S '
silent "$note"
[ "$(value time_assignment "${of_theirs[@]}" --assignment contiguous)" = '"interleaved"' ] ||
    fail "time_assignment of Graphcore's"
[ "$(value time_assignment "${of_ours[@]}" --assignment contiguous)" = '"contiguous"' ] ||
    fail "time_assignment of ours"
[ "$(value time_assignment "${of_drtopk[@]}")" = '"contiguous"' ] || fail "that of Dr. Top-k"
checks=$((checks + 3))

# The exact time below, in and above the band of the chosen buckets. Lossless wins, unless the
# buckets are faster for certain. What was measured has no error, so the upper end of theirs
# decides.
shape=(select --n 151936 --k 50 --m 64 --recall 0.99 --device h100-pcie --kernel graphcore)
low=$(value low_us "${shape[@]}")
high=$(value high_us "${shape[@]}")
chosen=$(value objective "${shape[@]}")
for ratio in 0.98 1.02; do
    ask "${shape[@]}" --exact-us "$(awk -v t="$low" -v r=$ratio 'BEGIN { printf "%.6f", t * r }')"
    says '^n = [^:]*, f16 \(assumed\), recall 0.99, H100-PCIe Use exact top-k, yours: about '
    says ' yours: about [0-9.]+ us, nothing lost\.'
    says '[*] exact, yours +[0-9.]+ us +- +0 +as you measured +buckets b 3050, k_b 1 '
    case $ratio in
    0.98) silent 'may take' && says '\. Buckets take longer\.' ;;
    *) silent 'take longer' && says '\. Buckets may take as long\.' ;;
    esac
    ask "${shape[@]}" --exact-us "$(awk -v t="$high" -v r=$ratio 'BEGIN { printf "%.6f", t * r }')"
    case $ratio in
    0.98) says 'Use exact top-k, yours: .*\. Buckets may take less: time both\.' &&
        says '[*] exact, yours ' ;;
    *) says 'Use buckets, b = 3050, k_b = 1: about 41\.[89] us, 0\.78 % lost' &&
        silent 'may take' && says '[*] buckets b 3050, k_b 1 ' ;;
    esac
done
# Both calls, where both are to be timed: the body alone of a second function of C.
ask select --n 151936 --k 50 --m 64 --recall 0.99 --device h100-pcie
says 'time both\. .* rcm_gpu_exact\(&c.* Buckets, in its place: .*\.b = 2412, \.k_b = 1, .*Next'
silent 'int top_k.*int top_k|Buckets, in its place:.*#include'
ask select --n 131072 --k 32 --m 8 --recall 0.8 --device cpu-xeon-emr
says 'time both\. .*topk\(x, 32, sorted=False, threads=1\) .*Next'
says 'topk\(x, 32, b=128, k_b=1, sorted=False, threads=1\) .*Next'
ask "${shape[@]}" --exact-us "$(awk -v t="$chosen" 'BEGIN { printf "%.6f", t * 0.999 }')"
says 'Use exact top-k, yours: .* Buckets may take as long\.'
ask select --n 151936 --k 50 --m 64 --recall 0.99 --device h100-pcie --objective candidates
silent 'may take|9 in 10'
says 'Use buckets, b = 38, k_b = 4: 152 candidates, 0\.94 % lost\. Exact has 151936\.'
silent 'threshold' # nobody has it on a GPU

# Where the answer is not to approximate, the recall is that of the buckets.
ask select --n 8192 --k 2048 --m 256 --recall 0.99 --device h100-pcie --kernel graphcore --verbose
says 'Use exact top-k, .*Buckets take longer\..*  buckets     b = 2048, k_b = 3: recall 0'
ask "${shape[@]}"
says '[*] exact, recallmodel +[0-9.]+ us .*H200, carried .*  exact, torch.topk +146 us .*H100-PCIe '
silent '  buckets     b|The best of each k_b|quirk'
ask "${shape[@]}" --verbose
says '  buckets     b = 3050, k_b = 1: recall 0.* in the mean, sd .*; 95 % of rows reach 0'
says 'The best of each k_b'
ask "${shape[@]}" --exact-us 60
says 'Next: on your rows: recallmodel simulate --file ROWS.npy --k 50 --b 3050 --kb 1 *$'

# Times as people say them, also in tables.
ask select --n 1e6 --k 1e3 --m 4096 --device h100-pcie --kernel graphcore --verbose --beyond-runs
says '[0-9] ms +[0-9.]+x'
silent '[0-9]e[0-9]+ +[0-9.]+x'
says 'Use exact top-k, recallmodel: about [0-9.]+ ms, .*  buckets b [0-9]+, k_b [0-9] +[0-9.]+ ms '
says '  beyond +the runs of the profile in m; the error may be larger'
ask select --n 1e6 --k 1e5 --m 4096 --device h100-pcie --kernel graphcore --verbose
says 'Use exact top-k, torch.topk: .*\. No timed buckets keep the recall\.'
says '  beyond +b = [0-9]+, k_b = [0-9] may take .*; no run of the profile has such m'
says 'Next: time its shapes there: recallmodel calibrate --plan, then gpu/time_calls.py'
ask select --n 4096,1e6 --k 2048 --m 4096 --device h100-pcie --beyond-runs
says 'buckets +buckets +exact +n +k +deploy +b +k_b +recall +time +time'
silent '[0-9]e[0-9]'
ask select --n 4096,2^20 --k 50
says ' 1048576 '
silent '[0-9]e[0-9]'
ask select --n 2^24 --k 64 --recall 0.9
silent 'e\+'

# A bound is not called a prediction.
ask select --n 151936 --k 50 --device b200 --objective roofline --verbose
says '(at least|only if) .*contender +at least .*bound, not calibrated'
says '  floor +[0-9.]+ us: the memory of B200 allows no less, with a launch'
ask select --n 151936 --k 50 --device gh200 --objective roofline --verbose
says 'contender +at least .*bound, not calibrated.*  floor .*: .*GH200 allows no less'

# The card of a contender is named, and whether it was carried from there; its time is a range, what
# settles it stands below, and it is not called a prediction of this card. JSON has the sentence.
ask select --n 151936 --k 50 --m 64 --device a100-pcie
says '[*] exact, recallmodel +[0-9.]+ us +[0-9.]+ to [0-9.]+ us +0 +H200, carried '
says ' buckets b [0-9]+, k_b [0-9] +[0-9.]+ us +[0-9.]+ to [0-9.]+ us +[0-9.]+ % +H200, carried'
says '  exact, torch.topk +[0-9.]+ us +[0-9.]+ to [0-9.]+ us +0 +H100-PCIe, carried '
silent 'predicted|not callable.*not callable'
says 'Next: time them on that card: recallmodel tune --n 151936 --k 50 --m 64 --recall 0.95'
ask select --n 131072 --k 2048 --m 32 --device b200
says 'Use exact top-k, recallmodel: about 18.9 us, nothing lost\. Buckets may take as long\.'
says '  exact, torch.topk +[0-9.]+ us .* 0 +H200, carried '
ask select --n 131072 --k 2048 --m 32 --device b200 --json
says '"reason": "buckets and exact top-k may take equally long, and exact top-k loses nothing"'
says '"stand_in": \{ +"profile": "H200",'
ask select --n 131072 --k 2048 --m 32 --device b200 --dtype f32
says 'exact, flashinfer.top_k +[0-9.]+ us .* 0 +B200 '
ask select --n 131072 --k 2048 --m 32 --device h100-pcie --dtype f32
says '[*] exact, recallmodel .*H200, carried +exact, SGLang fast_topk .*H100-SXM, carried '
ask select --n 131072 --k 2048 --m 32 --device h100-pcie --dtype f32 --json
says '"dtype_of_profile": "f16"'
ask select --n 2^18 --k 100 --m 64 --device tpuv6e
says 'k_b = 2, if your exact .* than 548 us: .*[*] buckets b 256, k_b 2 +58.8 us +41 to 548 '
case $(value floor_us select --n 2^18 --k 100 --m 64 --device tpuv6e) in
40.[5-9]* | 41 | 41.[0-4]*) checks=$((checks + 1)) ;;
*) fail "the floor of the TPUv6e" ;;
esac
ask select --n 2^18 --k 100 --m 64 --device mi300x
says 'Use exact top-k, torch.topk: .*\. No known buckets run on it\.'
says '[*] exact, torch.topk .*H100-PCIe, carried +buckets b .*H100-PCIe, not callable '
ask predict --n 2755 --k 1 --b 19 --kb 1 --device v100s
says ' 1 +19 +19 +1 +- .* kernel *$'
ask predict --n 2^17 --k 1024 --device mi300x
says 'By the profile of H100-PCIe, kernel graphcore, f16, carried to MI300X, f16: nothing was'

# Why there are no buckets: the kernel, an option, or the recall.
ask select --n 2755 --k 1 --recall 0.5 --device v100s --beyond-runs
says 'Use exact top-k: nothing lost, its time is not known\. The kernel.s buckets miss the recall\.'
says 'Next: pad the rows to n = 2756, or take another kernel; drtopk runs k_b = 1, n/b a power '
ask select --n 131072 --k 65536 --kernel graphcore
says 'The kernel.s buckets miss the recall\..*take another kernel; graphcore runs b '
ask select --n 1000 --k 400 --align 512
says 'No allowed b keeps the recall\..*Next: .*leave --align and --divisors out'
ask select --n 1000 --k 990 --recall 0.9999
says 'No buckets keep the recall\..*Next: call it; only a larger --kb-max than 4 or less recall '

# Without a device: what the choice needs of a machine.
ask select --n 2^18 --k 100
says 'f32 \(assumed\), recall 0.95 \(assumed\), no device .*Next: give --device NAME'
ask select --n 2^18 --k 100 --m 256 --verbose
says 'parallel +11520 buckets in all rows, each for a thread; fewer than 3840 do not fill a GPU'

# Where the bound and a launch leave less than a tenth, the answer is no.
ask select --n 151936 --k 50 --m 64 --recall 0.99 --device b200 --exact-us 4.6 --objective roofline
says 'Exact takes 4.6 us: time both\. .*  exact, yours +4.6 us +0 +as you measured'
ask select --n 151936 --k 50 --m 64 --recall 0.99 --device b200 --exact-us 4.4 --objective roofline
says 'Use exact top-k, yours: about 4.4 us, nothing lost\. Buckets take at least [0-9.]+ us\.'
ask select --n 1027 --k 512 --device b200 --exact-us 1.6 --objective roofline
says 'Use exact top-k, yours: .*\. Buckets take at least 1\.5 us\.'

ask select --n 2^24 --k 1024 --objective serial --recall 0.9
says '[0-9] (m|b)illion operations'
silent 'e\+'

# The answer says only what is known.
ask select --n 100000 --k 1000 --device l4 --budget 0.05 --objective roofline
says 'Nothing stays within 0\.05 us\. .*Next: give a larger --budget'
ask select --n 100000 --k 1000 --m 64 --device h100-pcie --budget 0.05
says 'Nothing stays within 0.05 us: recallmodel takes [0-9.]+ us\.'
silent '[*] |import|#include'
ask select --n 100000 --k 1000 --m 64 --device h100-pcie --budget 0.05 --json
says '"verdict": "none", .*"deploy": "none", .*"call": null'
# Where the upper end of a carried time decides, it is said, and no factor is.
ask select --n 151936 --k 50 --m 64 --device b200 --budget 22
says 'Nothing stays within 22 us: recallmodel takes 21.2 us, but its upper end, 45.7 us, is above '
says 'Next: give a --budget of 45.7 us'
ask select --n 151936 --k 50 --m 64 --device h100-pcie --budget 45
says 'Use exact top-k, recallmodel: about 33.7 us, nothing lost\. Upper end 44.8 us, within 45 us\.'
silent 'times faster'

# The choice is in the table, for any number of k_b; equal rows do not make the table empty.
ask select --n 131072 --k 2048 --budget 3000 --kb-max 64 --verbose
says ' [*] +[0-9]+ +[0-9]+ +[0-9]+ +0'
ask select --n 4096 --k 64 --recall 0.1 --kb-max 64 --verbose
says 'rows reach +least.* [*] +[0-9]+ '

# At most 24 lines, or 32 with two calls, and no sentence wider than 100 columns.
while read -r arguments; do
    # shellcheck disable=SC2086
    ask select $arguments
    checks=$((checks + 1))
    most=24
    if contains 'time both'; then most=32; fi
    [ "$(wc -l <<<"$answer")" -le $most ] || fail "more than $most lines"
    wide=$(awk 'length > 100' <<<"$answer")
    [ -z "$wide" ] || fail "wider than 100 columns: $wide"
done <<'QUESTIONS'
--n 151936 --k 50 --m 64 --recall 0.99
--n 151936 --k 50 --m 64 --recall 0.99 --device b200
--n 151936 --k 50 --m 64 --recall 0.99 --device b200 --exact-us 20
--n 151936 --k 50 --m 64 --recall 0.99 --device h100-pcie --confidence 0.99
--n 151936 --k 50 --m 64 --device h100-pcie --budget 60
--n 151936 --k 50 --m 64 --device b200 --budget 5.1 --exact-us 20
--n 1e6 --k 1e5 --m 4096 --device h100-pcie
--n 1e6 --k 1e5 --m 4096 --device h100-pcie --dtype f32 --kernel ours
--n 262144 --k 1024 --recall .95 --confidence .99 --kernel graphcore --objective serial --kb-max 64
--n 100000 --k 99999 --recall 0.5
--n 10 --k 10
--n 2^24 --k 2^14 --m 4096 --device l4
QUESTIONS
echo "$checks checks"
exit $failed
