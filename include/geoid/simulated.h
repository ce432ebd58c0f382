/* What Geoid's driver offers for simulated devices (GEOID_SIMULATED, docs/user/simulated.md) beyond
 * sysman. */
#ifndef GEOID_SIMULATED_H
#define GEOID_SIMULATED_H

#include <stdint.h>

#include "../level_zero/ze_api.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Sets the time of all simulated devices of this process, in nanoseconds since the beginning, where
 * the description says "clock": "manual". Values, faults and events are from then on as at that
 * time; who listens for an event that happened by then is woken.
 *
 * Found by zesDriverGetExtensionFunctionAddress of the driver of simulated devices, under the name
 * "geoidSimulatedSetTime". From any thread.
 * ZE_RESULT_ERROR_INVALID_ARGUMENT: time does not go back; ZE_RESULT_ERROR_UNSUPPORTED_FEATURE: the
 * clock is the real one. */
typedef ze_result_t(ZE_APICALL *geoid_pfnSimulatedSetTime_t)(uint64_t nanoseconds);

#if defined(__cplusplus)
}
#endif

#endif
