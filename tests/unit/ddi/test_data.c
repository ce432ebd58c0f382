/* The API's description as the program sees it: tables and their prefixes, parameters, names,
 * structures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ddi/geo_ddi.h"
#include "ddi/geo_ddi_chain.h"

static size_t size_at(const char *getter, uint32_t minor)
{
    const struct geo_ddi_table *table = geo_ddi_table_find(getter);
    assert_non_null(table);
    return geo_ddi_table_size(table, (ze_api_version_t)ZE_MAKE_VERSION(1, minor));
}

/* GEN-6, GEN-7 */
static void table_sizes_are_those_of_each_version(void **state)
{
    (void)state;
    assert_int_equal(size_at("zeGetCommandListProcAddrTable", 0), 26 * sizeof(void *));
    assert_int_equal(size_at("zeGetCommandListProcAddrTable", 4), 224); /* Debian's loader 1.8 */
    assert_int_equal(size_at("zeGetCommandListProcAddrTable", 8), 232);
    assert_int_equal(size_at("zeGetCommandListProcAddrTable", 17), 416);
    assert_int_equal(size_at("zeGetCommandListProcAddrTable", GEO_DDI_MINOR),
                     sizeof(ze_command_list_dditable_t));
    assert_int_equal(size_at("zeGetMemProcAddrTable", 0), 9 * sizeof(void *));
    assert_int_equal(size_at("zeGetGraphProcAddrTable", 16), 0);
    assert_int_equal(size_at("zeGetGraphProcAddrTable", 17), 7 * sizeof(void *));
    assert_int_equal(size_at("zerGetGlobalProcAddrTable", 13), 0);
    assert_int_equal(size_at("zerGetGlobalProcAddrTable", 14), 4 * sizeof(void *));
    /* 1.3 put a function into the middle of this one: what was common before ends there. */
    assert_int_equal(size_at("zesGetDeviceProcAddrTable", 2),
                     offsetof(zes_device_dditable_t, pfnGetCardPowerDomain));
}

/* GEN-4, GEN-7 */
static void newer_minor_gets_all_and_other_major_nothing(void **state)
{
    (void)state;
    const struct geo_ddi_table *mem = geo_ddi_table_find("zeGetMemProcAddrTable");
    assert_int_equal(geo_ddi_table_size(mem, (ze_api_version_t)ZE_MAKE_VERSION(1, 99)),
                     sizeof(ze_mem_dditable_t));
    assert_int_equal(geo_ddi_table_size(mem, (ze_api_version_t)ZE_MAKE_VERSION(2, 0)), 0);
    assert_int_equal(geo_ddi_table_size(mem, (ze_api_version_t)0), 0);
    assert_int_equal(geo_ddi_table_size(mem, ZE_API_VERSION_FORCE_UINT32), 0);
}

/* GEN-6 */
static void tables_grow_to_their_whole_size(void **state)
{
    (void)state;
    size_t functions = 0;
    for (int i = 0; i < GEO_DDI_TABLE_COUNT; i++) {
        const struct geo_ddi_table *table = &geo_ddi_tables[i];
        for (int minor = 1; minor <= GEO_DDI_MINOR; minor++)
            assert_true(table->slots[minor - 1] <= table->slots[minor]);
        assert_int_equal(table->slots[GEO_DDI_MINOR], table->slot_count);
        assert_int_equal(table->function_first, functions);
        for (size_t slot = 0; slot < table->slot_count; slot++) {
            assert_int_equal(geo_ddi_functions[functions + slot].table, i);
            assert_int_equal(geo_ddi_functions[functions + slot].slot, slot);
        }
        functions += table->slot_count;
    }
    assert_int_equal(functions, GEO_DDI_FUNCTION_COUNT);
}

