/* Lists of numbers in the system's format, for example of CPUs. */
#ifndef GEO_BACKEND_CPU_SYSMAN_NUMBER_LIST_H
#define GEO_BACKEND_CPU_SYSMAN_NUMBER_LIST_H

#include <stdbool.h>
#include <stdint.h>

/* Parses "0-3,8,10-11" or "0 1 2" and calls `set` for each number below `limit`. Returns false when
 * the text is not such a list. */
bool geo_number_list_parse(const char *text, uint32_t limit,
                           void (*set)(void *data, uint32_t number), void *data);

#endif
