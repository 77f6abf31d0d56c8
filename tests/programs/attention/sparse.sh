# sparse.sh - what the tests of `recallmodel sparse` share; sourced behind shell.sh.
#
# SPDX-License-Identifier: Apache-2.0
small=tests/programs/attention/sparse
tensors_of() { # folder: the options that name its tensors
    echo "--queries $1/queries.npy --keys $1/keys.npy --values $1/values.npy"
}
sparse() { "$program" sparse "$@"; }
refuse() { # text of the line, arguments ..
    rejects "$1" "$program" sparse "${@:2}"
    pass
}
read -ra of_small <<<"$(tensors_of $small) --window 16 --k 16"
baselines=topk,random,streaming,full
