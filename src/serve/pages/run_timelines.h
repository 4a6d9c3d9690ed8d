/* SPDX-License-Identifier: MIT */
#pragma once

/* What a run did over time, by samples, on the page of its job. Inside serve/pages. */

#include "serve/pages/panel.h"

/* Adds panels about the last of these runs to the model; none where nothing was sampled. */
void timelines_of_run(struct page_view *view, struct model *model, const struct table *runs);
