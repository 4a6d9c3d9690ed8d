/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A page that cannot be shown: what is the case, and what to do next. Template
 * pages/state.html. Inside serve/pages.
 */

#include "serve/pages/panel.h"

/* `failed` is the kind of error, whose sentence is in the model already. */
void state_add(struct page_view *view, int failed);
