/* The simulated backend: devices that a file describes (GEOID_SIMULATED), for tests of software
 * that manages devices. They support sysman only. The core API lists them only with
 * GEOID_SIMULATED_ONLY, and cannot run anything on them. */
#ifndef GEO_BACKEND_SIMULATED_SIMULATED_H
#define GEO_BACKEND_SIMULATED_SIMULATED_H

#include "backend/backend.h"

extern const struct geo_backend_ops geo_backend_simulated_ops;

#endif
