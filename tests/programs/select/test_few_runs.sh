#!/usr/bin/env bash
# Ten timings of somebody's own kernel, n of 128256 and 131072, k_b of 1 and 2: what is advised lies
# within them, or is said to lie beyond.
#
# Against: their ranges.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
cat >"$folder/ten.csv" <<'END'
n,k,m,b,k_b,time_us
128256,50,1,550,1,24.79
128256,50,64,550,2,85.50
128256,50,256,1050,1,137.70
128256,50,256,2000,2,170.93
131072,64,1,1024,2,36.42
131072,64,16,1024,1,46.68
131072,64,256,4096,1,159.24
131072,64,64,2048,2,106.34
131072,64,8,4096,2,76.62
128256,50,16,2000,1,42.99
END
"$program" calibrate "$folder/ten.csv" --kernel generic --device mycard -o "$folder/my.profile" \
    >"$folder/out" || fail "calibrate: status $?"
# A parameter that these runs do not determine is that of another card, and said to be.
grep -q "^element_us_4 *= .*of another card" "$folder/my.profile" ||
    fail "element_us_4: $(grep element_us_4 "$folder/my.profile")"
tr '\n' ' ' <"$folder/out" | prints "do not determine them: element_us_3, element_us_4" ||
    fail "no word of k_b = 4"
tr '\n' ' ' <"$folder/out" | prints "Neither the runs .* nor --dtype .*: f16 is assumed" ||
    fail "no word of the type"
"$program" calibrate "$folder/ten.csv" --kernel generic --dtype f16 --no-held-out |
    prints "is assumed" && fail "--dtype is not taken"
pass

# b within 550 and 4096, b k_b within 550 and 8192, both by a factor of 2; k_b of 1 and 2.
shape='s/^. buckets b \([0-9]*\), k_b \([0-9]*\) .*/\1 \2/p'
within=0
beyond=0
for n in 128256 131072 200000; do
    for k in 40 64 100; do
        for m in 1 16 256 400; do
            for recall in .9 .99 .999 .99999; do
                "$program" select --n $n --k $k --m $m --recall $recall \
                    --device "$folder/my.profile" >"$folder/answer" || fail "select: status $?"
                if grep -q "No timed buckets keep the recall" "$folder/answer"; then
                    tr '\n' ' ' <"$folder/answer" | prints "Next: time its shapes there" ||
                        fail "n $n k $k m $m $recall: $(cat "$folder/answer")"
                    grep -q "^\* buckets\|^Use buckets" "$folder/answer" &&
                        fail "n $n k $k m $m $recall: $(cat "$folder/answer")"
                    beyond=$((beyond + 1))
                    continue
                fi
                grep -q "^\* buckets b .* mycard$" "$folder/answer" ||
                    fail "n $n k $k m $m $recall: $(cat "$folder/answer")"
                read -r b k_b <<<"$(sed -n "$shape" "$folder/answer" | sed -n 1p)"
                [ "$k_b" -le 2 ] && [ "$b" -ge 275 ] && [ "$b" -le 8192 ] &&
                    [ $((b * k_b)) -le 16384 ] ||
                    fail "n $n k $k m $m $recall: $b, $k_b: $(cat "$folder/answer")"
                within=$((within + 1))
            done
        done
    done
done
[ $within -ge 100 ] && [ $beyond -ge 1 ] || fail "$within within, $beyond beyond"
echo "$within answers within the runs, $beyond beyond"
# Farther n: nothing within, unless asked for.
"$program" select --n 2^22 --k 64 --m 1 --recall .9 --device "$folder/my.profile" |
    prints "No timed buckets keep the recall" || fail "n = 2^22 is within"
"$program" select --n 2^22 --k 64 --m 1 --recall .9 --device "$folder/my.profile" --beyond-runs |
    prints "^Use buckets, b = " || fail "--beyond-runs"
pass
finish
