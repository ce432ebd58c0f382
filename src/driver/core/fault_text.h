/* Writes the error text that every use of a lost context or device reports. */
#ifndef GEO_DRIVER_CORE_FAULT_TEXT_H
#define GEO_DRIVER_CORE_FAULT_TEXT_H

#include "backend/fault.h"

#include <stddef.h>

#define GEO_FAULT_TEXT_BYTES 480

/* Writes a text like "kernel `saxpy` faulted in work-group (3,0,0), ...: invalid memory access at
 * 0x10". */
void geo_error_describe_fault(const struct geo_fault *fault, char *buffer, size_t bytes);

#endif