/* GEN-6, GEN-24 */
static void copy_writes_only_the_part_that_a_version_has(void **state)
{
    (void)state;
    unsigned char from[sizeof(ze_command_list_dditable_t)];
    unsigned char to[sizeof(from)];
    memset(from, 0x11, sizeof(from));
    memset(to, 0xee, sizeof(to));
    assert_int_equal(geo_ddi_table_copy(GEO_DDI_TABLE_ze_CommandList, ZE_API_VERSION_1_8, from, to),
                     ZE_RESULT_SUCCESS);
    for (size_t i = 0; i < sizeof(to); i++)
        assert_int_equal(to[i], i < 232 ? 0x11 : 0xee);
    assert_int_equal(
        geo_ddi_table_copy(GEO_DDI_TABLE_ze_CommandList, ZE_API_VERSION_1_8, from, NULL),
        ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    memset(to, 0xee, sizeof(to));
    assert_int_equal(geo_ddi_table_copy(GEO_DDI_TABLE_ze_CommandList,
                                        (ze_api_version_t)ZE_MAKE_VERSION(2, 0), from, to),
                     ZE_RESULT_ERROR_UNSUPPORTED_VERSION);
    assert_int_equal(to[0], 0xee);
}

static void functions_are_found_by_name(void **state)
{
    (void)state;
    const struct geo_ddi_function *f = geo_ddi_function_find("zeMemAllocDevice");
    assert_non_null(f);
    assert_ptr_equal(f, &geo_ddi_functions[GEO_DDI_FN_zeMemAllocDevice]);
    assert_string_equal(f->handle_type, "ze_context_handle_t");
    assert_int_equal(geo_ddi_function_api(f), GEO_DDI_ZE);
    assert_string_equal(geo_ddi_function_table(f)->name, "Mem");
    assert_int_equal(f->slot * sizeof(void *), offsetof(ze_mem_dditable_t, pfnAllocDevice));
    assert_null(geo_ddi_functions[GEO_DDI_FN_zeInit].handle_type);
    assert_true(geo_ddi_functions[GEO_DDI_FN_zeInit].deprecated);
    assert_int_equal(geo_ddi_functions[GEO_DDI_FN_zeInitDrivers].since_minor, 10);
    assert_null(geo_ddi_function_find("zeMemAlloc"));
    assert_null(geo_ddi_table_find("zeGetNothingProcAddrTable"));
}

static const struct geo_ddi_param *param(const char *function, const char *name)
{
    const struct geo_ddi_function *f = geo_ddi_function_find(function);
    assert_non_null(f);
    const struct geo_ddi_param *params = geo_ddi_function_params(f);
    for (size_t i = 0; i < f->param_count; i++) {
        if (strcmp(params[i].name, name) == 0)
            return &params[i];
    }
    fail_msg("%s has no parameter %s", function, name);
    return NULL;
}

static void parameters_tell_kind_direction_and_count(void **state)
{
    (void)state;
    const struct geo_ddi_param *p = param("zeDeviceGet", "phDevices");
    assert_int_equal(p->kind, GEO_DDI_HANDLE);
    assert_int_equal(p->depth, 1);
    assert_int_equal(p->direction, GEO_DDI_INOUT);
    assert_true(p->optional);
    assert_string_equal(p->count, "*pCount");
    assert_int_equal(p->count_param, 1);
    assert_true(p->count_indirect);
    assert_int_equal(p->element_size, sizeof(ze_device_handle_t));
    p = param("zeCommandListAppendBarrier", "phWaitEvents");
    assert_string_equal(p->count, "numWaitEvents");
    assert_false(p->count_indirect);
    p = param("zeMemAllocDevice", "device_desc");
    assert_int_equal(p->kind, GEO_DDI_STRUCT);
    assert_true(p->is_const);
    assert_string_equal(geo_ddi_structs[p->index].name, "ze_device_mem_alloc_desc_t");
    assert_string_equal(p->type, "const ze_device_mem_alloc_desc_t *");
    p = param("zeInit", "flags");
    assert_int_equal(p->kind, GEO_DDI_FLAGS);
    assert_string_equal(geo_ddi_enums[p->index].name, "ze_init_flag_t");
    assert_true(param("zeContextDestroy", "hContext")->release);
    assert_int_equal(param("zeMemAllocDevice", "pptr")->kind, GEO_DDI_VOID);
    assert_int_equal(param("zeMemAllocDevice", "pptr")->depth, 2);
    assert_int_equal(param("zeKernelCreate", "phKernel")->direction, GEO_DDI_OUT);
}

/* What tells a leak: who makes a handle, who ends its life. */
static void parameters_tell_what_is_created_and_released(void **state)
{
    (void)state;
    const struct geo_ddi_param *made = param("zeEventPoolCreate", "phEventPool");
    const struct geo_ddi_param *ended = param("zeEventPoolDestroy", "hEventPool");
    const struct geo_ddi_param *got = param("zeEventGetEventPool", "phEventPool");
    assert_true(made->create && !made->release);
    assert_true(ended->release && !ended->create);
    assert_false(got->create);
    assert_int_equal(made->index, ended->index);
    assert_int_equal(made->index, got->index);
    assert_string_equal(geo_ddi_handles[made->index].name, "ze_event_pool_handle_t");
    /* One object, two names. */
    assert_int_equal(param("zesDeviceGetProperties", "hDevice")->index,
                     param("zeDeviceGetProperties", "hDevice")->index);
    assert_true(param("zeMemAllocHost", "pptr")->create);
    assert_true(param("zeMemFree", "ptr")->release);
}

static void functions_tell_what_they_return(void **state)
{
    (void)state;
    assert_int_equal(geo_ddi_functions[GEO_DDI_FN_zeMemFree].returns, GEO_DDI_RESULT);
    assert_int_equal(geo_ddi_functions[GEO_DDI_FN_zerGetDefaultContext].returns,
                     GEO_DDI_RETURNS_HANDLE);
    assert_int_equal(geo_ddi_functions[GEO_DDI_FN_zerTranslateDeviceHandleToIdentifier].returns,
                     GEO_DDI_RETURNS_NUMBER);
}

/* GEN-11, GEN-12 */
static void results_have_name_and_text(void **state)
{
    (void)state;
    assert_string_equal(geo_ddi_result_name(ZE_RESULT_SUCCESS), "ZE_RESULT_SUCCESS");
    assert_string_equal(geo_ddi_result_name(ZE_RESULT_ERROR_INVALID_SIZE),
                        "ZE_RESULT_ERROR_INVALID_SIZE");
    assert_string_equal(geo_ddi_result_name((ze_result_t)0x12345), "ZE_RESULT_?");
    const struct geo_ddi_enum *e = geo_ddi_enum_find("ze_result_t");
    for (size_t i = 0; i < e->value_count; i++) {
        const struct geo_ddi_value *v = &geo_ddi_values[e->value_first + i];
        if (v->value == ZE_RESULT_FORCE_UINT32)
            continue;
        assert_string_equal(geo_ddi_result_name((ze_result_t)v->value), v->name);
        if (geo_ddi_result_text((ze_result_t)v->value)[0] == '\0')
            fail_msg("%s has no text", v->name);
    }
}

static void enumerators_have_names(void **state)
{
    (void)state;
    assert_string_equal(geo_ddi_enum_name("ze_device_type_t", ZE_DEVICE_TYPE_GPU),
                        "ZE_DEVICE_TYPE_GPU");
    assert_string_equal(geo_ddi_enum_name("ze_init_flags_t", ZE_INIT_FLAG_GPU_ONLY),
                        "ZE_INIT_FLAG_GPU_ONLY");
    assert_string_equal(geo_ddi_enum_name("ze_api_version_t", ZE_API_VERSION_1_16),
                        "ZE_API_VERSION_1_16");
    assert_null(geo_ddi_enum_name("ze_device_type_t", 4711));
    assert_null(geo_ddi_enum_name("no_such_type_t", 0));
}

static void flags_are_printed_with_what_is_unknown(void **state)
{
    (void)state;
    char text[200];
    size_t n = geo_ddi_flags_format("ze_command_list_flags_t",
                                    ZE_COMMAND_LIST_FLAG_IN_ORDER |
                                        ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING | 1u << 30,
                                    text, sizeof(text));
    assert_string_equal(text,
                        "ZE_COMMAND_LIST_FLAG_RELAXED_ORDERING | ZE_COMMAND_LIST_FLAG_IN_ORDER "
                        "| 0x40000000");
    assert_int_equal(n, strlen(text));
    assert_int_equal(geo_ddi_flags_format("ze_command_list_flags_t", 0, text, sizeof(text)), 1);
    assert_string_equal(text, "0");
    geo_ddi_flags_format("no_such_flags_t", 0x12, text, sizeof(text));
    assert_string_equal(text, "0x12");
}

static void flags_fit_any_buffer(void **state)
{
    (void)state;
    char text[8] = "xxxxxxx";
    const size_t length = strlen("ZE_INIT_FLAG_GPU_ONLY");
    assert_int_equal(geo_ddi_flags_format("ze_init_flags_t", 1, NULL, 0), length);
    assert_int_equal(geo_ddi_flags_format("ze_init_flags_t", 1, text, 1), length);
    assert_int_equal(text[0], '\0');
    assert_int_equal(text[1], 'x');
    assert_int_equal(geo_ddi_flags_format("ze_init_flags_t", 1, text, sizeof(text)), length);
    assert_string_equal(text, "ZE_INIT");
}

/* GEN-3 */
static void structure_types_lead_to_structures(void **state)
{
    (void)state;
    const struct geo_ddi_struct *s =
        geo_ddi_stype_struct(GEO_DDI_ZE, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES);
    assert_non_null(s);
    assert_string_equal(s->name, "ze_device_properties_t");
    assert_int_equal(s->size, sizeof(ze_device_properties_t));
    assert_ptr_equal(geo_ddi_stype_struct(GEO_DDI_ZE, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2), s);
    /* The same number means another structure in another API. */
    assert_string_equal(geo_ddi_stype_struct(GEO_DDI_ZES, 1)->name, "zes_device_properties_t");
    assert_string_equal(geo_ddi_stype_struct(GEO_DDI_ZET, 1)->name,
                        "zet_metric_group_properties_t");
    assert_string_equal(geo_ddi_stype_name(GEO_DDI_ZE, 1), "ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES");
    assert_null(geo_ddi_stype_struct(GEO_DDI_ZE, 0));
    assert_null(geo_ddi_stype_struct(GEO_DDI_ZE, 0x0003001b));
    assert_null(geo_ddi_stype_struct(GEO_DDI_ZER, 1));
    for (int i = 0; i < GEO_DDI_STYPE_COUNT; i++) {
        const struct geo_ddi_stype *t = &geo_ddi_stypes[i];
        assert_ptr_equal(geo_ddi_stype_struct((enum geo_ddi_api)t->api, t->value),
                         &geo_ddi_structs[t->index]);
        assert_true(geo_ddi_structs[t->index].has_stype);
    }
}

/* EXN-7 */
static void extensions_know_what_they_extend(void **state)
{
    (void)state;
    const struct geo_ddi_struct *import = geo_ddi_struct_find("ze_external_memory_import_fd_t");
    const struct geo_ddi_struct *image = geo_ddi_struct_find("ze_image_desc_t");
    const struct geo_ddi_struct *host = geo_ddi_struct_find("ze_host_mem_alloc_desc_t");
    const struct geo_ddi_struct *context = geo_ddi_struct_find("ze_context_desc_t");
    assert_true(geo_ddi_struct_extends(import, image));
    assert_true(geo_ddi_struct_extends(import, host));
    assert_false(geo_ddi_struct_extends(import, context));
    assert_false(geo_ddi_struct_extends(image, import));
    assert_null(geo_ddi_struct_find("ze_nothing_t"));
    const struct geo_ddi_struct *type = geo_ddi_struct_find("ze_ipc_mem_handle_type_ext_desc_t");
    assert_true(geo_ddi_struct_extends(type, host));
    assert_true(geo_ddi_struct_extends_call(type, GEO_DDI_FN_zeMemGetIpcHandleWithProperties));
    assert_false(geo_ddi_struct_extends_call(type, GEO_DDI_FN_zeGraphCreateExt));
    assert_true(param("zeMemGetIpcHandleWithProperties", "pNext")->chain);
    assert_true(geo_ddi_struct_members(host)[1].chain);
}

/* A chain is one list: what extends a link may stand behind it. */
static void extensions_of_extensions_follow(void **state)
{
    (void)state;
    const struct geo_ddi_struct *image = geo_ddi_struct_find("ze_image_desc_t");
    const struct geo_ddi_struct *sampler = geo_ddi_struct_find("ze_sampler_desc_t");
    const struct geo_ddi_struct *pitch = geo_ddi_struct_find("ze_custom_pitch_exp_desc_t");
    const struct geo_ddi_struct *memory = geo_ddi_struct_find("ze_device_mem_alloc_desc_t");
    assert_false(geo_ddi_struct_extends(sampler, image));
    assert_true(geo_ddi_struct_follows(sampler, image));
    assert_true(geo_ddi_struct_follows(pitch, image));
    assert_false(geo_ddi_struct_follows(pitch, memory));
    assert_true(
        geo_ddi_struct_extends_call(geo_ddi_struct_find("ze_record_replay_graph_ext_dump_desc_t"),
                                    GEO_DDI_FN_zeGraphDumpContentsExt));
}

static bool has_place(const struct geo_ddi_param *params, size_t count, size_t place)
{
    for (size_t i = 0; i < count; i++) {
        if (params[i].kind == GEO_DDI_STRUCT && (size_t)params[i].index == place)
            return true;
    }
    return false;
}

/* Returns whether some function or structure takes the structure, or it extends something. */
static bool struct_has_place(size_t place)
{
    bool has = geo_ddi_structs[place].extends_count > 0;
    for (size_t i = 0; i < GEO_DDI_FUNCTION_COUNT && !has; i++)
        has = has_place(geo_ddi_function_params(&geo_ddi_functions[i]),
                        geo_ddi_functions[i].param_count, place);
    for (size_t i = 0; i < GEO_DDI_STRUCT_COUNT && !has; i++)
        has = has_place(geo_ddi_struct_members(&geo_ddi_structs[i]),
                        geo_ddi_structs[i].member_count, place);
    return has;
}

/* A structure with a type but without a place would be called misplaced wherever it stands. */
static void structures_with_a_type_have_a_place(void **state)
{
    (void)state;
    static const char *const elsewhere[] = {
        "ze_runtime_requirements_module_desc_t", /* behind an untyped pointer */
        "ze_runtime_requirements_graph_desc_t",
        "ze_rtas_geometry_aabbs_exp_cb_params_t", /* what a callback of the application gets */
        "ze_rtas_geometry_aabbs_ext_cb_params_t",
        "zel_tracer_desc_t", /* of the loader */
    };
    for (size_t i = 0; i < GEO_DDI_STRUCT_COUNT; i++) {
        bool known = !geo_ddi_structs[i].has_stype || struct_has_place(i) ||
                     strstr(geo_ddi_structs[i].name, "_base_") != NULL; /* given nowhere */
        for (size_t k = 0; k < sizeof(elsewhere) / sizeof(elsewhere[0]); k++)
            known |= strcmp(geo_ddi_structs[i].name, elsewhere[k]) == 0;
        if (!known)
            print_error("%s\n", geo_ddi_structs[i].name);
        assert_true(known);
    }
}

/* The facts that C code is compiled with are those that it can ask for at run time. */
static void facts_are_those_of_the_data(void **state)
{
    (void)state;
    assert_int_equal(GEO_FLAGS_ALL(ze_command_list_flags_t),
                     geo_ddi_enum_find("ze_command_list_flags_t")->mask);
    assert_int_equal(GEO_FLAGS_ALL(zes_init_flags_t), ZES_INIT_FLAG_PLACEHOLDER);
    assert_true(GEO_ENUM_HAS(ze_module_format_t, ZE_MODULE_FORMAT_NATIVE));
    assert_false(GEO_ENUM_HAS(ze_module_format_t, ZE_MODULE_FORMAT_NATIVE + 1));
    assert_false(GEO_ENUM_HAS(ze_module_format_t, ZE_MODULE_FORMAT_FORCE_UINT32));
    assert_false(GEO_ENUM_HAS(ze_device_type_t, 0));
    assert_true(GEO_ENUM_HAS(ze_device_type_t, ZE_DEVICE_TYPE_VPU));
    assert_true(GEO_ENUM_HAS(ze_result_t, ZE_RESULT_ERROR_DEVICE_LOST));
    assert_false(GEO_ENUM_HAS(ze_result_t, 2));
    assert_int_equal(GEO_STYPE(ze_image_desc_t), ZE_STRUCTURE_TYPE_IMAGE_DESC);
    assert_int_equal(GEO_LINK_STYPE(ze_module_desc_t, ze_module_program_exp_desc_t),
                     ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC);
    const struct geo_ddi_enum *mode = geo_ddi_enum_find("ze_command_queue_mode_t");
    for (uint32_t value = 0; value < 10; value++) {
        assert_int_equal(GEO_ENUM_HAS(ze_command_queue_mode_t, value),
                         geo_ddi_enum_value_name(mode, value) != NULL);
    }
}

/* EXN-7 */
static void chains_skip_what_is_not_wanted(void **state)
{
    (void)state;
    ze_device_memory_ext_properties_t second = {.stype =
                                                    ZE_STRUCTURE_TYPE_DEVICE_MEMORY_EXT_PROPERTIES};
    ze_device_memory_ext_properties_t first = second;
    ze_eu_count_ext_t foreign = {.stype = ZE_STRUCTURE_TYPE_EU_COUNT_EXT, .pNext = &first};
    ze_base_properties_t unknown = {.stype = (ze_structure_type_t)0x7ffffff0, .pNext = &foreign};
    ze_device_memory_properties_t base = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES,
                                          .pNext = &unknown};
    first.pNext = &second;
    assert_ptr_equal(GEO_CHAIN_FIND(ze_device_memory_properties_t,
                                    ze_device_memory_ext_properties_t,
                                    GEO_CHAIN_OF(ze_device_memory_properties_t, &base)),
                     &first);
    size_t links = 0;
    for (struct geo_chain walk = geo_chain_begin(base.pNext); walk.link; geo_chain_step(&walk))
        links++;
    assert_int_equal(links, 4);
    /* A struct that nobody initialised has no chain. */
    base.stype = (ze_structure_type_t)0;
    assert_null(GEO_CHAIN_OF(ze_device_memory_properties_t, &base));
    ze_device_properties_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2,
                                     .pNext = &unknown};
    assert_ptr_equal(GEO_CHAIN_OF(ze_device_properties_t, &device), &unknown);
}

