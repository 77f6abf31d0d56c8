/* runs_cards.c - see runs_cards.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "runs_cards.h"

#include <stdlib.h>
#include <string.h>

#include <base/array.h>
#include <base/memory.h>
#include <model/recallmodel/cost.h>
#include <model/recallmodel/time.h>

#define TEXT 60

/* The rows of one card, file and kernel. */
struct card_kernel {
    char card[TEXT], name[TEXT], kernel[TEXT];
    const char *ties; /* "": not read */
    size_t place;     /* of the card in the registry */
    uint64_t rows;
};

static const struct column group_items[] = {
    {FIELD(struct card_kernel, card), EVERYWHERE("device")},
    {FIELD(struct card_kernel, name), EVERYWHERE("name")},
    {FIELD(struct card_kernel, kernel), EVERYWHERE("kernel")},
    {FIELD(struct card_kernel, rows), EVERYWHERE("rows")},
    {FIELD(struct card_kernel, ties), EVERYWHERE("ties")},
};
static const struct columns group_columns = COLUMNS(struct card_kernel, group_items);

struct groups {
    struct card_kernel *items;
    size_t length, capacity;
};

static const char *field(const struct csv *csv, size_t row, const char *name)
{
    const size_t column = csv_column(csv, name);
    return column < csv->columns ? csv_field(csv, row, column) : "";
}

/* The place of a card in the registry, and its name there; SIZE_MAX where it is not in it. */
static size_t place_of(const char **card)
{
    const struct rcm_device *device = rcm_device_by_name(*card);
    size_t i = 0;
    while (device && rcm_device(i) != device)
        i++;
    *card = device ? device->name : *card;
    return device ? i : SIZE_MAX;
}

/* What is known of the kernel, or else of the folder of the runs. */
static const char *ties_of(const char *name, const char *kernel)
{
    const struct rcm_tie_rule *rule = rcm_tie_rule_of(kernel);
    rule = rule ? rule : rcm_tie_rule_of(name);
    return rule ? rcm_ties_name(rule->ties) : "";
}

static void count(struct groups *groups, const char *name, const char *card, const char *kernel)
{
    const size_t place = place_of(&card);
    struct card_kernel next = {.place = place, .rows = 1};
    snprintf(next.card, TEXT, "%s", card);
    snprintf(next.name, TEXT, "%s", name);
    snprintf(next.kernel, TEXT, "%s", kernel);
    next.ties = ties_of(name, kernel);
    for (size_t i = groups->length; i-- > 0;) {
        struct card_kernel *g = &groups->items[i];
        if (strcmp(g->card, next.card) == 0 && strcmp(g->name, next.name) == 0 &&
            strcmp(g->kernel, next.kernel) == 0) {
            g->rows++;
            return;
        }
    }
    groups->items =
        array_grow(groups->items, groups->length, &groups->capacity, sizeof *groups->items);
    groups->items[groups->length++] = next;
}

static bool has_time(const struct csv *csv)
{
    for (size_t i = 0; i < csv->columns; i++)
        if (strstr(csv->fields[i], "_us"))
            return true;
    return false;
}

static int count_file(const struct runs_index *index, size_t row, struct groups *groups,
                      struct message error)
{
    char path[RUNS_PATH];
    struct csv csv;
    if (!runs_index_path(index, row, NULL, path) || csv_read(path, &csv, error) != 0)
        return -1;
    for (size_t i = 0; has_time(&csv) && i < csv.rows; i++) {
        const char *card = field(&csv, i, "device"), *kernel = field(&csv, i, "kernel");
        count(groups, runs_index_field(index, row, RUNS_NAME),
              *card ? card : runs_index_field(index, row, RUNS_DEVICE), kernel);
    }
    csv_free(&csv);
    return 0;
}

static int by_card(const void *a, const void *b)
{
    const struct card_kernel *x = a, *y = b;
    const int order[] = {(x->place > y->place) - (x->place < y->place), strcmp(x->card, y->card),
                         strcmp(x->name, y->name), strcmp(x->kernel, y->kernel)};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i] != 0)
            return order[i];
    return 0;
}

int runs_by_card(const struct runs_index *index, struct table **table, struct message error)
{
    struct groups groups = {0};
    int status = 0;
    for (size_t row = 0; status == 0 && row < index->csv.rows; row++)
        status = count_file(index, row, &groups, error);
    if (groups.length)
        qsort(groups.items, groups.length, sizeof *groups.items, by_card);
    *table = status == 0 ? table_of(&group_columns, 0) : NULL;
    for (size_t i = 0; *table && i < groups.length; i++)
        table_add(*table, &groups.items[i], false);
    free(groups.items);
    return status;
}
