/* Grows buffers of records. See records.h. */
#include "driver/cmd/records.h"

#include "base/assert.h"

#include <stdlib.h>

#define RECORDS_MIN ((size_t)4096)

ze_result_t geo_records_grow(uint8_t **records, size_t *room, size_t bytes)
{
    size_t larger = *room ? *room : RECORDS_MIN;
    GEO_ASSERT(bytes > *room && bytes % GEO_COMMAND_ALIGN == 0);
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

bool geo_record_is_valid(const struct geo_command *command)
{
    static const size_t payloads[GEO_COMMAND_OPERATION_COUNT] = {
#define GEO_COMMAND(operation, payload, name, run, dump, fault, capture)                           \
    [GEO_COMMAND_##operation] = sizeof(struct payload),
#include "backend/command.def"
#undef GEO_COMMAND
    };
    const size_t waits = command->wait_count * sizeof(struct geo_event_ref);
    return command->operation < GEO_COMMAND_OPERATION_COUNT &&
           command->bytes % GEO_COMMAND_ALIGN == 0 &&
           command->wait_offset % GEO_COMMAND_ALIGN == 0 &&
           command->wait_offset >= payloads[command->operation] &&
           command->wait_offset <= command->bytes && waits <= command->bytes - command->wait_offset;
}

bool geo_records_are_valid(const uint8_t *records, size_t used)
{
    size_t at = 0;
    while (at < used) {
        const struct geo_command *command =
            (const struct geo_command *)(const void *)(records + at);
        if (used - at < sizeof(*command) || !geo_record_is_valid(command)) {
            return false;
        }
        at += command->bytes;
    }
    return at == used;
}
