#!/usr/bin/env bash
# transcripts.sh - from nothing to an answer, in three ways, timed: the page in Chromium, pip and
# the sources in a bare Debian root. Writes the tables of docs/quick-start.md between its marks,
# and docs/page.png. Ends with an error if an answer is not that of the build.
#
#   deliver/packaging/transcripts.sh WHEEL CACHE   (make transcripts)
#
# CACHE keeps the bare root and the wheels of NumPy and cffi.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
. deliver/packaging/bare_root.sh
wheel=$1
cache=$(realpath -m "$2")
program=${RECALLMODEL:-build/recallmodel}
page=docs/quick-start.md
folder=$(mktemp -d)
chmod 755 "$folder"
trap 'rm -rf "$folder"' EXIT
fail() { echo "FAIL: $*"; exit 1; }

why=$(why_no_root)
[ -z "$why" ] || fail "$why"
make_root "$cache" || fail "mmdebstrap cannot make a root (above it says why)"

# how long make page takes, from nothing
rm -rf build/page-timed
begin=$SECONDS
make --no-print-directory page PAGE=build/page-timed >"$folder/log" 2>&1 ||
    fail "make page: $(tail -n 5 "$folder/log")"
page_seconds=$((SECONDS - begin))
rm -rf build/page-timed

# what pip needs, beforehand: NumPy and cffi for the Python of the root
mkdir -p "$folder/given/packages" "$cache/packages"
build/wheel-env/bin/python -m pip download --quiet --disable-pip-version-check \
    --only-binary :all: --python-version 3.11 --dest "$cache/packages" \
    --find-links "$cache/packages" numpy cffi
cp "$cache"/packages/*.whl "$folder/given/packages/"
cp "$wheel" deliver/packaging/transcripts_inside.sh "$folder/given/"
git clone --quiet --bare --depth 1 "file://$PWD" "$folder/given/recallmodel.git"
shape=(--n 131072 --k 2048 --m 64 --recall 0.95 --device h100-pcie)
"$program" select "${shape[@]}" >"$folder/want"

rows() { # WAY: the steps as rows of a table, in the root
    in_root "$cache" "$folder/given" \
        --customize-hook="chroot \"\$1\" bash /root/given/transcripts_inside.sh $1" \
        --customize-hook="copy-out /root/given/answer $(quoted "$folder")" \
        >"$folder/log" 2>&1 || fail "$1: $(tail -n 25 "$folder/log")"
    diff "$folder/want" "$folder/answer" >&2 || fail "$1: the answer is not that of the build"
    awk '$1 == "##" && $2 != "end" {
            sum += $2
            seconds = $2
            sub(/^## [^ ]* /, "")
            printf "| `%s` | %.1f |\n", $0, seconds
        }
        END { printf "| in all | %.1f |\n", sum }' "$folder/log"
}

head=$'| Step | Seconds |\n|---|---:|'
for way in pip source; do
    printf '%s\n' "$head" >"$folder/$way"
    rows $way >"$folder/rows"
    cat "$folder/rows" >>"$folder/$way"
done
read -r seconds b kb < <("${PYTHON:-/usr/bin/python3}" deliver/packaging/first_page.py \
    docs/page.png)
grep -q "^. buckets b $b, k_b $kb " "$folder/want" || fail "the page says b = $b, k_b = $kb"
printf '%s\n| %s | %s |\n' "$head" "open the page, until the answer stands" "$seconds" \
    >"$folder/page"
model=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sed -n 1p)
{
    echo "Measured on $(date -u +%F), $(nproc) cores, $model."
    printf '`make page` took %s s there.\n' "$page_seconds"
} >"$folder/machine"

# between <!-- NAME --> and <!-- end -->
awk -v folder="$folder" '
    /^<!-- end -->$/ { inside = 0 }
    !inside { print }
    /^<!-- (page|pip|source|machine) -->$/ {
        inside = 1
        print ""
        while ((getline line < (folder "/" $2)) > 0)
            print line
        print ""
    }' "$page" >"$folder/new"
cp "$folder/new" "$page"
# README has one time a way: of pip install with the first answer, of make demo, of the page
seconds() { awk -F '|' -v what="$2" '$2 ~ what { sum += $3 } END { printf "%.1f", sum }' "$1"; }
sed -i -e "s/\(<!--page-->\)[^<]*/\1$seconds s/" \
    -e "s/\(<!--pip-->\)[^<]*/\1$(seconds "$folder/pip" '`(pip|recallmodel) ') s/" \
    -e "s/\(<!--source-->\)[^<]*/\1$(seconds "$folder/source" '`make demo') s/" README.md
sed -n '/^|.*[0-9] |$/p' "$page"
