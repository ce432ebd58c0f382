/* Everything that a driver gets in addition to the prototypes in ddi/geo_api.h: filled dispatch
 * tables and the list of its implemented functions.
 *
 * A driver links the object library geoid_ddi_driver into its shared library. It defines
 * geo_<function> for each API function that it implements, and the two functions below. Each
 * function that it does not define is a weak alias of a stub that returns geo_api_unsupported(). A
 * definition must be in an object file of the shared library, not in an archive: the linker does
 * not search archives for a symbol that has a weak definition.
 *
 * A call is checked before it reaches geo_<function>. The dispatch tables contain entries named
 * geo_entry_<function>. An entry makes a few fast comparisons, and passes suspicious calls to
 * geo_api_check. */
#ifndef GEO_DDI_DRIVER_H
#define GEO_DDI_DRIVER_H

#include "ddi/geo_ddi.h"

/* Defined by the driver: records that `function` is not implemented, and returns
 * ZE_RESULT_ERROR_UNSUPPORTED_FEATURE. */
ze_result_t geo_api_unsupported(const char *function);
/* Defined by the driver: records a failed check and returns the result of the call, or SUCCESS to
 * accept the call anyway. */
ze_result_t geo_api_refuse(const struct geo_ddi_breach *breach);

/* Makes the checks of a call (geo_ddi_call_check) if the function is implemented. */
ze_result_t geo_api_check(enum geo_ddi_function_id id, void *const *arguments);

/* The tables at the start of every handle. They are constant and have version 1.GEO_DDI_MINOR. */
extern const ze_dditable_driver_t geo_api_ze;
extern const zes_dditable_driver_t geo_api_zes;
extern const zet_dditable_driver_t geo_api_zet;
extern const zer_dditable_driver_t geo_api_zer;

/* Initialises the block of table pointers at the start of every handle. */
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
    geo_api_fn entry; /* the function that callers get */
};

/* Indexed by enum geo_ddi_function_id. */
extern const struct geo_api_entry geo_api_entries[GEO_DDI_FUNCTION_COUNT];

/* Returns false when the function is only a stub that answers "unsupported". */
bool geo_api_is_implemented(enum geo_ddi_function_id id);
/* Returns the function that callers get under that name, or NULL when it does not exist or is not
 * implemented. */
geo_api_fn geo_api_find(const char *name);

#endif
