/* The walk over values, with the visitors that a validation layer is made of: arguments that may
 * not be, chains, rules, lives of handles. The calls are made here, no thunk is in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ddi/geo_ddi_chain.h"
#include "layers/walk.h"

const struct geo_layer_part *const geo_layer_parts[] = {NULL};

static struct geo_layer_call call_of(enum geo_ddi_function_id id, void **arguments, void *result)
{
    return (struct geo_layer_call){.id = id, .arguments = arguments, .result = result};
}

/* --- a visitor that writes down what it sees --- */

static char seen[4096];

static ze_result_t write_down(const struct geo_layer_value *value, void *user)
{
    static const char *const places[] = {"", ".", "[]", "->"};
    char line[200];
    (void)user;
    if (value->place == GEO_LAYER_LINK)
        snprintf(line, sizeof(line), "->%s ", value->structure ? value->structure->name : "?");
    else
        snprintf(line, sizeof(line), "%s%s ", places[value->place], value->param->name);
    strncat(seen, line, sizeof(seen) - strlen(seen) - 1);
    return ZE_RESULT_SUCCESS;
}

static const char *walk(const struct geo_layer_call *call, enum geo_layer_phase phase)
{
    seen[0] = '\0';
    assert_int_equal(geo_layer_walk(call, phase, write_down, NULL), ZE_RESULT_SUCCESS);
    return seen;
}

static int objects[8]; /* handles are their addresses */

static void arguments_members_and_elements_are_visited(void **state)
{
    (void)state;
    ze_context_handle_t context = (ze_context_handle_t)(void *)&objects[0];
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .count = 1};
    const ze_event_pool_desc_t *pdesc = &desc;
    uint32_t count = 2;
    ze_device_handle_t devices[2] = {(ze_device_handle_t)(void *)&objects[1], NULL};
    ze_device_handle_t *pdevices = devices;
    ze_event_pool_handle_t pool = (ze_event_pool_handle_t)(void *)&objects[2];
    ze_event_pool_handle_t *ppool = &pool;
    ze_result_t result = ZE_RESULT_SUCCESS;
    void *arguments[] = {&context, &pdesc, &count, &pdevices, &ppool};
    struct geo_layer_call call = call_of(GEO_DDI_FN_zeEventPoolCreate, arguments, &result);
    assert_string_equal(walk(&call, GEO_LAYER_BEFORE),
                        "hContext desc []desc .stype .pNext .flags .count numDevices phDevices "
                        "[]phDevices []phDevices phEventPool ");
    assert_string_equal(walk(&call, GEO_LAYER_AFTER), "[]phEventPool ");
    result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    assert_string_equal(walk(&call, GEO_LAYER_AFTER), "");
    pdesc = NULL;
    pdevices = NULL;
    assert_string_equal(walk(&call, GEO_LAYER_BEFORE),
                        "hContext desc numDevices phDevices phEventPool ");
}

/* A list that gives as many as fit. */
static void lists_are_as_long_as_the_call_said(void **state)
{
    (void)state;
    ze_driver_handle_t driver = (ze_driver_handle_t)(void *)&objects[0];
    uint32_t count = 3, *pcount = &count;
    ze_device_handle_t devices[3], *pdevices = devices;
    ze_result_t result = ZE_RESULT_SUCCESS;
    void *arguments[] = {&driver, &pcount, &pdevices};
    struct geo_layer_call call = call_of(GEO_DDI_FN_zeDeviceGet, arguments, &result);
    assert_string_equal(walk(&call, GEO_LAYER_BEFORE), "hDriver pCount []pCount phDevices ");
    count = 1;
    assert_string_equal(walk(&call, GEO_LAYER_AFTER), "[]pCount []phDevices ");
    pdevices = NULL;
    assert_string_equal(walk(&call, GEO_LAYER_AFTER), "[]pCount ");
}

/* Properties: the chain goes in, what stands in them comes out. */
static void chains_go_in_and_their_members_come_out(void **state)
{
    (void)state;
    ze_device_handle_t device = (ze_device_handle_t)(void *)&objects[0];
    ze_base_properties_t unknown = {.stype = (ze_structure_type_t)0x7ffffff0};
    ze_device_image_properties_t image = {.stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES};
    ze_device_pitched_alloc_exp_properties_t pitched = {
        .stype = ZE_STRUCTURE_TYPE_PITCHED_ALLOC_DEVICE_EXP_PROPERTIES, .pNext = &unknown};
    ze_device_image_properties_t *pimage = &image;
    ze_result_t result = ZE_RESULT_SUCCESS;
    image.pNext = &pitched;
    void *arguments[] = {&device, &pimage};
    struct geo_layer_call call = call_of(GEO_DDI_FN_zeDeviceGetImageProperties, arguments, &result);
    assert_non_null(strstr(walk(&call, GEO_LAYER_BEFORE),
                           "->ze_device_pitched_alloc_exp_properties_t .stype .pNext ->? "));
    assert_null(strstr(seen, "maxImageDims1D"));
    walk(&call, GEO_LAYER_AFTER);
    assert_non_null(strstr(seen, ".maxImageDims1D "));
    assert_non_null(strstr(seen, ".maxImageLinearWidth "));
    image.stype = (ze_structure_type_t)0; /* nobody initialised it: no chain */
    assert_null(strstr(walk(&call, GEO_LAYER_BEFORE), "->"));
}

