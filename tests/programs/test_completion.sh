#!/usr/bin/env bash
# Completion, and the pages that are made from the tables of options. What a shell offers is what
# the tables have: every option of --help, every name that a message lists; bash, zsh and fish as
# they are, zsh in a pseudo-terminal. zsh, fish and mandoc may be missing.
#
# Against: the options of every `--help`, the names of every message, and reading every name that
# is offered.
#
# Slow: 4 s.
#
# SPDX-License-Identifier: Apache-2.0
. "$(dirname "$0")/../shell.sh"
unsanitized "test_manners runs completion under them"
mkdir "$folder/bin" "$folder/here" "$folder/zsh"
ln -s "$program" "$folder/bin/recallmodel"
export PATH=$folder/bin:$PATH RECALLMODEL_RUNS=$PWD/runs
cd "$folder/here"
mkdir rows
touch a.npy b.npy 'two words.npy' runs.csv my.profile my.device picture.png
top=$OLDPWD
words() { "$program" completion words "$@" | cut -f1; }
has() { [[ $'\n'$1$'\n' == *$'\n'"$2"$'\n'* ]]; } # LINES LINE

# The command lines that have options of their own: the subcommands, and the parts of bench.
mapfile -t lines < <(words "" | grep -v -x -e help -e bench
    printf 'bench %s\n' stage1 exact two-stage cells --calibrate)
