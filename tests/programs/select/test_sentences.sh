#!/usr/bin/env bash
# Every sentence that select prints, over 400 random questions (CASES=few: 120):
# check_sentences.py. And that the check finds sentences that are wrong.
#
# Against: its own JSON, `distribution`, the rule by its own formula; the lies below are noticed.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../../shell.sh"
needs_python
questions=400
if [ "${CASES:-}" = few ]; then questions=120; fi
if [ -n "${SANITIZE:-}" ]; then questions=60; fi
python3 tests/programs/select/check_sentences.py "$program" "$questions" || fail "see above"
pass

[ "${CASES:-}" != few ] || finish

# A program that says what is not so.
lie() { # script of sed
    cat >"$folder/liar" <<END
#!/bin/sh
"$program" "\$@" >"$folder/\$\$" || exit
case "\$*" in
*json*) cat "$folder/\$\$" ;;
*) sed '$1' "$folder/\$\$" ;;
esac
END
    chmod +x "$folder/liar"
    ! python3 tests/programs/select/check_sentences.py "$folder/liar" 60 >"$folder/said" ||
        fail "not noticed: $1"
}
lie 's/95 % of rows reach 0\.9/95 % of rows reach 0.8/'
lie 's/ (assumed)//'
lie 's/^n = \([0-9]*\), k/n = 1\1, k/'
lie 's/about \([0-9]\)/about 1\1/'
lie 's/, carried$//'
lie 's/^\* exact, [A-Za-z._]*/* exact, nobody/'
lie 's/not callable$/carried/'
lie 's/nothing lost/1 % lost/'
lie 's/Buckets take longer/Buckets may take as long/'
lie 's/second read collects [0-9]/second read collects 1/'
lie 's/, only if your/, if your/'
lie 's/Exact has /Buckets have /'
lie 's/but its upper end, [0-9]/but its upper end, 1/'
lie 's/  [0-9.e+]* buckets in all rows/  7 buckets in all rows/'
lie 's/^Next: give --device/Next: leave --device out of/'
lie 's/^\(. buckets b [0-9]*, k_b [0-9]\) /\11 /'
lie 's/^  quirk  *on A10G/  quirk       on A100/'
pass
finish
