/* Checks of API functions beyond what the registry says about their parameters. Null pointers and
 * handles, unknown bits and values, and bad chains are rejected before geo_<function> is called
 * (ddi/geo_ddi_driver.h), so no function checks them again. Each failure records its text
 * (error.h). ddi/geo_ddi_chain.h reads the structures of chains. */
#ifndef GEO_DRIVER_CORE_CHECK_H
#define GEO_DRIVER_CORE_CHECK_H

#include "ddi/geo_ddi_chain.h"
#include "driver/core/object.h"

/* Returns INVALID_NULL_POINTER with the name of the pointer if it is NULL. For pointers that the
 * registry cannot describe, such as elements of arrays. */
#define GEO_CHECK_POINTER(pointer) GEO_CHECK(geo_check_pointer((pointer), #pointer))

/* Records that a pointer is NULL and returns INVALID_NULL_POINTER. */
ze_result_t geo_refuse_pointer(const char *name);

static inline ze_result_t geo_check_pointer(const void *pointer, const char *name)
{
    return __builtin_expect(pointer != NULL, 1) ? ZE_RESULT_SUCCESS : geo_refuse_pointer(name);
}

/* Implements the list protocol (GEN-21). A count of 0, or a missing output array, asks for the
 * total. Otherwise *count becomes the number of entries to write. Returns the number of entries to
 * write. */
uint32_t geo_count_protocol(uint32_t *count, uint32_t available, const void *output);
/* Copies a blob by its protocol (GEN-22): without a buffer *size becomes the total size; otherwise
 * *size is the size of the buffer and becomes the size written. Returns INVALID_SIZE, with the
 * needed size, for a buffer that is too small. */
GEO_MUST_CHECK ze_result_t geo_blob_copy(const void *from, size_t bytes, size_t *size, void *to);

#endif
