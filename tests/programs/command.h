/* command.h - runs the command from a test and reads its JSON. RECALLMODEL names the program, by
 * default build/recallmodel.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMAND_H
#define COMMAND_H

#include <jansson.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tests/test.h>

struct result {
    int status;
    char out[800000], err[4000];
};

static struct result result; /* of the last run */

static inline void slurp(const char *path, char *buffer, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(buffer, 1, size - 1, file) : 0;
    buffer[length] = '\0';
    if (file)
        fclose(file);
}

/* Runs "recallmodel ARGUMENTS" through the shell. */
static inline void run(const char *arguments)
{
    char command[4000], out[] = "/tmp/rcm-out-XXXXXX", err[] = "/tmp/rcm-err-XXXXXX";
    const char *program = getenv("RECALLMODEL");
    int out_file = mkstemp(out), err_file = mkstemp(err);
    ck_assert(out_file >= 0 && err_file >= 0);
    close(out_file);
    close(err_file);
    snprintf(command, sizeof command, "%s %s >%s 2>%s", program ? program : "build/recallmodel",
             arguments, out, err);
    int status = system(command);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    slurp(out, result.out, sizeof result.out);
    slurp(err, result.err, sizeof result.err);
    unlink(out);
    unlink(err);
}

static inline json_t *parse_answer(const char *arguments)
{
    json_error_t error;
    run(arguments);
    ck_assert_msg(result.status == 0, "%s: %s", arguments, result.err);
    json_t *json = json_loads(result.out, 0, &error);
    ck_assert_msg(json != NULL, "%s: line %d: %s", arguments, error.line, error.text);
    return json;
}

static inline double number(const json_t *object, const char *path)
{
    char level[64];
    for (const char *slash; (slash = strchr(path, '/')); path = slash + 1) {
        snprintf(level, sizeof level, "%.*s", (int)(slash - path), path);
        object = json_object_get(object, level);
    }
    json_t *value = json_object_get(object, path);
    ck_assert_msg(value && (json_is_number(value) || json_is_null(value)), "%s is missing", path);
    return json_is_null(value) ? NAN : json_number_value(value);
}

#endif
