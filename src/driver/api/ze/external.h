/* Structures for external memory in the chains of descriptors: export, import, reach of IPC
 * handles. Used for allocations and physical memory. */
#ifndef GEO_DRIVER_API_ZE_EXTERNAL_H
#define GEO_DRIVER_API_ZE_EXTERNAL_H

#include "driver/core/error.h"

#include <stdbool.h>

/* The external memory structures of one chain; pointers into the caller's chain. */
struct geo_external {
    bool exportable;
    const ze_external_memory_import_fd_t *import; /* NULL: none */
};

/* Reads a chain; structures of other kinds are skipped. Returns UNSUPPORTED_ENUMERATION for types
 * that no descriptor can carry, UNSUPPORTED_FEATURE for IPC handles that reach other machines. */
GEO_MUST_CHECK ze_result_t geo_external_read(const void *next, struct geo_external *out);

/* The first two check the types of external memory and the reach of an IPC handle. They return the
 * same errors as geo_external_read. geo_external_refuse_win32 always returns an error: this system
 * has no Win32 handles. */
GEO_MUST_CHECK ze_result_t geo_external_check_types(ze_external_memory_type_flags_t flags);
GEO_MUST_CHECK ze_result_t geo_external_check_reach(const ze_ipc_mem_handle_type_ext_desc_t *type);
GEO_MUST_CHECK ze_result_t geo_external_refuse_win32(void);

#endif
