# complete.zsh - for each line of standard input, what zsh offers at its end: "== LINE", and a line
# for each word, with what stands before it.
#
#   zsh -f complete.zsh SCRIPT FOLDER
#
# SCRIPT is the completion, which stands in a folder of its own; FOLDER is empty. An interactive zsh
# in a pseudo-terminal completes the line; its compadd notes what it adds.
#
# SPDX-License-Identifier: Apache-2.0
zmodload zsh/zpty
script=$1 folder=$2
cat >$folder/setup <<END
out=$folder/out
fpath=(${script:h} \$fpath)
autoload -Uz compinit && compinit -D -u
END
cat >>$folder/setup <<'END'
PS1= PS2=
compadd() { # notes what is added
    local -a hits
    local i p=
    for ((i = 1; i <= $#argv; i++)); do
        [[ $argv[i] == -[OAD] ]] && break
        [[ $argv[i] == -p ]] && p=$argv[i+1]
    done
    if ((i > $#argv)); then
        builtin compadd -O hits "$@"
        for i in $hits; do print -r -- "$IPREFIX$p$i" >>$out; done
    fi
    builtin compadd "$@"
}
capture() {
    _main_complete 2>>$out
    compstate[insert]= compstate[list]=
    print -r -- DONE >>$out
}
zle -C capture complete-word capture
bindkey '^I' capture
print READY >>$out
END
wait_for() {
    repeat 1000; do
        [[ -f $folder/out && $(tail -n 1 $folder/out) == $1 ]] && return
        sleep 0.01
    done
    print "no $1"
    exit 1
}
zpty -b shell "TERM=dumb zsh -f -i"
zpty -w shell "source $folder/setup"
wait_for READY
while IFS= read -r line; do
    print -r -- "== $line" >>$folder/out
    zpty -n -w shell "$line"$'\t'
    wait_for DONE
    zpty -n -w shell $'\C-u'
done
zpty -d shell
grep -v -e '^READY$' -e '^DONE$' $folder/out
