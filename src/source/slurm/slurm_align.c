/* SPDX-License-Identifier: MIT */
#include "source/slurm/slurm_row.h"

/*
 * sacct does not escape: a delimiter inside a job name or a submit line makes one field two,
 * and all columns after it are moved. They are found again by what the others must look like.
 *
 * `shift` is by how many fields the columns from some place on are moved: 0 at the beginning,
 * all that are too many at the end. It grows only at columns of free text. Each way of growing
 * has a cost: more than one text with delimiters is less likely than one, some texts are
 * likelier to have them than others, and a folder begins with a slash. The cheapest way is
 * taken. But if a column that is no free text could be read in two ways, however costly, the
 * row is refused: nobody is to be charged on a guess.
 */

enum { SHIFTS = SLURM_EXTRA_MAX + 1, COST_NEVER = 1 << 20, LIKELY_MOST = 10, COST_SHAPE = 4 };

/* The cheapest way to a place, and how many ways cost as little. */
struct way {
    int cost;
    uint16_t count;
    uint8_t from; /* shift before the column */
};

static bool is_command(struct str text)
{
    static const char *const programs[] = {"srun", "sbatch", "salloc"};
    struct str word = str_cut(&text, ' ');
    const char *slash = word.len > 0 ? memrchr(word.ptr, '/', word.len) : NULL;
    if (slash) {
        word.len -= (size_t)(slash + 1 - word.ptr);
        word.ptr = slash + 1;
    }
    for (size_t i = 0; i < COUNT_OF(programs); i++) {
        if (str_eq(word, str_of(programs[i]))) {
            return true;
        }
    }
    return false;
}

/* What it costs to take these bytes for the text of a column. */
static int shape_cost(const struct slurm_slot *slot, struct str text)
{
    if (text.len == 0) {
        return 0;
    }
    if (slot->target == SLURM_WORK_DIR) {
        return text.ptr[0] == '/' ? 0 : COST_NEVER;
    }
    return slot->target == SLURM_COMMAND && !is_command(text) ? COST_SHAPE : 0;
}

/* From the beginning of one field to the end of another. */
static struct str span(const struct str *fields, unsigned first, unsigned last)
{
    const char *end = fields[last].ptr + fields[last].len;
    return (struct str){fields[first].ptr, (size_t)(end - fields[first].ptr)};
}

static void offer(struct way *way, const struct way *before, unsigned from, int cost)
{
    cost += before->cost;
    if (cost > way->cost || cost >= COST_NEVER) {
        return;
    }
    unsigned more = cost == way->cost ? way->count : 0;
    *way = (struct way){cost, (uint16_t)(more + before->count > 9 ? 9 : more + before->count),
                        (uint8_t)from};
}

/* From the ways before a column of free text to those after it. */
static void pass_text(const struct slurm_slot *slot, unsigned column, const struct str *fields,
                      unsigned extra, const struct way *before, struct way *after)
{
    for (unsigned from = 0; from <= extra; from++) {
        if (before[from].cost >= COST_NEVER) {
            continue;
        }
        for (unsigned to = from; to <= extra; to++) {
            int cost = shape_cost(slot, span(fields, column + from, column + to));
            offer(&after[to], &before[from], from,
                  cost + (to > from ? LIKELY_MOST - slot->likely : 0));
        }
    }
}

/* The shifts before a column from which the end can be reached, of those after it. */
static uint64_t shifts_before(const struct slurm_format *format, unsigned column,
                              const struct str *fields, unsigned extra, uint64_t after)
{
    const struct slurm_slot *slot = &format->slots[column];
    if (slot->kind != SLURM_FREE) {
        return after;
    }
    uint64_t before = 0;
    for (unsigned from = 0; from <= extra; from++) {
        for (unsigned to = from; to <= extra; to++) {
            if (after >> to & 1 &&
                shape_cost(slot, span(fields, column + from, column + to)) < COST_NEVER) {
                before |= UINT64_C(1) << from;
                break;
            }
        }
    }
    return before;
}

/* Whether each column that is no free text has one place only, whatever the cost. */
static bool is_certain(const struct slurm_format *format, const struct str *fields,
                       unsigned extra, const struct way *ways)
{
    uint64_t shifts = UINT64_C(1) << extra;
    for (unsigned column = format->count; column-- > 0;) {
        for (unsigned shift = 0; shift <= extra; shift++) {
            if (ways[(size_t)(column + 1) * SHIFTS + shift].cost >= COST_NEVER) {
                shifts &= ~(UINT64_C(1) << shift);
            }
        }
        if (format->slots[column].kind != SLURM_FREE && (shifts & (shifts - 1)) != 0) {
            return false;
        }
        shifts = shifts_before(format, column, fields, extra, shifts);
    }
    return true;
}

static void join(const struct slurm_format *format, struct str *fields, unsigned extra,
                 const struct way *ways)
{
    unsigned shift = extra;
    for (unsigned column = format->count; column-- > 0;) {
        unsigned from = ways[(size_t)(column + 1) * SHIFTS + shift].from;
        /* Left of it nothing is needed any more, so the fields can be joined in place. */
        fields[column + extra] = span(fields, column + from, column + shift);
        shift = from;
    }
    memmove(fields, fields + extra, format->count * sizeof(*fields));
}

/* Finds the ways through all columns. */
static void find_ways(const struct slurm_format *format, const struct str *fields,
                      unsigned extra, struct arena *scratch, struct way *ways)
{
    for (unsigned i = 0; i < (format->count + 1) * SHIFTS; i++) {
        ways[i].cost = COST_NEVER;
    }
    ways[0] = (struct way){.count = 1};
    for (unsigned column = 0; column < format->count; column++) {
        const struct slurm_slot *slot = &format->slots[column];
        const struct way *before = &ways[(size_t)column * SHIFTS];
        struct way *after = &ways[(size_t)(column + 1) * SHIFTS];
        if (slot->kind == SLURM_FREE) {
            pass_text(slot, column, fields, extra, before, after);
            continue;
        }
        for (unsigned shift = 0; shift <= extra; shift++) {
            if (before[shift].cost < COST_NEVER &&
                slurm_value_fits(format, slot, fields[column + shift], scratch)) {
                offer(&after[shift], &before[shift], shift, 0);
            }
        }
    }
}

bool slurm_align(const struct slurm_format *format, struct str *fields, unsigned extra)
{
    struct way ways[(SLURM_SLOTS_MAX + 1) * SHIFTS]; /* 128 KiB, and nothing that piles up */
    struct arena scratch = {0};
    find_ways(format, fields, extra, &scratch, ways);
    arena_release(&scratch);
    const struct way *end = &ways[(size_t)format->count * SHIFTS + extra];
    if (end->cost >= COST_NEVER || end->count != 1 ||
        !is_certain(format, fields, extra, ways)) {
        return false;
    }
    join(format, fields, extra, ways);
    return true;
}
