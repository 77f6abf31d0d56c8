/* select_check.c - select: what must hold between its options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include <programs/recallmodel/question/product.h>
#include "selection.h"

static int no_profile(const struct select_settings *settings)
{
    const bool kernel = settings->kernel && settings->kernel->work;
    if (!settings->question.device.given)
        return usage_error("--objective %s needs a calibrated profile: --device FILE, as "
                           "recallmodel calibrate writes it, or a device that comes with one "
                           "(recallmodel devices)",
                           settings->objective->name);
    const bool rates = settings->question.device.text.device.bandwidth_bytes_per_s > 0.0;
    return usage_error("--device %s has no profile%s%s%s; %smake a profile: recallmodel calibrate",
                       settings->question.device.text.device.name, kernel ? " of the kernel " : "",
                       kernel ? settings->kernel->name : "",
                       settings->question.dtype.given ? " for this --dtype" : "",
                       rates ? "leave --objective out for its roofline, or " : "");
}

/* Has the objective what it needs? */
static int check_objective(const struct select_settings *settings)
{
    const struct rcm_objective *objective = settings->objective;
    if (objective && objective->need == RCM_NEEDS_DEVICE && !settings->question.device.given)
        return usage_error(
            "--objective %s needs --device: a name (recallmodel devices) or a device file",
            objective->name);
    const bool rates = settings->question.device.text.device.bandwidth_bytes_per_s > 0.0;
    if (objective && objective->need == RCM_NEEDS_DEVICE && !rates)
        return usage_error("--objective %s needs the rates of the device, but those of %s are not "
                           "known; leave --objective out",
                           objective->name, settings->question.device.text.device.name);
    if ((objective ? objective->need == RCM_NEEDS_PROFILE
                   : settings->question.device.given && !rates) &&
        !selection_profile(settings).found)
        return no_profile(settings);
    return STATUS_OK;
}

/* A kernel of a GPU does not run on a CPU, nor the other way round. */
static int check_kernel(const struct select_settings *settings)
{
    const struct rcm_device_text *text = &settings->question.device.text;
    const struct rcm_kernel *kernel = settings->kernel;
    const struct rcm_profile *first =
        settings->question.device.given ? device_profile(text, 0) : NULL;
    const bool cpu = first && first->kernel->cpu;
    if (!kernel || !settings->question.device.given || kernel == rcm_kernel(0) ||
        kernel->cpu == cpu)
        return STATUS_OK;
    return usage_error("--kernel %s runs on a %s, but --device %s is a %s; leave one of them out",
                       kernel->name, kernel->cpu ? "CPU" : "GPU",
                       first ? first->name : text->device.name, cpu ? "CPU" : "GPU");
}

/* --d needs a time, and the rates of a device. */
static int check_product(const struct select_settings *settings)
{
    if (!settings->d)
        return STATUS_OK;
    if (strcmp(selection_objective(settings)->unit, "us") != 0)
        return usage_error(
            "--d minimises a time; leave --objective out, or give --objective roofline");
    return product_check(&settings->question.device.text.device, settings->d, true);
}

/* What the exact top-k of --exact-us or --exact-kernel is compared with. */
static int check_exact(const struct select_settings *settings)
{
    const bool kernel = settings->exact_kernel.given;
    const char *option = kernel ? "--exact-kernel" : "--exact-us";
    if (!kernel && !(settings->exact_us > 0.0))
        return STATUS_OK;
    const struct rcm_profile_answer profile = selection_profile(settings);
    if (kernel && profile.found &&
        profile.profile.kernel->cpu != settings->exact_kernel.text.profile.kernel->cpu)
        return usage_error("--exact-kernel %s was measured on a GPU, but --device %s is a CPU; "
                           "give --exact-us instead",
                           settings->exact_kernel.text.profile.name,
                           settings->question.device.text.device.name);
    return strcmp(selection_objective(settings)->unit, "us") != 0
               ? usage_error("%s is compared with a time; leave --objective out", option)
               : STATUS_OK;
}

/* Does --exact-kernel have a time for the shape? */
int selection_check_exact(const struct select_settings *settings, const struct query *query)
{
    const struct rcm_profile *kernel = selection_exact_kernel(settings);
    const struct rcm_topk p = query->base;
    if (!kernel || rcm_predict_exact(kernel, p) > 0.0)
        return STATUS_OK;
    return usage_error("--exact-kernel %s has no time for n = %" PRIu64 ", k = %" PRIu64 "%s",
                       kernel->name, p.n, p.k,
                       p.k >= p.n ? "; give a k below n, because k = n selects nothing"
                                  : "; its runs do not determine it, so give another kernel");
}

/* Do the options go together? */
int selection_check(const struct select_settings *settings)
{
    if (settings->beyond_runs && !selection_profile(settings).found)
        return usage_error("--beyond-runs needs a profile, and none answers here; give a --device "
                           "that has one, or leave --beyond-runs out");
    if (settings->question.targets.length > 1)
        return usage_error(
            "--recall takes one target here; for a list of targets use recallmodel bounds");
    if (settings->question.device.given && is_exact_only(&settings->question.device.text))
        return usage_error("--device %s is the profile of an exact kernel, which has no stage 1; "
                           "give it as --exact-kernel, and a device as --device",
                           settings->question.device.text.profile.name);
    if (settings->kernel && settings->kernel->exact_only)
        return usage_error("--kernel %s only finds the exact top-k; give a kernel with buckets, or "
                           "--exact-kernel",
                           settings->kernel->name);
    int status = check_kernel(settings);
    if (status == STATUS_OK)
        status = check_objective(settings);
    if (status == STATUS_OK)
        status = check_product(settings);
    if (status != STATUS_OK)
        return status;
    if (settings->rope.theta > 0.0 && settings->question.assignments.items[0] != RCM_INTERLEAVED)
        return usage_error("--rope-theta is for interleaved buckets, because contiguous ones do "
                           "not resonate; leave it or --assignment out");
    return check_exact(settings);
}
