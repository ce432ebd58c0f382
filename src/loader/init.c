/* The calls that initialise the loader and list drivers: zeInit, zeInitDrivers, zeDriverGet,
 * zesInit, zesDriverGet. They may be called in any order, from any thread, any number of times.
 *
 * The first call initialises every usable driver. The flags of a call only decide whether it
 * succeeds and which drivers it lists. Sysman drivers are listed by the first zesDriverGet, because
 * listing may take a driver long. zeDriverGet lists all types that any call so far has requested. A
 * call that finds no driver leaves no state, so the next call searches again. */
#include "loader/loader.h"

#include "base/assert.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "ddi/geo_loader_own.h"
#include "loader/guard.h"
#include "loader/layers/layers.h"

#include <string.h>

static const char core_name[] = "zeInit";
static const char sysman_name[] = "zesInit";

#define FAILURE_BYTES 512u

static bool is_down(void)
{
    return atomic_load(&geo_loader_state.torn_down);
}

static uint32_t list_matching(const struct geo_driver_list *list, uint32_t types)
{
    uint32_t count = 0;
    for (uint32_t i = 0; list && i < list->count; i++) {
        count += (list->entries[i].types & types) != 0;
    }
    return count;
}

/* Implements the specification's count and list protocol for the drivers of the given types. */
static void list_copy(const struct geo_driver_list *list, uint32_t types, uint32_t *count,
                      void **handles)
{
    uint32_t total = list_matching(list, types);
    if (*count == 0 || !handles) {
        *count = total;
        return;
    }
    uint32_t room = *count, written = 0;
    for (uint32_t i = 0; list && i < list->count && written < room; i++) {
        if (list->entries[i].types & types) {
            handles[written++] = list->entries[i].handle;
        }
    }
    GEO_ASSERT(written <= room && written <= total);
    *count = written;
}

/* Records why no driver was found, for zerGetLastErrorDescription and the log, because the result
 * code does not say. Names the libraries that are drivers but listed no device. The loader's lock
 * is held. */
static void failure_note(const char *function)
{
    struct geo_strbuf text;
    geo_strbuf_init(&text, FAILURE_BYTES);
    geo_strbuf_printf(&text, "%s: no driver has a device of the requested types", function);
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        const struct geo_library *library = geo_loader_state.libraries.items[i];
        if (library->open && !geo_library_serves(library) && library->reason) {
            const char *slash = strrchr(library->path, '/');
            const char *name = slash ? slash + 1 : library->path;
            geo_strbuf_printf(&text, "; ");
            geo_strbuf_add_shown(&text, name, strlen(name));
            geo_strbuf_printf(&text, ": ");
            geo_strbuf_add_shown(&text, library->reason, strlen(library->reason));
        }
    }
    geo_runtime_note(geo_strbuf_text(&text));
    geo_log("loader", GEO_LOG_INFO, "%s; `zeinfo --why` lists what was tried",
            geo_strbuf_text(&text));
    geo_strbuf_finish(&text);
}

/* Returns whether the flags of the state agree: APIs that are ready were requested, and drivers of
 * a requested API are listed. The loader's lock is held, so that no other thread changes them. */
static bool state_is_valid(void)
{
    const struct geo_loader_state *state = &geo_loader_state;
    const unsigned requested = atomic_load(&state->core_requested);
    return geo_loader_lock_held() && !(atomic_load(&state->core_ready) & ~requested) &&
           (!requested || atomic_load(&state->core_list)) &&
           (!(atomic_load(&state->sysman_ready) || atomic_load(&state->sysman_listed)) ||
            atomic_load(&state->sysman_requested)) &&
           (!state->alone || (state->alone->open && !state->alone->refused));
}

static ze_result_t failed(bool complete)
{
    return complete ? ZE_RESULT_ERROR_UNINITIALIZED : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

/* Initialises the given sides of all libraries and publishes the result. Called after libraries
 * were discovered, completely or not. Sets *complete to false when memory ran out, so that the next
 * call does not rely on this round. Returns false when nothing could be published. */
static bool libraries_init(const struct geo_guard_work *work, bool *complete)
{
    GEO_ASSERT(state_is_valid());
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        struct geo_library *library = geo_loader_state.libraries.items[i];
        if (library->abandoned) {
            continue;
        }
        geo_loader_visit_begin(library, false);
        geo_guard_init(library, work);
        geo_loader_visit_end();
        if (work->core) {
            *complete &= library->core.result != ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
        if (work->sysman) {
            *complete &= library->sysman.result != ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    const bool published = geo_loader_publish(*complete);
    *complete &= published;
    return published;
}

/* Returns whether a library in use was initialised in this process. */
static bool is_up(bool sysman)
{
    bool up = false;
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        const struct geo_library *library = geo_loader_state.libraries.items[i];
        const struct geo_drivers *drivers = sysman ? &library->sysman : &library->core;
        up |= drivers->initialized && !library->refused;
    }
    return up && !is_down();
}

/* Initialises the core side for the given device types. Cheap when that was done before. */
static ze_result_t core_init(const char *function, uint32_t types)
{
    if (is_down()) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    bool ready = (atomic_load(&geo_loader_state.core_ready) & types) == types;
    if (ready && list_matching(atomic_load(&geo_loader_state.core_list), types)) {
        return ZE_RESULT_SUCCESS;
    }
    if (!geo_loader_lock()) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    const struct geo_guard_work work = {.core = true, .timeout_ms = geo_guard_timeout_ms()};
    bool complete = geo_loader_discover();
    (void)libraries_init(&work, &complete);
    bool up = is_up(false) && list_matching(atomic_load(&geo_loader_state.core_list), types);
    if (up) {
        if (geo_discovery_switch("ZES_ENABLE_SYSMAN")) {
            atomic_store(&geo_loader_state.sysman_by_core, true);
        }
        atomic_fetch_or(&geo_loader_state.core_ready, complete ? types : 0);
        atomic_fetch_or(&geo_loader_state.core_requested, types);
    } else if (complete) {
        failure_note(function);
    }
    GEO_ASSERT(state_is_valid());
    geo_loader_unlock();
    return up ? ZE_RESULT_SUCCESS : failed(complete);
}

static size_t open_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        count += geo_loader_state.libraries.items[i]->open;
    }
    return count;
}

