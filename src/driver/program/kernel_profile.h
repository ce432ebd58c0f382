/* Profiles of kernels for instrumentation (zetKernelGetProfileInfo). */
#ifndef GEO_DRIVER_PROGRAM_KERNEL_PROFILE_H
#define GEO_DRIVER_PROGRAM_KERNEL_PROFILE_H

#include "driver/program/kernel.h"

#include <level_zero/zet_api.h>

/* Fills the properties, and writes the tokens behind them in memory: one for the free registers, if
 * the module was built with ZET_PROFILE_FLAG_FREE_REGISTER_INFO. Tokens are written only if
 * numTokens is GEOID_PROFILE_TOKENS: then GEOID_PROFILE_BYTES are there. A kernel that was built
 * without profile flags has flags 0 and no tokens. */
void geo_kernel_profile_write(const struct geo_kernel *kernel,
                              zet_profile_properties_t *properties);

#endif
