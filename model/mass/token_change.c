/* token_change.c - how the distribution of a token changes. Derivation: docs/models.md, "The token
 * that a sampler draws".
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include <model/recallmodel/lost_mass.h>

struct rcm_token_change rcm_token_change(double exact, double approximate, double common)
{
    if (!(exact > 0.0 && approximate > 0.0 && common >= 0.0 && common <= exact &&
          common <= approximate && fmax(exact, approximate) < INFINITY))
        return (struct rcm_token_change){NAN, NAN, NAN};
    const double gone = exact - common, come = approximate - common;
    return (struct rcm_token_change){
        .total_variation = fmax(gone, come) / fmax(exact, approximate),
        .differs = (gone + come) / (exact + come),
        .kl = come > 0.0           ? INFINITY
              : gone < 0.5 * exact ? -log1p(-gone / exact)
                                   : log(exact / approximate),
    };
}
