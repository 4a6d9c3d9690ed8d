/* SPDX-License-Identifier: MIT */
#include "serve/pages/pages.h"

#include "base/attribute.h"

#define TOP_USERS(filter)                                                                      \
    {                                                                                          \
        "Who used most", "top", "dimension=user&limit=10&" filter, PANEL_TABLE | PANEL_IF_ANY, \
            NULL, NULL                                                                         \
    }

/*
 * What is shown of one user, group, queue, ...: the resource that matters first, for GPU hours
 * where there are none have no panel; with panels of their own in between.
 */
#define THING_PANELS(name, filter, ...)                                                        \
    static const struct panel name[] = {                                                       \
        {"GPU hours over time", "report", "measure=gpu_hours&every=auto&" filter,              \
         PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY | PANEL_EARLIER, NULL, "explore"},        \
        {"CPU hours over time", "report", "measure=cpu_hours&measure=jobs&every=auto&" filter, \
         PANEL_PICTURE | PANEL_FOLDED | PANEL_EARLIER, NULL, "explore"},                       \
        __VA_ARGS__,                                                                           \
        {"How jobs ended", "report", "measure=jobs&by=class&" filter,                          \
         PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, NULL, "explore"},                        \
        {"Efficiency over time", "report",                                                     \
         "measure=cpu_efficiency&measure=mem_efficiency&measure=gpu_efficiency&every=auto"     \
         "&" filter,                                                                           \
         PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, NULL, "explore"},                        \
        {"How long they waited", "sizes", "of=wait&" filter,                                   \
         PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, NULL, NULL},                             \
        {"How long they ran", "sizes", "of=wall&" filter,                                      \
         PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, NULL, NULL},                             \
        {"Latest jobs", "jobs",                                                                \
         "fields=id,user,name,class,gpus,cpus,start,wall,gpu_efficiency,cpu_efficiency,run_id" \
         "&sort=start&reverse=&limit=20&" filter,                                              \
         PANEL_TABLE | PANEL_WIDE, NULL, "jobs"},                                              \
    };

#define JOB_NAMES(filter)                                                                      \
    {                                                                                          \
        "Top job names", "top", "dimension=name&limit=10&" filter, PANEL_TABLE | PANEL_IF_ANY, \
            NULL, NULL                                                                         \
    }
#define NODES_NOW(filter)                                                                      \
    {                                                                                          \
        "Nodes now", "nodes", NODE_FIELDS "&" filter, PANEL_NODES | PANEL_IF_ANY | PANEL_NOW,  \
            NULL, NULL                                                                         \
    }
#define QUEUES_NOW(filter)                                                                     \
    {                                                                                          \
        "Queue now", "queue", "by=cluster,partition&" filter,                                  \
            PANEL_QUEUES | PANEL_IF_ANY | PANEL_NOW, NULL, NULL                                \
    }

/* What cells of nodes are drawn from. */
#define NODE_FIELDS                                                                            \
    "fields=cluster,node,class,cpus,cpus_used,cpus_free,gpus,gpus_used,gpus_free,gpu_type,"    \
    "partitions,reason,for"

THING_PANELS(of_user, "user={}", JOB_NAMES("user={}"))
THING_PANELS(of_group, "group={}", TOP_USERS("group={}"))
THING_PANELS(of_metagroup, "metagroup={}", TOP_USERS("metagroup={}"))
THING_PANELS(of_account, "account={}", TOP_USERS("account={}"))
THING_PANELS(of_project, "project={}", TOP_USERS("project={}"))
THING_PANELS(of_department, "department={}", TOP_USERS("department={}"))
THING_PANELS(of_partition, "partition={}", NODES_NOW("partition={}"),
             QUEUES_NOW("partition={}"), TOP_USERS("partition={}"),
             {"Top nodes", "top", "dimension=node&limit=10&partition={}",
              PANEL_TABLE | PANEL_IF_ANY, NULL, NULL})
THING_PANELS(of_qos, "qos={}", TOP_USERS("qos={}"))
THING_PANELS(of_cluster, "cluster={}", NODES_NOW("cluster={}"), QUEUES_NOW("cluster={}"),
             {"Use of capacity over time", "report",
              "measure=utilization&measure=gpu_utilization&every=auto&cluster={}",
              PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, NULL, "explore"},
             TOP_USERS("cluster={}"))
THING_PANELS(of_name, "name={}", TOP_USERS("name={}"))
THING_PANELS(of_gpu_type, "gpu_type={}", TOP_USERS("gpu_type={}"))
THING_PANELS(of_reservation, "reservation={}", TOP_USERS("reservation={}"))

