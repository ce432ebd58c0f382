/* Lists of numbers as the system writes them, of CPUs above all. */
#ifndef GEO_BACKEND_CPU_SYSMAN_NUMBER_LIST_H
#define GEO_BACKEND_CPU_SYSMAN_NUMBER_LIST_H

#include <stdbool.h>
#include <stdint.h>

/* "0-3,8,10-11" or "0 1 2": the numbers below `limit` are given to `set`. False: it is no such
 * list. */
bool geo_number_list_parse(const char *text, uint32_t limit,
                           void (*set)(void *data, uint32_t number), void *data);

#endif
