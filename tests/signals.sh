# signals.sh - functions for tests that send signals; a test sources it. None of them waits forever,
# wherever the test was started.
#
# SPDX-License-Identifier: Apache-2.0

# Replaces this subshell by a command with the default SIGINT, SIGQUIT and SIGTERM. A shell ignores
# SIGINT for what it starts with &, and cannot reset a signal that was ignored when it started
# (nohup, many CI systems). Use it with &.
default_signals() { exec env --default-signal=INT,QUIT,TERM "$@"; }

# wait_for PID SECONDS: waits for a process of this shell, and kills it after that many seconds.
# Returns its status.
wait_for() {
    local pid=$1 left=$(($2 * 20))
    while kill -0 "$pid" 2>/dev/null && [ $left -gt 0 ]; do
        sleep 0.05
        left=$((left - 1))
    done
    kill -KILL "$pid" 2>/dev/null && echo "killed after $2 s" >&2
    wait "$pid"
}

# until_it_listens PID NUMBER: waits until the process has a handler for that signal or has ended,
# 20 s at most. Between its fork and its exec a child is still this shell, which has handlers of its
# own because of the trap on EXIT: that does not count, and a signal would then end it unheard.
until_it_listens() {
    local caught left=400
    while kill -0 "$1" 2>/dev/null && [ $left -gt 0 ]; do
        if ! cmp -s "/proc/$1/cmdline" "/proc/$$/cmdline"; then
            caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null || true)
            [ -z "$caught" ] || [ $((0x$caught >> ($2 - 1) & 1)) = 0 ] || return 0
        fi
        sleep 0.05
        left=$((left - 1))
    done
    return 1
}
