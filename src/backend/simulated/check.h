/* Descriptions are checked as a whole when they are read, so that nothing can be wrong later. */
#ifndef GEO_BACKEND_SIMULATED_CHECK_H
#define GEO_BACKEND_SIMULATED_CHECK_H

#include "backend/simulated/device.h"

#define SIM_DEVICE_BYTES (8u << 20) /* of what a device is made of, at most */

/* Reads everything of a device's description into the reader's arena. */
bool sim_device_check(struct sim_reader *reader, const struct sim_json *json,
                      struct sim_whole *whole);

#endif
