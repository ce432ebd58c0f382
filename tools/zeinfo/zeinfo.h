/* The parts of zeinfo. Each prints one kind of thing into the open object of `emit`. */
#ifndef ZEINFO_ZEINFO_H
#define ZEINFO_ZEINFO_H

#include "emit.h"

#include <level_zero/ze_api.h>

/* driver.c: a driver with all its properties, extensions and devices; or with one line per device.
 */
void driver_print(struct emit *emit, ze_driver_handle_t driver, bool brief);

/* driver.c: the type of a device and its name, as "[gpu] name"; or the error of the query. */
#define DEVICE_TITLE_BYTES (ZE_MAX_DEVICE_NAME + 64)
void device_title(ze_device_handle_t device, char text[DEVICE_TITLE_BYTES]);

/* driver.c: all devices of a driver, as query_handles returns them. */
void **driver_devices(ze_driver_handle_t driver, uint32_t *count, ze_result_t *result);

/* main.c: all drivers, as query_handles returns them. Initialises Level Zero. */
void **drivers_all(uint32_t *count, ze_result_t *result);

/* device.c: all properties of a device, its sub-devices inside. */
void device_print(struct emit *emit, ze_device_handle_t device);

/* functions.c: which functions of the API the driver implements. */
void functions_print(struct emit *emit, ze_driver_handle_t driver);

/* why.c: what the loader tried, and the settings that it went by. False when this loader cannot
 * tell. */
bool why_print(struct emit *emit);

/* why.c: the loader's report (geoid/loader.h), which the caller frees; NULL if the loader has
 * none. */
char *why_account(void);

/* A line of that report. */
struct why_attempt {
    const char *name;
    char *origin;
    const char *path, *outcome, *detail;
};

/* why.c: takes the next line of the report, which is changed for it. Returns false at its end. */
bool why_attempt_take(char **text, struct why_attempt *attempt);

/* why.c: the path of the loader, NULL when unknown; and its version, false when unknown. */
const char *why_loader_path(void);
#define WHY_VERSION_BYTES 64
bool why_loader_version(char text[WHY_VERSION_BYTES]);

/* why.c: the path of the library that the driver belongs to, "" when unknown. The text is valid
 * until the next call. */
const char *why_driver_path(ze_driver_handle_t driver);

/* Returns the loader's error text, which says why a driver is missing; NULL if it has none. */
const char *why_error_text(void);

#endif
