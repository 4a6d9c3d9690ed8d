/* SPDX-License-Identifier: MIT */
#include "record/run_merge.h"

#include <string.h>

#include "base/scan.h"
#include "record/precedence.h"

/* How much a record knows of whether and how the run ended, least first. */
enum knowledge {
    KNOWS_NOTHING,
    KNOWS_OPEN, /* that it had not ended when it was last seen */
    KNOWS_OVER, /* that it is over, not since when */
    KNOWS_END,
};

/* One of the two records, and what it weighs. */
struct side {
    const struct run *run;
    enum knowledge knowledge;
    char own;      /* letter of its origin */
    char use;      /* letter of the use it has of its own */
    char standing; /* letter of the record that says how the run stands */
    /* when a listing that says so was made; `seen` may be later, by another source */
    int64_t listed;
    int64_t moment; /* of the observation of a run that has not ended, else -1 */
    bool waits;     /* a listing says that it waits, and has not started */
};

struct merging {
    struct side old, new;
    bool newer;                   /* of records with the same weight, the new one wins */
    bool again;                   /* both are versions of one record */
    bool in_parts;                /* parts were added to the use of one of them */
    bool by_new;                  /* the new one is the record with more weight */
    bool of_new;                  /* the new one says how the run stands */
    bool waits;                   /* by a listing, it waits (again): a start is set aside */
    char weight[RUN_FIELD_COUNT]; /* of a field of the older one */
    bool kept[RUN_FIELD_COUNT];   /* it is the older one's */
};

static bool equal(const struct run *a, const struct run *b, enum run_field field)
{
    const char *left = (const char *)a + run_fields[field].offset;
    const char *right = (const char *)b + run_fields[field].offset;
    if (!run_has(a, field) || !run_has(b, field)) {
        return run_has(a, field) == run_has(b, field);
    }
    return run_fields[field].type == FIELD_TEXT
               ? str_eq(*(const struct str *)(const void *)left,
                        *(const struct str *)(const void *)right)
               : memcmp(left, right, sizeof(int64_t)) == 0;
}

static void copy(struct run *to, const struct run *from, enum run_field field)
{
    const size_t offset = run_fields[field].offset;
    const uint64_t bit = UINT64_C(1) << (unsigned)field % 64;
    uint64_t *has = &to->has[(unsigned)field / 64];
    memcpy((char *)to + offset, (const char *)from + offset,
           run_fields[field].type == FIELD_TEXT ? sizeof(struct str) : sizeof(int64_t));
    *has = run_has(from, field) ? *has | bit : *has & ~bit;
}

static char letter_of_origin(const struct run *run)
{
    return (char)('0' + (RUN_HAS(run, origin) ? run->origin : ORIGIN_LOG));
}

/* The text before the first such byte. */
static struct str before(struct str text, const char *byte)
{
    return str_cut(&text, byte[0]);
}

/* The instant that follows a mark in the origins of a merged run. */
static bool marked_instant(const struct run *run, const char *mark, int64_t *instant)
{
    struct str rest = RUN_HAS(run, field_origins) ? run->field_origins : (struct str){0};
    (void)str_cut(&rest, mark[0]);
    return rest.ptr && scan_int(before(rest, PRECEDENCE_MOMENT), instant);
}

/* The letter of a field of a record that was merged before, else `own`. */
static char letter_of(const struct run *run, enum run_field field, char own)
{
    if (!RUN_HAS(run, field_origins)) {
        return own;
    }
    const struct str letters =
        before(before(run->field_origins, PRECEDENCE_MOMENT), PRECEDENCE_ASIDE);
    return (size_t)field < letters.len ? letters.ptr[field] : PRECEDENCE_ABSENT[0];
}

static int64_t flags_of(const struct run *run)
{
    return RUN_HAS(run, flags) ? run->flags : 0;
}

static int64_t listed_at(const struct side *side)
{
    int64_t moment;
    return side->standing == '0' + ORIGIN_LISTING &&
                   marked_instant(side->run, PRECEDENCE_MOMENT, &moment)
               ? moment
           : RUN_HAS(side->run, seen) ? side->run->seen
                                      : -1;
}

