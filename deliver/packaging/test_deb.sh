#!/usr/bin/env bash
# The Debian packages, as their users meet them: in a bare Debian root they are installed with apt,
# which takes what they need from Debian; the command, the module, the manual pages and the
# libraries work; and after apt purge nothing of them is left.
#
#   deliver/packaging/test_deb.sh FOLDER CACHE
#
# FOLDER has what make deb made. CACHE keeps the bare root and Debian's packages for a week. MIRROR:
# another one than Debian's. SKIPPED is printed where such a root cannot be made.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."
. deliver/packaging/bare_root.sh
packages=$(realpath "$1")
cache=$(realpath -m "$2")
folder=$(mktemp -d)
chmod 755 "$folder"
trap 'rm -rf "$folder"' EXIT
passed=0
fail() { echo "FAIL: $*"; exit 1; }
pass() { passed=$((passed + 1)); }
skip() {
    echo "SKIPPED: the Debian packages in a clean root: $*"
    exit 0
}

# ---- what can be said without a root

names="librecallmodel-dev librecallmodel0 python3-recallmodel recallmodel"
made=$(for deb in "$packages"/*.deb; do dpkg-deb -f "$deb" Package; done | LC_ALL=C sort | xargs)
[ "$made" = "$names" ] || fail "the packages are: $made"
pass

# Debian's flags reach every compilation and every link, and ours are still there.
log=$packages/build.log
grep -E '^(x86_64-linux-gnu-)?(cc|gcc) .* -c ' "$log" >"$folder/compiled" || fail "no compilation"
for flag in -ffp-contract=off -std=c11 -D_FORTIFY_SOURCE=2 -fstack-protector-strong \
    -Werror=format-security; do
    without=$(grep -vc -e " $flag" "$folder/compiled" || true)
    [ "$without" = 0 ] || fail "$without compilations without $flag: $(grep -v -m1 -e " $flag" \
        "$folder/compiled")"
done
grep -E '^(cc|gcc) .* -o build/[^ ]*$' "$log" | grep -v -e ' -c ' >"$folder/linked" ||
    fail "no link"
for flag in -Wl,-z,relro -Wl,-z,now; do
    grep -v -e " $flag" "$folder/linked" && fail "a link without $flag"
done
grep -e team/mpi -e '^mpicc' -e '^nvcc' "$log" && fail "MPI or CUDA was used"
pass

# What they need: the C library and that of OpenMP, for Python NumPy, for the command GSL. It loads
# our library when its kernels are asked for.
for deb in "$packages"/*.deb; do
    needs=$(dpkg-deb -f "$deb" Depends | tr ',' '\n' | sed 's/^ *//; s/[ :].*//' | LC_ALL=C sort |
        xargs)
    case $(dpkg-deb -f "$deb" Package) in
    recallmodel) want="libc6 libgomp1 libgsl27 libgslcblas0 libjansson4 librecallmodel0" ;;
    librecallmodel0) want="libc6" ;;
    librecallmodel-dev) want="librecallmodel0" ;;
    *)
        want="libc6 libgomp1 librecallmodel0 python3 python3-cffi-backend python3-numpy recallmodel"
        ;;
    esac
    [ "$needs" = "$want" ] || fail "$(basename "$deb") needs $needs; it should need $want"
done
pass

# The completions are where Debian's shells look for them, and a manual page is compressed.
dpkg-deb -c "$packages"/recallmodel_*.deb >"$folder/held"
for file in bash-completion/completions/recallmodel zsh/vendor-completions/_recallmodel \
    fish/vendor_completions.d/recallmodel.fish man/man1/recallmodel.1.gz; do
    grep -q " \./usr/share/$file\$" "$folder/held" || fail "the package lacks $file"
done
pass

# ---- the root

why=$(why_no_root)
[ -z "$why" ] || skip "$why"
mkdir -p "$cache/archives/partial"
make_root "$cache" || skip "mmdebstrap cannot make a root (above it says why)"

mkdir "$folder/given"
cp "$packages"/*.deb deliver/packaging/test_deb_inside.sh \
    deliver/packaging/debian/tests/{command,python,library} "$folder/given"
begin=$SECONDS
status=0
in_root "$cache" "$folder/given" \
    --customize-hook="sync-in $(quoted "$cache/archives") /var/cache/apt/archives" \
    --customize-hook='chroot "$1" sh /root/given/test_deb_inside.sh' \
    --customize-hook="sync-out /var/cache/apt/archives $(quoted "$cache/archives")" \
    >"$folder/log" 2>&1 || status=$?
cp "$folder/log" "$packages/clean-root.log"
[ $status = 0 ] || fail "$(tail -25 "$folder/log")"
sed -n 's/^## //p' "$folder/log"
grep -qx '## nothing is left' "$folder/log" || fail "the test inside did not come to its end"
echo "installed, used and purged in $((SECONDS - begin)) s"
pass
echo "$passed passed, 0 failed"
