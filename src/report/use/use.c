/* SPDX-License-Identifier: MIT */
#include "report/use/use.h"

#include <math.h>

#include "base/str.h"

const char *use_basis_name(enum use_basis basis)
{
    static const char *const names[] = {
        [USE_UNKNOWN] = "",         [USE_SCHEDULER] = "scheduler", [USE_CGROUP] = "cgroup",
        [USE_KERNEL] = "kernel",    [USE_PROCESSES] = "processes", [USE_CARDS] = "GPU",
        [USE_COUNTERS] = "sampled",
    };
    return names[basis];
}

/* Whether figures of different times add up, or the highest one counts. */
static bool is_peak(enum use_resource resource)
{
    return resource == USE_MEMORY || resource == USE_GPU_MEMORY;
}

bool use_is_lower_bound(const char *mem_basis, size_t length, double cpus)
{
    static const char *const of_one[] = {"task-rss", "process-rss"};
    const struct str basis = {mem_basis, length};
    for (size_t i = 0; mem_basis && i < COUNT_OF(of_one); i++) {
        if (str_eq(basis, str_of(of_one[i]))) {
            return cpus != 1; /* with one cpu, one task or process is nearly always all of it */
        }
    }
    return mem_basis && str_eq(basis, STR(USE_AT_LEAST));
}

bool use_is_kept(const char *mem_basis, size_t length)
{
    return mem_basis && str_eq((struct str){mem_basis, length}, STR("job-peak"));
}

static bool covers_enough(const struct use_tellers *t)
{
    return t->covered >= USE_ENOUGH;
}

/* The scheduler's figure is of the whole run. */
static bool is_recorded(const struct use_tellers *t)
{
    return t->recorded >= 0 && !t->recorded_at_least;
}

static struct use_figure resolve_count(enum use_resource resource, const struct use_tellers *t)
{
    const bool enough = t->sampled >= 0 && covers_enough(t);
    const bool nearer = enough && (resource == USE_ENERGY || t->sampled > t->recorded);
    struct use_figure out = {.coverage = t->covered};
    if (is_recorded(t) && !nearer) {
        out.used = t->recorded;
        out.basis = USE_SCHEDULER;
        out.concludes = true;
        return out;
    }
    const double recorded = resource == USE_ENERGY && enough ? -1 : t->recorded;
    const double sampled = enough           ? fmax(t->sampled / fmin(1, t->covered), t->counted)
                           : t->sampled < 0 ? -1
                                            : fmax(t->sampled, t->counted);
    out.used = fmax(sampled, recorded);
    out.basis = out.used < 0          ? USE_UNKNOWN
                : sampled >= recorded ? t->sampled_by
                                      : USE_SCHEDULER;
    out.used = fmax(-1, out.used);
    out.concludes = enough;
    out.at_least = out.used >= 0 && !enough;
    return out;
}

static struct use_figure resolve_peak(const struct use_tellers *t)
{
    const double sampled = fmax(t->sampled, t->kept);
    struct use_figure out = {.coverage = t->covered,
                             .used = fmax(-1, fmax(sampled, t->recorded))};
    if (out.used < 0) {
        return out;
    }
    out.basis = t->recorded >= sampled  ? USE_SCHEDULER
                : t->sampled >= t->kept ? t->sampled_by
                                        : USE_KERNEL;
    out.with_cache = out.basis == USE_KERNEL && t->cached;
    /* of several tasks, the largest had more than samples saw of all: the peak is not known */
    const bool bounded = t->recorded_at_least && t->recorded > sampled;
    out.concludes = is_recorded(t) || (sampled >= 0 && covers_enough(t) && !bounded);
    out.at_least = !out.concludes;
    out.kept = (t->kept >= 0 && t->all_kept && covers_enough(t)) ||
               (t->recorded >= 0 && t->recorded_kept);
    return out;
}

struct use_figure use_resolve(enum use_resource resource, const struct use_tellers *tellers)
{
    return is_peak(resource) ? resolve_peak(tellers) : resolve_count(resource, tellers);
}

double use_time(const struct use *use, enum use_resource resource)
{
    return resource == USE_CPU ? use->wall_us : use->held_us;
}

/* Whether there are looks from which the resource can be known. */
static bool has_looks(const struct use *use, enum use_resource resource)
{
    return resource == USE_ENERGY ? use->of[resource].coverage > 0
           : resource == USE_GPU || resource == USE_GPU_MEMORY
               ? use->cards_held > 0 && use->nodes + use->cards > 0
               : use->nodes > 0;
}

struct use_shown use_shown(const struct use *use, enum use_resource resource)
{
    const struct use_figure *figure = &use->of[resource];
    const bool counts = figure->concludes || (is_peak(resource) && figure->used >= 0);
    const bool shown = counts && figure->basis != USE_SCHEDULER;
    return (struct use_shown){
        .used = shown ? figure->used : -1,
        .basis = !shown             ? NULL
                 : figure->at_least ? USE_AT_LEAST
                                    : use_basis_name(figure->basis),
        .sampled = has_looks(use, resource) ? figure->coverage : -1,
    };
}

double use_mean(const struct use *use, enum use_resource resource)
{
    return use_share(&use->of[resource], use_time(use, resource));
}

double use_share(const struct use_figure *figure, double allocated)
{
    return figure->concludes && allocated > 0 ? figure->used / allocated : -1;
}

bool use_saw_cards_often(const struct use *use)
{
    const struct use_figure *gpu = &use->of[USE_GPU];
    return gpu->basis == USE_SCHEDULER ||
           (use->interval_us > 0 &&
            gpu->coverage * use_time(use, USE_GPU) >= USE_CARD_LOOKS * use->interval_us);
}
