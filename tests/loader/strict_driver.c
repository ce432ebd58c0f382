/* A driver of all functions of the API for the loader's tests: no dispatch tables in its handles,
 * and it looks at every handle that it is given. One that is not of its own, of the right type and
 * alive ends the process.
 *
 *   STRICT_ID   a number that tells its objects from another one's
 *
 * An object that is made takes the place of the one that was destroyed last, so addresses come back
 * at once. In lists and where something is looked up, there are objects that live for ever.
 *
 * A call that fails with MODULE_BUILD_FAILURE is zeModuleCreate's and makes the build log.
 *
 * STRICT_VERSION in the environment, a minor version: a driver of 1.x, with tables of that length.
 *
 * A kernel has STRICT_ARGUMENTS arguments. Values of eight bytes are handles of images or samplers,
 * and so are those of zeCommandListAppendLaunchKernelWithArguments that have an even index. */
#include "strict_driver.h"

#include "ddi/geo_ddi.h"
#include "ddi/geo_ddi_chain.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT   __attribute__((visibility("default")))
#define POISON   0x10
#define CAPACITY 8192

enum { STRICT_ARGUMENTS = 40 };

static void forget(void *own);

EXPORT struct strict_state strict_state = {.forget = forget};

/* Begins with addresses that nobody may follow. */
struct object {
    uintptr_t poison[4];
    int owner;
    int type; /* enum geo_ddi_handle_id */
    atomic_bool alive;
    struct object *next_free;
};

static struct object objects[CAPACITY]; /* those that are made */
static struct object lasting[GEO_DDI_HANDLE_COUNT][64];
static struct object *first_free;
static size_t used;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void lock_take(void)
{
    while (atomic_flag_test_and_set(&lock)) {
        sched_yield();
    }
}

static void lock_release(void)
{
    atomic_flag_clear(&lock);
}

/* Who has it in the parent is not in the child; what it guards is whole after every step. */
__attribute__((constructor)) static void driver_begin(void)
{
    pthread_atfork(NULL, NULL, lock_release);
}

__attribute__((noreturn)) static void die(enum geo_ddi_function_id id, const char *what,
                                          const void *handle)
{
    dprintf(STDERR_FILENO, "strict driver %d: %s: %s %p\n", STRICT_ID, geo_ddi_functions[id].name,
            what, handle);
    _exit(94);
}

static void object_init(struct object *object, int type)
{
    for (size_t i = 0; i < 4; i++) {
        object->poison[i] = POISON;
    }
    object->owner = STRICT_ID;
    object->type = type;
    atomic_store(&object->alive, true);
}

static bool is_within(const void *handle, const struct object *first, size_t count)
{
    const uintptr_t distance = (uintptr_t)handle - (uintptr_t)first;
    return distance < count * sizeof(*first) && distance % sizeof(*first) == 0;
}

static void handle_check(enum geo_ddi_function_id id, const void *handle, int type)
{
    const struct object *object = handle;
    if (!handle) {
        return;
    }
    if (!is_within(handle, objects, CAPACITY) &&
        !is_within(handle, &lasting[0][0], (size_t)GEO_DDI_HANDLE_COUNT * 64)) {
        die(id, "not a handle of this driver:", handle);
    }
    if (!atomic_load(&object->alive) || object->owner != STRICT_ID) {
        die(id, "not alive:", handle);
    }
    if (type >= 0 && object->type != type) {
        die(id, geo_ddi_handles[object->type].name, handle);
    }
    atomic_fetch_add(&strict_state.handles, 1);
}

static void *object_make(int type)
{
    lock_take();
    struct object *object = first_free;
    if (object) {
        first_free = object->next_free;
    } else if (used < CAPACITY) {
        object = &objects[used++];
    }
    lock_release();
    if (!object) {
        return NULL;
    }
    object_init(object, type);
    const int alive = atomic_fetch_add(&strict_state.alive, 1) + 1;
    if (alive > atomic_load(&strict_state.most)) {
        atomic_store(&strict_state.most, alive);
    }
    return object;
}

static void object_destroy(enum geo_ddi_function_id id, struct object *object)
{
    if (!atomic_exchange(&object->alive, false)) {
        die(id, "destroyed twice:", object);
    }
    atomic_fetch_sub(&strict_state.alive, 1);
    if (is_within(object, objects, CAPACITY)) {
        lock_take();
        object->next_free = first_free;
        first_free = object;
        lock_release();
    }
    void (*gate)(void) = atomic_load(&strict_state.gate);
    if (gate) {
        gate();
    }
}

static void forget(void *own)
{
    object_destroy(GEO_DDI_FN_zeModuleDestroy, own);
}

static void *object_lasting(int type, size_t index)
{
    struct object *object = &lasting[type][index];
    lock_take();
    if (!atomic_load(&object->alive)) {
        object_init(object, type);
    }
    lock_release();
    return object;
}

/* ---- a call ---- */

static void *pointer_at(const void *address)
{
    void *pointer;
    memcpy(&pointer, address, sizeof(pointer));
    return pointer;
}

