/* SPDX-License-Identifier: MIT */
#include "bank/billing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/run_resources.h"

enum { NUMBER_MAX = 32, UNITS_MAX = 1 << 30 };

/* Resources of a row that come in this order, and then all others as they stand. */
enum order { ORDER_CPU, ORDER_MEM, ORDER_NODE, ORDER_OTHERS, ORDERS };

static enum order order_of(struct str name)
{
    return str_eq_nocase(name, STR("cpu"))    ? ORDER_CPU
           : str_eq_nocase(name, STR("mem"))  ? ORDER_MEM
           : str_eq_nocase(name, STR("node")) ? ORDER_NODE
                                              : ORDER_OTHERS;
}

/* How many of a resource the run has, in Slurm's unit: of memory that is a MiB. */
static bool find_count(const struct run *run, struct str name, double *out)
{
    static const struct str gres = {"gres/", 5}, license = {"license/", 8};
    char lower[NUMBER_MAX * 2];
    switch (order_of(name)) {
    case ORDER_CPU:
        *out = (double)run->cpus;
        return RUN_HAS(run, cpus);
    case ORDER_MEM:
        *out = (double)(run->mem_bytes >> 20);
        return RUN_HAS(run, mem_bytes);
    case ORDER_NODE:
        *out = (double)run->node_count;
        return RUN_HAS(run, node_count);
    case ORDER_OTHERS:
    case ORDERS:
        break;
    }
    /* What is measured while the job runs, such as energy, is nothing when it begins. */
    *out = 0;
    const struct str kind =
        str_eq_nocase((struct str){name.ptr, name.len < 5 ? name.len : 5}, gres) ? gres
        : str_eq_nocase((struct str){name.ptr, name.len < 8 ? name.len : 8}, license)
            ? license
            : (struct str){0};
    if (!kind.ptr || name.len >= sizeof(lower)) {
        return true;
    }
    if (str_eq_nocase(name, STR("gres/gpu"))) {
        *out = (double)run->gpus;
        return RUN_HAS(run, gpus);
    }
    memcpy(lower, kind.ptr, kind.len);
    memcpy(lower + kind.len, name.ptr + kind.len, name.len - kind.len);
    *out = (double)run_resources_count(run->resources, (struct str){lower, name.len});
    return RUN_HAS(run, resources);
}

/* "0.25G": for each GiB, where Slurm counts MiB. */
static bool read_weight(struct str name, struct str text, double *out)
{
    static const char units[] = "KMGTP";
    char number[NUMBER_MAX];
    char *end;
    if (text.len == 0 || text.len >= sizeof(number)) {
        return false;
    }
    memcpy(number, text.ptr, text.len);
    number[text.len] = '\0';
    *out = strtod(number, &end);
    if (end == number || !isfinite(*out) || *out < 0) {
        return false;
    }
    if (*end == '\0') {
        return true;
    }
    const char upper = *end >= 'a' && *end <= 'z' ? (char)(*end - 'a' + 'A') : *end;
    const char *unit = strchr(units, upper);
    if (!unit || end[1] != '\0') {
        return false;
    }
    const bool is_size = order_of(name) == ORDER_MEM || str_starts(name, STR("bb/"));
    const int power = (int)(unit - units) - (is_size ? 1 : -1); /* above MiB, or above one */
    *out = power < 0 ? *out * 1024 : *out / pow(1024, power);
    return true;
}

/* Adds what is billed for one resource. */
static void add_billed(struct str name, enum billing_largest largest, double billed,
                       double *node, double *rest)
{
    const bool is_gres =
        name.len >= 5 && str_eq_nocase((struct str){name.ptr, 5}, STR("gres/"));
    const bool compared = largest != BILLING_SUM && (order_of(name) != ORDER_OTHERS ||
                                                     (is_gres && largest == BILLING_LARGEST));
    if (compared) {
        *node = billed > *node ? billed : *node;
    } else {
        *rest += billed;
    }
}

int billing_of(struct str weights, enum billing_largest largest, const struct run *run,
               int64_t *out, struct error *err)
{
    double node = 0, rest = 0;
    if (weights.len == 0) {
        *out = run->cpus;
        return RUN_HAS(run, cpus) ? 0
                                  : error_set(err, ERROR_MISSING,
                                              "how many cpus the job would have is not known");
    }
    for (enum order order = ORDER_CPU; order < ORDERS; order++) {
        for (struct str list = weights; list.len > 0;) {
            struct str text = str_trim(str_cut(&list, ','));
            const struct str name = str_cut(&text, '=');
            double weight, count;
            if (!read_weight(name, text, &weight)) {
                return error_set(err, ERROR_INPUT, "'%.*s' are no TRESBillingWeights",
                                 STR_ARG(weights));
            }
            if (order_of(name) != order || weight == 0) {
                continue;
            }
            if (!find_count(run, name, &count)) {
                return error_set(err, ERROR_MISSING,
                                 "how many %.*s the job would have is not known",
                                 STR_ARG(name));
            }
            add_billed(name, largest, weight * count, &node, &rest);
        }
    }
    if (node + rest > UNITS_MAX) {
        return error_set(err, ERROR_LIMIT,
                         "the job has more billing units than a run can have");
    }
    *out = (int64_t)(node + rest);
    return 0;
}
