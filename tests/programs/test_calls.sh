#!/usr/bin/env bash
# Runs the calls that `recallmodel select --json` prints. C: compiled against an installed copy of
# the kernels, emulated. Python: calls.py.
#
# Against: recall as printed (6 standard errors a question, 5 over all of PyTorch's), values at
# their indices; a stand-in for torch, and torch where it is available; Graphcore's signature and
# limits; `jax.eval_shape`, where JAX is available.
#
# Slow: 7 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "the calls are run without sanitizers (Python is built without them)"
needs_python

# What `make gpu && make install` puts there. The library of emulated kernels stands in for the real
# one, and an empty library for CUDA's, which the emulation does not need.
mkdir -p "$folder/made/gpu/recallmodel-bench" "$folder/include" "$folder/lib"
make -n BUILD="$folder/made" DESTDIR="$folder/" PREFIX=top install >"$folder/installed" 2>/dev/null
for installed in "librecallmodel-gpu.a $folder/top/lib" "topk_gpu.h $folder/top/include"; do
    grep -q "^install .*/$installed/\$" "$folder/installed" ||
        fail "make install leaves out $installed"
done
cp gpu/topk_gpu.h "$folder/include/"
ar rcs "$folder/lib/librecallmodel-gpu.a" "$build"/gpu/emulated/*/*.o
ar rcs "$folder/lib/libcudart.a"
pass

# Rows of distinct values whose order is random. The first `valid` elements are the largest.
cat >"$folder/main.c" <<'END_C'
#include <stdio.h>
#include <stdlib.h>
#include <topk_gpu.h>

int top_k(const void *x, void *values, int32_t *indices, void *w, size_t *bytes, rcm_gpu_stream s);

static uint64_t state = 20261122;

static uint64_t draw(uint64_t below) /* splitmix64 */
{
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % below;
}

static void *room(size_t bytes)
{
    void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256 + 256);
    if (!memory)
        exit(3);
    return memory;
}

/* The rank of an element in its row, 0 the smallest: positive floats are ordered as their bits. */
static uint64_t bits(const void *x, uint64_t at, size_t size)
{
    return size == 4 ? ((const uint32_t *)x)[at] - 0x3f800000u : ((const uint16_t *)x)[at] - 1u;
}

static void fill_row(void *x, uint64_t row, uint64_t n, uint64_t valid, size_t size)
{
    uint32_t *rank = room(n * sizeof *rank);
    for (uint64_t i = 0; i < n; i++)
        rank[i] = (uint32_t)(n - 1 - i);
    for (uint64_t i = valid; i > 1; i--) {
        const uint64_t j = draw(i);
        const uint32_t kept = rank[i - 1];
        rank[i - 1] = rank[j];
        rank[j] = kept;
    }
    for (uint64_t i = 0; i < n; i++)
        if (size == 4)
            ((uint32_t *)x)[row * n + i] = 0x3f800000u + rank[i];
        else
            ((uint16_t *)x)[row * n + i] = (uint16_t)(1 + rank[i]);
    free(rank);
}

/* m n k valid type: prints the mean recall. */
int main(int count, char **arguments)
{
    if (count != 6)
        return 2;
    const uint64_t m = strtoull(arguments[1], NULL, 10), n = strtoull(arguments[2], NULL, 10);
    const uint64_t k = strtoull(arguments[3], NULL, 10), valid = strtoull(arguments[4], NULL, 10);
    const size_t size = arguments[5][1] == '3' ? 4 : 2;
    void *x = room(m * n * size), *values = room(m * k * size);
    int32_t *indices = room(m * k * sizeof *indices);
    unsigned char *seen = calloc(m, n);
    size_t bytes = 0;
    uint64_t found = 0;
    for (uint64_t i = 0; i < m * k; i++)
        indices[i] = -1;
    for (uint64_t i = 0; i < m; i++)
        fill_row(x, i, n, valid, size);
    int status = top_k(x, values, indices, NULL, &bytes, NULL);
    if (status == RCM_GPU_OK)
        status = top_k(x, values, indices, room(bytes), &bytes, NULL);
    if (status != RCM_GPU_OK) {
        printf("%s\n", rcm_gpu_message((enum rcm_gpu_status)status));
        return 1;
    }
    for (uint64_t i = 0; i < m * k; i++) {
        const uint64_t row = i / k;
        if (indices[i] < 0 || (uint64_t)indices[i] >= n || seen[row * n + (uint64_t)indices[i]]++) {
            printf("index %d of row %d\n", (int)indices[i], (int)row);
            return 1;
        }
        const uint64_t rank = bits(x, row * n + (uint64_t)indices[i], size);
        if (bits(values, i, size) != rank) {
            printf("a value that is not at its index\n");
            return 1;
        }
        found += rank >= n - k;
    }
    printf("%.9f\n", (double)found / (double)(m * k));
    return 0;
}
END_C
read -ra link <<<"${CC:-cc}"
cc=("${link[@]}" -std=c11 -O1 -Wall -Wextra -Werror "-I$folder/include")
"${cc[@]}" -c "$folder/main.c" -o "$folder/main.o"

