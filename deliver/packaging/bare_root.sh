# bare_root.sh - a bare Debian root; test_deb.sh and transcripts.sh source it.
#
# $folder is a temporary folder of the caller. SPDX-License-Identifier: Apache-2.0

suite=bookworm
mode=root

quoted() { printf "'%s'" "${1//\'/\'\\\'\'}"; }

# Why no root can be made here; nothing if one can.
why_no_root() {
    if ! command -v mmdebstrap >/dev/null; then
        echo "there is no mmdebstrap"
    elif [ "$(id -u)" != 0 ]; then
        unshare -Ur true 2>/dev/null || echo "neither root nor user namespaces (unshare) here"
    elif ! unshare -m true 2>/dev/null; then
        echo "root may not mount here"
    fi
}

# make_root CACHE: CACHE/root.tar, kept for a week. MIRROR: another one than Debian's.
make_root() {
    [ "$(id -u)" = 0 ] || mode=unshare
    mkdir -p "$1"
    find "$1" -name root.tar -mtime +7 -delete
    [ ! -s "$1/root.tar" ] || return 0
    local begin=$SECONDS
    # The lists of packages stay, so that apt needs no update.
    mmdebstrap --mode=$mode --variant=minbase --format=tar --skip=cleanup/apt/lists $suite \
        "$1/root.tar.new" ${MIRROR:+"$MIRROR"} >"$folder/log" 2>&1 || {
        cat "$folder/log" >&2
        return 1
    }
    mv "$1/root.tar.new" "$1/root.tar"
    echo "a bare root in $((SECONDS - begin)) s"
}

# in_root CACHE GIVEN OPTION ..: a fresh copy of the root, with the folder GIVEN as /root/given; the
# hooks among the options run in it.
in_root() {
    local cache=$1 given=$2
    shift 2
    mmdebstrap --mode=$mode --variant=custom --skip=update,cleanup --format=null \
        --setup-hook="mmtarfilter '--path-exclude=/dev/*' <$(quoted "$cache/root.tar") |
            tar -C \"\$1\" -x" \
        --customize-hook="mkdir \"\$1/root/given\"" \
        --customize-hook="sync-in $(quoted "$given") /root/given" \
        "$@" '' /dev/null
}
