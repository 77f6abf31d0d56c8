/* select_check.c - select: what must hold between its options.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <math.h>

#include <programs/common/format.h>
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

/* A kernel of a GPU does not run on a CPU, nor the other way round. */
static int check_kernel(const struct select_settings *settings)
{
    const struct rcm_device_text *text = &settings->question.device.text;
    const struct rcm_kernel *kernel = settings->kernel;
    const struct rcm_profile *first =
        settings->question.device.given ? device_profile(text, 0) : NULL;
    const bool cpu = first && first->kernel->model == RCM_TIME_CPU;
    if (!kernel || !settings->question.device.given || kernel == rcm_kernel(0) ||
        (kernel->model == RCM_TIME_CPU) == cpu)
        return STATUS_OK;
    return usage_error("--kernel %s runs on a %s, but --device %s is a %s; leave one of them out",
                       kernel->name, kernel->model == RCM_TIME_CPU ? "CPU" : "GPU",
                       first ? first->name : text->device.name, cpu ? "CPU" : "GPU");
}

/* Can the model answer it? */
static int check_asked(const struct select_settings *settings)
{
    struct rcm_profile_answer profile;
    struct rcm_selection s = selection_asked(settings, &profile);
    s.exact_profile = selection_exact_kernel(settings);
    if (s.exact_profile)
        s.exact_us = 1.0; /* it has a time, whichever that is */
    switch (rcm_selection_check(&s)) {
    case RCM_SELECTION_KERNEL:
        return usage_error("--kernel %s only finds the exact top-k; give a kernel with buckets, or "
                           "--exact-kernel",
                           s.kernel->name);
    case RCM_SELECTION_NO_PROFILE:
        return no_profile(settings);
    case RCM_SELECTION_NO_DEVICE:
        return usage_error(
            "--objective %s needs --device: a name (recallmodel devices) or a device file",
            s.objective->name);
    case RCM_SELECTION_NO_RATES:
        return !settings->objective
                   ? no_profile(settings)
                   : usage_error("--objective %s needs the rates of the device, but those of %s "
                                 "are not known; leave --objective out",
                                 s.objective->name, s.machine.device->name);
    case RCM_SELECTION_D:
        return usage_error(
            "--d minimises a time; leave --objective out, or give --objective roofline");
    case RCM_SELECTION_EXACT_US:
        return usage_error("%s is compared with a time; leave --objective out",
                           settings->exact_kernel.given ? "--exact-kernel" : "--exact-us");
    case RCM_SELECTION_EXACT_CPU:
        return usage_error("--exact-kernel %s was measured on a %s, but --device %s is a %s; "
                           "give --exact-us instead",
                           s.exact_profile->name,
                           s.exact_profile->kernel->model == RCM_TIME_CPU ? "CPU" : "GPU",
                           settings->question.device.text.device.name,
                           s.exact_profile->kernel->model == RCM_TIME_CPU ? "GPU" : "CPU");
    case RCM_SELECTION_HAVE_CPU:
        return usage_error("--have does not name recallmodel, which alone runs on --device %s; "
                           "leave --have out",
                           settings->question.device.text.device.name);
    case RCM_SELECTION_ROPE:
        return usage_error("--rope-theta is for interleaved buckets, because contiguous ones do "
                           "not resonate; leave it or --assignment out");
    case RCM_SELECTION_FLOOR: /* of a query: see check_floor() */
    case RCM_SELECTION_OK:
        break;
    }
    return s.machine.d ? product_check(s.machine.device, s.machine.d, true) : STATUS_OK;
}

/* Do --ties have kernels to compare, which keep them? */
static int check_ties(const struct select_settings *settings)
{
    const struct rcm_profile *exact = selection_exact_kernel(settings);
    if (!settings->ties)
        return STATUS_OK;
    if (!settings->question.device.given && !settings->kernel)
        return usage_error("--ties compares kernels; give --device NAME, whose kernels are known "
                           "(recallmodel devices), or --kernel");
    if (exact && rcm_exact_ties(exact) < settings->ties)
        return usage_error("--exact-kernel %s may take others of equal elements than --ties %s; "
                           "leave one of them out",
                           exact->name, rcm_ties_name(settings->ties));
    return STATUS_OK;
}

/* Is no time below what every kernel takes on the device? */
static int check_floor(const struct select_settings *settings, struct rcm_topk p)
{
    char us[40], least[40] = "", what[100] = "--exact-us is";
    struct rcm_profile_answer profile;
    struct rcm_selection s = selection_asked(settings, &profile);
    const struct rcm_profile *kernel = selection_exact_kernel(settings), *q = s.machine.profile;
    s.p = p;
    if (kernel)
        rcm_compare_exact(&s, kernel);
    if (rcm_selection_check(&s) != RCM_SELECTION_FLOOR)
        return STATUS_OK;
    const enum rcm_dtype dtype = kernel ? kernel->dtype : q ? q->dtype : s.machine.dtype;
    const double floor = rcm_least_us(s.machine.device, dtype, p.n, p.m);
    const bool exact = s.exact_us > 0.0 && s.exact_us < floor;
    format_us(least, sizeof least, floor);
    p.b = p.k;
    p.k_b = 1;
    format_us(us, sizeof us,
              exact ? s.exact_us : fmin(rcm_predict_exact(q, p), rcm_predict(q, p).time_us));
    if (kernel || !exact)
        snprintf(what, sizeof what, "%s %.60s predicts", exact ? "--exact-kernel" : "--device",
                 exact ? kernel->name : q->name);
    return usage_error("%s %s, less than the %s that every kernel takes on %s to read the rows; "
                       "%s microseconds",
                       what, us, least, s.machine.device->name,
                       kernel || !exact ? "calibrate it by runs in" : "give the time in");
}

/* Does --exact-kernel have a time for the shape, and the mass of rows a distribution? */
int selection_check_query(const struct select_settings *settings, const struct query *query)
{
    const struct rcm_profile *kernel = selection_exact_kernel(settings);
    const struct rcm_topk p = query->base;
    if (query->target.weights && settings->confidence.given &&
        !mass_distribution_is_known(&query->weights, p))
        return usage_error("--confidence draws what rows lose: give --k of at most %d, and --valid "
                           "with interleaved buckets alone; or leave --confidence out",
                           DRAWN_MOST);
    if (!kernel || rcm_predict_exact(kernel, p) > 0.0)
        return check_floor(settings, p);
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
    if (settings->question.device.given && is_exact_only(&settings->question.device.text))
        return usage_error("--device %s is the profile of an exact kernel, which has no stage 1; "
                           "give it as --exact-kernel, and a device as --device",
                           settings->question.device.text.profile.name);
    int status = check_kernel(settings);
    if (status == STATUS_OK)
        status = check_ties(settings);
    return status == STATUS_OK ? check_asked(settings) : status;
}