/* Arrays of pointers to structures, and arrays in structures. */
static void nested_arrays_are_followed(void **state)
{
    (void)state;
    ze_context_handle_t context = (ze_context_handle_t)(void *)&objects[0];
    ze_device_handle_t device = (ze_device_handle_t)(void *)&objects[1];
    ze_module_constants_t constants = {.numConstants = 0};
    const ze_module_constants_t *list[2] = {&constants, NULL};
    ze_module_program_exp_desc_t program = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC, .count = 2, .pConstants = list};
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .pNext = &program};
    const ze_module_desc_t *pdesc = &desc;
    ze_module_handle_t module, *pmodule = &module;
    ze_module_build_log_handle_t *plog = NULL;
    ze_result_t result = ZE_RESULT_SUCCESS;
    void *arguments[] = {&context, &device, &pdesc, &pmodule, &plog};
    struct geo_layer_call call = call_of(GEO_DDI_FN_zeModuleCreate, arguments, &result);
    walk(&call, GEO_LAYER_BEFORE);
    assert_non_null(strstr(
        seen,
        ".pConstants []pConstants .numConstants .pConstantIds .pConstantValues []pConstants "));
    assert_string_equal(walk(&call, GEO_LAYER_AFTER), "[]phModule ");
}

/* --- a checker of arguments: what a validation layer does in its `before` --- */

