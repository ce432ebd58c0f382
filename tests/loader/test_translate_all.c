/* Every function of the API, called on a driver whose handles carry no dispatch tables, beside
 * another one that has them and a third like the first. The driver (strict_driver.c) looks at each
 * handle that comes to it; this program at each that it gets. What a call needs is made from the
 * descriptions of the API: tests/callers.inc has a call of each function. */
#include "scenario.h"
#include "strict_rig.h"

#include "ddi/geo_ddi.h"

#include <level_zero/loader/ze_loader.h>
#include <level_zero/zer_api.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    PARAMS = 16,
    ROOM = 64,      /* of a list */
    ARGUMENTS = 40, /* of a kernel of the strict driver */
};

#define THREE_DRIVERS "ZE_ENABLE_ALT_DRIVERS={strict},{b},{strict2}"

#define UNTOUCHED ((void *)(uintptr_t)0xA5A5A5A5A5A5A5A5u)

/* A call's arguments, and the memory behind them. */
struct plan {
    uint64_t arguments[PARAMS][4];
    void *handles[PARAMS][ROOM]; /* arrays in, lists and single handles out */
    void *before[PARAMS][ROOM];  /* the arrays as they were */
    uint32_t counts[PARAMS];
    size_t given; /* handles that go in */
};

static struct geo_ddi_table_set wrapped; /* the loader's exported functions */
static const struct plan *current;
static struct strict_state *state;
static ze_driver_handle_t driver;
static void *known[GEO_DDI_HANDLE_COUNT]; /* an object of each type */
static uint32_t version_minor = GEO_DDI_MINOR;
static size_t array_length;

static uint64_t scratch[8192];

static void arguments_invent(enum geo_ddi_function_id id, void *const *arguments)
{
    const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[id]);
    for (size_t i = 0; i < geo_ddi_functions[id].param_count; i++) {
        memcpy(arguments[i], current->arguments[i], params[i].size);
    }
}

#include "tests/callers.inc"

typedef ze_result_t (*table_getter)(ze_api_version_t version, void *table);

#define GETTER(function, type, id) [id] = (table_getter)(function),
static const table_getter getters[GEO_DDI_TABLE_COUNT] = {
#include "tests/getters.inc"
};

#if defined(__clang__)
__attribute__((no_sanitize("function"))) /* one type for functions that differ behind pointers */
#endif
static void exports_find(void)
{
    for (size_t i = 0; i < GEO_DDI_TABLE_COUNT; i++) {
        CHECK_RESULT(getters[i](ZE_API_VERSION_CURRENT,
                                geo_ddi_table_of(&wrapped, (enum geo_ddi_table_id)i)),
                     ZE_RESULT_SUCCESS);
    }
}

/* ---- what a call needs ---- */

static bool is_loaders(const void *handle)
{
    return handle && ((const ze_handle_t *)handle)->pCore == ((const ze_handle_t *)driver)->pCore;
}

/* Whether the driver has the function: older ones have the beginnings of the tables. */
static bool is_there(enum geo_ddi_function_id id)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[id];
    return function->slot < geo_ddi_tables[function->table].slots[version_minor];
}

/* The driver's functions; the others are the loader's own, or a layer's. */
static bool is_drivers(enum geo_ddi_function_id id)
{
    const char *name = geo_ddi_functions[id].name;
    return (geo_ddi_functions[id].handle_type || id == GEO_DDI_FN_zeModuleDynamicLink ||
            id == GEO_DDI_FN_zeModuleInspectLinkageExt) &&
           strncmp(name, "zer", 3) != 0 && strncmp(name, "zetTracerExp", 12) != 0;
}

static bool makes(enum geo_ddi_function_id id, int type)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[id];
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    bool out = false, in = false;
    for (size_t i = 0; i < function->param_count; i++) {
        const bool same = params[i].kind == GEO_DDI_HANDLE && params[i].index == type;
        const bool counted = params[i].count && !params[i].count_indirect;
        out |= same && params[i].depth == 1 && (params[i].direction & GEO_DDI_OUT);
        in |= same && (params[i].depth == 0 || params[i].direction == GEO_DDI_IN || counted);
    }
    return out && !in && is_drivers(id) && is_there(id);
}

static ze_result_t plan_call(struct plan *plan, enum geo_ddi_function_id id);
static bool plan_make(struct plan *plan, enum geo_ddi_function_id id);

/* Where a plan has got an object of the type. */
static void *plan_out(const struct plan *plan, enum geo_ddi_function_id id, int type)
{
    const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[id]);
    for (size_t i = 0; i < geo_ddi_functions[id].param_count; i++) {
        if (params[i].kind == GEO_DDI_HANDLE && params[i].index == type && params[i].depth == 1 &&
            params[i].direction != GEO_DDI_IN) {
            return plan->handles[i][0];
        }
    }
    return NULL;
}