static enum knowledge knowledge_of(const struct side *side)
{
    const struct run *run = side->run;
    if (RUN_HAS(run, end) && !(flags_of(run) & RUN_FLAG_VANISHED)) {
        return KNOWS_END;
    }
    if (RUN_HAS(run, end) || (RUN_HAS(run, until) && run->until == RUN_NOT_ENDED)) {
        return KNOWS_OPEN;
    }
    return side->standing != '0' + ORIGIN_LISTING && RUN_HAS(run, class) &&
                   run_class_is_over(run->class)
               ? KNOWS_OVER
               : KNOWS_NOTHING;
}

static int64_t moment_of(const struct side *side)
{
    const struct run *run = side->run;
    int64_t moment;
    if (side->knowledge != KNOWS_OPEN) {
        return -1;
    }
    return side->standing == '0' + ORIGIN_LISTING            ? side->listed
           : marked_instant(run, PRECEDENCE_MOMENT, &moment) ? moment
           : RUN_HAS(run, start)                             ? run->start
           : RUN_HAS(run, submit)                            ? run->submit
                                                             : -1;
}

/* Whether this is a listing's record of a run that waits, and has not started. */
static bool side_waits(const struct side *side)
{
    return side->knowledge == KNOWS_OPEN && side->standing == '0' + ORIGIN_LISTING &&
           !RUN_HAS(side->run, start) && RUN_HAS(side->run, class) &&
           str_eq(side->run->class, run_class_name(CLASS_PENDING));
}

static struct side side_of(const struct run *run)
{
    struct side side = {.run = run, .own = letter_of_origin(run)};
    side.use = flags_of(run) & RUN_FLAG_USE_PARTIAL ? PRECEDENCE_PARTIAL[0] : side.own;
    side.standing = letter_of(run, RUN_class, side.own);
    side.listed = listed_at(&side);
    side.knowledge = knowledge_of(&side);
    side.moment = moment_of(&side);
    side.waits = side_waits(&side);
    return side;
}

static bool is_of_new(const struct merging *m)
{
    return m->new.knowledge != m->old.knowledge ? m->new.knowledge > m->old.knowledge
           : m->new.moment != m->old.moment     ? m->new.moment > m->old.moment
           : m->new.standing != m->old.standing ? m->new.standing > m->old.standing
                                                : m->newer;
}

/*
 * Whether a listing is the later one. Of two of one moment that is the one in which the run had
 * come further, so that it does not depend on which was read first: pending, running,
 * suspended, which is their order as text.
 */
static bool is_later(const struct side *new, const struct side *old)
{
    const int64_t seen = RUN_HAS(new->run, seen) ? new->run->seen : -1;
    const bool both = RUN_HAS(new->run, class) && RUN_HAS(old->run, class);
    return seen != old->listed ? seen > old->listed
                               : !both || str_compare(new->run->class, old->run->class) >= 0;
}

/* Fields whose origin is kept. */
static bool is_chosen(enum run_field field)
{
    const enum precedence precedence = precedence_of(field);
    return precedence == PRECEDENCE_VALUE || precedence == PRECEDENCE_USE || field == RUN_start;
}

/* What a peak measures belongs to the peak. */
static enum run_field belongs_to(enum run_field field)
{
    return field == RUN_mem_basis ? RUN_mem_peak_bytes : field;
}

static char new_weight(const struct merging *m, enum run_field field)
{
    return precedence_of(field) == PRECEDENCE_USE ? m->new.use : m->new.own;
}

/* Whether a field stays that of the older record, by weight. */
static bool keeps(const struct merging *m, enum run_field field)
{
    const char weight = new_weight(m, field);
    if (!run_has(m->old.run, field)) {
        return false;
    }
    const bool in_new = run_has(m->new.run, field);
    if (m->weight[field] == weight) {
        return in_new ? !m->newer : !m->again;
    }
    return !in_new || m->weight[field] > weight;
}

static void weigh_fields(struct merging *m)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        const enum run_field field = (enum run_field)i;
        const bool use = precedence_of(field) == PRECEDENCE_USE;
        if (is_chosen(field) && belongs_to(field) == field) {
            m->weight[i] = letter_of(m->old.run, field, use ? m->old.use : m->old.own);
            m->kept[i] = use && m->in_parts ? !m->by_new : keeps(m, field);
        }
    }
}

