#!/usr/bin/env bash
# The runner of tests and .ci/run: they see failures and hangs, print output in order and omit no
# step.
#
# Against: made-up tests, a `make` of its own.
#
# Slow: 6 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
. tests/signals.sh
script() {
    printf '#!/usr/bin/env bash\n%s\n' "$2" >"$folder/$1"
    chmod +x "$folder/$1"
}

# The outputs are in order, whichever test ends first. The runner names the test that fails and the
# test that hangs, and ends with status 1.
script slow 'sleep 0.6; echo said slowly'
script quick 'echo said quickly'
script wrong 'echo said wrongly; exit 3'
script hangs 'echo begun; sleep 100 & wait'
status=0
begin=$SECONDS
(cd "$folder" && LIMIT_S=2 "$OLDPWD/tests/run.sh" ./slow ./quick ./wrong ./hangs) >"$folder/out" ||
    status=$?
[ $status = 1 ] || fail "status $status of tests that fail"
[ $((SECONDS - begin)) -lt 15 ] || fail "a test that hangs was waited for"
outputs=$(grep '^said\|^begun\|^KILLED' "$folder/out" | cut -d' ' -f1-2 | tr '\n' ';')
[ "$outputs" = "said slowly;said quickly;said wrongly;begun;KILLED: longer;" ] ||
    fail "$(cat "$folder/out")"
grep -qx "FAILED: ./wrong ./hangs" "$folder/out" || fail "which failed: $(cat "$folder/out")"
pass
(cd "$folder" && "$OLDPWD/tests/run.sh" ./slow ./quick) >"$folder/out" || fail "tests that pass"
grep -qx "all 2 tests passed" "$folder/out" || fail "$(cat "$folder/out")"
pass

# Ctrl-C ends the runner and what it runs.
default_signals tests/run.sh "$folder/hangs" "$folder/hangs" >"$folder/out" 2>&1 & job=$!
until_it_listens $job 2 || fail "the runner has no handler"
sleep 0.5
kill -INT $job
status=0; wait_for $job 20 || status=$?
[ $status = 130 ] || fail "the runner after SIGINT: status $status"
for _ in $(seq 100); do
    pgrep -f "$folder/hangs" >/dev/null || break
    sleep 0.1
done
if pgrep -f "$folder/hangs" >/dev/null; then fail "a test outlives its runner"; fi
pass

# make check-all runs every test.
env -u BUILD -u RUN -u MAKEFLAGS make -s -n check-all 2>/dev/null |
    grep -o 'tests/[a-z/]*/test_[a-z0-9_]*\(\.sh\)\?\( \|$\)' | sort -u >"$folder/all"
files=$(find tests -name 'test_*.c' -o -name 'test_*.cc' -o -name 'test_*.sh')
[ "$(wc -l <<<"$files")" -gt 150 ] || fail "only these tests were found: $files"
for file in $files; do
    grep -qx "$(sed 's/\.cc\?$//' <<<"$file") \?" "$folder/all" ||
        fail "make check-all does not run $file"
done
pass

# .ci/run with a stand-in for make: it runs every step in order, also after one that fails, and then
# ends with status 1.
mkdir "$folder/bin"
cat >"$folder/bin/make" <<'MAKE'
#!/usr/bin/env bash
echo "$*" >>"$LOG"
[ "$1" != "$FAILS" ]
MAKE
chmod +x "$folder/bin/make"
printf '%s\n' check check-rest "page check-page" check-packages check-portable "docs check-site" \
    notebooks check-sanitize check-races check-fuzz >"$folder/steps"
for fails in none notebooks check-fuzz; do
    rm -f "$folder/log"
    status=0
    PATH=$folder/bin:$PATH LOG=$folder/log FAILS=$fails .ci/run >"$folder/out" 2>&1 || status=$?
    [ $status = "$([ $fails = none ] && echo 0 || echo 1)" ] ||
        fail ".ci/run with $fails failing: status $status"
    cmp "$folder/steps" <(sed 's/ [A-Z_]*=.*//' "$folder/log") ||
        fail ".ci/run runs $(cat "$folder/log")"
    [ "$(grep -c '^ *[0-9]* s *[0-9]* s of CPU  \(passed\|FAILED\)  *make' "$folder/out")" = 10 ] ||
        fail "times: $(cat "$folder/out")"
    [ $fails = none ] || grep -q "FAILED  make $fails" "$folder/out" || fail "$(cat "$folder/out")"
done
status=0
PATH=$folder/bin:$PATH LOG=$folder/log FAILS=none LIMIT_S=-1 .ci/run >"$folder/out" 2>&1 ||
    status=$?
[ $status = 1 ] && grep -q "no time left   make check-fuzz" "$folder/out" ||
    fail "no time left: $(cat "$folder/out")"
pass
finish
