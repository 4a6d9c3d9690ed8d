-- SPDX-License-Identifier: MIT
--
-- Tokens carry a part of the rights of their role. Those of agents, which were of the role user, send samples and nothing else.
ALTER TABLE token ADD COLUMN "rights" TEXT;
UPDATE token SET "role" = 'agent' WHERE "name" LIKE 'agent-%' AND "role" = 'user' AND "owner" IS NULL;