/* Samples are many and kept for a while: a week, unless the address has a period. */
#define RECENT "from=7d"
THING_PANELS(of_node, "node={}",
             {"How it is now", "nodes", "node={}",
              PANEL_TABLE | PANEL_IF_ANY | PANEL_WIDE | PANEL_NOW, NULL, NULL},
             {"What ran there, the last week", "jobs",
              "fields=id,user,name,start,end,class,cluster,run_id&node={}&limit=1000&" RECENT,
              PANEL_GANTT | PANEL_FOLDED | PANEL_IF_ANY | PANEL_WIDE, NULL, "jobs"},
             {"Its cpus, the last week", "timeline", "of=cpu&by=node&node={}&" RECENT,
              PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, NULL, "answer/timeline"},
             {"Its memory, the last week", "timeline", "of=memory&by=node&node={}&" RECENT,
              PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, NULL, "answer/timeline"},
             {"Its GPUs, the last week", "timeline", "of=gpu&by=card&node={}&points=56&" RECENT,
              PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY | PANEL_WIDE, "heat",
              "answer/timeline"},
             {"Its network, the last week", "timeline", "of=network&by=node&node={}&" RECENT,
              PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, NULL, "answer/timeline"},
             {"Who worked there, the last week", "timeline",
              "of=job_cpus&by=user&node={}&" RECENT,
              PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, NULL, "answer/timeline"},
             {"Its states, the last 30 days", "nodes", "history=&node={}&from=30d",
              PANEL_TABLE | PANEL_IF_ANY, NULL, NULL},
             {"Top queues", "top", "dimension=partition&limit=10&node={}",
              PANEL_TABLE | PANEL_IF_ANY, NULL, NULL},
             TOP_USERS("node={}"))

static const struct panel in_use[] = {
    {"CPUs of nodes", "timeline", "of=cpu&by=node&points=56",
     PANEL_PICTURE | PANEL_FOLDED | PANEL_WIDE, "heat", NULL},
    {"GPUs", "timeline", "of=gpu&by=card&points=56",
     PANEL_PICTURE | PANEL_FOLDED | PANEL_WIDE | PANEL_IF_ANY, "heat", NULL},
    {"Memory of nodes", "timeline", "of=memory&by=node&points=56",
     PANEL_PICTURE | PANEL_FOLDED | PANEL_WIDE | PANEL_IF_ANY, "heat", NULL},
    {"CPUs at work, by user", "timeline", "of=job_cpus&by=user",
     PANEL_PICTURE | PANEL_FOLDED | PANEL_WIDE | PANEL_IF_ANY, NULL, NULL},
};

static const struct panel hogs[] = {
    {"Held and not used", "hogs", "", PANEL_TABLE | PANEL_NOTES | PANEL_WIDE, NULL, NULL},
    {"GPUs that are held and idle", "hogs", "rule=idle-gpus&limit=0", PANEL_TABLE | PANEL_WIDE,
     NULL, NULL},
    {"Hours that were lost", "waste", "", PANEL_TABLE | PANEL_WIDE, NULL, NULL},
    {"The rules", "hogs", "rules=", PANEL_FOLDED | PANEL_WIDE, NULL, NULL},
};

static const struct panel overview[] = {
    {"The last 30 days", "report",
     "measure=gpu_hours&measure=cpu_hours&measure=jobs&measure=users&measure=success_rate"
     "&measure=wait_median&measure=cpu_efficiency&from=30d",
     PANEL_NUMBERS | PANEL_NOTES | PANEL_WIDE | PANEL_ANYONE, NULL, NULL},
    {"Free now", "nodes", NODE_FIELDS, PANEL_FREE | PANEL_IF_ANY | PANEL_WIDE, NULL, "live"},
    {"Use of capacity", "report",
     "measure=utilization&measure=gpu_utilization&by=cluster&from=30d",
     PANEL_USE | PANEL_IF_ANY | PANEL_THIRD, NULL, "explore"},
    {"Use of capacity by day", "report", "measure=utilization&every=day&by=cluster&from=30d",
     PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY | PANEL_BROAD, NULL, "explore"},
    {"GPU use of capacity by day", "report",
     "measure=gpu_utilization&every=day&by=cluster&from=30d",
     PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY | PANEL_BROAD, NULL, "explore"},
    {"GPU hours by month", "report", "measure=gpu_hours&every=month&by=cluster&from=365d",
     PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, "stacked", "explore"},
    {"CPU hours by month", "report", "measure=cpu_hours&every=month&by=cluster&from=365d",
     PANEL_PICTURE | PANEL_FOLDED, "stacked", "explore"},
    {"Who used the GPUs", "top", "dimension=group&measure=gpu_hours&limit=8&from=30d",
     PANEL_TABLE | PANEL_IF_ANY, NULL, NULL},
    {"Who used the cpus", "top", "dimension=group&measure=cpu_hours&limit=8&from=30d",
     PANEL_TABLE | PANEL_IF_ANY, NULL, NULL},
    {"How long jobs waited", "report",
     "measure=wait_median&measure=wait_p90&measure=jobs_started&by=partition&from=30d&"
     "sort=wait_p90&top=8",
     PANEL_TABLE, NULL, "explore"},
    {"How jobs failed", "report",
     "measure=jobs_failed&measure=jobs_timeout&measure=jobs_oom&measure=jobs_node_fail&"
     "measure=success_rate&by=cluster&from=30d",
     PANEL_TABLE, NULL, "explore"},
};