# m n k valid and options: the call keeps the recall that is printed, to 6 standard errors (by
# chance one in 5e8, were it normal).
run_c() {
    local m=$1 n=$2 k=$3 valid=$4 got flags
    shift 4
    "$program" select --n "$n" --k "$k" --m "$m" "$@" --json >"$folder/json"
    "$python" tests/programs/calls.py c "$folder" "$n" >"$folder/numbers" ||
        fail "select $*: no call for C that runs the choice"
    read -r type k_b divides recall sd <"$folder/numbers"
    "${cc[@]}" -c "$folder/top_k.c" -o "$folder/top_k.o"
    read -ra flags <<<"$(grep include "$folder/top_k.c" | grep -o -e ' -l[a-z+-]*' | tr -d '\n')"
    "${link[@]}" "$folder/main.o" "$folder/top_k.o" -L"$folder/lib" "${flags[@]}" -o "$folder/run"
    got=$("$folder/run" "$m" "$n" "$k" "$valid" "$type") || fail "C: n $n, k $k, m $m $*: $got"
    awk -v got="$got" -v want="$recall" -v sd="$sd" -v m="$m" \
        'BEGIN { z = (got - want) / (sd / sqrt(m) + 1e-9); exit !(z < 6 && z > -6) }' ||
        fail "C: n $n, k $k, m $m $*: recall $got, printed $recall, sd $sd"
    echo "$type $k_b $divides" >>"$folder/seen"
    pass
}
run_c 8 3001 40 3001 --recall 0.9 --kb-max 1
run_c 4 20000 100 20000 --recall 0.95 --kb-max 2 --device h100-pcie --objective candidates
run_c 8 5003 64 5003 --recall 0.9 --kb-max 4 --device b200 --dtype bf16 --objective candidates
if [ "${CASES:-}" != few ]; then
    run_c 1 30000 500 30000 --recall 0.95 --kb-max 3 --device b200 --dtype f32
    run_c 16 4099 16 4099 --recall 0.8 --kb-max 1 --device l4 --dtype f16
    run_c 6 4096 128 4096 --recall 0.99 --divisors --kb-max 3
    run_c 12 2500 300 2500 --recall 0.97 --kernel ours --kb-max 4
    run_c 8 9000 50 5000 --recall 0.9 --valid 5000 --assignment contiguous --kb-max 2
    for want in "f16 1" "f32 1" "f16 2" "f32 3" "bf16 4" "f32 4" "f32 2"; do
        grep -q "^$want " "$folder/seen" || fail "no question has $want, but $(cat "$folder/seen")"
    done
fi
grep -q " no\$" "$folder/seen" || fail "b divides every n"
# Exact top-k by our kernel has a call of its own.
"$program" select --n 4096 --k 64 --m 8 --device h200 --dtype f16 --recall 0.9999 --json \
    >"$folder/json"
"$python" -c 'import json, sys; answer = json.load(open(sys.argv[1]))
assert answer["call"] == "c_exact"
open(sys.argv[2], "w").write(answer["usage"]["c_exact"])' "$folder/json" "$folder/top_k.c" ||
    fail "no call of the exact kernel"
"${cc[@]}" -c "$folder/top_k.c" -o "$folder/top_k.o"
read -ra flags <<<"$(grep include "$folder/top_k.c" | grep -o -e ' -l[a-z+-]*' | tr -d '\n')"
"${link[@]}" "$folder/main.o" "$folder/top_k.o" -L"$folder/lib" "${flags[@]}" -o "$folder/run"
[ "$("$folder/run" 8 4096 64 4096 f16)" = 1.000000000 ] || fail "the call of the exact kernel"
# A provider's is named with its package, how it is called, and its fault.
"$program" select --n 4096 --k 64 --m 8 --device h200 --dtype f32 --recall 0.9999 --json \
    >"$folder/json"
"$python" -c 'import json, sys; answer = json.load(open(sys.argv[1]))
first = answer["contenders"][0]
assert answer["call"] == "exact" and answer["verdict"] == "exact" and first["callable"]
text = answer["usage"]["exact"]
assert first["name"] == "SGLang topk_v2" and first["fault"], first
assert all(first[key] in text for key in ("package", "call", "fault")), text
assert "c_exact" not in answer["usage"]' "$folder/json" || fail "the call of a provider"
pass
# The answer with its call is short, whatever the kernel.
for kernel in any ours xla graphcore; do
    lines=$("$program" select --n 131072 --k 2048 --m 64 --recall .99 --kernel $kernel | wc -l)
    [ "$lines" -le 24 ] || fail "select --kernel $kernel prints $lines lines"
done
pass
# More than the kernels take, and buckets that they do not know: no call.
for asked in "--n 2^31" "--n 4000 --valid 3000 --assignment contiguous-floor"; do
    # shellcheck disable=SC2086
    "$program" select $asked --k 64 --recall 0.9 --json >"$folder/json"
    if "$python" tests/programs/calls.py c "$folder" 4000 >/dev/null; then
        fail "a call for $asked"
    fi
done
pass

export RECALLMODEL=$program PYTHONDONTWRITEBYTECODE=1
RECALLMODEL_LIBRARY=$(ls "$build"/librecallmodel.so.* | sed -n 1p)
export RECALLMODEL_LIBRARY
if "$python" -c 'import cffi, numpy' 2>/dev/null; then
    PYTHONPATH="python${PYTHONPATH:+:$PYTHONPATH}" timeout -k 10 300 "$python" \
        tests/programs/calls.py python
    timeout -k 10 300 "$python" tests/programs/call_headlines.py || fail "the call below an answer"
else
    echo "SKIPPED: the calls in Python: $python has no numpy (Debian: python3-numpy)"
fi
finish
