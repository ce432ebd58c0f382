/* Random kernels: the device that programs are run on through Level Zero. */
#ifndef GEOID_TESTS_GENERATOR_DEVICE_ZE_H
#define GEOID_TESTS_GENERATOR_DEVICE_ZE_H

#include "check.h"

extern const struct gen_device gen_device_ze;

#endif
