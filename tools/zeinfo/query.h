/* Asking for property structures, with every extension that may hang on them. */
#ifndef ZEINFO_QUERY_H
#define ZEINFO_QUERY_H

#include "emit.h"

#include <level_zero/ze_api.h>

/* Fills one structure, or a list of them after the API's two-call protocol, for a handle. */
typedef ze_result_t (*query_struct_fn)(void *handle, void *properties);
typedef ze_result_t (*query_list_fn)(void *handle, uint32_t *count, void *properties);

/* Queries the structure of that name and prints it as the member `key`, extensions inside it. When
 * the query fails, the member holds the error. */
void query_struct(struct emit *emit, const char *key, const char *type, query_struct_fn query,
                  void *handle);
void query_list(struct emit *emit, const char *key, const char *type, query_list_fn query,
                void *handle);

/* Queries a list of handles, which the caller frees. Returns NULL with *count 0 if the list is
 * empty, memory ran out or the query failed; *result says which. */
typedef ze_result_t (*query_handles_fn)(void *handle, uint32_t *count, void **handles);
void **query_handles(query_handles_fn query, void *handle, uint32_t *count, ze_result_t *result);

#endif
