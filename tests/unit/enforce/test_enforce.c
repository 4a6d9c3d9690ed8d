/* SPDX-License-Identifier: MIT */
#include "enforce/enforce.h"

#include "base/buf.h"
#include "support/expect.h"

static void stint_conf_names_the_drivers_there_are(void **state)
{
    (void)state;
    struct buf names;
    buf_init(&names, 1024);
    for (size_t i = 0; enforce_drivers[i]; i++) {
        buf_addf(&names, "%s%s", names.len ? " " : "", enforce_drivers[i]->name);
    }
    expect_text(names.ptr, config_enforce_keys[CONFIG_ENFORCE_DRIVER].choices);
    buf_clear(&names);
    for (unsigned mode = 0; mode < ENFORCE_MODES; mode++) {
        buf_addf(&names, "%s%s", names.len ? " " : "", enforce_mode_name(mode));
    }
    expect_text(names.ptr, config_enforce_keys[CONFIG_ENFORCE_MODE].choices);
    buf_release(&names);
}

static void every_driver_can_do_something(void **state)
{
    (void)state;
    for (size_t i = 0; enforce_drivers[i]; i++) {
        const struct enforce_driver *driver = enforce_drivers[i];
        expect_true(driver->modes != 0 && driver->kinds != 0);
        expect_true(!driver->set != !driver->set_all);
        expect_true(driver->ask || !driver->lists_all);
    }
}

static void a_mode_that_a_driver_lacks_is_refused(void **state)
{
    (void)state;
    struct error err;
    const struct enforce_site site = {.cluster = STR("birch"), .mode = ENFORCE_LIMIT};
    expect_int(enforce_driver_check(enforce_driver_find(STR("sge")), &site, &err), ERROR_INPUT);
    expect_contains(err.text, "it has: hold");
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, stint_conf_names_the_drivers_there_are);
    SUITE_TEST(&suite, every_driver_can_do_something);
    SUITE_TEST(&suite, a_mode_that_a_driver_lacks_is_refused);
    return suite_run(&suite, "enforce");
}