/* An object of a type, made by the first function that makes one of what there is or can be made;
 * NULL: the driver is too old, or it takes what is being made just now. */
static void *object_of(int type)
{
    static bool busy[GEO_DDI_HANDLE_COUNT];
    if (known[type] || busy[type]) {
        return known[type];
    }
    struct plan *plan = calloc(1, sizeof(*plan));
    CHECK(plan);
    busy[type] = true;
    for (int id = 0; !known[type] && id < GEO_DDI_FUNCTION_COUNT; id++) {
        const enum geo_ddi_function_id function = (enum geo_ddi_function_id)id;
        if (makes(function, type) && plan_make(plan, function)) {
            CHECK_RESULT(plan_call(plan, function), ZE_RESULT_SUCCESS);
            known[type] = plan_out(plan, function, type);
            CHECK(is_loaders(known[type]));
        }
    }
    busy[type] = false;
    free(plan);
    return known[type];
}

static void plan_pointer(struct plan *plan, size_t i, const void *pointer)
{
    memcpy(plan->arguments[i], &pointer, sizeof(pointer));
}

/* The number of elements that go in stands in another argument. */
static void plan_count(struct plan *plan, const struct geo_ddi_param *params, size_t i)
{
    const uint32_t length = (uint32_t)array_length;
    if (params[i].count && params[i].count_param >= 0 && !params[i].count_indirect) {
        memcpy(plan->arguments[params[i].count_param], &length, sizeof(length));
    }
}

static bool plan_handle(struct plan *plan, const struct geo_ddi_param *params, size_t i)
{
    const struct geo_ddi_param *param = &params[i];
    const bool in = param->direction == GEO_DDI_IN || (param->count && !param->count_indirect);
    if (param->depth == 0) {
        plan_pointer(plan, i, object_of(param->index));
        plan->given++;
        return known[param->index] != NULL;
    }
    plan_pointer(plan, i, plan->handles[i]);
    for (size_t k = 0; k < ROOM; k++) {
        plan->handles[i][k] = in && k < array_length ? object_of(param->index) : UNTOUCHED;
    }
    if (in) {
        plan->given += array_length;
        memcpy(plan->before[i], plan->handles[i], sizeof(plan->before[i]));
        return known[param->index] != NULL;
    }
    if (param->count_indirect) {
        plan->counts[param->count_param] = ROOM;
    }
    return true;
}

static bool plan_param(struct plan *plan, const struct geo_ddi_param *params, size_t i)
{
    const struct geo_ddi_param *param = &params[i];
    plan_count(plan, params, i);
    if (param->kind == GEO_DDI_HANDLE) {
        return plan_handle(plan, params, i);
    }
    if (param->depth && param->element_size == sizeof(uint32_t) && !param->count) {
        plan_pointer(plan, i, &plan->counts[i]);
    } else if (param->depth && !param->chain) {
        plan_pointer(plan, i, scratch);
    } else if (!plan->arguments[i][0] && param->kind == GEO_DDI_VALUE) {
        plan->arguments[i][0] = 1;
    }
    return true;
}

/* ---- handles without a type ---- */

static void *values[2 * ARGUMENTS]; /* pointers to the second half */
static ze_runtime_requirements_module_desc_t requirements;
static ze_mutable_commands_exp_desc_t changes;
static ze_mutable_group_count_exp_desc_t change_of_count;
static ze_mutable_kernel_argument_exp_desc_t change_of_argument[3];

static bool values_make(struct plan *plan)
{
    for (size_t i = 0; i < ARGUMENTS; i++) {
        values[ARGUMENTS + i] = i % 2 ? (void *)(uintptr_t)(0x1000 + i)
                                      : object_of(i % 4 ? GEO_DDI_HANDLE_ze_image_handle_t
                                                        : GEO_DDI_HANDLE_ze_sampler_handle_t);
        values[i] = &values[ARGUMENTS + i];
    }
    plan->given += ARGUMENTS / 2;
    return values[ARGUMENTS] && values[ARGUMENTS + 2];
}

