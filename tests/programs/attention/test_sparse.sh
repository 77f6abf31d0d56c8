#!/usr/bin/env bash
# `recallmodel sparse`: what it prints as text, CSV, JSON and picture, on its best method, needles,
# keys before RoPE and without values.
#
# Against: each other; what must hold at a full budget.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/programs/attention/sparse.sh

# CSV and JSON have the same rows; at the full budget nothing is lost.
sparse "${of_small[@]}" --method $baselines --budget 0.1,1 --csv >"$folder/csv" 2>"$folder/err"
[ ! -s "$folder/err" ] || fail "stderr: $(cat "$folder/err")"
[ "$(wc -l <"$folder/csv")" = 9 ] || fail "rows of CSV: $(wc -l <"$folder/csv")"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["budget"] == 1 && $at["method"] != "streaming" {
        full++
        if ($at["mass"] < 1 - 1e-6 || $at["error"] > 1e-12 || $at["recall"] != 1) exit 1
    }
    $at["time_us"] != "" || $at["imbalance"] != "" { exit 1 }
    END { exit full != 3 }' "$folder/csv" || fail "a full budget: $(cat "$folder/csv")"
pass

# JSON is UTF-8: of another name of a file it shows the other letters.
cp $small/keys.npy "$folder/k"$'\xff'".npy"
sparse --queries $small/queries.npy --keys "$folder"/k*.npy --values $small/values.npy \
    --method full --json | prints "\"keys\": \"$folder/k?.npy\"" || fail "a name that is not UTF-8"
rm "$folder"/k*.npy
pass
sparse "${of_small[@]}" --method $baselines --budget 0.1,1 --json >"$folder/json"
[ "$(grep -c '"method"' "$folder/json")" = 8 ] && prints '"partial": false' <"$folder/json" &&
    prints '"time_us": null' <"$folder/json" || fail "JSON: $(sed -n 1,20p "$folder/json")"
pass

# Without values the error is not known, and everything else is the same.
sparse "${of_small[@]:0:4}" "${of_small[@]:6}" --method $baselines --budget 0.1,1 \
    --csv >"$folder/out"
cut -d, -f 1-7,10-12 "$folder/csv" >"$folder/one"
cut -d, -f 1-7,10-12 "$folder/out" >"$folder/two"
same "$folder/one" "$folder/two" "without --values"
[ "$(cut -d, -f 13 "$folder/out" | sort -u | tr '\n' ' ')" = " error " ] || fail "an error, unknown"
sparse "${of_small[@]:0:4}" --method topk |
    prints "Without --values the error of the output is not known" ||
    fail "no note on the error"
pass

columns() { # file, names ..: these columns of a CSV
    local file=$1
    shift
    awk -F, -v names="$*" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        { m = split(names, name, " "); for (i = 1; i <= m; i++) printf "%s ", $at[name[i]]
          print "" }' "$file"
}

# The text fits 100 columns, and says what is best; several k have a column.
sparse "${of_small[@]:0:8}" --k 1,16 --budget 0.05,0.2 >"$folder/out"
LC_ALL=C awk 'length > 100 { exit 1 }' "$folder/out" || fail "a line of more than 100 bytes"
answer="The least loss at each budget, of the methods that read less than all the keys"
prints "$answer" <"$folder/out" ||
    fail "no answer: $(sed -n 1,5p "$folder/out")"
prints "^ *budget *method *knob *visited *of full *mass *k *recall *error" <"$folder/out" ||
    fail "no column of k: $(cat "$folder/out")"
pass

# A method that nothing fits the budget of is not the answer; the dense part alone may be.
sparse "${of_small[@]}" --method quest --budget 0.01,0.2 >"$folder/out"
prints "^ *20 %  quest " <"$folder/out" || fail "no answer: $(cat "$folder/out")"
prints "^ *1 %  quest " <"$folder/out" && fail "nothing is visited: $(cat "$folder/out")"
sparse "${of_small[@]}" --method quest,streaming --budget 0.01 | prints "^ *1 %  streaming " ||
    fail "the dense part is no answer"
pass

