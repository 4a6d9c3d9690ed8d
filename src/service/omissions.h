/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Lines below an answer about runs that its numbers could not take in (report/tables/omitted.h): how many, and how much of
 * the whole that is. Measures that no run has anything of have `---` and no line. For people. Inside service/ only.
 */

#include "report/question.h"
#include "service/service.h"

int omissions_note(const struct service *service, struct facts *facts,
                   const struct question *question, struct answer *answer,
                   struct error *err) MUST_CHECK;
