-- SPDX-License-Identifier: MIT
--
-- How large a job of a partition may be; see src/record/inventory_item.h.
ALTER TABLE partitions ADD COLUMN max_nodes BIGINT;
