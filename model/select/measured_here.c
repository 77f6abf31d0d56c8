/* measured_here.c - the machine at hand as a device, and which measurements are of it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include <model/recallmodel.h>

bool rcm_measured_here(const struct rcm_measured *row, bool gpu, const char *machine)
{
    return (row->threads == 0) == gpu && *machine && strcmp(row->machine, machine) == 0 &&
           strcmp(row->version, rcm_version()) == 0;
}

/* A card that is not in the list: nothing but measurements can say how far an H200 fits. */
static void set_unknown_card(struct rcm_device_text *out, const char *card)
{
    const struct rcm_device *from = rcm_device_by_name("H200");
    struct rcm_device to = *from;
    snprintf(out->name, sizeof out->name, "%.39s", card);
    to.name = out->name;
    out->has_profile = rcm_stand_in_for(&to, NULL, rcm_kernel_by_name("ours"), NULL, &out->profile);
    out->device = (struct rcm_device){.name = out->name, .architecture = from->architecture};
}

bool rcm_device_here(bool gpu, struct rcm_device_text *out)
{
    char machine[RCM_MACHINE_TEXT], cpu[RCM_CPU_TEXT];
    struct rcm_profile carried;
    size_t others;
    memset(out, 0, sizeof *out);
    if (!rcm_this_machine(gpu, machine))
        return false;
    if (!gpu) {
        rcm_this_cpu(cpu);
        out->profile = *rcm_profile_of_cpu(cpu, &carried);
        out->has_profile = true;
        out->device.name = out->profile.name;
        out->device.source = out->profile.source;
        return true;
    }
    machine[strcspn(machine, ";")] = '\0';
    const struct rcm_device *meant = rcm_device_meant(machine, NULL, 0, &others);
    if (meant)
        out->device = *meant;
    else
        set_unknown_card(out, machine);
    return true;
}
