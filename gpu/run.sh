#!/usr/bin/env bash
# run.sh - measures on this machine's GPU: one CSV for each part, in gpu/runs. A part whose file
# exists is continued.
#
#   gpu/run.sh [PART ..]       all parts, or only these
#   MINUTES=9 RUN_DATE=2026-11-21 BENCH=./recallmodel-bench gpu/run.sh ...
#
# SPDX-License-Identifier: Apache-2.0
set -u
cd "$(dirname "$0")/.."
bench=${BENCH:-./recallmodel-bench}
minutes=${MINUTES:-9}
runs=${RUNS:-gpu/runs}

today=${RUN_DATE:-$(date -u +%Y-%m-%d)}
case $today in
[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]) ;;
*) echo "run.sh: RUN_DATE '$today' is not a date such as 2026-11-21" >&2; exit 2 ;;
esac
name=$("$bench" device) || exit $?
device=$(printf '%s' "${name#NVIDIA }" | tr '[:upper:]' '[:lower:]' | tr -cs '[:alnum:]' '-')
start=$runs/${device%-}-$today
mkdir -p "$runs"

status=0
part() { # file, command: runs the command with -o FILE
    local file=$1 failed=0
    shift
    echo "== $file"
    "$@" -o "$file" || failed=$?
    [ "$status" != 0 ] || status=$failed
    [ "$failed" != 130 ] || exit 130
}
grid() { # subcommand, grid
    part "$start-$2.csv" "$bench" "$1" --grid "$2" --minutes "$minutes"
}
torch() { # subcommand, grid: torch.topk on the same cells
    local cells=$start-torch-$2.cells
    if ! python3 -c 'import torch' 2>/dev/null; then
        echo "== no PyTorch here: torch.topk is left out"
        return
    fi
    "$bench" "$1" --grid "$2" --list >"$cells"
    part "$start-torch-$2.csv" python3 gpu/torch_topk.py "$cells" --minutes "$minutes"
    rm -f "$cells"
}

if [ $# = 0 ]; then
    set -- roof targets targets-two-stage kernels calibrate samaga-2 samaga-3
    set -- "$@" key-1 key-8 key-9 key-10 key-15 key-17 adversarial adversarial-exact
fi
for p; do
    case $p in
    roof) part "$start-roof.csv" "$bench" roof --device-file "$start.device" ;;
    targets | adversarial) grid stage1 "$p" ;;
    targets-two-stage | calibrate) grid two-stage "$p"; torch two-stage "$p" ;;
    kernels) grid exact "$p"; torch exact "$p" ;;
    key-15) grid exact "$p"; torch exact "$p" ;;
    adversarial-exact) grid exact "$p" ;;
    samaga-3) grid fused "$p" ;;
    key-*) grid two-stage "$p" ;;
    samaga-2) grid two-stage "$p"; torch two-stage "$p" ;;
    *) echo "run.sh: no part '$p'" >&2; exit 2 ;;
    esac
done
exit $status
