/* SPDX-License-Identifier: MIT */
#pragma once

#include "enforce/enforce.h"

/*
 * Grid Engine, by qconf: a resource quota set of its own for each user or project that is held,
 * which gives it 0 slots. What runs ends by itself. Grid Engine has no quota on the account of
 * a job (qsub -A).
 */
extern const struct enforce_driver sge_enforce_driver;
