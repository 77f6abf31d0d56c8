#!/usr/bin/env bash
# recallmodel._bench on a CPU: peers in Python are timed and proved as our own kernels; where the
# libraries are found; a package is imported when a cell asks for it.
#
# Against: peers in NumPy with a fault each (made_up_peers.py); NumPy's argpartition.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
. tests/benches.sh
needs_python
"$python" -c 'import numpy' 2>/dev/null || skip "there is no numpy"
unsanitized "a library with sanitizers cannot be loaded into Python"
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PWD/tests/programs/measure:$folder/stubs
export RECALLMODEL_BENCH
RECALLMODEL_BENCH=$(ls "$build"/librecallmodel-bench-cpu.so.*)
peers() { "$python" python/recallmodel/_bench.py "$@"; }

# The library exports its two functions and no other.
exported=$(nm -D --defined-only "$RECALLMODEL_BENCH" | awk '{ print $3 }' | xargs)
[ "$exported" = "add_peers recallmodel_bench" ] || fail "it exports $exported"

# Every type of NumPy, several rows and sets of rows, k = 1 and k = n; mixed with our own.
{
    echo "work,kernel,dtype,n,k,b,m,cache,threads"
    for dtype in float32 float64 float16 int32 int8; do
        for shape in 500,1,,3 500,500,,1 4000,40,,2; do
            echo "exact,peers,$dtype,$shape,warm,2"
        done
    done
    echo "exact,peers,bfloat16,500,1,,3,warm,1"
    echo "two-stage,,float32,500,9,90,3,warm,1"
} >"$folder/cells.csv"
peers --peers numpy cells --file "$folder/cells.csv" --seconds 0.001 -o "$folder/out.csv" \
    >"$folder/stdout" 2>"$folder/stderr" || fail "numpy: $(cat "$folder/stderr")"
[ "$(column "$folder/out.csv" kernel | sort | uniq -c | xargs)" = \
    "1 auto 15 numpy.argpartition" ] && [ ! -s "$folder/stdout" ] ||
    fail "numpy: $(cat "$folder/out.csv" "$folder/stdout")"
grep -q "^# peer numpy.argpartition: numpy [0-9]" "$folder/out.csv" ||
    fail "the package: $(grep '^#' "$folder/out.csv")"
[ "$(column "$folder/out.csv" recall | sed -n 1,15p | sort -u)" = 1 ] || fail "recall"
pass

# Peers that give indices of 4 bytes alone, or results elsewhere, are proved; a wrong one and one
# that raises have no row.
export FAULTS=raises
status=0
peers --peers made_up_peers exact --n 500 --k 9 --m 3 --cache warm --seconds 0.01 \
    --kernel threshold,peers -o "$folder/faults.csv" >"$folder/stdout" 2>"$folder/stderr" ||
    status=$?
[ $status = 1 ] && [ "$(column "$folder/faults.csv" kernel | xargs)" = \
    "threshold torch.topk indices-alone elsewhere" ] || fail "faults: $(cat "$folder/stderr")"
grep -q "^# wrong exact,one-row-wrong,.* 491 elements missed" "$folder/faults.csv" &&
    grep -q "^# failed exact,raises,.*the peer failed" "$folder/faults.csv" &&
    grep -q "this peer has a fault" "$folder/stderr" || fail "faults: $(cat "$folder/faults.csv")"
# they cost the others no round, and are not tried again
printf 'work,kernel,n,k\nexact,threshold,500,9\nexact,peers,500,9\n' >"$folder/faults.csv"
status=0
peers --peers made_up_peers cells --file "$folder/faults.csv" --seconds 0.01 --rounds 3 \
    -o "$folder/rounds.csv" >"$folder/stdout" 2>"$folder/stderr" || status=$?
[ $status = 1 ] && [ "$(column "$folder/rounds.csv.3" kernel | xargs)" = \
    "threshold torch.topk indices-alone elsewhere" ] &&
    [ "$(grep -c "this peer has a fault" "$folder/stderr")" = 1 ] ||
    fail "rounds with faults: status $status, $(cat "$folder/stderr")"
