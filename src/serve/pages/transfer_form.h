/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * On the page of an account of the bank: a form for those who manage it, by which an amount is
 * moved to another of their accounts. The address carries what was typed; its answer is a plan,
 * and a button that carries it out. Inside serve/pages.
 */

#include "serve/pages/panel.h"

/*
 * Adds the form, and the plan where the address asks for one; nothing for those who manage no
 * account.
 */
void transfer_add(struct page_view *view);
