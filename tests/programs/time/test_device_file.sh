#!/usr/bin/env bash
# Files of devices and profiles: what is no regular file of text is rejected at once, and the
# generator of the build rejects what the command rejects.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"

# refuses PATH TEXT: the command rejects the file with this text, within 20 s.
refuses() {
    rejects "--device $1$2" timeout -k 5 20 "$program" devices --device "$1"
    pass
}

mkfifo "$folder/pipe"
mkdir "$folder/folder.profile"
for path in /dev/zero /dev/null "$folder/pipe" "$folder/folder.profile"; do
    refuses "$path" ": is not a regular file"
done
refuses "$folder/none" ": No such file or directory"
head -c 65536 /dev/zero | tr '\0' '\n' >"$folder/large"
refuses "$folder/large" ": a device file has less than 64 KB"
head -c 99999 /dev/zero >"$folder/large"
refuses "$folder/large" ": a device file has less than 64 KB"
printf 'name = a\nbandwidth_bytes_per_s = 1e12\n\nname = b\n' >"$folder/twice"
refuses "$folder/twice" ":4: name is given twice; line 1 already has it"
printf 'vector_rate_per_s = 1e12\n' >"$folder/few"
refuses "$folder/few" ": needs bandwidth_bytes_per_s"
head -n 20 model/time/profiles/h100_pcie_graphcore_f16.profile >"$folder/cut"
refuses "$folder/cut" ": "
grep -q "lacks .*insert_us" "$folder/err" || fail "a cut profile: $(cat "$folder/err")"

# A link to a file is read like the file.
ln -s "$PWD/model/time/profiles/h100_pcie_graphcore_f16.profile" "$folder/link"
"$program" devices --device "$folder/link" | prints H100-PCIe || fail "a link"
pass

# The generator of the build: the same reader, the same lines; strings with C's escapes.
sed 's/^name = .*/name = a "b" \\ ??/' "$folder/link" >"$folder/quotes"
"$build/model/to_c" "$folder/quotes" >"$folder/c"
grep -qxF '    .name = "a \"b\" \\ \?\?",' "$folder/c" || fail "$(head -n 2 "$folder/c")"
pass
device='bandwidth_bytes_per_s = 1\nvector_rate_per_s = 1'
for text in 'name = x\nname = y' "$device" 'kernel = any'; do
    printf '%b\n' "$text" >"$folder/bad"
    "$build/model/to_c" "$folder/bad" >"$folder/c" 2>"$folder/err" && fail "it accepts $text"
    [ ! -s "$folder/c" ] && grep -q "^$folder/bad:" "$folder/err" || fail "$(cat "$folder/err")"
    pass
done
finish
