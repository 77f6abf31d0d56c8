/* ops.h - stands for vLLM's header of this name. It is all in torch_utils.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "torch_utils.h"
