/* filter_blocks.h - internal to model/recall/: the blocks of a running threshold.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FILTER_BLOCKS_H
#define FILTER_BLOCKS_H

#include <model/recallmodel/filter.h>

struct filter_blocks {
    uint64_t count; /* 0: the filter is outside the domain of rcm_filter() */
    uint64_t first; /* the block that ends with the first compaction; 0: the buffer takes the row */
};
struct filter_blocks filter_blocks(struct rcm_filter filter);

/* Elements read after so many blocks. */
uint64_t filter_read(struct rcm_filter filter, uint64_t blocks);

#endif
