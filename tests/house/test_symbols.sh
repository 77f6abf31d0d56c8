#!/usr/bin/env bash
# The symbols that the shared libraries export are those of deliver/packaging/symbols/, and each
# stands in an installed header. A symbol more or less is found, and so is another soname. The
# functions of base/ and the hidden ones do not leak.
#
# Against: `deliver/packaging/symbols/`, the public headers. A symbol more or less must be noticed.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "sanitizers add symbols of their own"
version=$(sed -n 's/^#define RCM_VERSION "\(.*\)"/\1/p' model/recallmodel.h)
compare() { deliver/packaging/symbols/compare.sh "$@" >"$folder/out" 2>&1; }

for name in librecallmodel librecallmodel-topk; do
    list=deliver/packaging/symbols/$name.symbols
    library=$build/$name.so.$version
    compare $list "$library" || fail "$(cat "$folder/out")"
    [ ! -s "$folder/out" ] || fail "$(cat "$folder/out")"
    pass

    # A list with a name more, and one with a name less.
    { cat $list && echo " rcm_of_yesterday@Base 0.0.1"; } >"$folder/more"
    compare "$folder/more" "$library" && fail "a removed symbol is not noticed"
    prints "rcm_of_yesterday was removed.*RCM_VERSION" <"$folder/out" || fail "$(cat "$folder/out")"
    first=$(sed -n '3s/^ \([^@]*\)@.*/\1/p' $list)
    grep -v "^ $first@" $list >"$folder/less"
    compare "$folder/less" "$library" && fail "an added symbol is not noticed"
    prints " $first was added.*add the line" <"$folder/out" || fail "$(cat "$folder/out")"
    [ "$(wc -l <"$folder/out")" = 1 ] || fail "$(cat "$folder/out")"
    sed '1s/so\.[0-9]*/so.99/' $list >"$folder/soname"
    compare "$folder/soname" "$library" && fail "another soname is not noticed"
    prints "soname is $name.so.${version%%.*}, but" <"$folder/out" || fail "$(cat "$folder/out")"
    pass
done

# Versions of the lists are not above that of the library.
symbols=deliver/packaging/symbols
latest=$({ sed -n 's/^ .* \([0-9.]*\)$/\1/p' $symbols/*.symbols; echo "$version"; } |
    sort -V | tail -1)
[ "$latest" = "$version" ] || fail "$symbols/ names version $latest, this is $version"
pass

# Every exported name stands in a public header.
headers=(model/recallmodel.h model/recallmodel/*.h topk/topk.h)
for name in $(sed -n 's/^ \([^@]*\)@.*/\1/p' deliver/packaging/symbols/*.symbols); do
    grep -qw "$name" "${headers[@]}" || fail "$name is exported, and stands in no public header"
done
pass

# Hidden symbols: base/ is linked into the library, and so are functions of several files.
for name in array_grow parse_count; do
    nm "$build/libbase.a" 2>/dev/null | awk '{print $3}' | prints "^$name" ||
        fail "base/ has no $name: name another function here"
done
leaks=$(nm -D --defined-only "$build/librecallmodel.so.$version" \
    "$build/librecallmodel-topk.so.$version" | awk 'NF == 3 && $3 !~ /^rcm_/ {print $3}')
[ -z "$leaks" ] || fail "these leak: $leaks"
pass
finish
