-- SPDX-License-Identifier: MIT
--
-- What runs were given besides cpus, memory, nodes and GPUs; see src/record/run_resources.h.
ALTER TABLE runs ADD COLUMN "resources" VARCHAR;
