/* The parts of zeinfo. Each prints one kind of thing into the open object of `emit`. */
#ifndef ZEINFO_ZEINFO_H
#define ZEINFO_ZEINFO_H

#include "emit.h"

#include <level_zero/ze_api.h>

/* driver.c: a driver with all its properties, extensions and devices; or with one line per device.
 */
void driver_print(struct emit *emit, ze_driver_handle_t driver, bool brief);

/* device.c: all properties of a device, its sub-devices inside. */
void device_print(struct emit *emit, ze_device_handle_t device);

/* functions.c: which functions of the API the driver implements. */
void functions_print(struct emit *emit, ze_driver_handle_t driver);

/* why.c: what the loader tried, and the settings that it went by. False when this loader cannot
 * tell. */
bool why_print(struct emit *emit);

/* why.c: the path of the library that the driver belongs to, "" when unknown. The text is valid
 * until the next call. */
const char *why_driver_path(ze_driver_handle_t driver);

/* Returns the loader's error text, which says why a driver is missing; NULL if it has none. */
const char *why_error_text(void);

#endif
