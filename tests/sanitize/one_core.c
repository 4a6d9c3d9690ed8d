/* SPDX-License-Identifier: MIT */

/*
 * Linked, with --wrap=sysconf, into most programs that run under the address sanitizer: they write a store as on a machine of
 * one core. Several test programs run at a time and keep the cores busy; a second thread of the engine, which for a store of
 * a few runs waits rather than works, cost a quarter of the time of every import.
 *
 * With all cores, or more, run test_*_threads and test_*_workers, and golden tests, which import as people do.
 */
#include <unistd.h>

long __real_sysconf(int name);
long __wrap_sysconf(int name);

long __wrap_sysconf(int name)
{
    return name == _SC_NPROCESSORS_ONLN ? 1 : __real_sysconf(name);
}
