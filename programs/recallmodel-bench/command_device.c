/* command_device.c - the name of the GPU.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include <programs/bench/backend.h>
#include <programs/bench/session.h>

#include "command.h"

static const struct argument device_options[] = {{OPTIONS_END}};

static int run_device(int count, char **arguments)
{
    struct device *device = NULL;
    int status = arguments_read(device_options, NULL, count, arguments);
    if (status == STATUS_OK)
        status = backend->open(&device, 1);
    if (status == STATUS_OK)
        puts(backend->name(device));
    backend->close(device);
    return status;
}

const struct command command_device = {
    .name = "device",
    .summary = "prints the name of the GPU",
    .example = "recallmodel-bench device",
    .options = device_options,
    .no_numbers = true,
    .run = run_device,
};
