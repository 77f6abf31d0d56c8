#!/bin/sh
# in_bare_root.sh - run by ../test_wheel.sh inside a Debian root that has gcc, make, the headers of
# the C library and Python, and no pkg-config, no header of a library, no OpenBLAS, no gnuplot.
# Everything lies in /root.
set -eu
cd /root
for name in pkg-config gnuplot; do
    ! command -v $name || { echo "FAIL: the root has $name"; exit 1; }
done
python3 -m venv with-numpy
python3 -m venv without
fail() { echo "FAIL: $*"; exit 1; }

# One line on stderr that says what to install, and status 2 or 1.
refuses() { # TEXT COMMAND ..
    text=$1
    shift
    if "$@" >out 2>err; then fail "$*: succeeded"; fi
    [ "$(wc -l <err)" = 1 ] && grep -q "$text" err || fail "$*: $(cat err)"
}

# The source distribution, by gcc and make alone. -O0: the wheel is built from it with -O2.
CFLAGS=-O0 with-numpy/bin/pip install --quiet --disable-pip-version-check --no-index \
    --find-links packages recallmodel-*.tar.gz
with-numpy/bin/recallmodel --n 262144 --k 1024 --kb 4 >answer
cmp answer wanted || fail "the answer of the sdist differs"
with-numpy/bin/python module.py /root/with-numpy rows.npy
# OpenBLAS is that of NumPy's wheel.
with-numpy/bin/python - <<'END'
import numpy
x = numpy.random.default_rng(1).standard_normal((1, 300, 16), dtype="float32")
numpy.save("q.npy", x[:, -10:])
numpy.save("k.npy", x)
END
with-numpy/bin/recallmodel sparse --queries q.npy --keys k.npy --method topk --budget 0.5 --csv \
    >sparse.csv || fail "sparse with NumPy's OpenBLAS"
echo "sdist: built, answers, sparse by NumPy's OpenBLAS"

# The wheel as a user takes it, by pip alone, and the seconds of each step.
step() { # COMMAND ..
    begin=$(date +%s%N)
    "$@" >answer || fail "$*"
    spent=$((($(date +%s%N) - begin) / 1000000))
    printf 'step: %d.%03d s  %s\n' $((spent / 1000)) $((spent % 1000)) "$*"
}
step python3 -m venv user
PATH=/root/user/bin:$PATH
step pip install --quiet --disable-pip-version-check --no-index --find-links packages \
    recallmodel-*.whl
step recallmodel --n 262144 --k 1024 --kb 4
cmp answer wanted || fail "the answer of the wheel differs"
step recallmodel select --n 131072 --k 2048 --recall 0.95 --m 64 --device h100-pcie
grep -q '^Use ' answer || fail "select: $(cat answer)"
step recallmodel tune --n 131072 --k 2048 --recall 0.95 --m 4
grep -q 'exact, numpy.argpartition .*measured here' answer || fail "tune: $(cat answer)"

# The wheel without NumPy: the command works, and says what it lacks.
without/bin/pip install --quiet --disable-pip-version-check --no-deps --no-index recallmodel-*.whl
without/bin/recallmodel --n 262144 --k 1024 --kb 4 >answer
cmp answer wanted || fail "the answer of the wheel differs"
refuses 'OpenBLAS was not found; install it' without/bin/recallmodel sparse --queries q.npy \
    --keys k.npy --method topk --budget 0.5
refuses 'gnuplot' without/bin/recallmodel --n 262144 --k 1024 --kb 4 --plot x.png
cat err
echo "wheel: answers without NumPy, and says what sparse and --plot need"
