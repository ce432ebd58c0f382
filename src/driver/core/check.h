/* What API functions check before they do anything: pointers, flag bits, enumerators, list
 * protocol, pNext chains. Each failure records its text (error.h). */
#ifndef GEO_DRIVER_CORE_CHECK_H
#define GEO_DRIVER_CORE_CHECK_H

#include "driver/core/object.h"

/* INVALID_NULL_POINTER for NULL, naming the parameter. */
#define GEO_CHECK_POINTER(pointer) GEO_CHECK(geo_check_pointer((pointer), #pointer))
/* INVALID_ENUMERATION for a bit outside `known` / a value above `last`. */
#define GEO_CHECK_FLAGS(value, known) GEO_CHECK(geo_check_flags((value), (known), #value))
#define GEO_CHECK_ENUM(value, last)   GEO_CHECK(geo_check_enum((uint32_t)(value), (last), #value))

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

static inline ze_result_t geo_check_enum(uint32_t value, uint32_t last, const char *name)
{
    return __builtin_expect(value <= last, 1) ? ZE_RESULT_SUCCESS : geo_refuse_value(name, value);
}

/* GEN-25: a wait list may be NULL only when its count is 0; every event in it must be valid (that
 * is the caller's to check). INVALID_SIZE. */
ze_result_t geo_check_wait_list(uint32_t count, const void *events);

/* The list protocol (GEN-21): a count of 0 (or no output array) asks for the total; else *count
 * becomes the number of entries to write, which is returned. */
uint32_t geo_list_protocol(uint32_t *count, uint32_t available, const void *output);

/* The first struct of this type in a chain of descriptors / properties, or NULL; unknown ones are
 * skipped. A chain longer than 256 members is taken for a loop: the walk ends. */
const void *geo_chain_find(const void *next, ze_structure_type_t stype);

/* For walking every member:
 *     for (ze_base_properties_t *link = geo_chain_first(p->pNext); link;
 *          link = geo_chain_next(&walk)) */
struct geo_chain {
    ze_base_properties_t *link; /* the current member; NULL at the end */
    uint32_t left;
};
static inline struct geo_chain geo_chain_begin(const void *next)
{
    struct geo_chain chain = {(ze_base_properties_t *)(uintptr_t)next, 256};
    return chain;
}
static inline void geo_chain_step(struct geo_chain *chain)
{
    chain->link = --chain->left ? (ze_base_properties_t *)chain->link->pNext : NULL;
}

/* What to walk of an application's struct: its pNext when its stype is the expected one, else NULL:
 * a struct that nobody initialised has no chain (its own fields are read or written all the same,
 * the function's signature says what it is). */
static inline const void *geo_chain_of(const void *structure, ze_structure_type_t expected)
{
    const ze_base_desc_t *base = (const ze_base_desc_t *)structure;
    return base->stype == expected ? base->pNext : NULL;
}

#endif
