/* Support for calls of drivers whose handles lack dispatch tables. The translating functions are
 * generated (ddi/loader_translate.c) and use the helpers below. They are in the tables at the start
 * of the loader's own handles, so every call that is dispatched by such a handle arrives there.
 *
 *     zeX --> geo_loader_dispatch --> translate_zeX --> the driver's zeX
 *                                     loader's handles --> driver's
 *                                     returned handles <-- driver's
 *
 * All handles of a call must belong to one driver and to existing objects, else the result is
 * INVALID_ARGUMENT. Arrays and structures of the program that contain handles are copied before
 * they are changed. Handles are recognised by their declared type. Three kinds have no such type:
 *
 *     values of kernel arguments     images and samplers    translate_chain.c
 *     addresses of memory to share   physical memory        translate_chain.c
 *     a descriptor behind void *     known by its stype     translate_chain.c
 *
 * ze_mutable_graph_argument_exp_desc_t does not give the size of its value, so the value is not
 * translated. No callback of the API receives handles. Functions that a driver returns by name
 * (zeDriverGetExtensionFunctionAddress) are the driver's own and take the driver's handles, which
 * zelLoaderTranslateHandle returns. */
#ifndef GEO_LOADER_TRANSLATE_H
#define GEO_LOADER_TRANSLATE_H

#include "loader/handle/handle.h"

/* Larger arrays and chains are allocated. */
enum { GEO_TRANSLATE_ARRAY = 16, GEO_TRANSLATE_BYTES = 512 };

/* A set in which every slot is a translating function. Functions without a handle are the loader's
 * own. */
extern const struct geo_ddi_table_set geo_translate_tables;

/* Returns the record behind the handle that selects the driver of a call. */
static inline const struct geo_handle *geo_translate_lead(const void *given)
{
    return (const struct geo_handle *)given;
}

/* Returns the driver's handle of a record, or NULL when the record is NULL, invalid or
 * destroyed. */
static inline void *geo_translate_own(const struct geo_handle *handle)
{
    return handle && handle->self == handle ? geo_handle_driver(handle) : NULL;
}

