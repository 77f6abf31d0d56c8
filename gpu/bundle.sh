#!/usr/bin/env bash
# bundle.sh - puts into a folder all that a bare machine with a GPU needs to measure: no compiler,
# no network, no packages but Python 3. make gpu-bundle builds first what is copied here.
#
#   gpu/bundle.sh BUILD FOLDER
#
# SPDX-License-Identifier: Apache-2.0
set -eu
cd "$(dirname "$0")/.."
build=$1 to=$2
rm -rf "$to.part"
mkdir -p "$to.part/tests/python/topk" "$to.part/peers" "$to.part/recallmodel"
cd "$to.part"
root=$OLDPWD

copy() { cp -L "$root/$1" "$2"; }
copy "$build/gpu/bundle/recallmodel-bench" .
copy "$build/gpu/librecallmodel-bench.so" .
for test in "$root/$build"/gpu/tests/test_*; do
    case $test in *.d | *.o) ;; *) cp "$test" tests/ ;; esac
done
for test in conftest topk/test_topk_card topk/topk_of_tensors; do
    copy "tests/python/$test.py" "tests/python/$test.py"
done
for peer in "$root/$build"/gpu/peers/*.so; do
    [ ! -e "$peer" ] || cp "$peer" peers/
done
[ ! -d "$root/$build/gpu/peers/raft" ] || cp -r "$root/$build/gpu/peers/raft" peers/
for file in run_plan.py plan_figures.py plan.ini peers/packages.txt topk_gpu.h \
    runs/predicted-h100-sxm.csv; do
    copy "gpu/$file" .
done
git -C "$root" describe --always --dirty >commit 2>/dev/null || echo unknown >commit

# The Python module, for the peers in Python. rcm.topk also needs numpy, which PyTorch brings, and
# cffi for Python 3.12.
cp "$root"/python/recallmodel/*.py recallmodel/
for library in librecallmodel librecallmodel-topk librecallmodel-gpu; do
    newest=$(ls -t "$root/$build/$library".so.* | head -1)
    cp "$newest" recallmodel/
done
# The command, for tune, with the libraries that a bare machine lacks.
mkdir recallmodel/bin
copy "$build/recallmodel" recallmodel/bin/
ldd recallmodel/bin/recallmodel | awk '$1 ~ /^lib(gsl|jansson|gomp)/ { print $3 }' |
    xargs cp -L -t recallmodel/bin
python3 -m pip download -q --no-deps --only-binary=:all: --python-version 3.12 \
    --implementation cp --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64 \
    -d wheels cffi 2>/dev/null && python3 -m zipfile -e wheels/cffi-*.whl . ||
    echo "bundle.sh: cffi was not downloaded: without it there is no rcm.topk in the bundle" >&2
rm -rf wheels
strip -g recallmodel-bench ./*.so tests/test_* peers/*.so recallmodel/*.so.* 2>/dev/null || true
cd "$root"
rm -rf "$to"
mv "$to.part" "$to"
echo "$to: $(du -sk "$to" | awk '{ printf "%.1f", $1 / 1024 }') MiB," \
    "$(find "$to/peers" -name '*.so' | wc -l) libraries of peers"