static ze_result_t check_value(const struct geo_layer_value *value, void *user)
{
    const struct geo_layer_call *call = user;
    const struct geo_ddi_param *param = value->param;
    uint32_t number;
    if (value->place == GEO_LAYER_LINK) {
        const bool fits = !value->structure ||
                          (value->base ? geo_ddi_struct_extends(value->structure, value->base)
                                       : geo_ddi_struct_extends_call(value->structure, call->id));
        return fits ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    const bool element = value->place == GEO_LAYER_ELEMENT;
    const bool pointer = param->depth > (element ? 1 : 0) || param->kind == GEO_DDI_CALLBACK;
    if (pointer || param->kind == GEO_DDI_HANDLE) {
        void *content = *(void **)value->address;
        if (content || (param->optional && !element))
            return ZE_RESULT_SUCCESS;
        return pointer ? ZE_RESULT_ERROR_INVALID_NULL_POINTER : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    }
    if (param->size != sizeof(number) || param->index < 0)
        return ZE_RESULT_SUCCESS;
    memcpy(&number, value->address, sizeof(number));
    const struct geo_ddi_enum *e = &geo_ddi_enums[param->index];
    if (param->kind == GEO_DDI_ENUM && !geo_ddi_enum_value_name(e, (int32_t)number))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    if (param->kind == GEO_DDI_FLAGS && (number & ~e->mask))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t check(struct geo_layer_call *call)
{
    struct geo_ddi_breach breach;
    ze_result_t result = geo_layer_walk(call, GEO_LAYER_BEFORE, check_value, call);
    if (result == ZE_RESULT_SUCCESS)
        result = geo_ddi_call_check(call->id, call->arguments, 0, &breach);
    return result;
}

static void a_checker_finds_wrong_arguments(void **state)
{
    (void)state;
    ze_context_handle_t context = (ze_context_handle_t)(void *)&objects[0];
    ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_device_mem_alloc_desc_t *pdesc = &desc;
    size_t size = 64, alignment = 8;
    ze_device_handle_t device = (ze_device_handle_t)(void *)&objects[1];
    void *pointer, **pptr = &pointer;
    ze_result_t result = ZE_RESULT_SUCCESS;
    void *arguments[] = {&context, &pdesc, &size, &alignment, &device, &pptr};
    struct geo_layer_call call = call_of(GEO_DDI_FN_zeMemAllocDevice, arguments, &result);
    assert_int_equal(check(&call), ZE_RESULT_SUCCESS);
    device = NULL;
    assert_int_equal(check(&call), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    device = (ze_device_handle_t)(void *)&objects[1];
    pptr = NULL;
    assert_int_equal(check(&call), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    pptr = &pointer;
    desc.flags = GEO_FLAGS_ALL(ze_device_mem_alloc_flags_t) + 1;
    assert_int_equal(check(&call), ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc.flags = 0;
    size = 0;
    assert_int_equal(check(&call), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    size = 64;
    alignment = 24;
    assert_int_equal(check(&call), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    alignment = 0;
    ze_external_memory_import_fd_t import = {.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMPORT_FD};
    desc.pNext = &import;
    assert_int_equal(check(&call), ZE_RESULT_SUCCESS);
    import.stype = ZE_STRUCTURE_TYPE_EXTERNAL_MEMORY_EXPORT_FD; /* stands elsewhere */
    assert_int_equal(check(&call), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

static void a_checker_knows_rules_over_two_arguments(void **state)
{
    (void)state;
    ze_command_list_handle_t list = (ze_command_list_handle_t)(void *)&objects[0];
    int memory[4];
    void *ptr = memory;
    const void *pattern = memory;
    size_t pattern_size = 4, size = 16;
    ze_event_handle_t signal = NULL, events[1] = {NULL}, *waits = NULL;
    uint32_t count = 0;
    ze_result_t result = ZE_RESULT_SUCCESS;
    void *arguments[] = {&list, &ptr, &pattern, &pattern_size, &size, &signal, &count, &waits};
    struct geo_layer_call call =
        call_of(GEO_DDI_FN_zeCommandListAppendMemoryFill, arguments, &result);
    assert_int_equal(check(&call), ZE_RESULT_SUCCESS);
    size = 15;
    assert_int_equal(check(&call), ZE_RESULT_ERROR_INVALID_SIZE);
    size = 16;
    count = 1;
    assert_int_equal(check(&call), ZE_RESULT_ERROR_INVALID_SIZE); /* no array */
    waits = events;
    assert_int_equal(check(&call), ZE_RESULT_ERROR_INVALID_NULL_HANDLE); /* in the array */
    count = 0;
    assert_int_equal(check(&call), ZE_RESULT_SUCCESS);
}

/* --- a record of handles: what a leak checker does --- */

static size_t alive;

static ze_result_t remember(const struct geo_layer_value *value, void *user)
{
    (void)user;
    if (value->place == GEO_LAYER_ELEMENT && value->param->create)
        alive++;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t forget(const struct geo_layer_value *value, void *user)
{
    (void)user;
    if (value->place == GEO_LAYER_ARGUMENT && value->param->release)
        alive--;
    return ZE_RESULT_SUCCESS;
}

static void a_record_of_lives_sees_what_is_made_and_released(void **state)
{
    (void)state;
    ze_event_pool_handle_t pool = (ze_event_pool_handle_t)(void *)&objects[0];
    ze_event_handle_t event = (ze_event_handle_t)(void *)&objects[1], *pevent = &event;
    ze_event_pool_handle_t *ppool = &pool;
    const ze_event_desc_t *desc = NULL;
    ze_result_t result = ZE_RESULT_SUCCESS;
    void *create[] = {&pool, &desc, &pevent};
    void *get[] = {&event, &ppool};
    void *destroy[] = {&event};
    struct geo_layer_call made = call_of(GEO_DDI_FN_zeEventCreate, create, &result);
    struct geo_layer_call got = call_of(GEO_DDI_FN_zeEventGetEventPool, get, &result);
    struct geo_layer_call ended = call_of(GEO_DDI_FN_zeEventDestroy, destroy, &result);
    geo_layer_walk(&made, GEO_LAYER_AFTER, remember, NULL);
    geo_layer_walk(&got, GEO_LAYER_AFTER, remember, NULL);
    assert_int_equal(alive, 1);
    geo_layer_walk(&ended, GEO_LAYER_BEFORE, forget, NULL);
    assert_int_equal(alive, 0);
}

/* Every function can be walked with nothing but zeros, and shows each argument once. */
static void every_function_can_be_walked(void **state)
{
    (void)state;
    static uint64_t zeros[64];
    void *arguments[32];
    ze_result_t result = ZE_RESULT_ERROR_UNKNOWN;
    for (size_t i = 0; i < 32; i++)
        arguments[i] = zeros;
    for (int id = 0; id < GEO_DDI_FUNCTION_COUNT; id++) {
        struct geo_layer_call call = call_of((enum geo_ddi_function_id)id, arguments, &result);
        const struct geo_ddi_function *function = &geo_ddi_functions[id];
        const struct geo_ddi_param *params = geo_ddi_function_params(function);
        walk(&call, GEO_LAYER_BEFORE);
        const char *at = seen;
        for (size_t k = 0; k < function->param_count; k++) {
            at = strstr(at, params[k].name);
            assert_non_null(at);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments_members_and_elements_are_visited),
        cmocka_unit_test(lists_are_as_long_as_the_call_said),
        cmocka_unit_test(chains_go_in_and_their_members_come_out),
        cmocka_unit_test(nested_arrays_are_followed),
        cmocka_unit_test(a_checker_finds_wrong_arguments),
        cmocka_unit_test(a_checker_knows_rules_over_two_arguments),
        cmocka_unit_test(a_record_of_lives_sees_what_is_made_and_released),
        cmocka_unit_test(every_function_can_be_walked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
