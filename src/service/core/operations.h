/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The operations, each in op_NAME.c or beside its like. Listed in operations.c; nobody else
 * needs this.
 */

#include "service/core/service.h"

extern const struct operation operation_import;
extern const struct operation operation_scale;
extern const struct operation operation_rightsize;
extern const struct operation operation_hogs;
extern const struct operation operation_energy;
extern const struct operation operation_thin;
extern const struct operation operation_backup;
extern const struct operation operation_pull;
extern const struct operation operation_config;
extern const struct operation operation_report;
extern const struct operation operation_usage;
extern const struct operation operation_summary;
extern const struct operation operation_top;
extern const struct operation operation_compare;
extern const struct operation operation_history;
extern const struct operation operation_when;
extern const struct operation operation_sizes;
extern const struct operation operation_forecast;
extern const struct operation operation_efficiency;
extern const struct operation operation_waste;
extern const struct operation operation_measures;
extern const struct operation operation_dimensions;
extern const struct operation operation_nodes;
extern const struct operation operation_queue;
extern const struct operation operation_waits;
extern const struct operation operation_soonest;
extern const struct operation operation_reservations;
extern const struct operation operation_metrics;
extern const struct operation operation_jobs;
extern const struct operation operation_job;
extern const struct operation operation_samples;
extern const struct operation operation_timeline;
extern const struct operation operation_quarantine;
extern const struct operation operation_doctor;
extern const struct operation operation_check;
extern const struct operation operation_rollup;
extern const struct operation operation_demo;
extern const struct operation operation_metagroup;
extern const struct operation operation_member;
extern const struct operation operation_people;
extern const struct operation operation_cluster;
extern const struct operation operation_name;
extern const struct operation operation_capacity;
extern const struct operation operation_customer;
extern const struct operation operation_cap;
extern const struct operation operation_gap;
extern const struct operation operation_target;
extern const struct operation operation_rate;
extern const struct operation operation_bank;
extern const struct operation operation_request;
extern const struct operation operation_invoice;
extern const struct operation operation_balance;
extern const struct operation operation_quote;
extern const struct operation operation_books;
extern const struct operation operation_serve;
extern const struct operation operation_audit;
extern const struct operation operation_token;
extern const struct operation operation_user;
extern const struct operation operation_view;
