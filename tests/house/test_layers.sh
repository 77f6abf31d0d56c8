#!/usr/bin/env bash
# The layers: the diagram in CONTRIBUTING.md is that of the includes; a layer's include path lets it
# include what the Makefile's lists SEES_* say, and nothing else, for every layer and every header;
# and an include that the layers do not allow is found.
#
# Against: the lists of the Makefile; the compiler; includes that are not allowed.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "the layers do not depend on the sanitizers"
needs_python

if [ -f CONTRIBUTING.md ]; then
    tools/layers.py --check || fail "see above"
    pass
else
    echo "SKIPPED: the diagram: there is no CONTRIBUTING.md"
fi
if [ "${CASES:-}" = few ]; then finish; fi

# A copy of the sources, to break it.
copy=$folder/copy
mkdir "$copy"
cp -r Makefile tools base model sim calibrate attention gpu topk programs tests "$copy"
printf '# A page\n<!-- layers -->\nold\n<!-- /layers -->\nThe end.\n' >"$copy/CONTRIBUTING.md"
layers() { "$copy/tools/layers.py" "$@" >"$folder/out" 2>&1; }

layers --check && fail "an old diagram is taken for the current one"
grep -q "is not current" "$folder/out" || fail "$(cat "$folder/out")"
layers || fail "layers.py: $(cat "$folder/out")"
layers --check || fail "layers.py does not accept what it wrote: $(cat "$folder/out")"
[ "$(sed -n '1p;$p' "$copy/CONTRIBUTING.md" | tr '\n' ' ')" = "# A page The end. " ] ||
    fail "the text around the diagram has changed"
grep -q "^| *sim  *|$\|^|.*| sim  *|$" "$copy/CONTRIBUTING.md" || fail "no box for sim"
[ "$(awk 'length > 100' "$copy/CONTRIBUTING.md" | wc -l)" = 0 ] || fail "lines of more than 100"
pass

# A new include makes the diagram old, or is a fault.
allow() { # FILE INCLUDE: a change that the layers allow
    sed -i "1i #include <$2>" "$copy/$1"
    layers --check && fail "$1: with <$2> the diagram is still taken for the current one"
    grep -q "is not current" "$folder/out" || fail "$1: $(cat "$folder/out")"
    cp "$1" "$copy/$1"
    pass
}
refuse() { # FILE INCLUDE MESSAGE
    sed -i "1i #include $2" "$copy/$1"
    layers --check && fail "$1: $2 is not found"
    grep -q "$3" "$folder/out" || fail "$1: not '$3' but $(cat "$folder/out")"
    cp "$1" "$copy/$1"
    pass
}
allow model/cost/cost.c model/time/kernels.h
refuse sim/rows/row.c "<model/recallmodel.h>" \
    "sim/rows/row.c:1: the layer sim may not include model/recallmodel.h"
refuse sim/rows/row.c '"../../model/recallmodel.h"' \
    "the layer sim may not include model/recallmodel.h"
refuse programs/recallmodel/select/calls.c "<programs/recallmodel/time/predict.h>" \
    "this room may not include programs/recallmodel/time/predict.h"
refuse programs/recallmodel/output/plot.c "<programs/recallmodel/question/answer.h>" \
    "this room may not include programs/recallmodel/question/answer.h"
refuse calibrate/fit.c "<sim/simulate.h>" "the layer calibrate may not include sim/simulate.h"
refuse base/number.c "<model/no_such.h>" "base/number.c:1: there is no model/no_such.h"
refuse model/shape/shape.c "<model/select/search.h>" "circle"

# Every layer and every header. The headers that a layer may include compile, those of a folder
# together; in the layer tests, which sees all, each in a file of one line. One that it must not
# include is not found on its include path; of every two layers one such header is also included in
# a file of one line, which must not compile.
compile() { # LAYER FILE ..
    ${CC:-gcc} -std=c11 -D_POSIX_C_SOURCE=200809L -fsyntax-only -I"$build/see/$1" "${@:2}" 2>&1
}
tools/layers.py --headers >"$folder/pairs"
while read -r layer; do
    make -s BUILD="$build" "$build/see/$layer/.made"
    lines=$folder/lines/$layer
    mkdir -p "$lines/yes" "$lines/no"
    while read -r _ header allowed; do
        found=0
        [ "$allowed" = no ] || found=1
        printf '#if __has_include(<%s>) != %s\n#error %s: not %s\n#endif\n' \
            "$header" $found "$header" "$allowed"
        case $allowed,$header in
        yes,*.cuh | yes,gpu/emulate/* | yes,gpu/peers/torch/*) ;; # C++ or CUDA
        yes,*)
            file=${header%/*}
            file=${file//\//_}
            [ "$layer" != tests ] || file=${header//\//_}
            echo "#include <$header>" >>"$lines/yes/$file.c"
            ;;
        no,*) echo "#include <$header>" >"$lines/no/${header%%/*}.c" ;;
        esac
        pass
    done < <(grep "^$layer " "$folder/pairs") >"$lines/found.c"
    compile "$layer" "$lines/found.c" >"$folder/out" ||
        fail "the include path of the layer $layer finds others: $(grep error: "$folder/out")"
    if compgen -G "$lines/yes/*.c" >/dev/null; then
        compile "$layer" "$lines"/yes/*.c >"$folder/out" ||
            fail "the layer $layer may include what does not compile: $(cat "$folder/out")"
    fi
    for file in $(compgen -G "$lines/no/*.c"); do
        compile "$layer" "$file" >"$folder/out" &&
            fail "in the layer $layer this compiles: $(cat "$file")"
    done
done < <(cut -d' ' -f1 "$folder/pairs" | sort -u)

finish
