-- SPDX-License-Identifier: MIT
--
-- Prices of other resources than cpus, GPUs, memory and nodes: gres/shard=0.5,license/matlab=2.
ALTER TABLE rate ADD COLUMN "resources" TEXT;
