#!/usr/bin/env bash
# dist.sh - writes what a release consists of.
#
#   deliver/packaging/dist.sh VERSION FOLDER
#
# FOLDER/recallmodel-VERSION.tar.gz    the commit that is checked out, without its history
# FOLDER/recallmodel-VERSION.spdx.json its list of components (SBOM)
# FOLDER/SHA256SUMS
#
# The tarball has the same bytes from every clone: git writes the files in its order, with the time
# of the commit and root as their owner.
#
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
version=$1
folder=$(realpath -m "$2")
cd "$(dirname "$0")/../.."
name=recallmodel-$version

if [ ! -e .git ]; then
    echo "make dist packs a commit, and this folder is not a git clone. Clone the repository, or" \
        "use the tarball that this folder comes from." >&2
    exit 2
fi
git rev-parse HEAD >/dev/null # its own message, if it refuses
[ -z "$(git status --porcelain --untracked-files=no)" ] ||
    echo "make dist packs the commit that is checked out; what is not committed is left out." >&2

# Settings of the user that would change the bytes.
plain=(-c tar.umask=0022 -c core.autocrlf=false -c core.eol=lf)
mkdir -p "$folder"
git "${plain[@]}" archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$folder/$name.tar.gz.new"
mv "$folder/$name.tar.gz.new" "$folder/$name.tar.gz"
deliver/packaging/sbom.py --tarball "$folder/$name.tar.gz" --commit "$(git rev-parse HEAD)" \
    --seconds "$(git log -1 --format=%ct)" >"$folder/$name.spdx.json"
cd "$folder"
sha256sum "$name.tar.gz" "$name.spdx.json" >SHA256SUMS
ls -l "$name.tar.gz" "$name.spdx.json" SHA256SUMS
