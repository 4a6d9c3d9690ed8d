/* SPDX-License-Identifier: MIT */
#include "report/use/use.h"

#include <math.h>

#include "base/str.h"

const char *use_basis_name(enum use_basis basis)
{
    static const char *const names[] = {
        [USE_UNKNOWN] = "",      [USE_SCHEDULER] = "scheduler", [USE_CGROUP] = "cgroup",
        [USE_KERNEL] = "kernel", [USE_PROCESSES] = "processes", [USE_CARDS] = "GPU",
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

static bool covers_enough(const struct use_tellers *t)
{
    return t->covered >= USE_ENOUGH;
}

/* The scheduler's figure is of the whole run. */
static bool is_recorded(const struct use_tellers *t)
{
    return t->recorded >= 0 && !t->recorded_at_least;
}

static struct use_figure resolve_count(const struct use_tellers *t)
{
    const bool enough = t->sampled >= 0 && covers_enough(t);
    struct use_figure out = {.coverage = t->covered};
    if (is_recorded(t) && !(enough && t->sampled > t->recorded)) {
        out.used = t->recorded;
        out.basis = USE_SCHEDULER;
        out.concludes = true;
        return out;
    }
    const double sampled = enough           ? fmax(t->sampled / fmin(1, t->covered), t->counted)
                           : t->sampled < 0 ? -1
                                            : fmax(t->sampled, t->counted);
    out.used = fmax(sampled, t->recorded);
    out.basis = out.used < 0             ? USE_UNKNOWN
                : sampled >= t->recorded ? t->sampled_by
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
    out.concludes = is_recorded(t) || (sampled >= 0 && covers_enough(t));
    out.at_least = !out.concludes;
    out.kept = t->kept >= 0 && t->all_kept && covers_enough(t);
    return out;
}

struct use_figure use_resolve(enum use_resource resource, const struct use_tellers *tellers)
{
    return is_peak(resource) ? resolve_peak(tellers) : resolve_count(tellers);
}

double use_time(const struct use *use, enum use_resource resource)
{
    return resource == USE_CPU ? use->wall_us : use->held_us;
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
