#!/usr/bin/env bash
# Runs the calls that `recallmodel parts --call` prints: exact top-k over parts.
#
# Against: sorted rows; with mpi4py over ranks, and with stand-ins for torch, jax and faiss.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "the calls are run without sanitizers (Python is built without them)"
needs_python
export RECALLMODEL=$program
for name in torch jax faiss; do
    timeout 100 "$python" tests/programs/parts_calls.py $name >"$folder/out" 2>&1 ||
        fail "$name: $(cat "$folder/out")"
    pass
done
if "$python" -c 'import mpi4py' 2>/dev/null && has_mpi; then
    timeout 100 mpirun --oversubscribe -n 4 "$python" tests/programs/parts_calls.py mpi4py \
        >"$folder/out" 2>&1 || fail "mpi4py: $(cat "$folder/out")"
    # mpirun may put what two ranks write on one line.
    [ "$(grep -o 'is right' "$folder/out" | wc -l)" = 4 ] || fail "mpi4py: $(cat "$folder/out")"
    pass
else
    echo "SKIPPED: mpi4py: $python has none (Debian: python3-mpi4py)"
fi
finish
