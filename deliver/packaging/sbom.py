#!/usr/bin/env python3
"""What the project is made with, from deliver/packaging/components.csv.

    deliver/packaging/sbom.py --tarball FILE --commit HASH --seconds TIME > FILE.spdx.json
    deliver/packaging/sbom.py --table           the table of CONTRIBUTING.md
    deliver/packaging/sbom.py --check           whether CONTRIBUTING.md has that table
    deliver/packaging/sbom.py --write           writes it there
    deliver/packaging/sbom.py --form FILE       whether FILE has the form of SPDX 2.3

The first writes an SBOM (software bill of materials) in SPDX 2.3, as JSON, of the tarball that
`make dist` made of this commit at that time (seconds since 1970). Versions are those of the Debian
packages that are installed here; NOASSERTION stands where there is none.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "CONTRIBUTING.md"
BEGIN, END = "<!-- components -->\n", "<!-- /components -->\n"
NONE = "NOASSERTION"
PROJECT = "SPDXRef-recallmodel"
HOME = "https://spdx.org/spdxdocs"

# How a component is used -> (relationship, whether the project stands on its left).
HOW = {
    "linked": ("DYNAMIC_LINK", True),
    "compiled in": ("STATIC_LINK", True),
    "bundled": ("CONTAINS", True),
    "loaded": ("OPTIONAL_DEPENDENCY_OF", False),
    "optional": ("OPTIONAL_DEPENDENCY_OF", False),
    "Python": ("RUNTIME_DEPENDENCY_OF", False),
    "program": ("OPTIONAL_DEPENDENCY_OF", False),
    "build": ("BUILD_TOOL_OF", False),
    "tests": ("TEST_DEPENDENCY_OF", False),
}


def components():
    """The rows of components.csv. SystemExit if one is not complete."""
    with open(HERE / "components.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["how"] not in HOW:
            sys.exit(f"components.csv: {row['component']}: how is {row['how']!r}; it is one of "
                     f"{', '.join(HOW)}")
        if not all(row[name] for name in ("component", "for", "licence", "home")):
            sys.exit(f"components.csv: {row['component']}: only debian may be empty")
    return rows


# ---- the table of CONTRIBUTING.md


def table():
    lines = ["| Component | For | How | Licence (SPDX) |", "|---|---|---|---|"]
    lines += [f"| {row['component']} | {row['for']} | {row['how']} | {row['licence']} |"
              for row in components()]
    return "\n".join(lines) + "\n"


def parts_of_page():
    """The text of CONTRIBUTING.md before the table, the table, and the text behind it."""
    head, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    inside, end, tail = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{PAGE.name}: {BEGIN.strip()} and {END.strip()} are missing")
    return head, inside.strip("\n") + "\n", tail


def check():
    if parts_of_page()[1] != table():
        sys.exit("the table of CONTRIBUTING.md is not that of deliver/packaging/components.csv; "
                 "write it with deliver/packaging/sbom.py --write")


def write():
    head, _, tail = parts_of_page()
    PAGE.write_text(f"{head}{BEGIN}\n{table()}\n{END}{tail}", encoding="utf-8")


# ---- SPDX


def version_found(package):
    """The version of a Debian package that is installed, or NOASSERTION."""
    if not package:
        return NONE
    try:
        answer = subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status} ${Version}", package],
                                capture_output=True, text=True, check=False).stdout
    except OSError:
        return NONE
    status, _, version = answer.partition(" ")
    return version if status == "installed" and version else NONE


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-")


def package_of(row):
    return {"name": row["component"], "SPDXID": identifier(row["component"]),
            "versionInfo": version_found(row["debian"]), "downloadLocation": NONE,
            "homepage": row["home"], "filesAnalyzed": False, "licenseConcluded": row["licence"],
            "licenseDeclared": row["licence"], "copyrightText": NONE,
            "comment": f"{row['how']}; for {row['for'].replace('`', '')}"}


def relationship(row):
    kind, project_first = HOW[row["how"]]
    ends = [PROJECT, identifier(row["component"])]
    left, right = ends if project_first else reversed(ends)
    return {"spdxElementId": left, "relationshipType": kind, "relatedSpdxElement": right}


def project(tarball, version):
    digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
    return {"name": "recallmodel", "SPDXID": PROJECT, "versionInfo": version,
            "packageFileName": tarball.name, "downloadLocation": NONE, "filesAnalyzed": False,
            "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
            "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0",
            "copyrightText": "The recallmodel authors", "primaryPackagePurpose": "SOURCE"}


def own_licences(rows):
    """The licences that SPDX's list does not have."""
    names = {name for row in rows for name in re.findall(r"LicenseRef-[\w.-]+", row["licence"])}
    homes = {name: next(row["home"] for row in rows if name in row["licence"]) for name in names}
    return [{"licenseId": name, "name": name.partition("-")[2],
             "extractedText": f"The terms that {homes[name]} states."} for name in sorted(names)]


