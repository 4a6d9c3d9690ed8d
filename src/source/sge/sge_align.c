/* SPDX-License-Identifier: MIT */
#include "base/scan.h"
#include "base/zone.h"
#include "source/sge/sge_row.h"

/*
 * Rows with colons inside their texts. Grid Engine does not escape them:
 *
 *     long.q:n06:chem:ann:view:0:prod:579398:sge:0:1490016710:1490016710:1490016904:0:0:194:...
 *
 * The job's name is "view:0:prod". A row has anchors that give this away: 24 numbers in a line
 * from priority to ru_nivcsw, the three times among them, and the numbers around the category.
 * Texts may be wider than one field before the first anchor (we look for the job number from
 * behind, as names are freer than accounts) and at the category. More than one place for the
 * anchors is a row that can be read in two ways, and is refused.
 */

enum {
    FIELDS_MAX = 256, /* fields looked at; what lies beyond can only be the submit command */
    FAILED_MAX = 999, /* largest failure code that is not plainly something else */
    TIME_LEAST = 1 << 26, /* 1972: what is less is no time but a count */
};

/* A row as the colons cut it. */
struct pieces {
    struct str line;
    uint32_t at[FIELDS_MAX + 1];
    unsigned count;
};

static void cut(struct str line, struct pieces *out)
{
    out->line = line;
    out->count = 1;
    out->at[0] = 0;
    for (size_t i = 0; i < line.len && out->count < FIELDS_MAX; i++) {
        if (line.ptr[i] == ':') {
            out->at[out->count++] = (uint32_t)i + 1;
        }
    }
    const char *start = line.ptr + out->at[out->count - 1];
    const char *end = memchr(start, ':', (size_t)(line.ptr + line.len - start));
    out->at[out->count] = (uint32_t)(end ? (size_t)(end - line.ptr) : line.len) + 1;
}

static struct str piece(const struct pieces *pieces, unsigned i)
{
    uint32_t start = pieces->at[i];
    return (struct str){pieces->line.ptr + start, pieces->at[i + 1] - start - 1};
}

static bool is_int(const struct pieces *pieces, unsigned i)
{
    int64_t value = 0;
    return i < pieces->count && scan_int(piece(pieces, i), &value);
}

static bool is_number(const struct pieces *pieces, unsigned i)
{
    int64_t value = 0;
    if (i >= pieces->count) {
        return false;
    }
    struct str text = piece(pieces, i);
    return scan_decimal(text, 0, &value) || str_eq(text, STR("nan")) ||
           str_eq(text, STR("-nan"));
}

static bool is_time(const struct pieces *pieces, unsigned i)
{
    int64_t value = 0;
    return i < pieces->count && scan_int(piece(pieces, i), &value) &&
           (value <= 0 || value >= TIME_LEAST);
}

static bool is_failure(const struct pieces *pieces, unsigned i)
{
    int64_t value = 0;
    return i < pieces->count && scan_int(piece(pieces, i), &value) && value >= 0 &&
           value <= FAILED_MAX;
}

/* Whether the numbers from priority to io stand where they must, with priority at `first`. */
static bool middle_fits(const struct pieces *pieces, unsigned first)
{
    const unsigned shift = first - SGE_PRIORITY;
    for (unsigned i = SGE_PRIORITY; i <= SGE_RU_NIVCSW; i++) {
        if (!is_number(pieces, i + shift)) {
            return false;
        }
    }
    return is_time(pieces, SGE_SUBMISSION_TIME + shift) &&
           is_time(pieces, SGE_START_TIME + shift) && is_time(pieces, SGE_END_TIME + shift) &&
           is_failure(pieces, SGE_FAILED + shift) && is_int(pieces, SGE_SLOTS + shift) &&
           is_int(pieces, SGE_TASK_NUMBER + shift) && is_number(pieces, SGE_CPU + shift) &&
           is_number(pieces, SGE_MEM + shift) && is_number(pieces, SGE_IO + shift);
}

/* Whether the columns after the category stand where they must, with iow at `iow`. */
static bool tail_fits(const struct pieces *pieces, unsigned iow)
{
    unsigned maxvmem = iow + (SGE_MAXVMEM - SGE_IOW);
    return is_number(pieces, iow) && is_number(pieces, maxvmem) &&
           (maxvmem + 1 >= pieces->count || is_int(pieces, maxvmem + 1)) &&
           (maxvmem + 2 >= pieces->count || is_int(pieces, maxvmem + 2));
}

/*
 * Whether a field cannot be a part of the category: it is the iow or pe_taskid of a broken row.
 */
static bool ends_category(const struct pieces *pieces, unsigned i)
{
    struct str text = piece(pieces, i);
    return str_eq(text, STR("NONE")) || (is_number(pieces, i) && str_byte(text, '.'));
}

