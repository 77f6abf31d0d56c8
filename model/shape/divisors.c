/* divisors.c - factors by trial division and Pollard's rho (with Brent's cycle search), then
 * lists divisors. A 53-bit number with two factors of 26 bits takes about 2^13 steps, a prime one
 * test.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "divisors.h"

#include "shape.h"
#include "wide.h"

static uint64_t multiply_mod(uint64_t a, uint64_t b, uint64_t n)
{
    return (uint64_t)((uint128)a * b % n);
}

static uint64_t power_mod(uint64_t base, uint64_t exponent, uint64_t n)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = multiply_mod(result, base, n);
        base = multiply_mod(base, base, n);
    }
    return result;
}

uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Miller and Rabin; these twelve bases decide every n < 3.3e24 (Sorenson and Webster 2015). n odd,
 * > 37. */
static bool is_prime(uint64_t n)
{
    static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    uint64_t odd = n - 1;
    unsigned twos = 0;
    for (; odd % 2 == 0; odd /= 2)
        twos++;
    for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++) {
        uint64_t x = power_mod(bases[i], odd, n);
        if (x == 1 || x == n - 1)
            continue;
        bool witness = true;
        for (unsigned j = 1; j < twos && witness; j++) {
            x = multiply_mod(x, x, n);
            witness = x != n - 1;
        }
        if (witness)
            return false;
    }
    return true;
}

static uint64_t difference(uint64_t x, uint64_t y)
{
    return x > y ? x - y : y - x;
}

/* A proper factor of a composite n: Pollard's rho with Brent's cycle search. It multiplies
 * differences in batches, because one common divisor costs as much as many products. If a batch
 * contains all factors at once, it is repeated one by one. */
static uint64_t pollard_brent(uint64_t n)
{
    const uint64_t batch = 64;
    for (uint64_t shift = 1;; shift++) {
        uint64_t x, y = 2, start, divisor = 1;
        for (uint64_t length = 1; divisor == 1; length *= 2) {
            x = y;
            for (uint64_t done = 0; done < length && divisor == 1; done += batch) {
                uint64_t product = 1;
                start = y;
                for (uint64_t i = 0; i < batch && done + i < length; i++) {
                    y = (multiply_mod(y, y, n) + shift) % n;
                    product = multiply_mod(product, difference(x, y), n);
                }
                divisor = common_divisor(product, n);
            }
        }
        if (divisor == n)
            for (divisor = 1, y = start; divisor == 1;) {
                y = (multiply_mod(y, y, n) + shift) % n;
                divisor = common_divisor(difference(x, y), n);
            }
        if (divisor != n)
            return divisor;
    }
}

static void add_prime(struct rcm_factors *factors, uint64_t prime)
{
    for (unsigned i = 0; i < factors->count; i++)
        if (factors->prime[i] == prime) {
            factors->exponent[i]++;
            return;
        }
    factors->prime[factors->count] = prime;
    factors->exponent[factors->count++] = 1;
}

/* Splits n, which has no factor below 1000. */
static void split(struct rcm_factors *factors, uint64_t n)
{
    if (n == 1)
        return;
    if (n < 1000 * 1000 || is_prime(n)) {
        add_prime(factors, n);
        return;
    }
    uint64_t divisor = pollard_brent(n);
    split(factors, divisor);
    split(factors, n / divisor);
}

struct rcm_factors rcm_factorise(uint64_t n)
{
    struct rcm_factors factors = {0};
    if (n < 1 || n > RCM_N_MAX)
        return factors;
    for (uint64_t d = 2; d < 1000; d++)
        for (; n % d == 0; n /= d)
            add_prime(&factors, d);
    split(&factors, n);
    return factors;
}

const struct rcm_factors *factors_if(bool must_divide, uint64_t n, struct rcm_factors *factors)
{
    if (!must_divide)
        return NULL;
    *factors = rcm_factorise(n);
    return factors;
}

/* Visits the divisors that are `divisor` times a product of the primes from `next` on. */
static void visit_divisors(const struct rcm_factors *factors, unsigned next, uint64_t divisor,
                           struct divisor_search *s)
{
    if (next == factors->count) {
        if (divisor % s->align == 0 && divisor >= s->low && (s->least == 0 || divisor < s->least))
            s->least = divisor;
        if (divisor % s->align == 0 && divisor <= s->high && divisor > s->greatest)
            s->greatest = divisor;
        return;
    }
    for (unsigned e = 0; e <= factors->exponent[next]; e++) {
        visit_divisors(factors, next + 1, divisor, s);
        divisor *= factors->prime[next];
    }
}

void divisor_search(const struct rcm_factors *factors, struct divisor_search *s)
{
    s->least = s->greatest = 0;
    visit_divisors(factors, 0, 1, s);
}

uint64_t rcm_next_b(uint64_t n, uint64_t low, uint64_t align, const struct rcm_factors *divisors_of)
{
    align = align ? align : 1;
    low = low ? low : 1;
    if (n < 1 || n > RCM_N_MAX || low > n || align > n)
        return 0;
    if (divisors_of) {
        struct divisor_search search = {.low = low, .high = n, .align = align};
        divisor_search(divisors_of, &search);
        return search.least;
    }
    uint64_t multiple = shape_ceil_divide(low, align);
    return multiple <= n / align ? multiple * align : 0;
}

uint64_t rcm_previous_b(uint64_t n, uint64_t high, uint64_t align,
                        const struct rcm_factors *divisors_of)
{
    align = align ? align : 1;
    high = high < n ? high : n;
    if (n < 1 || n > RCM_N_MAX || align > high)
        return 0;
    if (divisors_of) {
        struct divisor_search search = {.low = 1, .high = high, .align = align};
        divisor_search(divisors_of, &search);
        return search.greatest;
    }
    return high / align * align;
}
