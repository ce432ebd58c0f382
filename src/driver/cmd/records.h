/* Buffers of records: those of regular lists and of branches of graphs, which grow as commands are
 * appended. Records are found by their offsets, so they may move. */
#ifndef GEO_DRIVER_CMD_RECORDS_H
#define GEO_DRIVER_CMD_RECORDS_H

#include "driver/core/error.h"

#include <stddef.h>
#include <stdint.h>

/* Lets a buffer, *room bytes large, have `bytes`. OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_records_grow(uint8_t **records, size_t *room, size_t bytes);

#endif
