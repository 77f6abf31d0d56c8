/* command_completion.c - completion for bash, zsh and fish.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "complete.h"
#include "completion_scripts.h"

struct settings {
    const struct completion_script *shell;
};

static const char *shell_at(unsigned i)
{
    return completion_scripts[i].shell;
}

static int read_shell(void *to, const char *option, const char *value)
{
    const struct completion_script *script = completion_scripts;
    while (script->shell && strcmp(script->shell, value) != 0)
        script++;
    *(const struct completion_script **)to = script;
    return script->shell ? STATUS_OK : unknown_name(option, value, shell_at, UNTIL_NULL);
}

static const struct argument completion_options[] = {
    {"--shell", "S", KIND(read_shell, .names = shell_at), offsetof(struct settings, shell),
     "the shell: bash, zsh or fish; --shell may be left out before it"},
    {NULL, NULL, NULL, 0, NULL},
};

static int run_completion(int count, char **arguments)
{
    struct settings settings = {NULL};
    if (count > 0 && strcmp(arguments[0], "words") == 0) {
        complete(count - 1, arguments + 1);
        return STATUS_OK;
    }
    const int status = arguments_read_ruled(completion_options, NULL, command_completion.bare,
                                            &settings, count, arguments);
    if (status != STATUS_OK)
        return status;
    if (!settings.shell)
        return usage_error("completion needs a shell: bash, zsh or fish");
    fputs(settings.shell->script, stdout);
    return STATUS_OK;
}

const struct command command_completion = {
    .name = "completion",
    .group = "In the shell:",
    .summary = "prints a script with which a shell completes options and their values",
    .example = "source <(recallmodel completion bash)",
    .detail = "bash: put the line of the example into ~/.bashrc. zsh: write the output to a file "
              "_recallmodel in a folder of $fpath, before compinit runs. fish: write it to "
              "~/.config/fish/completions/recallmodel.fish. make install and the Debian packages "
              "install all three where the shells look for them.\n"
              "\n"
              "The scripts call recallmodel completion words WORD .., which prints what the last "
              "WORD can be completed to.",
    .options = completion_options,
    .no_numbers = true,
    .bare = "--shell",
    .run = run_completion,
};