static void chains_without_end_are_left(void **state)
{
    (void)state;
    ze_base_properties_t loop = {.stype = ZE_STRUCTURE_TYPE_EU_COUNT_EXT};
    loop.pNext = &loop;
    size_t links = 0;
    for (struct geo_chain walk = geo_chain_begin(&loop); walk.link; geo_chain_step(&walk))
        links++;
    assert_int_equal(links, GEO_CHAIN_LIMIT);
    assert_null(geo_chain_find(&loop, ZE_STRUCTURE_TYPE_IMAGE_DESC));
    assert_null(geo_chain_find(NULL, ZE_STRUCTURE_TYPE_IMAGE_DESC));
}

static void members_lie_where_the_compiler_puts_them(void **state)
{
    (void)state;
    const struct geo_ddi_struct *s = geo_ddi_struct_find("ze_device_properties_t");
    const struct geo_ddi_param *m = geo_ddi_struct_members(s);
    assert_string_equal(m[0].name, "stype");
    assert_string_equal(m[1].name, "pNext");
    assert_int_equal(m[1].offset, offsetof(ze_device_properties_t, pNext));
    const struct geo_ddi_param *name = &m[s->member_count - 1];
    assert_string_equal(name->name, "name");
    assert_int_equal(name->offset, offsetof(ze_device_properties_t, name));
    assert_int_equal(name->array_length, ZE_MAX_DEVICE_NAME);
    assert_int_equal(name->kind, GEO_DDI_TEXT);
    for (int i = 0; i < GEO_DDI_STRUCT_COUNT; i++) {
        s = &geo_ddi_structs[i];
        m = geo_ddi_struct_members(s);
        for (size_t k = 0; k < s->member_count; k++)
            assert_true((size_t)m[k].offset + m[k].size <= s->size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_sizes_are_those_of_each_version),
        cmocka_unit_test(newer_minor_gets_all_and_other_major_nothing),
        cmocka_unit_test(tables_grow_to_their_whole_size),
        cmocka_unit_test(copy_writes_only_the_part_that_a_version_has),
        cmocka_unit_test(functions_are_found_by_name),
        cmocka_unit_test(parameters_tell_kind_direction_and_count),
        cmocka_unit_test(parameters_tell_what_is_created_and_released),
        cmocka_unit_test(functions_tell_what_they_return),
        cmocka_unit_test(results_have_name_and_text),
        cmocka_unit_test(enumerators_have_names),
        cmocka_unit_test(flags_are_printed_with_what_is_unknown),
        cmocka_unit_test(flags_fit_any_buffer),
        cmocka_unit_test(structure_types_lead_to_structures),
        cmocka_unit_test(extensions_know_what_they_extend),
        cmocka_unit_test(extensions_of_extensions_follow),
        cmocka_unit_test(structures_with_a_type_have_a_place),
        cmocka_unit_test(facts_are_those_of_the_data),
        cmocka_unit_test(chains_skip_what_is_not_wanted),
        cmocka_unit_test(chains_without_end_are_left),
        cmocka_unit_test(members_lie_where_the_compiler_puts_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
