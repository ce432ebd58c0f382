/* Encodes counters. See counter.h.
 *
 * Functions that call nothing keep values in the 128 bytes below the stack pointer. So the code
 * that pushes something first moves the stack pointer behind them, by LEA, which changes no flags. */
#include "counter.h"

#include <string.h>

enum { RAX = 0, RSP = 4, R8 = 8, R12 = 12, R13 = 13 };

static const uint8_t stack_down[] = {0x48, 0x8d, 0x64, 0x24, 0x80}; /* lea -128(%rsp), %rsp */
static const uint8_t stack_up[] = {0x48, 0x8d, 0xa4, 0x24, 0x80, 0, 0, 0};
static const uint8_t push_flags[] = {0x9c}, pop_flags[] = {0x9d};
static const uint8_t push_rax[] = {0x50}, pop_rax[] = {0x58};

static uint8_t *put(uint8_t *to, const uint8_t *bytes, size_t count)
{
    memcpy(to, bytes, count);
    return to + count;
}

/* Returns a register for the address: a free one whose encoding has no special case. */
static unsigned register_choose(uint32_t free_registers)
{
    for (unsigned number = 15; number > 0; number--) {
        if (free_registers >> number & 1 && (number & 7) != RSP && number != R13 && number != 5) {
            return number;
        }
    }
    return RAX;
}

/* movabs $counter, %r; lock incq (%r) */
static uint8_t *count_put(uint8_t *to, unsigned number, const uint64_t *counter)
{
    const uint8_t high = number >= R8, low = (uint8_t)(number & 7);
    const uint8_t move[] = {(uint8_t)(0x48 | high), (uint8_t)(0xb8 | low)};
    const uint8_t increment[] = {0xf0, (uint8_t)(0x48 | high), 0xff, low};
    const uint64_t address = (uint64_t)(uintptr_t)counter;
    to = put(to, move, sizeof(move));
    to = put(to, (const uint8_t *)&address, sizeof(address));
    return put(to, increment, sizeof(increment));
}

size_t counter_write(uint8_t code[COUNTER_BYTES], const uint64_t *counter, uint32_t free_registers,
                     bool flags_live)
{
    uint8_t *to = code;
    const unsigned number = register_choose(free_registers);
    const bool saves = !(free_registers >> number & 1);
    if (saves || flags_live) {
        to = put(to, stack_down, sizeof(stack_down));
    }
    if (flags_live) {
        to = put(to, push_flags, sizeof(push_flags));
    }
    if (saves) {
        to = put(to, push_rax, sizeof(push_rax));
    }
    to = count_put(to, number, counter);
    if (saves) {
        to = put(to, pop_rax, sizeof(pop_rax));
    }
    if (flags_live) {
        to = put(to, pop_flags, sizeof(pop_flags));
    }
    if (saves || flags_live) {
        to = put(to, stack_up, sizeof(stack_up));
    }
    return (size_t)(to - code);
}