def document(tarball, commit, seconds):
    rows = components()
    version = re.fullmatch(r"recallmodel-(.*)\.tar\.gz", tarball.name).group(1)
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    describes = {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                 "relatedSpdxElement": PROJECT}
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"recallmodel-{version}",
        "documentNamespace": f"{HOME}/recallmodel-{version}-{commit}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Organization: The recallmodel authors",
                                      "Tool: deliver/packaging/sbom.py"]},
        "packages": [project(tarball, version), *map(package_of, rows)],
        "hasExtractedLicensingInfos": own_licences(rows),
        "relationships": [describes, *map(relationship, rows)],
    }


# ---- its form


def faults(spdx):
    """What SPDX 2.3 requires of such a document and this one lacks, one line each."""
    for name in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace",
                 "creationInfo", "packages", "relationships"):
        if not spdx.get(name):
            yield f"{name} is missing"
    if spdx.get("spdxVersion") != "SPDX-2.3" or spdx.get("dataLicense") != "CC0-1.0":
        yield "spdxVersion is not SPDX-2.3, or dataLicense not CC0-1.0"
    if not re.fullmatch(r"https?://[^#\s]+", spdx.get("documentNamespace", "")):
        yield "documentNamespace is not an address without #"
    creation = spdx.get("creationInfo", {})
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", creation.get("created", "")):
        yield "created is not a time of the form 2026-01-31T00:00:00Z"
    for creator in creation.get("creators") or [""]:
        if not re.match(r"(Person|Organization|Tool): .", creator):
            yield f"creator {creator!r}"
    known = {entry["licenseId"] for entry in spdx.get("hasExtractedLicensingInfos", [])}
    identifiers = ["SPDXRef-DOCUMENT"]
    for package in spdx.get("packages", []):
        yield from faults_of_package(package, known)
        identifiers.append(package.get("SPDXID"))
    if len(identifiers) != len(set(identifiers)):
        yield "two packages have one SPDXID"
    for relation in spdx.get("relationships", []):
        for end in ("spdxElementId", "relatedSpdxElement"):
            if relation.get(end) not in identifiers:
                yield f"a relationship names {relation.get(end)}, which is not there"


def faults_of_package(package, known):
    name = package.get("name") or "a package without a name"
    for field in ("name", "SPDXID", "downloadLocation", "versionInfo", "licenseConcluded",
                  "licenseDeclared", "copyrightText"):
        if not package.get(field):
            yield f"{name}: {field} is missing"
    if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package.get("SPDXID", "")):
        yield f"{name}: SPDXID has letters that SPDX does not allow"
    if package.get("filesAnalyzed") is not False:
        yield f"{name}: filesAnalyzed is not false, and no file is listed"
    for licence in re.findall(r"LicenseRef-[\w.-]+", package.get("licenseDeclared", "")):
        if licence not in known:
            yield f"{name}: {licence} is not described"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("table", "check", "write"):
        parser.add_argument(f"--{name}", action="store_true")
    parser.add_argument("--form", type=pathlib.Path)
    parser.add_argument("--tarball", type=pathlib.Path)
    parser.add_argument("--commit")
    parser.add_argument("--seconds", type=int)
    given = parser.parse_args()
    if given.form:
        wrong = list(faults(json.loads(given.form.read_text(encoding="utf-8"))))
        sys.exit("\n".join(wrong) if wrong else 0)
    if given.table:
        print(table(), end="")
    elif given.check:
        check()
    elif given.write:
        write()
    elif given.tarball and given.commit and given.seconds is not None:
        print(json.dumps(document(given.tarball, given.commit, given.seconds), indent=1))
    else:
        parser.error("give --table, --check, --write, --form FILE, or --tarball, --commit and "
                     "--seconds")


if __name__ == "__main__":
    main()