static const struct panel live[] = {
    {"Free now", "nodes", NODE_FIELDS, PANEL_FREE | PANEL_WIDE, NULL, NULL},
    {"Nodes", "nodes", NODE_FIELDS, PANEL_NODES | PANEL_BROAD, NULL, NULL},
    {"Queues", "queue", "by=cluster,partition", PANEL_QUEUES | PANEL_THIRD, NULL, NULL},
    {"GPUs", "nodes", NODE_FIELDS "&gpus=>=1", PANEL_GPUS | PANEL_WIDE | PANEL_IF_ANY, NULL,
     NULL},
    {"Out of service", "nodes", NODE_FIELDS "&class=down,drained,draining", PANEL_OUT, NULL,
     NULL},
    {"Jobs by state", "queue", "by=state", PANEL_TABLE, NULL, NULL},
    {"Reservations", "reservations", "", PANEL_TABLE | PANEL_WIDE | PANEL_IF_ANY, NULL, NULL},
    {"Waiting and running", "queue", "limit=50", PANEL_TABLE | PANEL_WIDE, NULL, NULL},
};

static const struct panel live_nodes[] = {
    {"Nodes", "nodes", "", PANEL_TABLE, NULL, NULL},
};

#define GPU_NODE_FIELDS                                                                        \
    "cluster,node,class,gpu_type,gpus,gpus_used,gpus_free,cpus,cpus_free,mem"
static const struct panel live_gpus[] = {
    {"Free GPUs by model", "nodes", "by=gpu_type&gpus=>=1", PANEL_TABLE | PANEL_WIDE, NULL,
     NULL},
    {"By model and state", "nodes", "by=gpu_type,class&gpus=>=1", PANEL_TABLE | PANEL_WIDE,
     NULL, NULL},
    {"Node by node", "nodes", "gpus=>=1&fields=" GPU_NODE_FIELDS, PANEL_TABLE | PANEL_WIDE,
     NULL, NULL},
};

static const struct panel quality[] = {
    {"What may be wrong", "doctor", "", PANEL_TABLE | PANEL_WIDE, NULL, NULL},
    {"Known gaps", "gap", "action=list", PANEL_TABLE, NULL, NULL},
    {"Records that could not be read", "quarantine", "limit=50", PANEL_TABLE, NULL, NULL},
};

#define PANELS(rows) rows, COUNT_OF(rows)

