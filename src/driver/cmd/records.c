/* Grows buffers of records. See records.h. */
#include "driver/cmd/records.h"

#include <stdlib.h>

#define RECORDS_MIN ((size_t)4096)

ze_result_t geo_records_grow(uint8_t **records, size_t *room, size_t bytes)
{
    size_t larger = *room ? *room : RECORDS_MIN;
    while (larger < bytes) {
        larger *= 2;
    }
    uint8_t *grown = realloc(*records, larger);
    if (!grown) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for %zu bytes of commands",
                        larger);
    }
    *records = grown;
    *room = larger;
    return ZE_RESULT_SUCCESS;
}