[ ${#lines[@]} -ge 21 ] || fail "only ${#lines[@]} lines"
options_of() { # the options that --help lists
    # shellcheck disable=SC2086
    "$program" $1 --help | sed -n 's/^  \(--\{0,1\}[a-z][-a-z0-9]*\)\( .*\)\{0,1\}$/\1/p'
}

# ---- what the command says to the shells

all=0
for line in "${lines[@]}"; do
    read -ra typed <<<"$line"
    want=$(options_of "$line")
    got=$(words "${typed[@]}" -)
    [ "$got" = "$want" ] || fail "$line: $(diff <(echo "$want") <(echo "$got") | sed -n 1,5p)"
    all=$((all + $(wc -l <<<"$want")))
done
[ $all -gt 300 ] || fail "only $all options"
pass
[ "$(words "" | grep -v help)" = "$("$program" --help |
    sed -n '/^Subcommands:/,$s/^  \([a-z]*\) .*/\1/p')" ] || fail "the subcommands: $(words "")"
[ "$(words help "")" = "$(words "")" ] || fail "help: $(words help "")"
[ "$(words bench "")" = "$(printf '%s\n' stage1 exact two-stage cells --calibrate --help)" ] ||
    fail "bench: $(words bench "")"
[ "$(words -)" = "$(options_of recall; echo --version)" ] || fail "-: $(words -)"
pass

# Every name that a message lists is offered, and every name that is offered is read. Options whose
# value is FILE, PATH or FOLDER offer these.
names=0 accepted=0 paths=0
for line in "${lines[@]}"; do
    read -ra typed <<<"$line"
    list=
    # shellcheck disable=SC2086
    while read -r option value; do
        offered=$(words "${typed[@]}" "$option" "")
        case $value in
        FILE | PATH) want=:files ;;
        FOLDER) want=:folders ;;
        *) want= ;;
        esac
        if [ "$want" ]; then
            has "$offered" "$want" || fail "$line $option: no $want but $offered"
            paths=$((paths + 1))
            continue
        fi
        [ "$line" != "bench --calibrate" ] || continue # it would measure
        message=$("$program" $line "$option" '?' 2>&1 >/dev/null || true)
        listed=${message##*give one of }
        [ "$listed" != "$message" ] || listed=
        listed=${listed%%(*} # "this (machine)"
        listed=${listed%%, or *}
        for name in ${listed//,/ }; do
            has "$offered" "$name" || fail "$line $option: $name is not offered"
            names=$((names + 1))
        done
        [ "${CASES:-}" != few ] || continue
        [[ $line != bench* ]] || list=--list
        for name in $(grep -v -e '^:' -e ':$' -e '/' <<<"$offered"); do
            message=$("$program" $line "$option" "$name" $list 2>&1 </dev/null >/dev/null || true)
            [[ $message != *"is not known"* ]] || fail "$line $option $name: $message"
            accepted=$((accepted + 1))
        done
    done < <("$program" $line --help |
        sed -n 's/^  \(--\{0,1\}[a-z][-a-z0-9]*\) \([A-Z][A-Z]*\)\( .*\)\{0,1\}$/\1 \2/p')
done
[ $names -gt 300 ] || fail "only $names names"
[ $paths -gt 20 ] || fail "only $paths paths"
[ "${CASES:-}" = few ] || [ $accepted -gt 400 ] || fail "only $accepted names were read"
pass
offers() { # WORDS .. -- EXPECTED ..
    local typed=()
    while [ "$1" != -- ]; do
        typed+=("$1")
        shift
    done
    shift
    [ "$(words "${typed[@]}")" = "$(printf '%s\n' "$@")" ] ||
        fail "${typed[*]}: $(words "${typed[@]}")"
}
offers select --dtype "" -- f32 f16 bf16
offers sparse --train-per= -- --train-per=query --train-per=key
offers simulate --dtype f -- f16 f32 f64 f8e4m3 f8e5m2
offers simulate --assignment contiguous, -- contiguous,interleaved contiguous,contiguous-floor
offers bench exact --kernel "" -- threshold threshold-sorted quickselect
offers select --device h2 -- H200 :files
offers runs samaga/ -- samaga/table-2 samaga/table-3
offers runs samaga/table-2 --js -- --json
offers completion --shell z -- zsh
pass
# What is given is not offered again, an option that has no value yet is not one, and what no
# command reads offers nothing.
for typed in "--n 5 --json" "--n=5 --json" "--n 5 --json --kernel any"; do
    # shellcheck disable=SC2086
    offered=$(words select $typed "")
    for option in $typed; do
        [[ $option != --* ]] || ! has "$offered" "${option%=*}" || fail "$option is offered again"
    done
    has "$offered" --csv || fail "$typed: --csv is not offered"
done
[ -z "$(words select --n "")$(words nosuch "")$(words help select "")$(words --n= x --n=)" ] ||
    fail "offers what cannot stand there"
pass

# ---- the shells. For each line of lines.txt, "== LINE" and what is offered at its end. @ marks a
# blank there.

{
    for line in "${lines[@]}"; do
        echo "recallmodel $line -"
    done
    cat <<'END'
recallmodel @
recallmodel help s
recallmodel-mpi select --dtype @
recallmodel select --device h1
recallmodel select --device=h1
recallmodel select --device my
recallmodel simulate --assignment contiguous,
recallmodel simulate --file tw
recallmodel sparse --keys a.npy,b
recallmodel sparse --rope-scaling l
recallmodel calibrate ru
recallmodel predict --runs samaga/
recallmodel tensors --generate @
recallmodel tensors --keys @
recallmodel select --json --j
END
} | tr -d @ >lines.txt
tr -d @ >want.txt <<'END'
== recallmodel help s
select
simulate
sparse
== recallmodel-mpi select --dtype @
bf16
f16
f32
== recallmodel select --device h1
H100-NVL
H100-PCIe
H100-SXM
== recallmodel select --device my
my.device
my.profile
== recallmodel simulate --file tw
two words.npy
== recallmodel sparse --keys a.npy,b
a.npy,b.npy
== recallmodel sparse --rope-scaling l
linear:
llama3:
== recallmodel calibrate ru
runs.csv
== recallmodel predict --runs samaga/
samaga/table-2
samaga/table-3
== recallmodel tensors --generate @
rows
== recallmodel select --json --j
END
compare() { # SHELL OUT ERR: the answers of a shell
    local line
    [ ! -s "$3" ] || fail "$1: $(sed -n 1,3p "$3")"
    grep -q '^== recallmodel select -$' "$2" || fail "$1: $(sed -n 1,5p "$2")"
    while IFS= read -r line; do
        answer "$line" <"$2" >"$folder/got"
        answer "$line" <want.txt >"$folder/want"
        cmp -s "$folder/got" "$folder/want" ||
            fail "$1, ${line#== }: $(diff "$folder/want" "$folder/got" | sed -n 1,5p)"
    done < <(grep '^==' want.txt)
    for line in "${lines[@]}"; do
        answer "== recallmodel $line -" <"$2" >"$folder/got"
        options_of "$line" | LC_ALL=C sort >"$folder/want"
        cmp -s "$folder/got" "$folder/want" ||
            fail "$1, $line: $(diff "$folder/want" "$folder/got" | sed -n 1,5p)"
    done
    answer "== recallmodel " <"$2" >"$folder/got"
    cmp -s "$folder/got" <(words "" | LC_ALL=C sort) || fail "$1: subcommands: $(cat "$folder/got")"
    pass
}
answer() { # LINE: what was offered for it, sorted, folders without /
    awk -v line="$1" '/^== / { on = $0 == line; next } on { sub(/\/$/, ""); print }' |
        LC_ALL=C sort -u
}

cat >"$folder/bash.sh" <<'END'
source <(recallmodel completion bash)
while IFS= read -r line; do
    echo "== $line"
    # Readline ends words at blanks and around = and :.
    read -ra COMP_WORDS <<<"${line//=/ = }"
    [[ $line == *' ' ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _recallmodel "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    [ ${#COMPREPLY[@]} = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
done
END
bash -u "$folder/bash.sh" <lines.txt >"$folder/bash.out" 2>"$folder/err"
compare bash "$folder/bash.out" "$folder/err"
# After = bash replaces the value alone.
[ "$(answer "== recallmodel select --device=h1" <"$folder/bash.out")" = \
    "$(printf 'H100-NVL\nH100-PCIe\nH100-SXM')" ] || fail "bash: --device=h1"
pass

with_equals() { # SHELL OUT: zsh and fish replace all of --device=h1
    [ "$(answer "== recallmodel select --device=h1" <"$2")" = \
        "$(printf -- '--device=%s\n' H100-NVL H100-PCIe H100-SXM)" ] || fail "$1: --device=h1"
    pass
}
if command -v zsh >/dev/null; then
    mkdir "$folder/functions"
    recallmodel completion zsh >"$folder/functions/_recallmodel"
    timeout 120 zsh -f "$top/tests/programs/complete.zsh" "$folder/functions/_recallmodel" \
        "$folder/zsh" <lines.txt 2>"$folder/err" | sed 's/\\ / /g' >"$folder/zsh.out"
    compare zsh "$folder/zsh.out" "$folder/err"
    with_equals zsh "$folder/zsh.out"
else
    echo "SKIPPED: completion in zsh: there is no zsh"
fi

if command -v fish >/dev/null; then
    {
        echo 'source (recallmodel completion fish | psub)'
        while IFS= read -r line; do
            echo "echo '== $line'; complete -C '$line' | string replace -r '\t.*' ''; true"
        done <lines.txt
    } >"$folder/lines.fish"
    HOME=$folder timeout 120 fish --no-config "$folder/lines.fish" >"$folder/fish.out" \
        2>"$folder/err"
    compare fish "$folder/fish.out" "$folder/err"
    with_equals fish "$folder/fish.out"
else
    echo "SKIPPED: completion in fish: there is no fish"
fi

# ---- the subcommand

"$program" completion bash | bash -n || fail "bash does not read the script"
[ "$("$program" completion --shell fish)" = "$("$program" completion fish)" ] || fail "--shell"
rejects "completion needs a shell: bash, zsh or fish" "$program" completion
rejects "--shell 'tcsh' is not known; give one of bash, zsh, fish" "$program" completion tcsh
rejects "--shell" "$program" completion bash --frob
pass
finish
