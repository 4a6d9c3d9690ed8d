-- SPDX-License-Identifier: MIT
--
-- The check looks up the events of every account.
CREATE INDEX bank_event_account ON bank_event ("account");