static bool any_unlisted(void)
{
    bool any = false;
    for (size_t i = 0; i < geo_loader_state.libraries.count; i++) {
        any |= geo_library_is_unlisted(geo_loader_state.libraries.items[i]);
    }
    return any;
}

/* Initialises the sysman side and, with `list`, lists its drivers. With several libraries, or with
 * ZE_ENABLE_LOADER_INTERCEPT, calls are dispatched by their handles. For that the loader must know
 * of each library whether its handles start with dispatch tables. Only the core side tells, so it
 * is initialised first in these cases. */
static ze_result_t sysman_init(const char *function, zes_init_flags_t flags, bool list)
{
    if (is_down()) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    if (atomic_load(list ? &geo_loader_state.sysman_listed : &geo_loader_state.sysman_ready)) {
        return ZE_RESULT_SUCCESS;
    }
    if (!geo_loader_lock()) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    struct geo_guard_work work = {
        .sysman = true, .list = list, .flags = flags, .timeout_ms = geo_guard_timeout_ms()};
    bool ready = atomic_load(&geo_loader_state.sysman_ready);
    bool complete = ready || geo_loader_discover();
    work.core = !ready && (open_count() > 1 || !complete ||
                           geo_discovery_switch("ZE_ENABLE_LOADER_INTERCEPT"));
    bool up = libraries_init(&work, &complete) && is_up(true) &&
              (!list || atomic_load(&geo_loader_state.sysman_list));
    atomic_store(&geo_loader_state.sysman_ready, up && complete);
    if (up) {
        atomic_store(&geo_loader_state.sysman_listed, complete && !any_unlisted());
        atomic_store(&geo_loader_state.sysman_requested, true);
    } else if (complete) {
        failure_note(function);
    }
    GEO_ASSERT(state_is_valid());
    geo_loader_unlock();
    return up ? ZE_RESULT_SUCCESS : failed(complete);
}

static uint32_t types_of_init_flags(ze_init_flags_t flags)
{
    return flags ? flags : (uint32_t)GEO_DRIVER_ANY;
}

/* Loads the layers on the first initialisation call. If layers were loaded, the call is repeated
 * through the exported function, so that it passes through them. The other initialisation functions
 * do the same. */
ze_result_t ZE_APICALL geo_own_zeInit(ze_init_flags_t flags)
{
    if (geo_layers_begin()) {
        return zeInit(flags);
    }
    const ze_init_flags_t known = ZE_INIT_FLAG_GPU_ONLY | ZE_INIT_FLAG_VPU_ONLY;
    if (flags & ~known) {
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    }
    return core_init(core_name, types_of_init_flags(flags));
}

ze_result_t ZE_APICALL geo_own_zeInitDrivers(uint32_t *pCount, ze_driver_handle_t *phDrivers,
                                             ze_init_driver_type_desc_t *desc)
{
    if (geo_layers_begin()) {
        return zeInitDrivers(pCount, phDrivers, desc);
    }
    const ze_init_driver_type_flags_t known =
        ZE_INIT_DRIVER_TYPE_FLAG_GPU | ZE_INIT_DRIVER_TYPE_FLAG_NPU;
    if (!pCount || !desc) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    bool all = desc->flags == UINT32_MAX;
    if (desc->flags == 0 || (!all && (desc->flags & ~known))) {
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    }
    uint32_t types = all ? (uint32_t)GEO_DRIVER_ANY : desc->flags;
    ze_result_t result = core_init("zeInitDrivers", types);
    if (result == ZE_RESULT_SUCCESS) {
        list_copy(atomic_load(&geo_loader_state.core_list), types, pCount, (void **)phDrivers);
    }
    return result;
}

ze_result_t ZE_APICALL geo_own_zeDriverGet(uint32_t *pCount, ze_driver_handle_t *phDrivers)
{
    uint32_t types = atomic_load(&geo_loader_state.core_requested);
    if (is_down() || types == 0) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    if (!pCount) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    list_copy(atomic_load(&geo_loader_state.core_list), types, pCount, (void **)phDrivers);
    return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL geo_own_zesInit(zes_init_flags_t flags)
{
    if (geo_layers_begin()) {
        return zesInit(flags);
    }
    if (flags & ~(zes_init_flags_t)ZES_INIT_FLAG_PLACEHOLDER) {
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    }
    return sysman_init(sysman_name, flags, false);
}

ze_result_t ZE_APICALL geo_own_zesDriverGet(uint32_t *pCount, zes_driver_handle_t *phDrivers)
{
    if (is_down()) {
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    if (!atomic_load(&geo_loader_state.sysman_requested) &&
        !atomic_load(&geo_loader_state
                          .sysman_by_core)) { /* neither zesInit nor ZES_ENABLE_SYSMAN was used */
        return ZE_RESULT_ERROR_UNINITIALIZED;
    }
    if (!pCount) {
        return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    }
    ze_result_t result = sysman_init("zesDriverGet", 0, true);
    if (result == ZE_RESULT_SUCCESS) {
        list_copy(atomic_load(&geo_loader_state.sysman_list), GEO_DRIVER_ANY, pCount,
                  (void **)phDrivers);
    }
    return result;
}
