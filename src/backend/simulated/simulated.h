/* The simulated backend: devices that a file describes (GEOID_SIMULATED), for tests of whatever
 * manages devices. They are there in sysman alone. */
#ifndef GEO_BACKEND_SIMULATED_SIMULATED_H
#define GEO_BACKEND_SIMULATED_SIMULATED_H

#include "backend/backend.h"

extern const struct geo_backend_ops geo_backend_simulated_ops;

#endif