/* Where iow is, at the earliest; 0 if nowhere. */
static unsigned find_iow(const struct pieces *pieces, unsigned category)
{
    for (unsigned iow = category + 1; iow + (SGE_MAXVMEM - SGE_IOW) < pieces->count; iow++) {
        if (tail_fits(pieces, iow)) {
            return iow;
        }
        if (ends_category(pieces, iow)) {
            return 0;
        }
    }
    return 0;
}

static bool is_job_number(const struct pieces *pieces, unsigned i)
{
    return is_int(pieces, i) && piece(pieces, i).ptr[0] >= '1' &&
           piece(pieces, i).ptr[0] <= '9';
}

/*
 * The field with the job number, between the names and the account; 0 if it cannot be said.
 * Just before a one-field account is the usual place. Another number among the candidates makes
 * that doubtful, unless the account is the one everybody has.
 */
static unsigned find_job(const struct pieces *pieces, unsigned priority)
{
    unsigned found = 0;
    unsigned candidates = 0;
    for (unsigned i = SGE_JOB_NUMBER; i <= priority - 2; i++) {
        if (is_job_number(pieces, i)) {
            found = i;
            candidates++;
        }
    }
    if (candidates == 1 ||
        (found == priority - 2 && str_eq(piece(pieces, priority - 1), STR("sge")))) {
        return found;
    }
    return 0;
}

/* Columns `first` to `last` are the fields from `field` on. */
static void place(struct sge_row *row, const struct pieces *pieces, enum sge_column first,
                  enum sge_column last, unsigned field)
{
    for (unsigned column = first; column <= (unsigned)last; column++, field++) {
        row->at[column] = pieces->at[field];
    }
}

/*
 * Univa's columns, from the field `first` on. The submit command ends before the two numbers
 * that follow it in later versions, or with the row. Rows of other makers that are longer than
 * 45 columns are left at that.
 */
static void place_extra(struct sge_row *row, const struct pieces *pieces, unsigned first)
{
    unsigned count = pieces->count - first;
    unsigned command = SGE_SUBMIT_CMD - SGE_JOB_CLASS;
    if (count <= command) {
        place(row, pieces, SGE_JOB_CLASS, SGE_JOB_CLASS + count, first);
        row->count = SGE_JOB_CLASS + count;
        return;
    }
    place(row, pieces, SGE_JOB_CLASS, SGE_SUBMIT_CMD, first);
    for (unsigned i = first + command + 1; i + 1 < pieces->count; i++) {
        if (is_number(pieces, i) && is_number(pieces, i + 1)) {
            row->at[SGE_WALLCLOCK] = pieces->at[i];
            row->at[SGE_IOOPS] = pieces->at[i + 1];
            row->at[SGE_COLUMN_COUNT] = pieces->at[i + 2];
            row->count = SGE_COLUMN_COUNT;
            return;
        }
    }
    row->at[SGE_SUBMIT_CMD + 1] = (uint32_t)pieces->line.len + 1;
    row->count = SGE_SUBMIT_CMD + 1;
}

void sge_align_command(struct str line, struct sge_row *row)
{
    struct pieces pieces;
    cut(line, &pieces);
    place_extra(row, &pieces, SGE_JOB_CLASS);
    row->odd = true;
}

/* Where priority is; 0 if nowhere. *several is set if there is more than one such place. */
static unsigned find_priority(const struct pieces *pieces, bool *several)
{
    unsigned found = 0;
    *several = false;
    for (unsigned i = SGE_PRIORITY; i + (SGE_MAXVMEM - SGE_PRIORITY) < pieces->count; i++) {
        if (middle_fits(pieces, i)) {
            *several = found != 0;
            found = found != 0 ? found : i;
        }
    }
    return found;
}

bool sge_align(struct str line, struct sge_row *row, struct error *err)
{
    struct pieces pieces;
    cut(line, &pieces);
    bool several = false;
    unsigned priority = find_priority(&pieces, &several);
    unsigned iow =
        priority != 0 ? find_iow(&pieces, priority + SGE_CATEGORY - SGE_PRIORITY) : 0;
    if (iow == 0 || (priority == SGE_PRIORITY && iow == SGE_IOW)) {
        return false; /* nothing is shifted: the row is wrong in another way */
    }
    unsigned job = find_job(&pieces, priority);
    if (several || job == 0) {
        error_set(err, ERROR_INPUT,
                  "has colons in its texts and can be read in more than one way");
        return false;
    }
    row->text = line.ptr;
    row->odd = true;
    place(row, &pieces, SGE_QNAME, SGE_JOB_NAME, 0);
    place(row, &pieces, SGE_JOB_NUMBER, SGE_ACCOUNT, job);
    place(row, &pieces, SGE_PRIORITY, SGE_CATEGORY, priority);
    unsigned after = iow + (SGE_JOB_CLASS - SGE_IOW);
    if (after >= pieces.count) {
        unsigned count = SGE_IOW + (pieces.count - iow);
        place(row, &pieces, SGE_IOW, count, iow);
        row->count = count;
        return true;
    }
    place(row, &pieces, SGE_IOW, SGE_JOB_CLASS, iow);
    place_extra(row, &pieces, after);
    return true;
}
