# agree.awk - awk -f plots/agree.awk OLD.csv NEW.csv: have they the same header, the same text, and
# the same numbers to 1e-9? Another machine may round the last digits differently, and that is no
# other result. Prints the first difference and ends with status 1 if there is one.
#
# SPDX-License-Identifier: Apache-2.0
BEGIN { FS = "," }
function abs(x) { return x < 0 ? -x : x }
function close_to(x, y) { return x + 0 != 0 && abs(x - y) <= 1e-9 * abs(x) + 1e-15 }
function differ(what) { print what; failed = 1; exit 1 }
NR == FNR { want[FNR] = $0; lines = FNR; next }
{
    if (split(want[FNR], field, ",") != NF)
        differ("line " FNR ": " $0)
    for (i = 1; i <= NF; i++)
        if ($i != field[i] && !close_to($i, field[i]))
            differ("line " FNR ", column " i ": " $i ", before " field[i])
}
END { if (!failed && FNR != lines) differ(FNR " lines, before " lines) }
