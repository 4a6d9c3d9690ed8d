/* SPDX-License-Identifier: MIT */
#include "serve/pages/navigation.h"

#include "base/attribute.h"

/*
 * In the bar, in this order; other pages with a place in the menu lie behind "More", in the
 * order of their rows.
 */
static const char *const bar[] = {"/",     "/live", "/jobs",     "/explore",
                                  "/bank", "/me",   "/attention"};

static const struct {
    const char *path, *about;
} abouts[] = {
    {"/", "What is wrong, what runs, and who used the clusters of late."},
    {"/explore", "Any measures by anything, over any period."},
    {"/jobs", "Which jobs ran, how they ended and what they used."},
    {"/compare", "What changed between two periods, or between up to eight jobs."},
    {"/live", "What waits, what runs and what is free now."},
    {"/live/nodes", "Every node, its state and what is free on it."},
    {"/live/gpus", "Which GPUs are free, by model and node."},
    {"/live/use", "What nodes, GPUs and users did over time, by samples."},
    {"/live/soonest", "Where a job of a given shape would start soonest."},
    {"/hogs", "Who holds cpus, memory or GPUs without using them."},
    {"/waste", "How many hours were held and not used, and by whom."},
    {"/forecast", "How much will have been used by the end of the year."},
    {"/history", "How each month compares with the same month of other years."},
    {"/when", "At which hours of the week jobs are submitted and run."},
    {"/sizes", "How large jobs are, how long they run and how long they wait."},
    {"/rightsize", "What users could request next time, by what their jobs used."},
    {"/report", "Chosen panels of a period, to print."},
    {"/energy", "How much energy jobs used, and its carbon."},
    {"/bank", "What each account was granted, has used and has left."},
    {"/requests", "Which requests for service units are open."},
    {"/quote", "What a job would cost, and when its account can pay."},
    {"/quality", "What may be wrong or missing in the records."},
    {"/measures", "What every number means."},
    {"/me", "Your jobs, how well they went, your balance and tokens."},
    {"/inside", "What the server itself does."},
};

const char *navigation_about(const char *path)
{
    for (size_t i = 0; i < COUNT_OF(abouts); i++) {
        if (str_eq(str_of(path), str_of(abouts[i].path))) {
            return abouts[i].about;
        }
    }
    return "";
}

static bool in_bar(const char *path)
{
    for (size_t i = 0; i < COUNT_OF(bar); i++) {
        if (str_eq(str_of(path), str_of(bar[i]))) {
            return true;
        }
    }
    return false;
}

/* Adds the page to a list if it is in the caller's menu; whether it is the one that is open. */
static bool add_entry(struct page_view *view, const char *list, const struct page_row *row,
                      const struct page_row *here)
{
    if (!caller_may(view->service->caller, row->menu)) {
        return false;
    }
    struct model *entry = model_add(view->model, list);
    const bool is_here = here && str_eq(str_of(here->title), str_of(row->title));
    model_text(entry, "label", str_of(row->title));
    model_text(entry, "about", str_of(navigation_about(row->path)));
    model_format(entry, "url", "%s%s", view->request->prefix, row->path);
    model_flag(entry, "here", is_here);
    return is_here;
}

void navigation_add(struct page_view *view, const struct page_row *here)
{
    model_list(view->model, "menu");
    model_list(view->model, "more");
    model_text(view->model, "here_more", (struct str){0});
    model_text(view->model, "answers",
               here ? str_of(navigation_about(here->path)) : (struct str){0});
    for (size_t i = 0; i < COUNT_OF(bar); i++) {
        for (size_t row = 0; row < page_row_count; row++) {
            if (str_eq(str_of(page_rows[row].path), str_of(bar[i]))) {
                add_entry(view, "menu", &page_rows[row], here);
            }
        }
    }
    for (size_t row = 0; row < page_row_count; row++) {
        if (!in_bar(page_rows[row].path) && add_entry(view, "more", &page_rows[row], here)) {
            model_text(view->model, "here_more", str_of(page_rows[row].title));
        }
    }
}