/* `whole` is for the older record with the start that was set aside. */
static struct merging weigh(const struct run *older, const struct run *newer, struct run *whole)
{
    int64_t aside;
    struct merging m = {.old = side_of(older), .new = side_of(newer)};
    m.newer = m.new.own != '0' + ORIGIN_LISTING || is_later(&m.new, &m.old);
    m.again = equal(older, newer, RUN_file) && m.old.own == m.new.own;
    m.in_parts = (flags_of(older) | flags_of(newer)) & RUN_FLAG_MERGED;
    m.by_new = m.new.own > m.old.own || (m.new.own == m.old.own &&m.newer);
    m.of_new = is_of_new(&m);
    m.waits = m.of_new ? m.new.waits : m.old.waits;
    *whole = *older;
    m.old.run = whole;
    if (marked_instant(older, PRECEDENCE_ASIDE, &aside)) {
        RUN_SET(whole, start, aside);
    }
    weigh_fields(&m);
    return m;
}

/* The earlier of two starts; of the one that is there. */
static void take_first_start(const struct merging *m, struct run *out)
{
    const struct run *old = m->old.run, *new = m->new.run;
    const bool of_old =
        RUN_HAS(old, start) && (!RUN_HAS(new, start) || old->start <= new->start);
    copy(out, of_old ? old : new, RUN_start);
}

static void merge_start(const struct merging *m, struct run *out)
{
    const char listing = '0' + ORIGIN_LISTING;
    if (m->waits) {
        RUN_CLEAR(out, start);
    } else if (!m->again && m->new.own == listing && m->weight[RUN_start] == listing) {
        take_first_start(m, out);
    } else {
        copy(out, m->kept[RUN_start] ? m->old.run : m->new.run, RUN_start);
    }
}

/*
 * Oddities of all records stay. Whether it vanished belongs to the standing, whether parts were
 * added to the use.
 */
static void merge_flags(const struct merging *m, struct run *out)
{
    const int64_t apart = RUN_FLAG_VANISHED | RUN_FLAG_MERGED | RUN_FLAG_USE_PARTIAL;
    const int64_t old = flags_of(m->old.run), new = flags_of(m->new.run);
    int64_t flags = (new | old) & ~apart;
    flags |= (m->of_new ? new : old) & RUN_FLAG_VANISHED;
    flags |= (m->by_new ? new : old) & RUN_FLAG_MERGED;
    flags |= new &old &RUN_FLAG_USE_PARTIAL;
    RUN_SET(out, flags, flags);
}

/* Whether a file was read again, and now says itself what was inferred from it before. */
static bool replaces_seen(const struct merging *m)
{
    return m->again && flags_of(m->new.run) & RUN_FLAG_SEEN_RECORDED &&
           !(flags_of(m->old.run) & RUN_FLAG_SEEN_RECORDED);
}

/* The later sighting by a record of a run that has not ended; what is over is no sighting. */
static void merge_seen(const struct merging *m, struct run *out)
{
    const struct side *standing = m->of_new ? &m->new : &m->old;
    const struct side *sides[] = {&m->new, &m->old};
    if (standing->knowledge != KNOWS_OPEN || replaces_seen(m)) {
        copy(out, replaces_seen(m) ? m->new.run : standing->run, RUN_seen);
        return;
    }
    RUN_CLEAR(out, seen);
    for (size_t i = 0; i < COUNT_OF(sides); i++) {
        const struct run *run = sides[i]->run;
        if (sides[i]->knowledge == KNOWS_OPEN && RUN_HAS(run, seen) &&
            (!RUN_HAS(out, seen) || out->seen < run->seen)) {
            RUN_SET(out, seen, run->seen);
        }
    }
}

/* `until` follows from the rest (run.h). */
static void merge_until(const struct merging *m, struct run *out)
{
    copy(out, m->of_new ? m->new.run : m->old.run, RUN_until);
    if (RUN_HAS(out, end)) {
        RUN_SET(out, until,
                RUN_HAS(out, start) && out->start > out->end ? out->start : out->end);
    } else if (!RUN_HAS(out, until) || out->until != RUN_NOT_ENDED) {
        RUN_CLEAR(out, until);
        if (RUN_HAS(out, start)) {
            RUN_SET(out, until, out->start - 1);
        }
    }
}

/*
 * The record whose start is set aside, or NULL: that of a log or database for a run that a
 * listing shows to wait.
 */
static const struct run *aside_of(const struct merging *m)
{
    const bool kept = m->kept[RUN_start];
    const struct run *run = kept ? m->old.run : m->new.run;
    const char weight = kept ? m->weight[RUN_start] : m->new.own;
    return m->waits && RUN_HAS(run, start) && weight != '0' + ORIGIN_LISTING ? run : NULL;
}

