/* Buffers of records, of regular lists and of branches of graphs. They grow as commands are
 * appended, and records may move: they are found by their offsets. */
#ifndef GEO_DRIVER_CMD_RECORDS_H
#define GEO_DRIVER_CMD_RECORDS_H

#include "backend/command.h"
#include "driver/core/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Grows a buffer of *room bytes to at least `bytes`. Returns OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_records_grow(uint8_t **records, size_t *room, size_t bytes);

/* Returns whether header, payload and waits of a record lie inside of it in this order. For
 * assertions. */
bool geo_record_is_valid(const struct geo_command *command);

/* Returns whether all records of a buffer are valid and fill it. For assertions. */
bool geo_records_are_valid(const uint8_t *records, size_t used);

#endif
