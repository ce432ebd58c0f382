/* Calls of drivers whose handles carry no dispatch tables: what the translating functions
 * (generated: ddi/loader_translate.c) are made of. They stand in the tables that the loader's
 * handles begin with, so whoever dispatches by a handle comes here.
 *
 *     zeX --> geo_loader_dispatch --> translate_zeX --> the driver's zeX
 *                                     loader's handles --> driver's
 *                                     what comes out   <-- driver's
 *
 * Every handle of a call is of the same driver and of an object that is there, else the answer is
 * INVALID_ARGUMENT. What the program has only lent (arrays, structures) is copied where it has to
 * be changed. Handles reach drivers by their types, and by these ways without one:
 *
 *     values of kernels' arguments     images and samplers    translate_chain.c
 *     addresses of memory to share     physical memory        translate_chain.c
 *     a description behind void *      its stype tells        translate_chain.c
 *
 * ze_mutable_graph_argument_exp_desc_t tells no size of its value, which is left as it is. No
 * callback of the API is given handles, so none is translated. Functions that a driver gives by
 * name (zeDriverGetExtensionFunctionAddress) are the driver's own and take the driver's handles:
 * zelLoaderTranslateHandle gives them. */
#ifndef GEO_LOADER_TRANSLATE_H
#define GEO_LOADER_TRANSLATE_H

#include "loader/handle.h"

enum { GEO_TRANSLATE_ARRAY = 16, GEO_TRANSLATE_BYTES = 512 }; /* more than that is allocated */

/* Every slot: a function that translates; the loader's own where no handle leads to a driver. */
extern const struct geo_ddi_table_set geo_translate_tables;

/* The record behind the handle that says whose call it is. */
static inline const struct geo_handle *geo_translate_lead(const void *given)
{
    return (const struct geo_handle *)given;
}

/* The driver's handle in it; NULL: it is null, or none, or was destroyed. */
static inline void *geo_translate_own(const struct geo_handle *handle)
{
    return handle && handle->self == handle ? geo_handle_driver(handle) : NULL;
}

/* The answer then. */
static inline ze_result_t geo_translate_refuse(const void *given)
{
    return given ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

/* The driver's own functions. */
static inline const struct geo_ddi_table_set *geo_translate_functions(const struct geo_handle *lead)
{
    return geo_handle_translation(lead)->tables;
}

/* ---- handles that go in ---- */

/* The driver's handle of another object of the call; null stays null. */
static inline ze_result_t geo_translate_in(const struct geo_handle *lead, const void *given,
                                           void **driver)
{
    const struct geo_handle *handle = (const struct geo_handle *)given;
    if (!handle) {
        *driver = NULL;
        return ZE_RESULT_SUCCESS;
    }
    if (handle->block.pCore != lead->block.pCore) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT; /* another driver's */
    }
    *driver = geo_translate_own(handle);
    return *driver ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

/* An array of them, in a copy. `heap` is NULL before. */
struct geo_translate_array {
    void **items; /* for the driver */
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

/* ---- handles that come out ---- */

/* What stands where the driver is to write a handle: so it is seen whether it did. */
#define GEO_TRANSLATE_UNWRITTEN ((void *)(uintptr_t)1)

/* One that the driver has looked up; null stays null, also where a call that failed has written it.
 * `given` is the program's place, or null. The call's result, or OUT_OF_HOST_MEMORY. */
ze_result_t geo_translate_out(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                              ze_result_t result, void *driver, void *given);

/* A list in the program's array, in which there was room for so many. */
ze_result_t geo_translate_list(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                               uint32_t room, uint32_t count, void *given);

/* A copy that the driver has changed, back into the program's array. */
ze_result_t geo_translate_array_out(const struct geo_translate_array *array,
                                    const struct geo_handle *lead, enum geo_ddi_handle_id type,
                                    size_t count, void *given);

/* Room for a list of objects that are about to be made. More than this nobody makes at once, but
 * callers may say any number, for which there cannot be records. */
enum { GEO_TRANSLATE_MADE = 4096 };

static inline uint32_t geo_translate_room(uint32_t *count)
{
    *count = *count < GEO_TRANSLATE_MADE ? *count : GEO_TRANSLATE_MADE;
    return *count;
}

/* Before objects are made: records for them, so that none is lost for lack of memory. */
ze_result_t geo_translate_reserve(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                                  size_t count, struct geo_handle **reserved);

/* After the call: `count` objects were made, or none; what is left over is given back. */
void geo_translate_made(struct geo_handle *reserved, bool made, const void *driver, size_t count,
                        void *given);

static inline size_t geo_translate_least(uint32_t room, const uint32_t *count)
{
    return room && *count < room ? *count : room;
}

/* ---- handles whose life ends ---- */

static inline ze_result_t geo_translate_release_begin(void *given)
{
    return !given || geo_handle_leave((struct geo_handle *)given)
               ? ZE_RESULT_SUCCESS
               : ZE_RESULT_ERROR_INVALID_ARGUMENT; /* another thread destroys it */
}

static inline void geo_translate_release_end(void *given, bool gone)
{
    if (given) {
        geo_handle_left((struct geo_handle *)given, gone);
    }
}

/* ---- structures ---- */

/* A structure that may stand in a chain where handles can be: offsets in it, 0 for what it has not
 * (its type stands there). Generated. */
struct geo_translate_link {
    uint32_t stype;
    uint16_t size;
    uint16_t handle; /* a handle */
    uint16_t value;  /* a pointer to an argument's value */
    uint16_t value_size;
};

extern const struct geo_translate_link geo_translate_links[];
extern const size_t geo_translate_link_count;

/* A chain, and as much of it in a copy as stands before the last handle. `heap` is NULL before. */
struct geo_translate_chain {
    void *heap;
    size_t used;
    _Alignas(16) unsigned char few[GEO_TRANSLATE_BYTES];
};

/* What to give to the driver in place of a structure and its chain: itself when no handle is in it.
 * UNSUPPORTED_FEATURE: a structure of unknown size stands before a handle, so it cannot be copied. */
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

/* ---- values of arguments ---- */

/* An address that may be the handle of an object of this type instead: then the driver's. */
void *geo_translate_address(const struct geo_handle *lead, enum geo_ddi_handle_id type,
                            const void *given);

/* Whether a value of that many bytes is the handle of an image or a sampler; then the driver's is
 * written. */
bool geo_translate_value(const struct geo_handle *lead, size_t size, const void *value,
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