/* The letter of a field: that of whose value it is, where there is one. */
static char merged_letter(const struct merging *m, enum run_field field)
{
    const enum run_field with = belongs_to(field);
    if (precedence_of(field) == PRECEDENCE_STANDING) {
        return m->of_new ? m->new.standing : m->old.standing;
    }
    if (!is_chosen(field) || (field == RUN_start && m->waits && !aside_of(m))) {
        return PRECEDENCE_ABSENT[0];
    }
    return m->kept[with]               ? m->weight[with]
           : run_has(m->new.run, with) ? new_weight(m, with)
                                       : PRECEDENCE_ABSENT[0];
}

/* The origins of fields are kept where they are not all the record's. */
static void merge_origins(const struct merging *m, struct arena *arena, struct run *out)
{
    const struct side *standing = m->of_new ? &m->new : &m->old;
    const bool listed = standing->standing == '0' + ORIGIN_LISTING;
    const char own = letter_of_origin(out);
    const struct run *aside = aside_of(m);
    char letters[RUN_FIELD_COUNT + 1] = {0};
    bool differ = false;
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        letters[i] = merged_letter(m, (enum run_field)i);
        differ |= letters[i] != own && letters[i] != PRECEDENCE_ABSENT[0];
    }
    RUN_CLEAR(out, field_origins);
    if (differ) {
        RUN_SET(out, field_origins, arena_copy(arena, str_of(letters)));
    }
    if (differ && aside) {
        RUN_SET(out, field_origins,
                str_of(arena_printf(arena, "%s" PRECEDENCE_ASIDE "%lld", out->field_origins.ptr,
                                    (long long)aside->start)));
    }
    if (differ && (listed || standing->knowledge == KNOWS_OPEN)) {
        RUN_SET(
            out, field_origins,
            str_of(arena_printf(arena, "%s" PRECEDENCE_MOMENT "%lld", out->field_origins.ptr,
                                (long long)(listed ? standing->listed : standing->moment))));
    }
}

static void merge_field(const struct merging *m, enum run_field field, struct run *out)
{
    const struct run *old = m->old.run, *new = m->new.run;
    switch (precedence_of(field)) {
    case PRECEDENCE_IDENTITY:
        copy(out, old, field);
        break;
    case PRECEDENCE_VALUE:
    case PRECEDENCE_USE:
        copy(out, m->kept[belongs_to(field)] ? old : new, field);
        break;
    case PRECEDENCE_STANDING:
        copy(out, m->of_new ? new : old, field);
        break;
    case PRECEDENCE_RECORD:
        copy(out, m->by_new ? new : old, field);
        break;
    case PRECEDENCE_DERIVED: /* below, but for the batch */
        copy(out, new, field);
        break;
    }
}

/* Whether nothing of the older record is in the merged one. */
static bool is_all_new(const struct merging *m, const struct run *merged)
{
    bool all = m->of_new && m->by_new && !m->waits && !RUN_HAS(merged, field_origins);
    for (unsigned i = 0; all && i < RUN_FIELD_COUNT; i++) {
        all = !m->kept[i];
    }
    return all && equal(merged, m->new.run, RUN_seen) && equal(merged, m->new.run, RUN_start) &&
           equal(merged, m->new.run, RUN_flags);
}

static bool is_all_old(const struct run *older, const struct run *merged)
{
    bool all = true;
    for (unsigned i = 0; all && i < RUN_FIELD_COUNT; i++) {
        all = i == RUN_batch || equal(merged, older, (enum run_field)i);
    }
    return all;
}

struct run_merge run_merge(const struct run *older, const struct run *newer,
                           struct arena *arena, struct run *merged)
{
    struct run whole;
    const struct merging m = weigh(older, newer, &whole);
    *merged = (struct run){0};
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        merge_field(&m, (enum run_field)i, merged);
    }
    merge_start(&m, merged);
    merge_flags(&m, merged);
    merge_seen(&m, merged);
    merge_until(&m, merged);
    merge_origins(&m, arena, merged);
    return (struct run_merge){
        .is_old = is_all_old(older, merged),
        .is_new = is_all_new(&m, merged),
        .ends = !RUN_HAS(older, end) && RUN_HAS(merged, end),
        .moves = !equal(merged, older, RUN_end) || !equal(merged, older, RUN_class) ||
                 !equal(merged, older, RUN_start) || !equal(merged, older, RUN_task_count),
    };
}
