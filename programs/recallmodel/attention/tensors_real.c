/* tensors_real.c - what was measured of a real model, for `recallmodel tensors --generate`.
 *
 * Of six documents (C sources, a manual page, licences, Python sources, an essay, 1 Samuel), 8192
 * tokens each, by `recallmodel tensors --csv` on what `make real-tensors` writes (2026-11-22,
 * docs/real-data.md): the mean over documents for each layer, and then over the layers.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "tensors_command.h"

const char real_properties_source[] =
    "SmolLM2-135M-Instruct, 8192 tokens, layers 2, 8, 15, 22 and 28: means over its three heads of "
    "keys and six documents, and the least and the most mean of a layer.";

const struct real_property real_properties[PROPERTY_COUNT] = {
    [PROPERTY_sink_mass] = {0.254, 2.33e-07, 0.434},
    [PROPERTY_window_mass] = {0.408, 0.292, 0.572},
    [PROPERTY_top_64] = {0.833, 0.682, 0.917},
    [PROPERTY_top_256] = {0.935, 0.863, 0.973},
    [PROPERTY_top_1024] = {0.987, 0.974, 0.995},
    [PROPERTY_logit_sd] = {3.6, 3.42, 3.83},
    [PROPERTY_tail_index] = {1.1, 0.664, 1.39},
    [PROPERTY_key_norm] = {17, 15.4, 19},
    [PROPERTY_key_norm_cv] = {0.119, 0.092, 0.151},
    [PROPERTY_query_norm] = {13.6, 11.1, 15.2},
    [PROPERTY_sink_norm] = {0.481, 0.256, 0.924},
    [PROPERTY_sink_value] = {0.33, 0.174, 0.738},
    [PROPERTY_key_offset] = {0.822, 0.66, 0.971},
    [PROPERTY_key_offset_unroped] = {1.91, 1.46, 2.22},
    [PROPERTY_query_offset] = {1.45, 1.17, 1.66},
    [PROPERTY_query_offset_unroped] = {1.73, 1.38, 1.88},
    [PROPERTY_angle] = {127, 117, 132},
    [PROPERTY_angle_unroped] = {86.6, 69.8, 95.6},
    [PROPERTY_neighbour] = {0.708, 0.597, 0.8},
    [PROPERTY_neighbour_unroped] = {0.307, 0.0577, 0.497},
    [PROPERTY_clustered] = {0.52, 0.454, 0.574},
    [PROPERTY_clustered_unroped] = {0.652, 0.584, 0.726},
    [PROPERTY_pairs_effective] = {6.74, 4.69, 9.32},
    [PROPERTY_pairs_slow] = {0.782, 0.71, 0.837},
};
