/* Values of a device, one a line: "<device> <value> <text>". A call that fails has its result for a
 * text, "error 0x...". */
#ifndef TESTS_NVML_VALUES_H
#define TESTS_NVML_VALUES_H

#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>

#include <stdio.h>

enum { MOST = 64 };

extern unsigned values_device; /* the number of the device */

#define PRINT(name, ...)                                                                           \
    do {                                                                                           \
        printf("%u %s ", values_device, name);                                                     \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
    } while (0)

/* False, and printed, where the call failed. */
int good(const char *name, ze_result_t result);

double now_us(void);

/* A name with a number; valid for eight more. */
const char *key(const char *format, unsigned index);

/* Power, frequencies, engines and what else a device has several of. */
void values_components_print(zes_device_handle_t device);

#endif