static bool changes_make(struct plan *plan)
{
    static void *image, *number = (void *)(uintptr_t)0x77;
    image = object_of(GEO_DDI_HANDLE_ze_image_handle_t);
    changes = (ze_mutable_commands_exp_desc_t){ZE_STRUCTURE_TYPE_MUTABLE_COMMANDS_EXP_DESC,
                                               &change_of_count, 0};
    change_of_count = (ze_mutable_group_count_exp_desc_t){
        .stype = ZE_STRUCTURE_TYPE_MUTABLE_GROUP_COUNT_EXP_DESC, .pNext = &change_of_argument[0]};
    for (size_t i = 0; i < 3; i++) { /* an image, 4 bytes that would be one, an image */
        change_of_argument[i] = (ze_mutable_kernel_argument_exp_desc_t){
            .stype = ZE_STRUCTURE_TYPE_MUTABLE_KERNEL_ARGUMENT_EXP_DESC,
            .pNext = i < 2 ? &change_of_argument[i + 1] : NULL,
            .argSize = i == 1 ? 4 : sizeof(image),
            .pArgValue = i == 1 ? (void *)&number : (void *)&image};
    }
    plan->given += 2;
    return image != NULL;
}

static bool plan_untyped(struct plan *plan, enum geo_ddi_function_id id)
{
    switch ((int)id) {
    case GEO_DDI_FN_zeCommandListAppendLaunchKernelWithArguments:
        plan_pointer(plan, 4, values);
        return values_make(plan);
    case GEO_DDI_FN_zeMemGetIpcHandleWithProperties:
        plan_pointer(plan, 1, object_of(GEO_DDI_HANDLE_ze_physical_mem_handle_t));
        plan->given++;
        return known[GEO_DDI_HANDLE_ze_physical_mem_handle_t] != NULL;
    case GEO_DDI_FN_zeDeviceGetRuntimeRequirements:
        requirements = (ze_runtime_requirements_module_desc_t){
            .stype = ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_MODULE_DESC,
            .requirementsSrc = object_of(GEO_DDI_HANDLE_ze_module_handle_t)};
        plan_pointer(plan, 1, &requirements);
        plan->given++;
        return requirements.requirementsSrc != NULL;
    case GEO_DDI_FN_zeCommandListUpdateMutableCommandsExp:
        plan_pointer(plan, 1, &changes);
        return changes_make(plan);
    case GEO_DDI_FN_zeKernelSetArgumentValue: {
        static void *sampler;
        sampler = object_of(GEO_DDI_HANDLE_ze_sampler_handle_t);
        plan->arguments[2][0] = sizeof(sampler);
        plan_pointer(plan, 3, &sampler);
        plan->given++;
        return sampler != NULL;
    }
    default:
        return true;
    }
}

/* Right arguments for a function; false: the driver is too old to have what they are made of. */
static bool plan_make(struct plan *plan, enum geo_ddi_function_id id)
{
    const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[id]);
    bool complete = true;
    memset(plan, 0, sizeof(*plan));
    for (size_t i = 0; i < geo_ddi_functions[id].param_count; i++) {
        complete &= plan_param(plan, params, i);
    }
    return plan_untyped(plan, id) && complete;
}

static ze_result_t plan_call(struct plan *plan, enum geo_ddi_function_id id)
{
    uint64_t answer = 0;
    const struct plan *outer = current;
    current = plan;
    callers[id](&answer);
    current = outer;
    if (geo_ddi_functions[id].returns == GEO_DDI_RETURNS_HANDLE) {
        CHECK(is_loaders((const void *)(uintptr_t)answer));
        return ZE_RESULT_SUCCESS;
    }
    return (ze_result_t)answer;
}

/* ---- what must come of it ---- */

static void param_check(const struct plan *plan, const struct geo_ddi_param *params, size_t i)
{
    const struct geo_ddi_param *param = &params[i];
    const bool in = param->count && !param->count_indirect;
    if (param->kind != GEO_DDI_HANDLE || param->depth == 0) {
        return;
    }
    if (param->direction == GEO_DDI_IN) {
        CHECK(memcmp(plan->handles[i], plan->before[i], sizeof(plan->before[i])) == 0);
        return;
    }
    size_t count = in ? array_length : 1;
    if (param->count_indirect) {
        count = plan->counts[param->count_param];
        CHECK(count == STRICT_LOOKED_UP);
    }
    for (size_t k = 0; k < ROOM; k++) {
        CHECK(k < count ? is_loaders(plan->handles[i][k]) : plan->handles[i][k] == UNTOUCHED);
    }
}

/* What was destroyed is refused from now on, and another one is made when it is needed. */
static void released_check(struct plan *plan, enum geo_ddi_function_id id)
{
    const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[id]);
    for (size_t i = 0; i < geo_ddi_functions[id].param_count; i++) {
        if (params[i].kind == GEO_DDI_HANDLE && params[i].release) {
            CHECK_RESULT(plan_call(plan, id), ZE_RESULT_ERROR_INVALID_ARGUMENT);
            known[params[i].index] = NULL;
        }
    }
}

