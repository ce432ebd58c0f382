/* Machine code that counts. */
#ifndef GEOID_BLOCKS_COUNTER_H
#define GEOID_BLOCKS_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most bytes of the code for one counter. */
#define COUNTER_BYTES 64

/* Writes code that adds 1 to *counter atomically and changes nothing else: neither registers except
 * free ones, nor flags if they are live, nor the stack. Returns its size, which does not depend on
 * the counter. */
size_t counter_write(uint8_t code[COUNTER_BYTES], const uint64_t *counter, uint32_t free_registers,
                     bool flags_live);

#endif
