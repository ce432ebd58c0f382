/* Lists of numbers in the system's format, such as "0-3,8,10-11" for CPUs and NUMA nodes. */
#ifndef GEO_BASE_NUMBER_LIST_H
#define GEO_BASE_NUMBER_LIST_H

#include <stdbool.h>
#include <stdint.h>

/* Parses the range at the start of `*text`, "8" or "0-3", and moves `*text` behind it. Returns
 * false when no range stands there. `first` may be greater than `last`; a number that does not fit
 * is UINT64_MAX. */
bool geo_number_list_next(const char **text, uint64_t *first, uint64_t *last);

/* Parses ranges separated by ',' or ' ' and calls `set` for each number below `limit`. One newline
 * may end the text. Returns false when the text is not such a list. */
bool geo_number_list_parse(const char *text, uint32_t limit,
                           void (*set)(void *data, uint32_t number), void *data);

#endif
