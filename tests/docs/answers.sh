#!/usr/bin/env bash
# answers.sh - replaces the answers in a page by what the commands print today.
#
#   RECALLMODEL=build/recallmodel tests/docs/answers.sh docs/choosing.md       prints the new page
#   RECALLMODEL=build/recallmodel tests/docs/answers.sh --write PAGE ..        writes the pages
#
# A command is the first line of a fenced block, "$ recallmodel .." or "$ ./recallmodel ..", and
# the next line too if a backslash ends it. It runs in a shell from the top folder; the rest of the
# block is its output. make docs-answers writes every page; tests/docs/test_choosing.sh and
# tests/docs/test_pages.sh compare.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
ln -s "$program" "$folder/recallmodel"

answered() { # page: the page with the answers of today
    PATH=$folder:$PATH awk '
        function answer(command,    line) {
            print "$ " command
            while (sub(/\\$/, "", command) && (getline line) > 0) {
                print line
                command = command line
            }
            sub(/^\.\//, "", command) # the program under test, wherever it was built
            while ((command | getline line) > 0)
                print line
            if (close(command)) {
                print "answers.sh: this failed: " command >"/dev/stderr"
                failed = 1
            }
        }
        opened && /^\$ (\.\/)?recallmodel / {
            answer(substr($0, 3)); replaced = 1; opened = 0; next
        }
        /^```/ { opened = !inside; inside = !inside; replaced = 0; print; next }
        { opened = 0 }
        !replaced { print }
        END { exit failed }
    ' "$1"
}

if [ "$1" != --write ]; then
    answered "$1"
    exit
fi
shift
for page; do
    answered "$page" >"$folder/page"
    cmp -s "$folder/page" "$page" || cp "$folder/page" "$page"
done