/* Returns the error for a handle without a driver's handle. */
static inline ze_result_t geo_translate_refuse(const void *given)
{
    return given ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

/* Returns the driver's own functions. */
static inline const struct geo_ddi_table_set *geo_translate_functions(const struct geo_handle *lead)
{
    return geo_handle_translation(lead)->tables;
}

/* ---- handles passed in ---- */

/* Translates another handle of the call to the driver's. NULL stays NULL. */
static inline ze_result_t geo_translate_in(const struct geo_handle *lead, const void *given,
                                           void **driver)
{
    const struct geo_handle *handle = (const struct geo_handle *)given;
    if (!handle) {
        *driver = NULL;
        return ZE_RESULT_SUCCESS;
    }
    if (handle->block.pCore != lead->block.pCore) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT; /* belongs to another driver */
    }
    *driver = geo_translate_own(handle);
    return *driver ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

/* A translated copy of an array of handles. `heap` is initially NULL. */
struct geo_translate_array {
    void **items; /* the driver's handles */
    void **heap;
    void *few[GEO_TRANSLATE_ARRAY];
};

ze_result_t geo_translate_array_fill(struct geo_translate_array *array,
                                     const struct geo_handle *lead, size_t count,
                                     const void *given);

static inline ze_result_t geo_translate_array_begin(struct geo_translate_array *array,
                                                    const struct geo_handle *lead, size_t count,
                                                    const void *given)
{
    if (given && count) {
        return geo_translate_array_fill(array, lead, count, given);
    }
    array->items = (void **)(uintptr_t)given;
    return ZE_RESULT_SUCCESS;
}

void geo_translate_array_free(struct geo_translate_array *array);

static inline void geo_translate_array_end(struct geo_translate_array *array)
{
    if (array->heap) {
        geo_translate_array_free(array);
    }
}

/* ---- handles returned ---- */

/* Initial value of a place that the driver writes a handle to; shows whether it was written. */
#define GEO_TRANSLATE_UNWRITTEN ((void *)(uintptr_t)1)

/* Translates a handle that the driver returned. NULL stays NULL, even if a failed call wrote it.
 * `given` is the program's place for it, or NULL. Returns `result`, or OUT_OF_HOST_MEMORY. */
ze_result_t geo_translate_out(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                              ze_result_t result, void *driver, void *given);

/* Translates a list of handles in the program's array, which has space for `room` handles. */
ze_result_t geo_translate_list(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                               uint32_t room, uint32_t count, void *given);

/* Translates an array that the driver changed back into the program's array. */
ze_result_t geo_translate_array_out(const struct geo_translate_array *array,
                                    const struct geo_handle *lead, enum geo_ddi_handle_id type,
                                    size_t count, void *given);

/* Maximum length of a list of created objects. No program needs more at once, but callers may pass
 * any number, and records cannot be reserved for an arbitrary one. */
enum { GEO_TRANSLATE_MADE = 4096 };

static inline uint32_t geo_translate_room(uint32_t *count)
{
    *count = *count < GEO_TRANSLATE_MADE ? *count : GEO_TRANSLATE_MADE;
    return *count;
}

/* Reserves records before the driver creates objects, so that memory cannot run out afterwards. */
ze_result_t geo_translate_reserve(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                                  size_t count, struct geo_handle **reserved);

/* Assigns the reserved records after the call: to `count` created objects, or to none. Frees the
 * rest. */
void geo_translate_made(struct geo_handle *reserved, bool made, const void *driver, size_t count,
                        void *given);

static inline size_t geo_translate_least(uint32_t room, const uint32_t *count)
{
    return room && *count < room ? *count : room;
}

/* ---- handles that are destroyed ---- */

static inline ze_result_t geo_translate_release_begin(void *given)
{
    return !given || geo_handle_leave((struct geo_handle *)given)
               ? ZE_RESULT_SUCCESS
               : ZE_RESULT_ERROR_INVALID_ARGUMENT; /* another thread is destroying it */
}

static inline void geo_translate_release_end(void *given, bool gone)
{
    if (given) {
        geo_handle_left((struct geo_handle *)given, gone);
    }
}

/* ---- structures ---- */

/* A structure that may be in a chain and can contain handles. Its members are offsets in bytes; 0
 * means absent, because the structure type is at offset 0. Generated. */
struct geo_translate_link {
    uint32_t stype;
    uint16_t size;
    uint16_t handle; /* offset of a handle */
    uint16_t value;  /* offset of a pointer to an argument's value */
    uint16_t value_size;
};

extern const struct geo_translate_link geo_translate_links[];
extern const size_t geo_translate_link_count;

/* A chain in which all structures up to the last handle are copies. `heap` is initially NULL. */
struct geo_translate_chain {
    void *heap;
    size_t used;
    _Alignas(16) unsigned char few[GEO_TRANSLATE_BYTES];
};

/* Returns in *driver the structure to pass to the driver: `given` itself when its chain has no
 * handle, else a copy. Returns UNSUPPORTED_FEATURE when a structure of unknown size precedes a
 * handle and cannot be copied. */
ze_result_t geo_translate_chain_begin(struct geo_translate_chain *chain,
                                      const struct geo_handle *lead, const void *given,
                                      const void **driver);
void geo_translate_chain_free(struct geo_translate_chain *chain);

static inline void geo_translate_chain_end(struct geo_translate_chain *chain)
{
    if (chain->heap) {
        geo_translate_chain_free(chain);
    }
}

/* ---- argument values ---- */

/* Returns the driver's handle when `given` is the handle of an object of this type, else `given`,
 * which is then an address. */
void *geo_translate_chain_address(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                                  const void *given);

/* Returns whether a value of `size` bytes is the handle of an image or a sampler, and writes the
 * driver's handle to *driver. */
bool geo_translate_chain_value(const struct geo_handle *lead, size_t size, const void *value,
                               void **driver);

ze_result_t ZE_APICALL geo_translate_zeKernelSetArgumentValue(ze_kernel_handle_t hKernel,
                                                              uint32_t argIndex, size_t argSize,
                                                              const void *pArgValue);
ze_result_t ZE_APICALL geo_translate_zeCommandListAppendLaunchKernelWithArguments(
    ze_command_list_handle_t hCommandList, ze_kernel_handle_t hKernel,
    const ze_group_count_t groupCounts, const ze_group_size_t groupSizes, void **pArguments,
    const void *pNext, ze_event_handle_t hSignalEvent, uint32_t numWaitEvents,
    ze_event_handle_t *phWaitEvents);

#endif
