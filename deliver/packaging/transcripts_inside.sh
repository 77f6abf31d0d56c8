#!/bin/bash
# transcripts_inside.sh - the part of transcripts.sh that runs in a bare Debian root, as root.
#
#   transcripts_inside.sh source|pip
#
# "## SECONDS WHAT" is a step; the answers are in /root/given/NAME.answer for the caller to compare.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root
unset MAKEFLAGS MAKELEVEL MFLAGS  # of the make that runs transcripts.sh
command -v gcc python3 git make && { echo "FAIL: the root is not bare"; exit 1; }
mkdir /root/work
cd /root/work

step() { # WHAT COMMAND ..
    local what=$1 begin=$EPOCHREALTIME tenths
    shift
    "$@" >/root/log 2>&1 || { tail -n 20 /root/log; echo "FAIL: $what"; exit 1; }
    tenths=$(((${EPOCHREALTIME/./} - ${begin/./} + 50000) / 100000))
    echo "## $((tenths / 10)).$((tenths % 10)) $what"
}

apt() { apt-get update -qq && apt-get install -y -q --no-install-recommends "$@"; }
demo() { cd recallmodel && make demo; }
pip() { venv/bin/pip install --no-index --find-links /root/given/packages /root/given/*.whl; }
answer() { recallmodel select --n 131072 --k 2048 --m 64 --recall 0.95 --device h100-pcie; }

if [ "$1" = source ]; then
    step "apt-get install -y git make" apt git make
    step "git clone URL recallmodel" git clone -q /root/given/recallmodel.git recallmodel
    step "make demo" demo
    sed '1,/^\.\/recallmodel /d' /root/log >/root/given/answer
    for package in pkg-config pkgconf libopenblas0; do
        dpkg-query -W "$package" 2>/dev/null && { echo "FAIL: $package is there"; exit 1; }
    done
else
    step "apt-get install -y python3-venv" apt python3-venv
    step "python3 -m venv venv" python3 -m venv venv
    step "pip install recallmodel-*.whl" pip
    export PATH=/root/work/venv/bin:$PATH
    step "recallmodel select .." answer
    cp /root/log /root/given/answer
    step "recallmodel tune .." recallmodel tune --n 131072 --k 2048 --m 4 --recall 0.95
fi
echo "## end"
