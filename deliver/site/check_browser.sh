#!/usr/bin/env bash
# check_browser.sh - opens the built site from disk in a headless Chromium: KaTeX reads every
# formula, the search finds words of each part, and the browser asks for nothing but files.
#
#   deliver/site/check_browser.sh SITE
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
site=$(realpath "$1")
browser=${BROWSER:-chromium}
command -v "$browser" >/dev/null || { echo "SKIPPED: there is no $browser"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# The page as it is after its scripts have run; --net-log has what the browser asks for.
open_page() { # PAGE
    HOME=$work timeout 120 "$browser" --headless --no-sandbox --disable-gpu --no-first-run \
        --disable-background-networking --disable-component-update --user-data-dir="$work/profile" \
        --host-resolver-rules="MAP * ~NOTFOUND" --log-net-log="$work/net.json" \
        --virtual-time-budget=20000 --dump-dom "file://$site/$1" >"$work/page" 2>"$work/errors" ||
        { echo "FAIL: $browser does not open $1: $(tail -n 1 "$work/errors")"; failed=1; }
    # What the browser asks for by itself has no origin.
    asked=$(grep -E '"initiator":"(null|file|about|blob|data)' "$work/net.json" |
        grep -oE '"url":"(https?|wss?|ftp):[^"]*"' || true)
    if [ "$asked" ]; then
        echo "FAIL: $1 asks for $asked"
        failed=1
    fi
}

# How often a text stands in a file.
times() { { grep -oF "$1" "$2" || true; } | wc -l; }

formulas=0
for page in $(cd "$site" && grep -lr --include='*.html' 'class="arithmatex"' . | sort); do
    open_page "${page#./}"
    marked=$(times 'class="arithmatex"' "$site/$page")
    typeset=$(times 'class="katex"' "$work/page")
    wrong=$(times 'class="katex-error"' "$work/page")
    formulas=$((formulas + typeset))
    page=${page#./}
    if [ "$wrong" != 0 ] || [ "$typeset" != "$marked" ]; then
        echo "FAIL: $page: $marked formulas, $typeset typeset, $wrong that KaTeX does not read"
        failed=1
    fi
done
if [ "$formulas" -lt 50 ]; then
    echo "FAIL: only $formulas formulas were found"
    failed=1
fi

# A word, and a page that the search must name.
searches="harmonic models.html
rcm_recall_sd c/recall.html
recall_quantile python_reference/model.html
shards c/parts.html
sparsemax-nonsense -"
while read -r word page; do
    open_page "index.html?q=$word"
    found=$(grep -o '<a href="[^"]*" class="md-search-result__link"' "$work/page" || true)
    if [ "$page" = - ]; then
        [ ! "$found" ] || { echo "FAIL: the search finds $word"; failed=1; }
    elif [[ $found != *"$page"* ]]; then
        echo "FAIL: the search for $word does not find $page: ${found:0:300}"
        failed=1
    fi
done <<<"$searches"
[ $failed = 0 ] && echo "$formulas formulas, $(wc -l <<<"$searches") searches from disk passed"
exit $failed
