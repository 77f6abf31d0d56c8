#!/usr/bin/env bash
# How the command behaves: help, suggestions, options given twice, numbers as people say them,
# readers that go away, ignored signals, locales.
#
# Against: each other.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
. tests/signals.sh
refuse() { # text of the line, arguments ..
    rejects "$1" "$program" "${@:2}"
    pass
}

# Help and version, each in every way that people try.
"$program" --help >"$folder/one"
for how in -h help "help recall" "help help" "recall -h" "--n 5 -h"; do
    "$program" $how >"$folder/two"
    same "$folder/one" "$folder/two" "$how"
done
for command in $(sed -n '/^Subcommands:/,$s/^  \([a-z]*\)  .*/\1/p' "$folder/one"); do
    "$program" "$command" --help >"$folder/one"
    "$program" help "$command" >"$folder/two"
    same "$folder/one" "$folder/two" "help $command"
    head -n 1 "$folder/one" | prints "usage: recallmodel .*$command" ||
        fail "help $command: $(head -n 1 "$folder/one")"
    LC_ALL=C awk 'length > 100 { exit 1 }' "$folder/one" ||
        fail "help $command: a line of more than 100 bytes"
    pass
done
[ $passed -gt 15 ] || fail "only $passed subcommands have help"
"$program" --version >"$folder/one"
"$program" -V >"$folder/two"
same "$folder/one" "$folder/two" "-V"
refuse "'extra' follows --version, which takes no arguments" --version extra
refuse "'--json' follows -V" -V --json
refuse "unknown subcommand 'selct'; did you mean 'select'?" help selct
refuse "'x' follows help select" help select x

# The message suggests the nearest name; where none is near, it lists all.
refuse "did you mean 'select'?" selct --n 100
refuse "did you mean 'select'?" sleect
refuse "did you mean 'simulate'?" sim
refuse "did you mean 'bounds'?" bound
refuse "did you mean 'help'?" hlep
refuse "the subcommands are recall, select, predict, devices" frobnicate
refuse "did you mean --recall?" --n 10 --k 2 --recal 0.9
refuse "did you mean --assignment?" --n 10 --k 2 --assign contiguous
refuse "did you mean --quantile?" --n 10 --k 2 --qauntile=0.1
refuse "did you mean --json?" select --n 10 --k 2 --jsn
refuse "the options here are --n --k" --n 10 --k 2 --frob
refuse "unknown option '--$(printf 'x%.0s' $(seq 300))" --n 10 --k 2 \
    "--$(printf 'x%.0s' $(seq 300))"

# An option given twice is rejected, also a switch, and one that takes a list.
refuse "--n is given twice; give it once" --n 10 --n 20 --k 2
refuse "--n is given twice" --n=10 --k 2 --n 10
refuse "--kb is given twice; give it once, with a list" --n 10 --k 2 --kb 1 --kb 2
refuse "--json is given twice" --n 10 --k 2 --json --json
refuse "--help is given twice" --help -h
refuse "-o is given twice" calibrate runs.csv -o a -o b
refuse "--dtype needs --device, because it is the type" --n 10 --k 2 --dtype f16
"$program" --n 10 --k 2 --dtype f16 --device h200 >/dev/null || fail "--dtype with a --device"

# Numbers as people say them. A budget is such a number or a decimal.
"$program" --n 128000,128256 --k 1000 --csv >"$folder/one"
for n in 128k,128_256 128e3,128.256k 0.128M,128_256; do
    "$program" --n "$n" --k 1k --csv >"$folder/two"
    same "$folder/one" "$folder/two" "--n $n"
done
refuse "--n '128K' is not clear: k is 1000, Ki is 1024" --n 128K --k 10
refuse "--n '128__256' is not a number" --n 128__256 --k 10
budget=(select --n 131072 --k 2048 --objective parallel)
"$program" "${budget[@]}" --budget 1024 >"$folder/one"
for value in 2^10 1Ki 1024.0 1.024k 1_024; do
    "$program" "${budget[@]}" --budget $value >"$folder/two"
    same "$folder/one" "$folder/two" "--budget $value"
done
"$program" "${budget[@]}" --budget 1023.5 --csv >"$folder/two" || fail "--budget 1023.5"
for value in 0x1p-1 0x10 nan inf -5 0 0.0 1e- '' 5us 1K; do
    refuse "--budget '$value' is" "${budget[@]}" --budget "$value"
done

# A reader that goes away, as head does, ends the command without a message, also where SIGPIPE is
# ignored. A full disk gives a message.
many=(--n 1e6 --k 1000 --b 1000..1150 --kb 1..20)
for format in "" --json --csv; do
    for how in "" "trap '' PIPE"; do
        (eval "$how"
         status=$("$program" "${many[@]}" $format 2>"$folder/err" | {
             head -n 1 >/dev/null
             exec <&-
             sleep 0.1
         }; echo "${PIPESTATUS[0]}")
         [ "$status" = 141 ] || fail "a closed pipe, $format $how: status $status")
        [ ! -s "$folder/err" ] || fail "a closed pipe, $format $how: $(cat "$folder/err")"
        pass
    done
    status=0; "$program" "${many[@]}" $format >/dev/full 2>"$folder/err" || status=$?
    [ $status = 1 ] && grep -q "could not be written: No space left" "$folder/err" ||
        fail "a full disk, $format: status $status"
    pass
done
# (Under mpirun it is mpirun that writes to the pipe. That of Open MPI 4.1 crashes there, whatever
# program it runs.)

# Where SIGINT is ignored it stays ignored. SIGTERM still stops the command, which prints what it
# has measured.
long=(simulate --n 100000 --k 1000 --kb 1 --input iid --repetitions 1000000 --json)
(trap '' INT; exec "$program" "${long[@]}" >"$folder/out" 2>"$folder/err") & job=$!
until_it_listens $job 15 || fail "no handler of SIGTERM"
kill -INT $job
sleep 0.5
kill -0 $job 2>/dev/null || fail "an ignored SIGINT stops it: $(cat "$folder/err")"
kill -TERM $job
status=0; wait_for $job 60 || status=$?
[ $status = 130 ] && grep -q '"partial": true' "$folder/out" ||
    fail "SIGTERM beside an ignored SIGINT: status $status"
pass

# The help of an option names what the option takes.
for line in "simulate --input" "count --input" "select --objective" "recall --assignment" \
    "predict --dtype"; do
    read -r subcommand option <<<"$line"
    "$program" "$subcommand" --help | sed -n "/^  $option/,/^  --/p" >"$folder/out"
    for name in $("$program" completion words "$subcommand" "$option" "" | cut -f1); do
        grep -qw -- "$name" "$folder/out" || fail "the help of $line does not name $name"
    done
done
pass

# Numbers look the same in every locale. This test makes a locale with a decimal comma.
if localedef -i de_DE -f UTF-8 "$folder/de_DE.UTF-8" 2>/dev/null; then
    export LOCPATH=$folder
    [ "$(LC_ALL=de_DE.UTF-8 locale decimal_point 2>/dev/null)" = , ] || fail "no locale was made"
    for format in "" --json --csv; do
        for how in "--n 1000 --k 10" \
            "select --n 131072 --k 2048 --budget 1023.5 --objective parallel"; do
            LC_ALL=C "$program" $how $format >"$folder/one"
            LC_ALL=de_DE.UTF-8 "$program" $how $format >"$folder/two"
            same "$folder/one" "$folder/two" "$how in a German locale"
        done
    done
else
    echo "SKIPPED: locales: one with a decimal comma cannot be made here (Debian: locales)"
fi
finish
