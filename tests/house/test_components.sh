#!/usr/bin/env bash
# The list of components, deliver/packaging/sbom.py and the table of CONTRIBUTING.md: the table is
# that of the list; what the sources include and link stands in the list; the SBOM of any tarball
# has the form of SPDX and the same components, and what is not of that form is refused.
#
# Against: `deliver/packaging/components.csv`, the table of CONTRIBUTING.md, what the Makefile
# links. Lists and SBOMs with faults must be refused.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
needs_python
sbom() { python3 -B "$folder/copy/deliver/packaging/sbom.py" "$@" >"$folder/out" 2>&1; }

# A copy, to break it.
mkdir "$folder/copy"
cp -r deliver CONTRIBUTING.md "$folder/copy"
list=$folder/copy/deliver/packaging/components.csv
page=$folder/copy/CONTRIBUTING.md

sbom --check || fail "$(cat "$folder/out")"
sed -i 's/^GMP,tests (exact rationals)/GMP,something else/' "$list"
sbom --check && fail "another table than that of the list is not noticed"
prints "sbom.py --write" <"$folder/out" || fail "$(cat "$folder/out")"
sbom --write && sbom --check || fail "it does not accept what it wrote: $(cat "$folder/out")"
grep -q "| GMP | something else |" "$page" || fail "--write does not write the list"
[ "$(diff "$page" CONTRIBUTING.md | grep -c '^[<>]')" = 2 ] || fail "--write changes other lines"
cp deliver/packaging/components.csv CONTRIBUTING.md "$folder/copy"
mv "$folder/copy/components.csv" "$list"
pass

# What is linked: each -l of the tests and each pkg-config name has a row.
row() { # a component, in lower case
    cut -d, -f1 deliver/packaging/components.csv | tr '[:upper:]' '[:lower:]' | prints "^$1$" ||
        fail "$1 is used and has no row"
}
names=$(sed -n 's/.*pkg-config --libs \([a-z ]*\)).*/\1/p' tests/tests.mk)
[ "$(wc -w <<<"$names")" -ge 4 ] || fail "pkg-config's names are not in tests/tests.mk: $names"
for name in $names random123 jansson openblas; do row "$name"; done
pass

# The SBOM.
printf 'any bytes' >"$folder/recallmodel-1.2.3.tar.gz"
spdx=$folder/spdx.json
commit=$(printf '%040d' 7)
python3 -B deliver/packaging/sbom.py --tarball "$folder/recallmodel-1.2.3.tar.gz" \
    --commit "$commit" --seconds 86400 >"$spdx"
sbom --form "$spdx" || fail "$(cat "$folder/out")"
python3 - "$spdx" "$(sha256sum <"$folder/recallmodel-1.2.3.tar.gz" | cut -d' ' -f1)" <<'END'
import csv
import json
import sys

spdx = json.load(open(sys.argv[1]))
rows = list(csv.DictReader(open("deliver/packaging/components.csv", newline="")))
packages = {package["name"]: package for package in spdx["packages"]}
assert set(packages) == {row["component"] for row in rows} | {"recallmodel"}, packages.keys()
for row in rows:
    assert packages[row["component"]]["licenseDeclared"] == row["licence"], row
own = packages["recallmodel"]
assert own["versionInfo"] == "1.2.3" and own["checksums"][0]["checksumValue"] == sys.argv[2], own
assert spdx["creationInfo"]["created"] == "1970-01-02T00:00:00Z", spdx["creationInfo"]
ends = {relation[end] for relation in spdx["relationships"]
        for end in ("spdxElementId", "relatedSpdxElement")}
assert ends == {package["SPDXID"] for package in spdx["packages"]} | {"SPDXRef-DOCUMENT"}, ends
END
pass
for change in 's/SPDX-2.3/SPDX-2.2/' 's/"created": "/&on /' 's/"licenseId": "/&X/' \
    's/"SPDXID": "SPDXRef-GMP"/"SPDXID": "SPDXRef-Check"/' 's/"filesAnalyzed": false/"x": false/' \
    's/"relatedSpdxElement": "SPDXRef-recallmodel"/"relatedSpdxElement": "SPDXRef-yours"/'; do
    sed "$change" "$spdx" >"$folder/wrong.json"
    sbom --form "$folder/wrong.json" && fail "$change: the form is taken"
done
pass

# A row that is not complete.
sed 's/^GMP,[^,]*,tests/GMP,,tests/' deliver/packaging/components.csv >"$list"
sbom --table && fail "a row without a purpose is taken"
sed 's/^GMP,\([^,]*\),tests/GMP,\1,smoke/' deliver/packaging/components.csv >"$list"
sbom --table && fail "a row that is used in an unknown way is taken"
prints "how is 'smoke'" <"$folder/out" || fail "$(cat "$folder/out")"
pass
finish