static size_t count_of(const struct geo_ddi_param *params, size_t i, void *const *arguments)
{
    uint32_t count = 1;
    if (params[i].count) {
        const void *address = arguments[params[i].count_param];
        const void *place = params[i].count_indirect ? pointer_at(address) : address;
        memcpy(&count, place, sizeof(count));
    }
    return count;
}

static void value_check(enum geo_ddi_function_id id, const void *value)
{
    const struct object *object = pointer_at(value);
    if (object && is_within(object, objects, CAPACITY) &&
        object->type == GEO_DDI_HANDLE_ze_sampler_handle_t) {
        handle_check(id, object, GEO_DDI_HANDLE_ze_sampler_handle_t);
    } else {
        handle_check(id, object, GEO_DDI_HANDLE_ze_image_handle_t);
    }
}

static void link_check(enum geo_ddi_function_id id, const ze_base_properties_t *link)
{
    const struct geo_ddi_struct *s = geo_ddi_stype_struct(GEO_DDI_ZE, (uint32_t)link->stype);
    const struct geo_ddi_param *members = s ? geo_ddi_struct_members(s) : NULL;
    for (size_t i = 0; s && i < s->member_count; i++) {
        if (members[i].kind == GEO_DDI_HANDLE) {
            handle_check(id, pointer_at((const char *)link + members[i].offset), members[i].index);
        }
    }
    if (link->stype == ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC) {
        const ze_mutable_kernel_argument_exp_desc_t *argument = (const void *)link;
        if (argument->argSize == sizeof(void *) && argument->pArgValue) {
            value_check(id, argument->pArgValue);
        }
    }
}

static void chain_check(enum geo_ddi_function_id id, const void *first)
{
    for (struct geo_chain walk = geo_chain_begin(first); walk.link; geo_chain_step(&walk)) {
        link_check(id, walk.link);
    }
}

/* Everything that goes in. */
static void arguments_check(enum geo_ddi_function_id id, const struct geo_ddi_param *params,
                            void *const *arguments)
{
    atomic_store(&strict_state.handles, 0);
    for (size_t i = 0; i < geo_ddi_functions[id].param_count; i++) {
        const struct geo_ddi_param *param = &params[i];
        char *pointer = param->depth ? pointer_at(arguments[i]) : NULL;
        if (param->kind == GEO_DDI_HANDLE && param->depth == 0) {
            handle_check(id, pointer_at(arguments[i]), param->index);
        } else if (param->kind == GEO_DDI_HANDLE && pointer &&
                   (param->direction == GEO_DDI_IN || (param->count && !param->count_indirect))) {
            for (size_t k = 0; k < count_of(params, i, arguments); k++) {
                handle_check(id, pointer_at(pointer + k * sizeof(void *)), param->index);
            }
        } else if (pointer && param->kind == GEO_DDI_STRUCT && param->is_const &&
                   geo_ddi_structs[param->index].has_stype) {
            chain_check(id, pointer);
        } else if (pointer && (param->chain || strcmp(param->name, "pObjDesc") == 0)) {
            chain_check(id, pointer);
        }
    }
}

static bool fails(void)
{
    return atomic_load(&strict_state.result) != ZE_RESULT_SUCCESS;
}

/* A list, or one handle. */
static void handles_write(const struct geo_ddi_param *params, size_t i, void *const *arguments)
{
    const struct geo_ddi_param *param = &params[i];
    void **places = pointer_at(arguments[i]);
    uint32_t room = 1, total = 1;
    if (param->count_indirect) {
        uint32_t *count = pointer_at(arguments[param->count_param]);
        const int crowd = atomic_load(&strict_state.crowd);
        total = crowd ? (uint32_t)crowd : STRICT_LOOKED_UP;
        total = param->index == GEO_DDI_HANDLE_ze_driver_handle_t ? 1 : total;
        room = places && *count ? (*count < total ? *count : total) : 0;
        *count = room ? room : total;
    }
    for (uint32_t k = 0; places && k < room; k++) {
        places[k] = param->create ? object_make(param->index) : object_lasting(param->index, k);
    }
}

/* Everything that comes out, and what ends. */
static void handles_give(enum geo_ddi_function_id id, const struct geo_ddi_param *params,
                         void *const *arguments)
{
    for (size_t i = 0; i < geo_ddi_functions[id].param_count; i++) {
        const struct geo_ddi_param *param = &params[i];
        const bool exchanged = param->count && !param->count_indirect;
        if (param->kind != GEO_DDI_HANDLE) {
            continue;
        }
        if (param->release && pointer_at(arguments[i])) {
            object_destroy(id, pointer_at(arguments[i]));
        }
        if (param->depth && param->direction != GEO_DDI_IN && !exchanged) {
            handles_write(params, i, arguments);
        }
        if (param->depth && param->direction != GEO_DDI_IN && exchanged) { /* in another order */
            void **places = pointer_at(arguments[i]);
            const size_t count = count_of(params, i, arguments);
            void *first = places[0];
            memmove(places, places + 1, (count - 1) * sizeof(*places));
            places[count - 1] = first;
        }
    }
}

