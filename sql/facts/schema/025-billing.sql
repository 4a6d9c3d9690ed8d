-- SPDX-License-Identifier: MIT
--
-- How partitions bill, and what they give to jobs that do not say; see src/record/inventory_item.h.
ALTER TABLE partitions ADD COLUMN default_wall_us BIGINT;
ALTER TABLE partitions ADD COLUMN def_mem_cpu_bytes BIGINT;
ALTER TABLE partitions ADD COLUMN def_mem_node_bytes BIGINT;
ALTER TABLE partitions ADD COLUMN whole_nodes BIGINT;
ALTER TABLE partitions ADD COLUMN billing_weights VARCHAR;
ALTER TABLE partitions ADD COLUMN billing_largest BIGINT;
