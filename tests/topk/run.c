/* run.c - see run.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include <sys/mman.h>
#include <unistd.h>

#include "run.h"

enum { INPUT, VALUES, INDICES, WORKSPACE, BLOCKS, MARGIN = 256, PATTERN = 0xa7 };

struct block {
    unsigned char *pages; /* between two pages that may not be touched */
    size_t bytes;         /* of the pages */
    unsigned char *at;    /* the block that was placed */
    size_t length;
    unsigned char *heap; /* what to free, or NULL */
};

static _Thread_local struct block blocks[BLOCKS];

static void need_pages(struct block *b, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (b->bytes >= bytes)
        return;
    if (b->pages)
        munmap(b->pages - page, b->bytes + 2 * page);
    b->bytes = (2 * bytes + page - 1) / page * page;
    unsigned char *all = mmap(NULL, b->bytes + 2 * page, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, b->bytes, PROT_READ | PROT_WRITE) != 0)
        abort();
    b->pages = all + page;
}

/* A block at a multiple of `align`, or `shift` bytes beside one. */
static void *place_block(int which, enum place place, size_t length, size_t align, size_t shift,
                         uint8_t poison)
{
    struct block *b = &blocks[which];
    b->length = length;
    if (place == HEAP) {
        void *heap;
        if (posix_memalign(&heap, align < 16 ? 16 : align, length + shift) != 0)
            abort();
        b->heap = heap;
        b->at = b->heap + shift;
        return b->at;
    }
    b->heap = NULL;
    need_pages(b, length + shift + align + MARGIN);
    if (place == PAGE_BEGIN)
        b->at = b->pages + shift;
    else
        b->at =
            (unsigned char *)((uintptr_t)(b->pages + b->bytes - length - shift) / align * align);
    const size_t low = (size_t)(b->at - b->pages), begin = low < MARGIN ? 0 : low - MARGIN,
                 end = low + length + MARGIN < b->bytes ? low + length + MARGIN : b->bytes;
    memset(b->pages + begin, PATTERN, end - begin);
    memset(b->at, poison, length);
    return b->at;
}

/* Whether the pattern beside a block is still there. */
static bool is_untouched(const struct block *b)
{
    if (b->heap)
        return true;
    const size_t low = (size_t)(b->at - b->pages), begin = low < MARGIN ? 0 : low - MARGIN,
                 high = low + b->length, end = high + MARGIN < b->bytes ? high + MARGIN : b->bytes;
    for (size_t i = begin; i < end; i++)
        if ((i < low || i >= high) && b->pages[i] != PATTERN)
            return false;
    return true;
}

void place_rows(struct topk_case *c, enum place place, uint64_t *state)
{
    size_t before;
    struct block *b = &blocks[INPUT];
    free(b->heap);
    const size_t bytes = rows_bytes(&c->call.rows, &before);
    draw_rows(&c->call.rows, c->kind, place_block(INPUT, place, bytes, 1, c->shift, 0), state);
}

static void protect_input(const struct rcm_top_k_call *call, int how)
{
    const struct block *b = &blocks[INPUT];
    const unsigned char *x = call->rows.x;
    if (!b->heap && x >= b->pages && x < b->pages + b->bytes)
        mprotect(b->pages, b->bytes, how);
}

static unsigned char *copy_of(int which)
{
    const struct block *b = &blocks[which];
    unsigned char *copy = malloc(b->length + 1);
    if (!copy)
        abort();
    memcpy(copy, b->at, b->length);
    free(b->heap);
    return copy;
}

/* How this thread computes: rounding down with denormals taken as zero, or as at its start. */
static void set_arithmetic(bool odd)
{
#if defined __x86_64__
    __builtin_ia32_ldmxcsr(odd ? 0x1f80 | 0x2000 | 0x8040 : 0x1f80);
#elif defined __aarch64__
    const uint64_t control = odd ? UINT64_C(6) << 22 : 0;
    __asm__ volatile("msr fpcr, %0" : : "r"(control));
#else
    (void)odd;
#endif
}

struct outcome run_case(const struct topk_case *c, enum place place, uint8_t poison, bool check)
{
    struct rcm_top_k_call call = c->call;
    struct outcome o = {0};
    size_t bytes = 0;
    const uint64_t count = call.rows.m * oracle_outputs(&call, c->stage1);
    const size_t element = rcm_top_k_type_bytes(call.rows.type), index = call.wide ? 8 : 4;
    enum rcm_top_k_status status =
        c->stage1 ? rcm_top_k_stage1_workspace(&call, &bytes) : rcm_top_k_workspace(&call, &bytes);
    if (status != RCM_TOP_K_OK) {
        snprintf(o.why, sizeof o.why, "workspace: %s", rcm_top_k_message(status));
        return o;
    }
    o.value_bytes = c->want_values ? count * element : 0;
    o.index_bytes = c->want_indices ? count * index : 0;
    void *values =
             place_block(VALUES, place, o.value_bytes, element, c->shift / 8 * element, poison),
         *indices = place_block(INDICES, place, o.index_bytes, index, c->shift % 8 * index, poison),
         *workspace = place_block(WORKSPACE, place, bytes, 64, 0, poison);
    call.values = c->want_values ? values : NULL;
    call.indices = c->want_indices ? indices : NULL;
    protect_input(&call, PROT_READ);
    set_arithmetic(c->odd_arithmetic);
    status = c->stage1 ? rcm_top_k_stage1(&call, bytes ? workspace : NULL, bytes)
                       : rcm_top_k(&call, bytes ? workspace : NULL, bytes);
    set_arithmetic(false);
    protect_input(&call, PROT_READ | PROT_WRITE);
    if (status != RCM_TOP_K_OK)
        snprintf(o.why, sizeof o.why, "%s", rcm_top_k_message(status));
    else if (!is_untouched(&blocks[VALUES]) || !is_untouched(&blocks[INDICES]))
        snprintf(o.why, sizeof o.why, "wrote beside an output");
    else if (!is_untouched(&blocks[WORKSPACE]))
        snprintf(o.why, sizeof o.why, "wrote beside the workspace");
    else
        o.right = !check || oracle_is_right(&call, c->stage1, o.why);
    o.values = copy_of(VALUES);
    o.indices = copy_of(INDICES);
    free(blocks[WORKSPACE].heap);
    return o;
}

bool same_bits(const struct outcome *a, const struct outcome *b)
{
    return a->value_bytes == b->value_bytes && a->index_bytes == b->index_bytes &&
           memcmp(a->values, b->values, a->value_bytes) == 0 &&
           memcmp(a->indices, b->indices, a->index_bytes) == 0;
}

void free_outcome(struct outcome *o)
{
    free(o->values);
    free(o->indices);
    o->values = o->indices = NULL;
}

void release_blocks(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    free(blocks[INPUT].heap);
    for (int i = 0; i < BLOCKS; i++) {
        if (blocks[i].pages)
            munmap(blocks[i].pages - page, blocks[i].bytes + 2 * page);
        blocks[i] = (struct block){0};
    }
}