static void nulls_write(enum geo_ddi_function_id id, const struct geo_ddi_param *params,
                        void *const *arguments)
{
    for (size_t i = 0; i < geo_ddi_functions[id].param_count; i++) {
        if (params[i].kind == GEO_DDI_HANDLE && params[i].depth && !params[i].count &&
            params[i].direction != GEO_DDI_IN && !params[i].create) {
            memset(pointer_at(arguments[i]), 0, sizeof(void *));
        }
    }
}

/* What is known besides handles. */
static void facts_give(enum geo_ddi_function_id id, void *const *arguments)
{
    static const ze_api_version_t newest = ZE_API_VERSION_CURRENT;
    const char *minor = getenv("STRICT_VERSION");
    switch ((int)id) {
    case GEO_DDI_FN_zeDriverGetApiVersion: {
        const ze_api_version_t version =
            minor ? (ze_api_version_t)ZE_MAKE_VERSION(1, atoi(minor)) : newest;
        memcpy(pointer_at(arguments[1]), &version, sizeof(version));
        break;
    }
    case GEO_DDI_FN_zeDeviceGetProperties:
        ((ze_device_properties_t *)pointer_at(arguments[1]))->type = ZE_DEVICE_TYPE_GPU;
        ((ze_device_properties_t *)pointer_at(arguments[1]))->vendorId = STRICT_ID;
        break;
    case GEO_DDI_FN_zeKernelGetProperties:
        ((ze_kernel_properties_t *)pointer_at(arguments[1]))->numKernelArgs = STRICT_ARGUMENTS;
        break;
    default:
        break;
    }
}

static void values_check(enum geo_ddi_function_id id, void *const *arguments)
{
    if (id == GEO_DDI_FN_zeKernelSetArgumentValue) {
        size_t size;
        memcpy(&size, arguments[2], sizeof(size));
        if (size == sizeof(void *) && pointer_at(arguments[3])) {
            value_check(id, pointer_at(arguments[3]));
        }
    }
    void **values = id == GEO_DDI_FN_zeCommandListAppendLaunchKernelWithArguments
                        ? pointer_at(arguments[4])
                        : NULL;
    for (size_t i = 0; values && i < STRICT_ARGUMENTS; i += 2) {
        value_check(id, values[i]);
    }
    if (id == GEO_DDI_FN_zeMemGetIpcHandleWithProperties) {
        handle_check(id, pointer_at(arguments[1]), GEO_DDI_HANDLE_ze_physical_mem_handle_t);
    }
}

static ze_result_t call_answer(enum geo_ddi_function_id id, void *const *arguments)
{
    const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[id]);
    if (!geo_ddi_functions[id].handle_type && id != GEO_DDI_FN_zeModuleDynamicLink &&
        id != GEO_DDI_FN_zeModuleInspectLinkageExt) { /* drivers; nobody asks for anything else */
        handles_give(id, params, arguments);
        return ZE_RESULT_SUCCESS;
    }
    atomic_fetch_add(&strict_state.calls, 1);
    atomic_store(&strict_state.last, (int)id);
    arguments_check(id, params, arguments);
    values_check(id, arguments);
    if (id == GEO_DDI_FN_zeDriverGetExtensionFunctionAddress) {
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (!fails()) {
        handles_give(id, params, arguments);
        facts_give(id, arguments);
    } else if (atomic_load(&strict_state.result) == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE) {
        handles_write(params, 4, arguments); /* the build log */
    } else if (atomic_load(&strict_state.writes)) {
        nulls_write(id, params, arguments);
    }
    return (ze_result_t)atomic_load(&strict_state.result);
}

static void driver_called(enum geo_ddi_function_id id, void *const *arguments, void *answer,
                          size_t size)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[id];
    if (function->returns == GEO_DDI_RETURNS_HANDLE) {
        void *handle = object_lasting(function->returned, 0);
        if (function->handle_type) {
            atomic_store(&strict_state.last, (int)id);
            arguments_check(id, geo_ddi_function_params(function), arguments);
        }
        memcpy(answer, &handle, size);
    } else if (function->returns == GEO_DDI_RETURNS_NUMBER) {
        const uint32_t number = 7;
        handle_check(id, pointer_at(arguments[0]), GEO_DDI_HANDLE_ze_device_handle_t);
        memcpy(answer, &number, size);
    } else {
        const ze_result_t result = call_answer(id, arguments);
        memcpy(answer, &result, size);
    }
}

#include "tests/driver_side.inc"

static ze_result_t table_give(enum geo_ddi_table_id id, ze_api_version_t version, void *out)
{
    const char *minor = getenv("STRICT_VERSION");
    const ze_api_version_t own =
        minor ? (ze_api_version_t)ZE_MAKE_VERSION(1, atoi(minor)) : ZE_API_VERSION_CURRENT;
    return geo_ddi_table_copy(id, own < version ? own : version,
                              geo_ddi_table_of_const(&driver_tables, id), out);
}

#define GETTER(function, type, id)                                                                 \
    EXPORT ze_result_t ZE_APICALL function(ze_api_version_t version, type *out)                    \
    {                                                                                              \
        return table_give(id, version, out);                                                       \
    }

#include "tests/getters.inc"
