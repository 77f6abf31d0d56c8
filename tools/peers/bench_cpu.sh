#!/usr/bin/env bash
# bench_cpu.sh [NAME] - measures this CPU into runs/NAME: the grids of recallmodel bench, the peers
# that `make peers` installed, and SOURCE, which says where and when. A run that was stopped
# continues; a file that is complete is left as it is.
#
#   PROGRAM=build/recallmodel  WORKER=build/bench/peers  PEERS=build/peers  RUNS=runs
#   GRIDS="two-stage/cpu-small .."   which, each behind what it times
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
program=${PROGRAM:-build/recallmodel}
worker=${WORKER:-build/bench/peers}
peers=${PEERS:-build/peers}
runs=${RUNS:-runs}
grids=${GRIDS-two-stage/cpu-small exact/cpu-targets stage1/cpu-levels two-stage/samaga-2}

field() { sed -n "s/^$1[[:space:]]*: //p" /proc/cpuinfo | sed -n 1p; }

# cpu-epyc-zen4, cpu-xeon-emr: the words of the CPU's name that tell it apart, and the
# generation where known.
name_of_cpu() {
    local words generation=
    words=$(field "model name" | tr '[:upper:]' '[:lower:]' |
        sed 's/([a-z]*)//g; s/ cpu\| processor\|[0-9]*-core\|@.*\|^amd\|^intel//g
            s/[^a-z0-9]\+/-/g; s/^-//; s/-$//')
    if [ "$(field vendor_id)" = AuthenticAMD ]; then
        case $(field "cpu family")/$(field model) in
        23/49 | 23/113 | 23/96) generation=-zen2 ;;
        25/1 | 25/33 | 25/80) generation=-zen3 ;;
        25/17 | 25/97 | 25/116 | 25/160) generation=-zen4 ;;
        26/*) generation=-zen5 ;;
        esac
    fi
    if [ "$(field vendor_id)" = GenuineIntel ]; then
        case $(field "cpu family")/$(field model) in
        6/85) generation=-skx ;; # Cascade Lake and Cooper Lake, too
        6/106 | 6/108) generation=-icx ;;
        6/143) generation=-spr ;;
        6/207) generation=-emr ;;
        6/173) generation=-gnr ;;
        esac
    fi
    echo "cpu-${words:-$(uname -m)}$generation"
}

name=${1:-$(name_of_cpu)}
case $name in *[!a-z0-9-]*)
    echo "bench_cpu.sh: the name '$name' has other characters than a-z, 0-9 and -" >&2
    exit 2
    ;;
esac
folder=$runs/$name
mkdir -p "$folder"

for grid in $grids; do
    "$program" bench "${grid%/*}" --on cpu --grid "${grid#*/}" -o "$folder/${grid#*/}.csv" \
        >/dev/null
done

status=0 # of the peers: what was measured is described all the same
pythons=()
for python in "$peers"/*/bin/python; do
    if [ -e "$(dirname "$python")/../.made" ]; then pythons+=("$python"); fi
done
if [ -x "$worker" ]; then
    python3 tools/peers/time_peers.py "$worker" ${pythons[@]+"${pythons[@]}"} \
        -o "$folder/peers.csv" ${PEER_OPTIONS:-} || status=$?
fi

{
    state=$(git describe --always --dirty 2>/dev/null || echo unknown)
    echo "Measured by make bench-cpu on $(date -u +%Y-%m-%d), sources $state."
    echo "Licence     Apache-2.0"
    grep -h '^# recallmodel bench' "$folder"/*.csv | tail -n 1 | sed 's/^# //'
    echo
    lscpu 2>/dev/null | grep -E '^(Model name|CPU family|Model|Flags|L[123]|CPU\(s\)|Hypervisor)' ||
        true
} >"$folder/SOURCE"

# The index of the measured runs: rows are counted anew, a new file gets a line.
index=$runs/index.csv
[ -f "$index" ] || echo name,rows,what,device,dtype,licence,statistic,cache,launch,lengths >"$index"
for file in "$folder"/*.csv; do
    entry=$name/$(basename "$file" .csv)
    rows=$(($(grep -vc '^#\|^$' "$file") - 1))
    what="time on a CPU"
    case $entry in */peers) what="time of other libraries" ;; esac
    grep -q "^$entry," "$index" ||
        echo "$entry,,$what,$name,several,Apache-2.0,median,several,,equal" >>"$index"
    sed -i "s|^$entry,[0-9]*,|$entry,$rows,|" "$index"
done
echo "$folder: $(ls "$folder" | xargs)"
exit $status
