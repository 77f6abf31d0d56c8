#!/usr/bin/env bash
# tune where something is wrong: rows of every file, a benchmark that dies or prints what is no
# time, signals, no time to measure.
#
# SPDX-License-Identifier: Apache-2.0
source "$(dirname "$0")/../../shell.sh"
source tests/signals.sh
needs_python
"$python" -c 'import numpy' 2>/dev/null || skip "there is no numpy"
export XDG_CONFIG_HOME=$folder/config
unset RECALLMODEL_PYTHON RECALLMODEL_PROC
wisdom=$folder/config/recallmodel/wisdom.csv
question="--n 3000 --k 20 --recall 0.9"
quick="--seconds 1"
tune() { "$program" tune "$@"; }
of() { "$python" -c "import json, sys; a = json.load(open('$folder/$1')); print($2)"; }
tune $quick $question >/dev/null 2>&1 || fail "tune"

# A time as short as can be given; rows that do not fit are named once, not in each round.
tune --n 300 --k 5 --seconds 0.000001 --json >"$folder/answer" 2>"$folder/err" || [ $? = 1 ] ||
    fail "--seconds 1e-6: $(cat "$folder/err")"
grep -q "not a positive" "$folder/err" && fail "--seconds 1e-6: $(cat "$folder/err")"
status=0
tune --n 2^30 --k 5 --m 1024 $quick >"$folder/out" 2>"$folder/err" || status=$?
[ $status = 1 ] && [ "$(grep -c 'left out exact,' "$folder/err")" = 1 ] ||
    fail "too large: status $status, $(cat "$folder/err")"
pass

# --file: n and m are those of the rows, of any type and order; the times are not kept.
cp "$wisdom" "$folder/before"
"$python" - "$folder" <<'E3'
import sys
import numpy
rows = numpy.random.default_rng(1).standard_normal((6, 500))
for name, array in {"f4": rows.astype("f4"), "f2": rows.astype("f2"), "f8": rows,
                    "order": numpy.asfortranarray(rows.astype("f4")),
                    "axes": rows.astype(">f4").reshape(2, 3, 500)}.items():
    numpy.save(f"{sys.argv[1]}/{name}.npy", array)
E3
for name in f4 f2 f8 order axes; do
    tune --file "$folder/$name.npy" --k 7 --recall 0.9 --seconds 1 --json >"$folder/tuned" \
        2>"$folder/err" || fail "--file $name: $(cat "$folder/err")"
    [ "$(of tuned 'a["n"], a["m"], a["contenders"][0]["measured"]')" = "500 6 True" ] ||
        fail "--file $name: $(of tuned 'a["n"], a["m"], a["contenders"]')"
done
same "$folder/before" "$wisdom" "what is kept of --file"
pass

# The benchmark dies, is killed, prints what is no measurement: a line, and nothing of it counts.
cat >"$folder/hosted" <<'E4'
#!/usr/bin/env bash
while [ $# -gt 0 ]; do
    case $1 in --file) cells=$2 ;; -o) out=$2 ;; esac
    shift
done
rows() { # TIME LOW HIGH NAME
    echo work,kernel,dtype,n,k,b,k_b,m,assignment,threads,time_us_median,time_us_low,time_us_high
    echo "exact,$4,float32,3000,20,,,1,interleaved,1,$1,$2,$3"
}
case $HOW in
    killed) kill -9 $$ ;;
    nothing) exit 0 ;;
    rubbish) head -c 5000 /dev/urandom >"$out" ;;
    times*) rows ${HOW#times} mine >"$out" ;;
    name*) rows 5 4 6 "${HOW#name}" >"$out" ;;
    slow)
        tail -n +2 "$cells" | cut -d, -f4 >>"$0.log"
        rows 5 4 6 mine | sed "s/3000,20/$(tail -n 1 "$0.log"),20/" >"$out"
        exec sleep 20
        ;;
esac
E4
chmod +x "$folder/hosted"
for how in killed nothing rubbish times{nan,-5,0,inf,1e999}" 1 9" "times5 -3 9" "times5 0 9" \
    "times5 4 1e999" 'name"a,b"' 'name#x'; do
    status=0
    HOW=$how RECALLMODEL_PYTHON=$folder/hosted tune $question --on cpu --wisdom "$folder/w.csv" \
        >"$folder/out" 2>"$folder/err" || status=$?
    [ $status = 1 ] && [ ! -s "$folder/out" ] && [ ! -s "$folder/w.csv" ] &&
        grep -q "nothing was timed; --peers none" "$folder/err" ||
        fail "$how: status $status, $(cat "$folder/out" "$folder/err")"
done
HOW=killed RECALLMODEL_PYTHON=$folder/hosted tune $question >/dev/null 2>"$folder/err" || true
grep -q 'ended by signal 9' "$folder/err" || fail "killed: $(cat "$folder/err")"
pass

# A signal while it runs ends the questions, too: what was timed of the first is the answer.
for form in --json "--kb-max 4"; do
    rm -f "$folder/hosted.log"
    (HOW=slow RECALLMODEL_PYTHON=$folder/hosted default_signals "$program" tune --n 3000,4000,5000 \
        --k 20 --wisdom "$folder/w.csv" --seconds 60 $form >"$folder/out" 2>"$folder/err") &
    child=$!
    for ((left = 400; left > 0; left--)); do
        [ ! -s "$folder/hosted.log" ] || break
        sleep 0.05
    done
    sleep 0.5
    kill -TERM $child || fail "$form: $(cat "$folder/err")" # which passes it on
    status=0
    wait_for $child 10 || status=$?
    [ $status = 130 ] && [ "$(sort -u "$folder/hosted.log")" = 3000 ] &&
        grep -q 'measured' "$folder/out" && [ ! -s "$folder/err" ] ||
        fail "$form: status $status, $(cat "$folder/out" "$folder/err" "$folder/hosted.log")"
done
pass
finish
