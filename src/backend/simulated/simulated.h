/* The simulated backend: devices that a file describes (GEOID_SIMULATED), for tests of software
 * that manages devices. They support sysman and metrics only. The core API lists them only with
 * GEOID_SIMULATED_ONLY, and cannot run anything on them. */
#ifndef GEO_BACKEND_SIMULATED_SIMULATED_H
#define GEO_BACKEND_SIMULATED_SIMULATED_H

#include "backend/backend.h"

struct geo_command_metric;
struct geo_metric_collection;

extern const struct geo_backend_ops geo_backend_simulated_ops;

/* For backends that lend their streams to the metrics of simulated devices (metric_ops.c; tests use
 * this): */

/* Begins or ends a query, or writes a marker. */
void sim_metric_record(const struct geo_command_metric *command);
/* Returns whether a collection has enough unread data for a notification. */
bool sim_metric_is_due(struct geo_metric_collection *collection);

#endif
