/* profile_keys.c - the keys of devices and profiles as text: a registry.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "profile_keys.h"

/* clang-format off */
#define AT(member) \
    offsetof(struct rcm_device_text, member), sizeof((struct rcm_device_text *)NULL)->member
#define WORDS(name) {#name, RCM_TEXT_WORDS, AT(name)}
#define RATE(name) {#name, RCM_TEXT_RATE, AT(device.name)}
#define FIGURE(name) {#name, RCM_TEXT_FIGURE, AT(profile.name)}
/* clang-format on */

/* The keys before and after those of the parameters, which rcm_time_parameter lists. */
static const struct rcm_text_key keys_before[] = {
    WORDS(name),
    WORDS(source),
    RATE(bandwidth_bytes_per_s),
    RATE(vector_rate_per_s),
    RATE(fma_rate_per_s),
    RATE(matrix_rate_per_s),
    RATE(memory_bytes),
    RATE(on_chip_bytes),
    RATE(multiprocessors),
    RATE(shortest_kernel_us),
    {"kernel", RCM_TEXT_KERNEL, AT(profile.kernel)},
    {"dtype", RCM_TEXT_DTYPE, AT(profile.dtype)},
    WORDS(date),
    WORDS(runs),
    WORDS(card),
};
static const struct rcm_text_key keys_after[] = {
    FIGURE(n_low),
    FIGURE(n_high),
    FIGURE(k_low),
    FIGURE(k_high),
    FIGURE(b_low),
    FIGURE(b_high),
    FIGURE(k_b_low),
    FIGURE(k_b_high),
    FIGURE(m_low),
    FIGURE(m_high),
    FIGURE(elements_high),
    FIGURE(candidates_low),
    FIGURE(candidates_high),
    FIGURE(run_count),
    FIGURE(exact_count),
    FIGURE(median_error),
    FIGURE(p95_error),
    FIGURE(worst_error),
    FIGURE(held_out_median_error),
    FIGURE(held_out_p95_error),
    FIGURE(held_out_p05_ratio),
    FIGURE(held_out_p95_ratio),
    FIGURE(held_out_exact_p05_ratio),
    FIGURE(held_out_exact_p95_ratio),
    FIGURE(held_out_k_median_error),
    FIGURE(held_out_k_p95_error),
    FIGURE(contiguous_count),
    FIGURE(contiguous_p05_ratio),
    FIGURE(contiguous_p95_ratio),
    FIGURE(l2_bytes),
    FIGURE(l3_bytes),
    FIGURE(threads),
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
struct rcm_text_key rcm_text_key(size_t index)
{
    const struct rcm_time_parameter *parameter;
    if (index < COUNT(keys_before))
        return keys_before[index];
    index -= COUNT(keys_before);
    if ((parameter = rcm_time_parameter(index)))
        return (struct rcm_text_key){parameter->name, RCM_TEXT_PARAMETER,
                                     offsetof(struct rcm_device_text, profile) + parameter->offset,
                                     sizeof(double)};
    for (size_t i = 0; rcm_time_parameter(i); i++)
        index--;
    return index < COUNT(keys_after) ? keys_after[index] : (struct rcm_text_key){.name = NULL};
}

double *profile_number_at(struct rcm_device_text *text, struct rcm_text_key key)
{
    return (double *)(void *)((char *)text + key.offset);
}

char *profile_words_at(struct rcm_device_text *text, struct rcm_text_key key)
{
    return (char *)text + key.offset;
}