static void function_check(struct plan *plan, enum geo_ddi_function_id id)
{
    const struct geo_ddi_param *params = geo_ddi_function_params(&geo_ddi_functions[id]);
    const ze_result_t result = plan_call(plan, id);
    const bool named = id == GEO_DDI_FN_zeDriverGetExtensionFunctionAddress;
    const int last = state->last, handles = state->handles;
    if (result != (named ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_SUCCESS) ||
        last != (int)id || (size_t)handles != plan->given) {
        fprintf(stderr, "%s: 0x%x, last %s, %d handles of %zu\n", geo_ddi_functions[id].name,
                (unsigned)result, geo_ddi_functions[last].name, handles, plan->given);
        CHECK(!"as it should be");
    }
    for (size_t i = 0; i < geo_ddi_functions[id].param_count; i++) {
        param_check(plan, params, i);
    }
    released_check(plan, id);
}

static void absent_check(struct plan *plan, enum geo_ddi_function_id id)
{
    state->last = -1;
    if (geo_ddi_functions[id].returns == GEO_DDI_RESULT) {
        CHECK_RESULT(plan_call(plan, id), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    }
    CHECK(state->last != (int)id);
}

/* Calls every function of the driver; returns how many it has. */
static size_t all_call(size_t length)
{
    struct plan *plan = calloc(1, sizeof(*plan));
    size_t called = 0;
    CHECK(plan);
    array_length = length;
    memset(known, 0, sizeof(known));
    known[GEO_DDI_HANDLE_ze_driver_handle_t] = driver;
    for (int id = 0; id < GEO_DDI_FUNCTION_COUNT; id++) {
        const enum geo_ddi_function_id function = (enum geo_ddi_function_id)id;
        if (!is_drivers(function)) {
            continue;
        }
        const bool complete = plan_make(plan, function);
        if (is_there(function) && complete) {
            function_check(plan, function);
            called++;
        } else if (!is_there(function) && complete) {
            absent_check(plan, function);
        }
    }
    free(plan);
    return called;
}

/* All of the API but for what is not a driver's: initialisation and lists of drivers, zer, the
 * tracers. */
enum { DRIVERS_FUNCTIONS = GEO_DDI_FUNCTION_COUNT - 5 - 4 - 5 };

static void every_function(void)
{
    ze_driver_handle_t drivers[4];
    exports_find();
    CHECK(strict_drivers(drivers) == 3);
    static const char *const names[] = {"strict", "b", "strict2"};
    for (size_t i = 0; i < 3; i += 2) {
        driver = drivers[i];
        state = strict_state_of(names[i]);
        CHECK(all_call(3) == DRIVERS_FUNCTIONS);
        CHECK(all_call(ROOM - 1) == DRIVERS_FUNCTIONS);
    }
    CHECK(((ze_handle_t *)drivers[0])->pCore != ((ze_handle_t *)drivers[2])->pCore);
}

/* INI-5, GEN-6 */
static void test_every_function_reaches_the_driver_with_its_own_handles(void **unused)
{
    (void)unused;
    scenario_passes("every_function", THREE_DRIVERS, NULL);
}

static void test_layers_stand_above_the_translation(void **unused)
{
    (void)unused;
    scenario_passes("every_function", THREE_DRIVERS, "ZE_ENABLE_TRACING_LAYER=1", NULL);
    scenario_passes("every_function", THREE_DRIVERS, "ZE_ENABLE_VALIDATION_LAYER=1", NULL);
}

static void every_version(void)
{
    ze_driver_handle_t drivers[4];
    version_minor = (uint32_t)atoi(getenv("STRICT_VERSION"));
    exports_find();
    CHECK(strict_drivers(drivers) == 3);
    driver = drivers[0];
    state = strict_state_of("strict");
    const size_t called = all_call(3);
    CHECK(called > 180 && called <= DRIVERS_FUNCTIONS);
    driver = drivers[2];
    state = strict_state_of("strict2");
    CHECK(all_call(3) == called);
}

/* GEN-6 */
static void test_drivers_of_every_version_work_beside_others(void **unused)
{
    (void)unused;
    for (int minor = 0; minor <= GEO_DDI_MINOR; minor++) {
        char variable[32];
        snprintf(variable, sizeof(variable), "STRICT_VERSION=%d", minor);
        scenario_passes("every_version", THREE_DRIVERS, variable, NULL);
    }
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {S(every_function), S(every_version)};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_function_reaches_the_driver_with_its_own_handles),
        cmocka_unit_test(test_layers_stand_above_the_translation),
        cmocka_unit_test(test_drivers_of_every_version_work_beside_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
