/* What API functions check beyond what the registry says of their parameters. Null pointers and
 * handles, unknown bits and values, chains: these are found wrong before geo_<function> is called
 * (ddi/geo_ddi_driver.h), so no function checks them again. Each failure records its text
 * (error.h). What chains hold is read with ddi/geo_ddi_chain.h. */
#ifndef GEO_DRIVER_CORE_CHECK_H
#define GEO_DRIVER_CORE_CHECK_H

#include "ddi/geo_ddi_chain.h"
#include "driver/core/object.h"

/* INVALID_NULL_POINTER for NULL, naming it: for what the registry says nothing of, as elements of
 * arrays. */
#define GEO_CHECK_POINTER(pointer) GEO_CHECK(geo_check_pointer((pointer), #pointer))

ze_result_t geo_refuse_pointer(const char *name);

static inline ze_result_t geo_check_pointer(const void *pointer, const char *name)
{
    return __builtin_expect(pointer != NULL, 1) ? ZE_RESULT_SUCCESS : geo_refuse_pointer(name);
}

/* The list protocol (GEN-21): a count of 0 (or no output array) asks for the total; else *count
 * becomes the number of entries to write, which is returned. */
uint32_t geo_list_protocol(uint32_t *count, uint32_t available, const void *output);

#endif
