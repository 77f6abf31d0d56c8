#!/usr/bin/env bash
# The deliberate faults of tests/faults/: each still applies, and its tests are there. A list is
# refused, with the line, whose old text is gone or stands twice, or that names a test that is not
# there. (make check-faults makes the faults.)
#
# Against: lists that are broken on purpose.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
needs_python
tools/faults.py --check || fail "see above"
pass

cat >"$folder/good" <<'END'
# a remark

what: the bisection one too high
file: model/shape/bisect.c
old: low = middle + 1;
|    }
|    return low;
new: return low + 1;
tests: model/shape/test_bisect python/test_groups.py house/test_faults.sh

what: a fault that nobody notices
file: model/shape/bisect.c
old: if (answer == NO)
new: if (answer == YES)
tests: -
why: an example
END
tools/faults.py --check --from "$folder/good" >"$folder/out" || fail "$(cat "$folder/out")"
grep -q "^2 faults apply; 1 of them" "$folder/out" || fail "$(cat "$folder/out")"
pass

# refuse TEXT SED: the list, changed by sed, is refused with this text.
refuse() {
    sed "$2" "$folder/good" >"$folder/list"
    ! cmp -s "$folder/good" "$folder/list" || fail "$2 changes nothing"
    tools/faults.py --check --from "$folder/list" 2>"$folder/err" && fail "taken: $2"
    grep -qF -- "$1" "$folder/err" || fail "$2: $(cat "$folder/err")"
    pass
}
refuse "list:3: the old text stands 0 times in model/shape/bisect.c" \
    's/^|    return low;/|    gone/'
refuse "list:11: the old text stands 13 times" 's/^old: if (answer == NO)/old: answer =/'
refuse "list:3: there is no test model/shape/test_bisection" 's/test_bisect /test_bisection /'
refuse "list:3: there is no model/shape/none.c" '4s/bisect.c/none.c/'
refuse "list:3: no field tests" '/^tests: model/d'
refuse "list:11: tests: - and why: REASON belong together" '/^why/d'
refuse "two faults are called: twice" 's/^what: .*/what: twice/'
refuse "list:14: not a field" 's/^new: if/news: if/'
finish
