/* What API functions check before they do anything: pointers, flag bits, enumerators, list
 * protocol. Each failure records its text (error.h). Which bits and values there are, and the walk
 * of pNext chains, come from ddi/geo_ddi_chain.h. */
#ifndef GEO_DRIVER_CORE_CHECK_H
#define GEO_DRIVER_CORE_CHECK_H

#include "ddi/geo_ddi_chain.h"
#include "driver/core/object.h"

/* INVALID_NULL_POINTER for NULL, naming the parameter. */
#define GEO_CHECK_POINTER(pointer) GEO_CHECK(geo_check_pointer((pointer), #pointer))
/* INVALID_ENUMERATION for a bit that the flags type, a value that the enumeration does not have. */
#define GEO_CHECK_FLAGS(value, type)                                                               \
    GEO_CHECK(geo_check_flags((value), GEO_FLAGS_ALL(type), #value))
#define GEO_CHECK_ENUM(value, type)                                                                \
    GEO_CHECK(geo_check_enum((uint32_t)(value), GEO_ENUM_HAS(type, value), #value))

ze_result_t geo_refuse_pointer(const char *name);
ze_result_t geo_refuse_value(const char *name, uint32_t value);

static inline ze_result_t geo_check_pointer(const void *pointer, const char *name)
{
    return __builtin_expect(pointer != NULL, 1) ? ZE_RESULT_SUCCESS : geo_refuse_pointer(name);
}

static inline ze_result_t geo_check_flags(uint32_t value, uint32_t known, const char *name)
{
    return __builtin_expect((value & ~known) == 0, 1) ? ZE_RESULT_SUCCESS
                                                      : geo_refuse_value(name, value);
}

static inline ze_result_t geo_check_enum(uint32_t value, bool known, const char *name)
{
    return __builtin_expect(known, 1) ? ZE_RESULT_SUCCESS : geo_refuse_value(name, value);
}

/* GEN-25: a wait list may be NULL only when its count is 0; every event in it must be valid (that
 * is the caller's to check). INVALID_SIZE. */
ze_result_t geo_check_wait_list(uint32_t count, const void *events);

/* The list protocol (GEN-21): a count of 0 (or no output array) asks for the total; else *count
 * becomes the number of entries to write, which is returned. */
uint32_t geo_list_protocol(uint32_t *count, uint32_t available, const void *output);

#endif
