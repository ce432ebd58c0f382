/* An extension of Geoid's driver: controls the clock of simulated devices (GEOID_SIMULATED,
 * docs/user/simulated.md). */
#ifndef GEOID_SIMULATED_H
#define GEOID_SIMULATED_H

#include <stdint.h>

#include "../level_zero/ze_api.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Sets the time of all simulated devices of this process, in nanoseconds since its beginning. The
 * description must have "clock": "manual". Values, faults and events are then those of the new
 * time. Listeners for events that have happened by then are woken.
 *
 * Get the function from zesDriverGetExtensionFunctionAddress of the driver of simulated devices,
 * under the name "geoidSimulatedSetTime". May be called from any thread.
 * Returns ZE_RESULT_ERROR_INVALID_ARGUMENT if the time is earlier than the current one, and
 * ZE_RESULT_ERROR_UNSUPPORTED_FEATURE if the devices use the real clock. */
typedef ze_result_t(ZE_APICALL *geoid_pfnSimulatedSetTime_t)(uint64_t nanoseconds);

#if defined(__cplusplus)
}
#endif

#endif