# With --share full attention reads the keys once for both heads, too: topk does not win by that.
sparse "${of_small[@]}" --method topk,full --budget 0.2 --share >"$folder/out"
prints "$answer" <"$folder/out" && fail "topk reads no less than all the keys: $(cat "$folder/out")"
prints "full .* 100.0 % " <"$folder/out" || fail "all keys are not 100 %: $(cat "$folder/out")"
pass

# Needles of generated tensors: exact top-k reads them, and the dense part alone does not.
if "$program" tensors --generate "$folder/made" --n 700 --n-q 9 --d 16 --query-heads 2 --needles 2 \
    >"$folder/out" 2>&1; then
    read -ra made <<<"$(tensors_of "$folder/made")"
    sparse "${made[@]}" --needles "$folder/made/needles.csv" --method topk,streaming --budget 0.2 \
        --csv >"$folder/csv"
    columns "$folder/csv" needle_found >"$folder/out"
    awk 'NR == 2 && $1 != 1 || NR == 3 && !($1 < 1) { exit 1 } END { exit NR != 3 }' \
        "$folder/out" || fail "needles: $(cat "$folder/csv")"
    # Of a query that --last leaves out, a needle does not count.
    printf 'query_head,query,key\n1,0,300\n1,8,0\n' >"$folder/needles.csv"
    few=("${made[@]}" --method streaming --budget 0.2 --csv --needles "$folder/needles.csv")
    sparse "${few[@]}" >"$folder/csv"
    columns "$folder/csv" needle_found | prints "^0.5 $" || fail "needles: $(cat "$folder/csv")"
    sparse "${few[@]}" --last 8 >"$folder/csv"
    columns "$folder/csv" needle_found | prints "^1 $" || fail "needles: $(cat "$folder/csv")"
    pass
    for case in "2,0,300 1" "1,9,300 8" "1,0,700 699" "1,-1,0 8" "1,,0 8"; do
        read -r line most <<<"$case"
        printf 'query_head,query,key\n%s\n' "$line" >"$folder/needles.csv"
        refuse "is not a whole number from 0 to $most" "${few[@]}"
    done
    printf 'head,query,key\n' >"$folder/needles.csv"
    refuse "has no column query_head" "${few[@]}"
    refuse "--needles has 2 files, and --keys has 1" "${made[@]}" --needles a.csv,b.csv
else
    fail "tensors --generate: $(cat "$folder/out")"
fi

# Without keys before RoPE, a note in every form, and no such method by default.
for form in "" --csv --json; do
    sparse "${of_small[@]}" --method kmeans-unroped --clusters 8 --budget 0.2 $form \
        >"$folder/out" 2>"$folder/err"
    prints "^note: keys before RoPE are not known" <"$folder/err" || fail "no note on RoPE, $form"
done
unroped=(--keys-unroped $small/keys.npy --queries-unroped $small/queries.npy)
for given in 0 2 4; do
    sparse "${of_small[@]}" "${unroped[@]:0:$given}" --tables 20 --clusters 8 --budget 0.2 --csv \
        >"$folder/out" 2>"$folder/err" || [ $given = 2 ] || fail "default methods"
    [ $given = 2 ] || [ ! -s "$folder/err" ] || fail "a note on RoPE: $(cat "$folder/err")"
    [ "$(grep -c "^kmeans-unroped," "$folder/out")" = $((given / 4)) ] ||
        fail "kmeans-unroped by default, of $given words"
done
pass

# A picture, of the error or of the mass.
if command -v gnuplot >/dev/null; then
    for values in "${of_small[*]:4:2}" ""; do
        sparse "${of_small[@]:0:4}" "${of_small[@]:6}" $values --method topk,quest,full \
            --budget 0.1,0.2 --plot "$folder/plot.svg" >"$folder/out"
        prints "topk" <"$folder/plot.svg" || fail "--plot: $(sed -n 1,3p "$folder/plot.svg")"
        label="squared error of the output"
        [ -n "$values" ] || label="softmax mass lost"
        prints "$label" <"$folder/plot.svg" || fail "--plot: no label '$label'"
    done
    pass
else
    echo "SKIPPED: --plot: there is no gnuplot"
fi
finish
