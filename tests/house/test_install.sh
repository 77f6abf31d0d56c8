#!/usr/bin/env bash
# Installs into an empty folder, compiles the examples at the heads of the headers against the copy
# with pkg-config (C shared, C static, C++), runs them, uninstalls, and checks that nothing is left.
#
# Slow: 3 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "the installed copy is tested without sanitizers"
prefix=$folder/prefix
make -s BUILD="${BUILD:-build}" PREFIX="$prefix" install >/dev/null

# The example at the head of a header.
example_of() {
    sed -n '/^ \*     #include/,/^ \*     }$/s/^ \* \{0,5\}//p' "$prefix/include/$1"
}
example_of recallmodel.h >"$folder/ten.c"
cp "$folder/ten.c" "$folder/ten.cpp"
want="0.962957 0.006544"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
read -ra flags <<< "$(pkg-config --cflags --libs recallmodel)"
read -ra static <<< "$(pkg-config --cflags recallmodel) $prefix/lib/librecallmodel.a \
    $(pkg-config --libs --static recallmodel)"

check() { # what, result, expected result
    [ "$2" = "$3" ] || fail "$1: got '$2', want '$3'"
    pass
}

${CC:-cc} -std=c11 -Wall -Wextra -Werror "$folder/ten.c" "${flags[@]}" -o "$folder/shared"
check "C, shared" "$(LD_LIBRARY_PATH=$prefix/lib "$folder/shared")" "$want"
example_of topk.h >"$folder/topk.c"
read -ra topk <<< "$(pkg-config --cflags --libs recallmodel-topk)"
${CC:-cc} -std=c11 -Wall -Wextra -Werror "$folder/topk.c" "${topk[@]}" -o "$folder/topk"
check "the example of topk.h" "$(LD_LIBRARY_PATH=$prefix/lib "$folder/topk")" "9 at 5, 6 at 7"
${CC:-cc} -std=c11 "$folder/ten.c" "${static[@]}" -o "$folder/static"
check "C, static" "$("$folder/static")" "$want"
if command -v "${CXX:-g++}" >/dev/null; then
    ${CXX:-g++} -Wall -Wextra -Wno-missing-field-initializers -Werror "$folder/ten.cpp" \
        "${flags[@]}" -o "$folder/plus"
    check "C++" "$(LD_LIBRARY_PATH=$prefix/lib "$folder/plus")" "$want"
fi

if command -v cmake >/dev/null; then
    mkdir "$folder/cmake"
    cp "$folder/ten.c" "$folder/cmake/"
    cat >"$folder/cmake/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.10)
project(ten C)
find_package(recallmodel 0.1 REQUIRED)
add_executable(ten ten.c)
target_link_libraries(ten recallmodel::recallmodel recallmodel::topk)
END
    cmake -S "$folder/cmake" -B "$folder/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" \
        >"$folder/out" && cmake --build "$folder/cmake/build" >"$folder/out" ||
        fail "cmake: $(cat "$folder/out")"
    check "CMake" "$("$folder/cmake/build/ten")" "$want"
else
    echo "SKIPPED: find_package: there is no cmake"
fi

# Each part of the header alone, in C and C++: it includes what it needs.
parts=("$prefix"/include/recallmodel/*.h)
check "the installed parts" "$(cd "$prefix/include/recallmodel" && ls)" \
    "$(cd model/recallmodel && ls)"
for part in "${parts[@]}"; do
    printf '#include <recallmodel/%s>\n\nint main(void)\n{\n    return 0;\n}\n' "${part##*/}" \
        >"$folder/part.c"
    cp "$folder/part.c" "$folder/part.cpp"
    ${CC:-cc} -std=c11 -pedantic -Wall -Wextra -Werror "$folder/part.c" "${flags[@]}" \
        -o "$folder/part"
    check "${part##*/} alone, C" "$(LD_LIBRARY_PATH=$prefix/lib "$folder/part"; echo $?)" 0
    if command -v "${CXX:-g++}" >/dev/null; then
        ${CXX:-g++} -Wall -Wextra -Werror "$folder/part.cpp" "${flags[@]}" -o "$folder/part"
        check "${part##*/} alone, C++" "$(LD_LIBRARY_PATH=$prefix/lib "$folder/part"; echo $?)" 0
    fi
