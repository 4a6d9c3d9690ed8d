-- SPDX-License-Identifier: MIT
--
-- What the scheduler itself says of a node: since when it is out of use, and how much of it is allocated. The latter is
-- that of the last sighting and does not end a stretch; see src/record/inventory_item.h.
ALTER TABLE nodes ADD COLUMN reason_at BIGINT;
ALTER TABLE nodes ADD COLUMN cpus_alloc BIGINT;
ALTER TABLE nodes ADD COLUMN mem_alloc_bytes BIGINT;
ALTER TABLE nodes ADD COLUMN gpus_alloc BIGINT;
