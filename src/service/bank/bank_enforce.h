/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The actions of `stint bank` that have to do with limits of schedulers. Inside service/ only.
 */

#include "service/bank/bank.h"

int bank_do_enforce(struct bank *bank) MUST_CHECK;
int bank_do_release(struct bank *bank) MUST_CHECK;
int bank_show_limits(struct bank *bank) MUST_CHECK;
