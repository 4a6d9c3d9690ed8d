/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a service reports to the manager that started it (systemd's NOTIFY_SOCKET). Without one,
 * nothing happens.
 */

/* "READY=1", "STOPPING=1", "STATUS=...": lines of them. */
void notify_manager(const char *state);
