/* This machine, as far as code that is made for it depends on it. */
#ifndef GEO_DRIVER_COMPILE_MACHINE_H
#define GEO_DRIVER_COMPILE_MACHINE_H

#include <stdint.h>

#define GEO_MACHINE_WORDS 24

/* Everything by which the compiler may tell processors apart; the same on all cores. How many
 * words; 0: not known. */
uint32_t geo_machine_read(uint32_t words[GEO_MACHINE_WORDS]);

#endif
