/* Unit test of the driver: which records assertions take for valid. */
#include "unit.h"

#include "driver/cmd/records.h"

#include <string.h>

enum { ROOM = 1024 };

static const size_t payloads[GEO_COMMAND_OPERATION_COUNT] = {
#define GEO_COMMAND(operation, payload, name, run, dump, fault, capture)                           \
    [GEO_COMMAND_##operation] = sizeof(struct payload),
#include "backend/command.def"
#undef GEO_COMMAND
};

static size_t rounded(size_t bytes)
{
    return (bytes + GEO_COMMAND_ALIGN - 1) & ~(size_t)(GEO_COMMAND_ALIGN - 1);
}

/* Makes a record of an operation with waits, and returns its size. */
static size_t record_make(struct geo_command *command, uint32_t operation, uint32_t waits)
{
    *command = (struct geo_command){
        .operation = (uint16_t)operation,
        .wait_offset = (uint32_t)rounded(payloads[operation]),
        .wait_count = waits,
    };
    command->bytes = command->wait_offset + waits * (uint32_t)sizeof(struct geo_event_ref);
    return command->bytes;
}

static void records_of_every_operation_are_valid(void **state)
{
    _Alignas(GEO_COMMAND_ALIGN) uint8_t records[GEO_COMMAND_OPERATION_COUNT * 256];
    size_t used = 0;
    (void)state;
    for (uint32_t i = 0; i < GEO_COMMAND_OPERATION_COUNT; i++) {
        struct geo_command *command = (struct geo_command *)(void *)(records + used);
        assert_true(used + 256 <= sizeof(records));
        used += record_make(command, i, i % 3);
        assert_true(geo_record_is_valid(command));
        assert_true(geo_records_are_valid(records, used));
        assert_false(geo_records_are_valid(records, used - GEO_COMMAND_ALIGN));
    }
}

static void records_without_room_for_their_parts_are_invalid(void **state)
{
    _Alignas(GEO_COMMAND_ALIGN) uint8_t records[ROOM];
    struct geo_command *command = (struct geo_command *)(void *)records;
    (void)state;
    for (uint32_t i = 0; i < GEO_COMMAND_OPERATION_COUNT; i++) {
        record_make(command, i, 2);
        command->wait_count = 3; /* one more than fits */
        assert_false(geo_record_is_valid(command));
        record_make(command, i, 2);
        command->wait_offset -= GEO_COMMAND_ALIGN; /* inside of the payload */
        assert_false(geo_record_is_valid(command));
        record_make(command, i, 2);
        command->bytes -= 8; /* the next one would not be aligned */
        assert_false(geo_record_is_valid(command));
    }
    record_make(command, GEO_COMMAND_NOP, 0);
    command->operation = GEO_COMMAND_OPERATION_COUNT;
    assert_false(geo_record_is_valid(command));
    command->operation = GEO_COMMAND_NOP;
    command->bytes = 0; /* a walk would not end */
    assert_false(geo_records_are_valid(records, sizeof(*command)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_of_every_operation_are_valid),
        cmocka_unit_test(records_without_room_for_their_parts_are_invalid),
    };
    return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}
