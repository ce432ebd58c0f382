/* What a driver gets beside the prototypes in ddi/geo_api.h: filled dispatch tables and the list of
 * what it implements.
 *
 * Link the object library geoid_ddi_driver into the driver's shared library and define
 * geo_<function> for each API function that it implements (prototypes: ddi/geo_api.h), and the two
 * functions below. A call is checked before it gets to geo_<function>: entries in the tables, named
 * geo_entry_<function>, let pass what cannot be wrong and take the rest to geo_api_check. Each
 * undefined one is a weak alias of a stub which returns what geo_api_unsupported returns. A
 * definition must come from an object file of the shared library, not from an archive: the weak
 * symbol is already defined, so the linker would not look there.
 */
#ifndef GEO_DDI_DRIVER_H
#define GEO_DDI_DRIVER_H

#include "ddi/geo_ddi.h"

/* Written by the driver: notes that `function` is not there, returns
 * ZE_RESULT_ERROR_UNSUPPORTED_FEATURE. */
ze_result_t geo_api_unsupported(const char *function);
/* Written by the driver: notes what is wrong with a call, returns the result for it; SUCCESS for
 * what it puts up with. */
ze_result_t geo_api_refuse(const struct geo_ddi_breach *breach);

/* Makes the checks of a call (geo_ddi_call_check), for functions that are implemented. */
ze_result_t geo_api_check(enum geo_ddi_function_id id, void *const *arguments);

/* The tables at the start of every handle; constant, version 1.GEO_DDI_MINOR. */
extern const ze_dditable_driver_t geo_api_ze;
extern const zes_dditable_driver_t geo_api_zes;
extern const zet_dditable_driver_t geo_api_zet;
extern const zer_dditable_driver_t geo_api_zer;

/* Makes an object a handle: fills the block that it begins with. */
static inline void geo_api_init_handle(ze_handle_t *handle)
{
    handle->pCore = (ze_dditable_driver_t *)&geo_api_ze;
    handle->pTools = (zet_dditable_driver_t *)&geo_api_zet;
    handle->pSysman = (zes_dditable_driver_t *)&geo_api_zes;
    handle->pRuntime = (zer_dditable_driver_t *)&geo_api_zer;
}

typedef void (*geo_api_fn)(void);

struct geo_api_entry {
    geo_api_fn implementation;
    geo_api_fn stub;
    geo_api_fn entry; /* what callers get */
};

/* One per function, in the order of geo_ddi_functions. */
extern const struct geo_api_entry geo_api_entries[GEO_DDI_FUNCTION_COUNT];

/* False while a function only answers "unsupported". */
bool geo_api_is_implemented(enum geo_ddi_function_id id);
/* What callers get as the function of that name, NULL when there is none or it is not implemented. */
geo_api_fn geo_api_find(const char *name);

#endif