pass

# PyTorch is imported by its cells alone; one that is broken is left out, and named.
mkdir -p "$folder/stubs/torch"
echo 'raise RuntimeError("torch was imported\nhere")' >"$folder/stubs/torch/__init__.py"
peers exact --n 500 --k 9 --kernel threshold,numpy.argpartition --list >"$folder/list" \
    2>"$folder/stderr" || fail "torch is imported: $(cat "$folder/stderr")"
status=0
peers exact --n 500 --k 9 --kernel torch.topk --list >"$folder/list" 2>"$folder/stderr" ||
    status=$?
[ $status = 2 ] && grep -q "can be run: torch cannot be imported: torch was imported$" \
    "$folder/stderr" || fail "a broken torch: $(cat "$folder/stderr")"
peers cells --file "$folder/cells.csv" --list 2>&1 | grep -c argpartition | prints '^15$' ||
    fail "a broken torch takes the others with it"
rm -r "$folder/stubs/torch"
if "$python" -c 'import torch' 2>/dev/null; then
    for dtype in float32 bfloat16; do
        for k in 1 40; do
            peers exact --n 4000 --k $k --m 2 --dtype $dtype --threads 1,2 --cache warm \
                --seconds 0.01 --kernel peers -o "$folder/torch.csv" >/dev/null \
                2>"$folder/stderr" || fail "torch: $(cat "$folder/stderr")"
        done
    done
    [ "$(column "$folder/torch.csv" kernel | grep -c '^torch.topk')" = 16 ] ||
        fail "torch: $(cat "$folder/torch.csv")"
    pass
else
    echo "SKIPPED: torch.topk: there is no PyTorch"
fi

# The libraries: as make leaves them and as pip names them; in the package recallmodel_cuda. Wrong
# use is one line.
unset RECALLMODEL_BENCH
mkdir -p "$folder/installed/recallmodel" "$folder/stubs/recallmodel_cuda"
cp python/recallmodel/_bench*.py "$folder/installed/recallmodel/"
installed() { "$python" "$folder/installed/recallmodel/_bench.py" "$@"; }
for name in recallmodel recallmodel-topk recallmodel-bench-cpu; do
    cp "$build/lib$name.so".* "$folder/installed/recallmodel/lib$name.so.0"
done
installed exact --n 500 --k 9 --kernel threshold,numpy.argpartition --cache warm --csv \
    >"$folder/csv" 2>"$folder/stderr" || fail "as pip installs it: $(cat "$folder/stderr")"
[ "$(rows "$folder/csv")" = 3 ] || fail "as pip installs it: $(cat "$folder/csv")"
status=0
installed --on gpu device >"$folder/stdout" 2>"$folder/stderr" || status=$?
[ $status = 1 ] && grep -q "there is no librecallmodel-bench.so: pip install" "$folder/stderr" ||
    fail "no GPU library: $(cat "$folder/stderr")"
emulated=$build/gpu/librecallmodel-bench-emulated.so
if [ -e "$emulated" ]; then
    touch "$folder/stubs/recallmodel_cuda/__init__.py"
    cp "$emulated" "$folder/stubs/recallmodel_cuda/librecallmodel-bench.so"
    installed --on gpu device >"$folder/stdout" 2>"$folder/stderr" || fail "$(cat "$folder/stderr")"
    prints emulation <"$folder/stdout" || fail "the device is $(cat "$folder/stdout")"
fi
status=0
installed --on tpu exact 2>"$folder/stderr" || status=$?
[ $status != 0 ] && grep -q "^recallmodel._bench: --on 'tpu' is not known; give cpu or gpu$" \
    "$folder/stderr" || fail "--on tpu: $(cat "$folder/stderr")"
"$python" python/recallmodel/_bench.py --peers no_such_module,numpy exact --list --kernel \
    threshold 2>&1 | prints "no_such_module was left out: No module named" || fail "no module"
pass
finish
