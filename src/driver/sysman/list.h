/* Reads arrays of the backend whose length may change between two calls, as a whole. */
#ifndef GEO_DRIVER_SYSMAN_LIST_H
#define GEO_DRIVER_SYSMAN_LIST_H

#include "driver/sysman/component.h"

/* A complete copy of an array of the backend. */
struct geo_sysman_list {
    void *items; /* owned: free(); zeroed except what the backend wrote */
    uint32_t count;
};

/* An operation of the backend that fills a list. `owner` is the argument of geo_sysman_list_read. */
typedef ze_result_t (*geo_sysman_list_fn)(const void *owner, uint32_t *count, void *items,
                                          struct geo_strbuf *why);

/* Reads a list. `name` and `operation` are for error texts. */
GEO_MUST_CHECK ze_result_t geo_sysman_list_read(struct geo_sysman_list *list, size_t item_bytes,
                                                geo_sysman_list_fn ask, const void *owner,
                                                const char *name, const char *operation);

#endif
