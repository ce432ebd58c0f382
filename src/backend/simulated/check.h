/* Checks a description completely when it is read, so that later reads cannot fail because of its
 * contents. */
#ifndef GEO_BACKEND_SIMULATED_CHECK_H
#define GEO_BACKEND_SIMULATED_CHECK_H

#include "backend/simulated/device.h"

#define SIM_DEVICE_BYTES (8u << 20) /* maximum memory for one device's data */

/* Reads and checks a device's entire description, using the reader's arena. */
bool sim_device_check(struct sim_reader *reader, const struct sim_json *json,
                      struct sim_whole *whole);

#endif
