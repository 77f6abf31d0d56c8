#!/usr/bin/env bash
# Machines that lack something: OpenBLAS, threads to be had (a limit on processes), or GSL when the
# command was built. A command says what it lacks in one line, or goes on with one thread; nothing
# aborts.
#
# Against: one line and status 2, or the answer of one thread; no library calls abort() or exit().
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "with the sanitizers no library can come before theirs"
# The libraries never end the program of their caller, but where memory runs out.
grep -rnE '\b(abort|exit|_exit|assert)\(' --include='*.[ch]' base model sim calibrate attention \
    topk | grep -v '^base/memory' | grep -v static_assert >"$folder/aborts" || true
[ ! -s "$folder/aborts" ] || fail "a library ends the program: $(cat "$folder/aborts")"
pass

cat >"$folder/without.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

#ifdef THREADS
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *with)
{
    (void)thread, (void)how, (void)run, (void)with;
    return EAGAIN;
}
#else
void *dlopen(const char *name, int flags)
{
    void *(*real)(const char *, int);
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    return name && strstr(name, "openblas") ? NULL : real(name, flags);
}
#endif
END
read -ra cc <<<"${CC:-cc}"
"${cc[@]}" -shared -fPIC -o "$folder/no-openblas.so" "$folder/without.c" -ldl
"${cc[@]}" -shared -fPIC -DTHREADS -o "$folder/no-threads.so" "$folder/without.c"
without() { # WHAT COMMAND ..
    local what=$1
    shift
    LD_PRELOAD=$folder/no-$what.so "$@" >"$folder/out" 2>"$folder/err"
}

# ---- OpenBLAS

"$program" tensors --generate "$folder/t" --n 500 --n-q 4 >/dev/null || fail "tensors --generate"
files=(--keys "$folder/t/keys.npy" --queries "$folder/t/queries.npy")
lacks() { # COMMAND ..: one line, status 2, no file
    local status=0
    without openblas "$program" "$@" || status=$?
    [ $status = 2 ] && [ "$(wc -l <"$folder/err")" = 1 ] && [ ! -s "$folder/out" ] &&
        grep -q "OpenBLAS was not found; install it" "$folder/err" ||
        fail "$*: status $status, $(cat "$folder/out" "$folder/err")"
    [ ! -e "$folder/u" ] || fail "$*: it leaves $(ls "$folder/u")"
    pass
}
lacks tensors --generate "$folder/u" --n 500 --n-q 4
lacks tensors "${files[@]}"
lacks sparse "${files[@]}" --values "$folder/t/values.npy" --method bucketed
lacks sparse "${files[@]}" --values "$folder/t/values.npy" --method saap \
    --train-keys "$folder/t/keys.npy" --train-queries "$folder/t/queries.npy"
for command in "select --n 4096 --k 64" "simulate --n 4096 --k 64 --b 128 --kb 2" \
    "bench exact --n 4096 --k 64"; do
    # shellcheck disable=SC2086
    without openblas "$program" $command || fail "$command: $(cat "$folder/err")"
done
pass

# ---- threads

export OMP_NUM_THREADS=4 OPENBLAS_NUM_THREADS=1
for command in "simulate --n 4096 --k 64 --b 128 --kb 2 --repetitions 2000" \
    "sparse ${files[*]} --values $folder/t/values.npy --method bucketed,kmeans" \
    "tensors ${files[*]}" "tensors --generate $folder/again --n 500 --n-q 4"; do
    # shellcheck disable=SC2086
    without threads "$program" $command || fail "$command: $(cat "$folder/err")"
    cp "$folder/out" "$folder/one"
    # shellcheck disable=SC2086
    "$program" $command >"$folder/out" 2>/dev/null
    # the same answer; seconds and rates differ
    [ "$(wc -l <"$folder/one")" = "$(wc -l <"$folder/out")" ] ||
        fail "$command: $(diff "$folder/one" "$folder/out")"
done
pass
without threads "$program" bench exact --n 65536 --k 64 --threads 1,4 ||
    fail "bench: $(cat "$folder/err")"
grep -q "this machine cannot start so many threads" "$folder/err" ||
    fail "bench says nothing of threads: $(cat "$folder/err")"
pass

if "$python" -c 'import cffi, numpy' 2>/dev/null; then
    RECALLMODEL_LIBRARY=$(ls "$build"/librecallmodel.so.* | sed -n 1p)
    export RECALLMODEL_LIBRARY PYTHONPATH=python PYTHONDONTWRITEBYTECODE=1
    cat >"$folder/calls.py" <<'END'
import numpy

import recallmodel as rcm

x = numpy.random.default_rng(1).normal(size=(64, 100000)).astype("float32")
for rows in x, x[0]:
    got = rcm.topk(rows, 5, threads=4).values
    assert (got == -numpy.sort(-rows, axis=-1)[..., :5]).all()
    rcm.topk(rows, 64, b=1024, k_b=2, threads=4)
END
    without threads "$python" "$folder/calls.py" || fail "Python: $(cat "$folder/err")"
    pass
else
    echo "SKIPPED: Python without threads: there is no cffi or no numpy"
fi
# ---- GSL

make -s HAS_GSL= BUILD="$build" PROGRAM="$folder/no-gsl" "$folder/no-gsl" >"$folder/out" 2>&1 ||
    fail "the build without GSL: $(cat "$folder/out")"
ldd "$folder/no-gsl" | prints gsl && fail "the build without GSL links it"
for words in "calibrate runs.csv" "calibrate" "bench --calibrate"; do
    status=0
    # shellcheck disable=SC2086
    "$folder/no-gsl" $words >"$folder/out" 2>"$folder/err" || status=$?
    [ $status = 2 ] && [ "$(wc -l <"$folder/err")" = 1 ] && [ ! -s "$folder/out" ] &&
        grep -q "libgsl-dev" "$folder/err" || fail "$words: status $status, $(cat "$folder/err")"
    pass
done
"$program" select --n 131072 --k 2048 --recall 0.95 --device h100-pcie >"$folder/want"
"$folder/no-gsl" select --n 131072 --k 2048 --recall 0.95 --device h100-pcie |
    cmp - "$folder/want" || fail "select without GSL: other bytes"
pass
finish
