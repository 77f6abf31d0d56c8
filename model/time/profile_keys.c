/* profile_keys.c - the keys of devices and profiles as text: a registry.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "profile_keys.h"

/* clang-format off */
#define AT(member) \
    offsetof(struct rcm_device_text, member), sizeof((struct rcm_device_text *)NULL)->member
#define WORDS(name) {#name, RCM_TEXT_WORDS, AT(name)}
#define RATE(name) {#name, RCM_TEXT_RATE, AT(device.name)}
#define NUMBER(name) {#name, RCM_TEXT_NUMBER, AT(profile.name)}
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
    NUMBER(n_low),
    NUMBER(n_high),
    NUMBER(k_low),
    NUMBER(k_high),
    NUMBER(b_low),
    NUMBER(b_high),
    NUMBER(k_b_low),
    NUMBER(k_b_high),
    NUMBER(m_low),
    NUMBER(m_high),
    NUMBER(elements_high),
    NUMBER(candidates_low),
    NUMBER(candidates_high),
    NUMBER(run_count),
    NUMBER(exact_count),
    NUMBER(median_error),
    NUMBER(p95_error),
    NUMBER(worst_error),
    NUMBER(held_out_median_error),
    NUMBER(held_out_p95_error),
    NUMBER(held_out_p05_ratio),
    NUMBER(held_out_p95_ratio),
    NUMBER(held_out_exact_p05_ratio),
    NUMBER(held_out_exact_p95_ratio),
    NUMBER(held_out_k_median_error),
    NUMBER(held_out_k_p95_error),
    NUMBER(contiguous_count),
    NUMBER(contiguous_p05_ratio),
    NUMBER(contiguous_p95_ratio),
    NUMBER(l2_bytes),
    NUMBER(l3_bytes),
    NUMBER(threads),
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
