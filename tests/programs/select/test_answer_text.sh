#!/usr/bin/env bash
# The answer of `select` in words: the decision, "may take as long", the contenders, what each line
# is about, times as people say them, at most 24 lines.
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
of_theirs=(select --n 2^18 --k 1024 --recall 0.9 --device h100-pcie)
of_drtopk=(select --n 2^24 --k 1024 --recall 0.9 --device v100s --kernel drtopk)
ask "${of_theirs[@]}" --assignment contiguous
says "$note"
# The ratios of the table in docs/cpu.md; those of the H200, 1.15 to 2.1 (docs/gpu.md), lie between.
says "$(awk -F '|' '$2 ~ /interleaved, 256/ { for (i = 3; i < 9; i++) time[NR + 5, i] = $i }
                    $2 ~ /contiguous, 256/ { for (i = 3; i < 9; i++) {
                        r = $i / time[NR, i]
                        low = low == "" || r < low ? r : low
                        high = r > high ? r : high } }
                    END { printf "take %.1f to +%.1f times it", low, high }' docs/cpu.md)"
ask "${of_theirs[@]}"
silent "$note"
ask "${of_ours[@]}" --assignment contiguous
# the table has the band of contiguous buckets, which is another one
says "  buckets b 4690, k_b 1 +146 us +97.6 us to 215 us +10 % +H200 "
silent "$note"
interleaved=$(value objective "${of_ours[@]}")
contiguous=$(value objective "${of_ours[@]}" --assignment contiguous)
awk -v a="$contiguous" -v b="$interleaved" 'BEGIN { r = a / b; exit !(r > 1.05 && r < 2.2) }' ||
    fail "contiguous $contiguous, interleaved $interleaved"
ask "${of_ours[@]}"
says "buckets b [0-9]+, k_b [0-9] +[0-9.]+ us +[0-9.]+ us to [0-9.]+ us +[0-9.]+ % +H200 "
silent "buckets b 4690, k_b 1 +146 us"
ask "${of_drtopk[@]}" --assignment contiguous
says '[*] buckets b 8192, k_b 1 +237 us +223 us to 266 us +6 % +V100S '
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
shape=(select --n 151936 --k 50 --m 64 --recall 0.99 --device h100-pcie)
low=$(value low_us "${shape[@]}")
high=$(value high_us "${shape[@]}")
chosen=$(value objective "${shape[@]}")
for ratio in 0.98 1.02; do
    ask "${shape[@]}" --exact-us "$(awk -v t="$low" -v r=$ratio 'BEGIN { printf "%.6f", t * r }')"
    says '^n = [^:]* Use exact top-k, yours: about [0-9.]+ us, nothing lost\.'
    says '[*] exact, yours +[0-9.]+ us +- +- +as you measured +buckets b 3050, k_b 1 '
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
ask "${shape[@]}" --exact-us "$(awk -v t="$chosen" 'BEGIN { printf "%.6f", t * 0.999 }')"
says 'Use exact top-k, yours: .* Buckets may take as long\.'
ask "${shape[@]}" --objective candidates
silent 'may take|contender'
says 'Exact top-k by threshold with b = 15, k_b = 4: 123 candidates, nothing is lost'

# Where the answer is not to approximate, the recall is that of the buckets.
ask select --n 8192 --k 2048 --m 256 --recall 0.99 --device h100-pcie
says 'Use exact top-k, .*Buckets take longer\..*  buckets     b = 2048, k_b = 3: recall 0'
ask "${shape[@]}"
says '[*] exact, recallmodel +[0-9.]+ us .*H200, carried .*  exact, torch.topk +146 us .*H100-PCIe '
says '  threshold b [0-9]+, k_b [0-9] +[0-9.]+ us +- +- +H100-PCIe, not callable'
says '  buckets     b = 3050, k_b = 1: recall 0'
ask "${shape[@]}" --exact-us 60
says '  recall      0.* in the mean'
silent '  buckets     b'

# Times as people say them, also in tables.
ask select --n 1e6 --k 1e3 --m 4096 --device h100-pcie --verbose --beyond-runs
says '[0-9] ms +[0-9.]+x'
silent '[0-9]e[0-9]+ +[0-9.]+x'
says 'Use buckets, b = [0-9]+, k_b = [0-9]: about [0-9.]+ ms, '
says '  beyond +the runs of the profile in m: the time of the buckets is the upper end of their'
ask select --n 1e6 --k 1e5 --m 4096 --device h100-pcie
says 'no buckets within the runs of the profile keep recall 0.95 \(those that do lie beyond them in'
says '  beyond +b = [0-9]+, k_b = [0-9] may take .*; no run of the profile has such m:'
says 'settle +in two minutes: .* --device H100-PCIe --beyond-runs"'
ask select --n 4096,1e6 --k 2048 --m 4096 --device h100-pcie --beyond-runs
says 'buckets +buckets +exact +threshold +n +k +deploy +b +k_b +recall +time +time +time'
silent '[0-9]e[0-9]'
ask select --n 4096,2^20 --k 50
says ' 1048576 '
silent '[0-9]e[0-9]'
ask select --n 2^24 --k 64 --recall 0.9
silent 'e\+'

# A bound is not called a prediction.
ask select --n 151936 --k 50 --device b200 --objective roofline
says 'bound and a launch, not calibrated.*bound +the least time that the rates of the device allow'
ask select --n 151936 --k 50 --device gh200 --objective roofline
says 'bound, not calibrated.*bound +the least time .* device allow, without a launch;'

