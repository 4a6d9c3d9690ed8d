-- SPDX-License-Identifier: MIT
--
-- Two things that the plan of every question depends on, as they were when the roll-ups were made: to look for them in
-- the runs each time would read two columns of the whole store.

ALTER TABLE rollup_state ADD COLUMN goes_on BOOLEAN;        -- there are runs that go on
ALTER TABLE rollup_state ADD COLUMN suspended BOOLEAN;      -- some run was suspended for some time

UPDATE rollup_state SET goes_on = EXISTS (FROM runs WHERE until = 9223372036854775807),
    suspended = EXISTS (FROM runs WHERE suspended_us > 0);