done
check "the library needs only libc and libm" \
    "$(objdump -p "$prefix"/lib/librecallmodel.so | sed -n 's/.*NEEDED *//p' |
        grep -v -e libm.so -e libc.so | wc -l)" 0
check "names outside rcm_" "$(nm -D --defined-only "$prefix"/lib/librecallmodel.so |
    awk '{print $3}' | grep -vc '^rcm_' || true)" 0
check "names outside rcm_, static" "$(nm -g --defined-only "$prefix"/lib/librecallmodel.a |
    awk 'NF == 3 {print $3}' | grep -vc '^rcm_' || true)" 0
check "version" "$(pkg-config --modversion recallmodel)" \
    "$("$prefix"/bin/recallmodel --version | sed 's/recallmodel //')"
check "manual pages: the command, and one for each subcommand" \
    "$(find "$prefix/share/man/man1" -type f -size +0 | wc -l)" \
    "$(($("$prefix/bin/recallmodel" completion words "" | wc -l)))" # help has none
for shell in bash zsh fish; do
    case $shell in
    bash) file=bash-completion/completions/recallmodel ;;
    zsh) file=zsh/site-functions/_recallmodel ;;
    fish) file=fish/vendor_completions.d/recallmodel.fish ;;
    esac
    cmp "$prefix/share/$file" <("$prefix/bin/recallmodel" completion $shell) ||
        fail "the completion of $shell"
done
pass
check "the measured runs" "$(cd "$folder" && "$prefix/bin/recallmodel" runs --json |
    sed -n 's/^  "folder": "\(.*\)",$/\1/p')" "$prefix/share/recallmodel/runs"
check "measured runs by name" "$(cd "$folder" && "$prefix/bin/recallmodel" runs helion/exact --csv |
    wc -l)" 21
if [ -x "$prefix/bin/recallmodel-bench" ]; then
    cat >"$folder/gpu.c" <<'END'
#include <stdio.h>
#include <topk_gpu.h>

int main(void)
{
    size_t bytes;
    struct rcm_gpu_exact call = {.rows = {.x = &bytes, .m = 1, .n = 100}, .k = 101};
    puts(rcm_gpu_exact_workspace(&call, &bytes) == RCM_GPU_BAD_SHAPE ? "k is above n" : "?");
    return 0;
}
END
    "${NVCC:-nvcc}" -I"$prefix/include" "$folder/gpu.c" -L"$prefix/lib" -lrecallmodel-gpu \
        -o "$folder/gpu"
    check "the kernels from C" "$("$folder/gpu")" "k is above n"
    example_of topk_gpu.h >"$folder/example.c"
    "${NVCC:-nvcc}" -I"$prefix/include" "$folder/example.c" -L"$prefix/lib" -lrecallmodel-gpu \
        -o "$folder/example" || fail "the example of topk_gpu.h"
    check "recallmodel-bench" "$("$prefix/bin/recallmodel-bench" --version)" \
        "recallmodel-bench $(pkg-config --modversion recallmodel)"
else
    echo "SKIPPED: the installed kernels: make gpu has not built them"
fi
make -s BUILD="${BUILD:-build}" PREFIX="$prefix" uninstall
left=$(find "$prefix" -type f -o -type l -o -name recallmodel)
check "left after uninstall" "$left" ""

# As packages are built: into a folder that stands for /, with a folder of libraries for a machine.
staged() {
    make -s BUILD="${BUILD:-build}" DESTDIR="$folder/stage" PREFIX=/usr LIBDIR=/usr/lib/machine "$1"
}
staged install >/dev/null
check "libdir" "$(sed -n 's/^libdir=//p' "$folder"/stage/usr/lib/machine/pkgconfig/*.pc | uniq)" \
    "\${prefix}/lib/machine"
check "libraries elsewhere" "$(find "$folder/stage" -name '*.so*' -o -name '*.a' |
    grep -vc /usr/lib/machine/ || true)" 0
check "files outside PREFIX" "$(find "$folder/stage" -type f -not -path '*/stage/usr/*')" ""
staged uninstall
left=$(find "$folder/stage" -type f -o -type l -o -name recallmodel)
check "left after uninstall with DESTDIR" "$left" ""
finish