# The card of a contender is named, and whether it was carried from there; its time is a range, what
# settles it stands below, and it is not called a prediction of this card. JSON has the sentence.
ask select --n 151936 --k 50 --m 64 --device a100-pcie
says '[*] exact, recallmodel +[0-9.]+ us +[0-9.]+ us to [0-9.]+ us +- +H200, carried '
says '  buckets b [0-9]+, k_b [0-9] +[0-9.]+ us +[0-9.]+ us to [0-9.]+ us +[0-9.]+ % +H100-PCIe, ca'
silent 'predicted|not callable.*not callable'
says 'settle +in two minutes: gpu/time_calls.py'
ask select --n 131072 --k 2048 --m 32 --device b200
says 'Use exact top-k, recallmodel: about 18.9 us, nothing lost\. Buckets take longer\.'
says '  exact, torch.topk +[0-9.]+ us .* - +H100-PCIe, carried '
ask select --n 131072 --k 2048 --m 32 --device b200 --json
says '"reason": "exact top-k by recallmodel: .*: do not approximate; by the profile of H100-PCIe, n'
ask select --n 131072 --k 2048 --m 32 --device b200 --dtype f32
says 'exact, flashinfer.top_k +[0-9.]+ us .* - +B200 '
ask select --n 131072 --k 2048 --m 32 --device h100-pcie --dtype f32
says '[*] exact, recallmodel .*H200, carried +exact, SGLang fast_topk .*H100-SXM, carried '
ask select --n 131072 --k 2048 --m 32 --device h100-pcie --dtype f32 --json
says 'by its profile of f16, not measured for f32'
ask select --n 2^18 --k 100 --m 64 --device tpuv6e
says '= 2: 41 us to [0-9.]+ us; this pays if .*[*] buckets b 256, k_b 2 +58.8 us +41 us to 548 '
case $(value floor_us select --n 2^18 --k 100 --m 64 --device tpuv6e) in
40.[5-9]* | 41 | 41.[0-4]*) checks=$((checks + 1)) ;;
*) fail "the floor of the TPUv6e" ;;
esac
ask select --n 2^18 --k 100 --m 64 --device mi300x
says 'Use exact top-k, torch.topk: .*\. No known kernel of buckets runs on this card\.'
says '[*] exact, torch.topk .*H100-PCIe, carried +buckets b .*H100-PCIe, not callable '
ask predict --n 2755 --k 1 --b 19 --kb 1 --device v100s
says ' 1 +19 +19 +1 +- .* kernel *$'
ask predict --n 2^17 --k 1024 --device mi300x
says 'By the profile of H100-PCIe, kernel graphcore, f16, carried to MI300X, f16: nothing was'

# Why there are no buckets: the kernel, an option, or the recall.
ask select --n 2755 --k 1 --recall 0.5 --device v100s --beyond-runs
says 'The kernel drtopk runs no buckets .*: do not approximate, or pad the rows to n = 2756'
ask select --n 131072 --k 65536 --kernel graphcore
says 'the kernel graphcore runs no buckets that keep recall 0.95 \(b k_b a multiple of k'
ask select --n 1000 --k 400 --align 512
says 'no b that is a multiple of 512 keeps recall 0.95: do not approximate'
ask select --n 1000 --k 990 --recall 0.9999
says 'no buckets with k_b up to 4 that drop any element keep recall'

# Without a device: what the choice needs of a machine.
ask select --n 2^18 --k 100
says 'parallel +45 buckets in all rows: too few to fill a GPU'
ask select --n 2^18 --k 100 --m 256
says 'parallel +11520 buckets in all rows, each for a thread'

# Where the bound and a launch leave less than a tenth, the answer is no.
ask select --n 151936 --k 50 --m 64 --recall 0.99 --device b200 --exact-us 4.6 --objective roofline
says 'at most 1\.10 times faster'
ask select --n 151936 --k 50 --m 64 --recall 0.99 --device b200 --exact-us 4.4 --objective roofline
says 'at most 1\.06 times faster: do not approximate'
ask select --n 1027 --k 512 --device b200 --exact-us 1.4 --objective roofline
says 'at least 1\.5 us \(bound and a launch, not calibrated\): do not approximate'

ask select --n 2^24 --k 1024 --objective serial --recall 0.9
says '[0-9] (m|b)illion operations'
silent 'e\+'

# The answer says only what is known.
ask select --n 100000 --k 1000 --device l4 --budget 0.05 --objective roofline
silent 'nor exact'
ask select --n 100000 --k 1000 --m 64 --device h100-pcie --budget 0.05
says 'nor exact top-k'

# The choice is in the table, for any number of k_b; equal rows do not make the table empty.
ask select --n 131072 --k 2048 --budget 3000 --kb-max 64
says ' [*] +[0-9]+ +[0-9]+ +[0-9]+ +0'
ask select --n 4096 --k 64 --recall 0.1 --kb-max 64
says 'rows reach +least.* [*] +[0-9]+ '

# At most 24 lines, and no sentence wider than 100 columns.
while read -r arguments; do
    # shellcheck disable=SC2086
    ask select $arguments
    checks=$((checks + 1))
    [ "$(wc -l <<<"$answer")" -le 24 ] || fail "more than 24 lines"
    wide=$(sed '/^The best of each/,$d' <<<"$answer" | awk 'length > 100')
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