const struct page_row page_rows[] = {
    {"/", "Overview", "overview.html", PANELS(overview), NULL, page_overview, RIGHT_PUBLIC},
    {"/attention", "Attention", "page.html", NULL, 0, NULL, page_attention, RIGHT_ALL},
    {"/explore", "Explore", "explore.html", NULL, 0, "30d", page_explore, RIGHT_PUBLIC},
    {"/explore/", "Explore", "explore.html", NULL, 0, "30d", page_explore, RIGHT_UNSET},
    {"/jobs", "Jobs", "jobs.html", NULL, 0, "7d", page_jobs, RIGHT_PUBLIC},
    {"/job/", "Job", "job.html", NULL, 0, NULL, page_job, RIGHT_UNSET},
    {"/job", "Job", "job.html", NULL, 0, NULL, page_job, RIGHT_UNSET},
    {"/compare", "Compare", "compare.html", NULL, 0, "30d", page_compare, RIGHT_PUBLIC},
    {"/waste", "Waste", "asks.html", NULL, 0, "30d", page_asks, RIGHT_OWN},
    {"/forecast", "Forecast", "asks.html", NULL, 0, "this-year", page_asks, RIGHT_OWN},
    {"/history", "History", "asks.html", NULL, 0, NULL, page_asks, RIGHT_OWN},
    {"/when", "When", "asks.html", NULL, 0, "30d", page_asks, RIGHT_OWN},
    {"/sizes", "Sizes", "asks.html", NULL, 0, "30d", page_asks, RIGHT_OWN},
    {"/rightsize", "Rightsize", "asks.html", NULL, 0, "30d", page_asks, RIGHT_OWN},
    {"/energy", "Energy", "asks.html", NULL, 0, "30d", page_asks, RIGHT_OWN},
    {"/report", "Report", "report.html", NULL, 0, "this-year", page_report, RIGHT_OWN},
    {"/live", "Live", "page.html", PANELS(live), NULL, NULL, RIGHT_PUBLIC},
    {"/live/nodes", "Nodes", "page.html", PANELS(live_nodes), NULL, NULL, RIGHT_UNSET},
    {"/live/gpus", "GPUs", "page.html", PANELS(live_gpus), NULL, NULL, RIGHT_UNSET},
    {"/live/use", "Use over time", "page.html", PANELS(in_use), "7d", NULL, RIGHT_UNSET},
    {"/hogs", "Hogs", "page.html", PANELS(hogs), "7d", NULL, RIGHT_ALL},
    {"/bank", "Bank", "bank.html", NULL, 0, NULL, page_bank, RIGHT_OWN},
    {"/bank/", "Bank account", "account.html", NULL, 0, "365d", page_bank_account, RIGHT_UNSET},
    {"/requests", "Requests for SU", "requests.html", NULL, 0, NULL, page_requests,
     RIGHT_UNSET},
    {"/quote", "Quote", "quote.html", NULL, 0, NULL, page_quote, RIGHT_UNSET},
    {"/answer/", "Answer", "page.html", NULL, 0, NULL, page_answer_any, RIGHT_UNSET},
    {"/quality", "Quality", "page.html", PANELS(quality), NULL, NULL, RIGHT_PUBLIC},
    {"/measures", "Measures", "measures.html", NULL, 0, NULL, page_measures, RIGHT_PUBLIC},
    {"/live/soonest", "Where a job would start soonest", "soonest.html", NULL, 0, NULL,
     page_soonest, RIGHT_UNSET},
    {"/me", "Me", "me.html", NULL, 0, "30d", page_me, RIGHT_OWN},
    {"/admin", "Admin", "admin.html", NULL, 0, NULL, page_admin, RIGHT_BOOKS},
    {"/admin/", "Admin", "admin.html", NULL, 0, NULL, page_admin, RIGHT_UNSET},
    {"/inside", "Inside", "page.html", NULL, 0, NULL, page_tables, RIGHT_ALL},
    {"/done", "Done", "page.html", NULL, 0, NULL, page_tables, RIGHT_UNSET},
    {"/login", "Log in", "login.html", NULL, 0, NULL, NULL, RIGHT_UNSET},
    {"/search", "Search", "search.html", NULL, 0, NULL, page_search, RIGHT_UNSET},
    {"/suggest", "Suggestions", "suggest.html", NULL, 0, NULL, page_suggest, RIGHT_UNSET},
    {"/user/", "User", "thing.html", PANELS(of_user), "365d", page_user, RIGHT_UNSET},
    {"/group/", "Group", "thing.html", PANELS(of_group), "365d", page_thing, RIGHT_UNSET},
    {"/metagroup/", "Metagroup", "thing.html", PANELS(of_metagroup), "365d", page_thing,
     RIGHT_UNSET},
    {"/account/", "Account", "thing.html", PANELS(of_account), "365d", page_thing, RIGHT_UNSET},
    {"/project/", "Project", "thing.html", PANELS(of_project), "365d", page_thing, RIGHT_UNSET},
    {"/department/", "Department", "thing.html", PANELS(of_department), "365d", page_thing,
     RIGHT_UNSET},
    {"/partition/", "Partition", "thing.html", PANELS(of_partition), "365d", page_thing,
     RIGHT_UNSET},
    {"/qos/", "Quality of service", "thing.html", PANELS(of_qos), "365d", page_thing,
     RIGHT_UNSET},
    {"/node/", "Node", "thing.html", PANELS(of_node), "365d", page_thing, RIGHT_UNSET},
    {"/cluster/", "Cluster", "thing.html", PANELS(of_cluster), "365d", page_thing, RIGHT_UNSET},
    {"/name/", "Job name", "thing.html", PANELS(of_name), "365d", page_thing, RIGHT_UNSET},
    {"/gpu_type/", "GPU model", "thing.html", PANELS(of_gpu_type), "365d", page_thing,
     RIGHT_UNSET},
    {"/reservation/", "Reservation", "thing.html", PANELS(of_reservation), "365d", page_thing,
     RIGHT_UNSET},
};

const size_t page_row_count = COUNT_OF(page_rows);
