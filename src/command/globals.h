/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Options that every command takes: where the store is, which calendar, and how to show the
 * answer. Described by the same rows as the operations' own.
 */

#include "service/core/service.h"

extern const struct param global_params[];
extern const size_t global_param_count;
