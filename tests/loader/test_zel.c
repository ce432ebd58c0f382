/* The loader's functions about itself, its exported names, and its contract with static shims. */
#include "scenario.h"

#include "ddi/geo_ddi.h"

#include <level_zero/layers/zel_tracing_ddi.h>
#include <level_zero/loader/ze_loader.h>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ONE_DRIVER "ZE_ENABLE_ALT_DRIVERS={a}"

static bool is_loader_version(const zel_component_version_t *version)
{
    const zel_version_t *library = &version->component_lib_version;
    return library->major == GEO_LOADER_MAJOR && library->minor == GEO_LOADER_MINOR &&
           library->patch == GEO_LOADER_PATCH;
}

static void versions(void)
{
    zel_component_version_t version, list[3];
    size_t count = 0;
    memset(list, 0x5A, sizeof(list));
    CHECK_RESULT(zelGetLoaderVersion(NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_RESULT(zelGetLoaderVersion(&version), ZE_RESULT_SUCCESS); /* at any time */
    CHECK(strcmp(version.component_name, "loader") == 0);
    CHECK(version.spec_version == ZE_API_VERSION_CURRENT);
    CHECK(is_loader_version(&version));
    CHECK_RESULT(zelLoaderGetVersions(&count, NULL), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelLoaderGetVersions(NULL, NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_RESULT(zelLoaderGetVersions(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 1);
    count = 0;
    CHECK_RESULT(zelLoaderGetVersions(&count, list), ZE_RESULT_ERROR_INVALID_SIZE);
    count = 3;
    CHECK_RESULT(zelLoaderGetVersions(&count, list), ZE_RESULT_SUCCESS);
    CHECK(count == 1 && memcmp(&list[0], &version, sizeof(version)) == 0);
    CHECK(list[1].component_name[0] == 0x5A);
}

/* GEN-4: versions clients look for before they use anything. */
static void test_versions_of_the_components(void **state)
{
    (void)state;
    scenario_passes("versions", ONE_DRIVER, NULL);
}

static void versions_of_layers(void)
{
    zel_component_version_t list[3];
    size_t count = 3;
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelLoaderGetVersions(&count, list), ZE_RESULT_SUCCESS);
    CHECK(count == 3);
    bool validation = false, tracing = false;
    for (size_t i = 0; i < count; i++) {
        validation |= strcmp(list[i].component_name, "validation layer") == 0;
        tracing |= strcmp(list[i].component_name, "tracing layer") == 0;
        CHECK(is_loader_version(&list[i]));
    }
    CHECK(validation && tracing);
}

static void test_versions_name_the_layers(void **state)
{
    (void)state;
    scenario_passes("versions_of_layers", ONE_DRIVER, "ZE_ENABLE_VALIDATION_LAYER=1",
                    "ZE_ENABLE_TRACING_LAYER=1", NULL);
}

static void versions_without_driver(void)
{
    size_t count = 0;
    CHECK_RESULT(zeInit(0), ZE_RESULT_ERROR_UNINITIALIZED);
    CHECK_RESULT(zelLoaderGetVersions(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 1);
}

static void test_versions_are_there_when_no_driver_is(void **state)
{
    (void)state;
    scenario_passes("versions_without_driver", "ZE_ENABLE_ALT_DRIVERS=/nowhere", NULL);
}

static void translate(void)
{
    int object;
    void *out = &out;
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    for (int type = ZEL_HANDLE_DRIVER; type <= ZEL_HANDLE_PHYSICAL_MEM; type++) {
        CHECK_RESULT(zelLoaderTranslateHandle((zel_handle_type_t)type, &object, &out),
                     ZE_RESULT_SUCCESS);
        CHECK(out == &object); /* handles are the driver's own */
    }
    CHECK_RESULT(zelLoaderTranslateHandle(ZEL_HANDLE_DRIVER, NULL, &out), ZE_RESULT_SUCCESS);
    CHECK(out == NULL);
    CHECK_RESULT(zelLoaderTranslateHandle(ZEL_HANDLE_DRIVER, &object, NULL),
                 ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_RESULT(zelLoaderTranslateHandle((zel_handle_type_t)99, &object, &out),
                 ZE_RESULT_ERROR_INVALID_ARGUMENT);
    CHECK(out == NULL);
}

/* INI-10 */
static void test_handles_translate_to_themselves(void **state)
{
    (void)state;
    scenario_passes("translate", "ZE_ENABLE_ALT_DRIVERS={a},{b}", NULL);
}

static void tracing_absent(void)
{
    bool enabled = true;
    zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC};
    zel_tracer_handle_t tracer = NULL;
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelGetTracingLayerState(NULL), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    CHECK_RESULT(zelGetTracingLayerState(&enabled), ZE_RESULT_SUCCESS);
    CHECK(!enabled);
    CHECK_RESULT(zelEnableTracingLayer(), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_RESULT(zelDisableTracingLayer(), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_RESULT(zelTracerCreate(&desc, &tracer), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK(!tracer);
    CHECK_RESULT(zelTracerSetEnabled(tracer, 1), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_RESULT(zelTracerSetPrologues(tracer, NULL), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_RESULT(zelTracerSetEpilogues(tracer, NULL), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK_RESULT(zelTracerDestroy(tracer), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    ze_result_t (*reset)(zel_tracer_handle_t) =
        (ze_result_t (*)(zel_tracer_handle_t))dlsym(RTLD_DEFAULT, "zelTracerResetAllCallbacks");
    CHECK(reset);
    CHECK_RESULT(reset(tracer), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    CHECK(dlsym(RTLD_DEFAULT, "zelTracerMemFreeRegisterCallback"));
}

/* Copies the loader into a folder where the tracing layer is a file that cannot be opened. */
static void loader_alone(const char *folder)
{
    struct link_map *map = NULL;
    char command[1024];
    void *loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD);
    assert_non_null(loader);
    assert_int_equal(dlinfo(loader, RTLD_DI_LINKMAP, &map), 0);
    snprintf(command, sizeof(command),
             "cp -L '%s' '%s/libze_loader.so.1' && echo no library >'%s/libze_tracing_layer.so.1'",
             map->l_name, folder, folder);
    assert_int_equal(system(command), 0);
    dlclose(loader);
}

static void test_tracing_says_that_it_is_not_there(void **state)
{
    (void)state;
    char folder[] = "/tmp/geoid_alone_XXXXXX", path[64], command[64];
    assert_non_null(mkdtemp(folder));
    loader_alone(folder);
    snprintf(path, sizeof(path), "LD_LIBRARY_PATH=%s", folder);
    scenario_passes("tracing_absent", ONE_DRIVER, path, NULL);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void tracing_switched(void)
{
    bool enabled = true;
    size_t count = 0;
    CHECK_RESULT(zeInit(0), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelGetTracingLayerState(&enabled), ZE_RESULT_SUCCESS);
    CHECK(!enabled);
    CHECK_RESULT(zelEnableTracingLayer(), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelEnableTracingLayer(), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelDisableTracingLayer(), ZE_RESULT_SUCCESS); /* one wish is left */
    CHECK_RESULT(zelGetTracingLayerState(&enabled), ZE_RESULT_SUCCESS);
    CHECK(enabled);
    CHECK_RESULT(zelLoaderGetVersions(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK(count == 2); /* the loader and the layer */
    CHECK_RESULT(zelDisableTracingLayer(), ZE_RESULT_SUCCESS);
    CHECK_RESULT(zelDisableTracingLayer(), ZE_RESULT_SUCCESS); /* one too many does no harm */
    CHECK_RESULT(zelGetTracingLayerState(&enabled), ZE_RESULT_SUCCESS);
    CHECK(!enabled);
}

static void test_tracing_is_switched_at_run_time(void **state)
{
    (void)state;
    scenario_passes("tracing_switched", ONE_DRIVER, NULL);
    scenario_passes("tracing_switched", "ZE_ENABLE_ALT_DRIVERS={a},{b}", NULL);
}

#define LOOK_UP(type, name)                                                                        \
    type p_##name = (type)dlsym(loader, #name);                                                    \
    CHECK(p_##name)

/* The steps of a static shim, as its binaries in the field take them: by dlsym, before zeInit. */
#if defined(__clang__)
__attribute__((no_sanitize("function"))) /* one type for functions that differ behind pointers */
#endif
static void shim(void)
{
    typedef ze_result_t (*init_fn)(void);
    typedef ze_result_t (*versions_fn)(size_t *, zel_component_version_t *);
    typedef void *(*pointer_fn)(void);
    typedef ze_result_t (*tracing_fn)(void **);
    typedef ze_result_t (*table_fn)(ze_api_version_t, void *);
    typedef ze_result_t (*ze_init_fn)(ze_init_flags_t);
    typedef ze_result_t (*translate_fn)(zel_handle_type_t, void *, void **);
    typedef ze_result_t (*check_fn)(ze_init_flags_t, void *, void *, void *, bool *, bool);
    typedef ze_result_t (*register_fn)(zel_loader_teardown_callback_t,
                                       zel_application_teardown_callback_t *, uint32_t *);
    void *loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL);
    CHECK(loader);
    LOOK_UP(init_fn, zeLoaderInit);
    LOOK_UP(versions_fn, zelLoaderGetVersionsInternal);
    LOOK_UP(pointer_fn, zeLoaderGetTracingHandle);
    LOOK_UP(pointer_fn, zelLoaderGetContext);
    LOOK_UP(tracing_fn, zelLoaderTracingLayerInit);
    LOOK_UP(tracing_fn, zelLoaderZerTracingLayerInit);
    LOOK_UP(table_fn, zelGetTracerApiProcAddrTable);
    LOOK_UP(table_fn, zeGetContextProcAddrTable);
    LOOK_UP(translate_fn, zelLoaderTranslateHandleInternal);
    LOOK_UP(check_fn, zelLoaderDriverCheck);
    LOOK_UP(register_fn, zelRegisterTeardownCallback);
    CHECK_RESULT(p_zeLoaderInit(), ZE_RESULT_SUCCESS);
    size_t count = 0;
    zel_component_version_t version;
    CHECK_RESULT(p_zelLoaderGetVersionsInternal(&count, NULL), ZE_RESULT_SUCCESS);
    CHECK_RESULT(p_zelLoaderGetVersionsInternal(&count, &version), ZE_RESULT_SUCCESS);
    CHECK(strcmp(version.component_name, "loader") == 0);
    (void)p_zeLoaderGetTracingHandle();
    CHECK(p_zelLoaderGetContext());
    ze_context_dditable_t table;
    zel_tracer_dditable_t tracer;
    void *ze_tables = NULL, *zer_tables = NULL;
    CHECK_RESULT(p_zeGetContextProcAddrTable(version.spec_version, &table), ZE_RESULT_SUCCESS);
    CHECK_RESULT(p_zelGetTracerApiProcAddrTable(version.spec_version, &tracer), ZE_RESULT_SUCCESS);
    CHECK(tracer.pfnCreate && tracer.pfnSetEnabled);
    CHECK_RESULT(p_zelLoaderTracingLayerInit(&ze_tables), ZE_RESULT_SUCCESS);
    CHECK_RESULT(p_zelLoaderZerTracingLayerInit(&zer_tables), ZE_RESULT_SUCCESS);
    CHECK(ze_tables && zer_tables);
    CHECK(((ze_dditable_t *)ze_tables)->Context.pfnGetStatus == table.pfnGetStatus);
    CHECK_RESULT(table.pfnGetStatus(NULL), ZE_RESULT_ERROR_UNINITIALIZED);
    LOOK_UP(ze_init_fn, zeInit);
    CHECK_RESULT(p_zeInit(0), ZE_RESULT_SUCCESS);
    bool again = false;
    CHECK_RESULT(p_zelLoaderDriverCheck(0, NULL, NULL, NULL, &again, false), ZE_RESULT_SUCCESS);
    void *out;
    CHECK_RESULT(p_zelLoaderTranslateHandleInternal(ZEL_HANDLE_DRIVER, &count, &out),
                 ZE_RESULT_SUCCESS);
    CHECK(out == &count);
    /* the table from before initialisation leads to the driver now */
    uint32_t one = 1;
    ze_driver_handle_t driver;
    ze_context_handle_t context;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK_RESULT(((ze_dditable_t *)ze_tables)->Driver.pfnGet(&one, &driver), ZE_RESULT_SUCCESS);
    CHECK_RESULT(table.pfnCreate(driver, &desc, &context), ZE_RESULT_SUCCESS);
    CHECK_RESULT(table.pfnGetStatus(context), ZE_RESULT_SUCCESS);
    CHECK_RESULT(table.pfnDestroy(context), ZE_RESULT_SUCCESS);
    dlclose(loader);
}

/* GEN-20, INI-10 */
static void test_the_contract_with_static_shims(void **state)
{
    (void)state;
    scenario_passes("shim", ONE_DRIVER, NULL);
}

/* --- exported names --- */

/* Beside the functions of the headers: what shims look up, and our own addition. */
static const char *const extra_names[] = {
    "geoidLoaderExplain",
    "geoidLoaderGetDriverPath",
    "geoidTracerRegisterCallback",
    "zeLoaderGetTracingHandle",
    "zeLoaderInit",
    "zelLoaderDriverCheck",
    "zelLoaderGetContext",
    "zelLoaderGetVersion",
    "zelLoaderGetVersionsInternal",
    "zelLoaderTracingLayerInit",
    "zelLoaderTranslateHandleInternal",
    "zelLoaderZerTracingLayerInit",
};

static size_t extra_count(void)
{
    return sizeof(extra_names) / sizeof(extra_names[0]);
}

static int names_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the functions that the layer and loader headers declare. */
static size_t header_names(const char *header, char names[][96], size_t room)
{
    char path[512], line[512];
    size_t count = 0;
    snprintf(path, sizeof(path), "%s/include/level_zero/%s", getenv("GEOID_SOURCE_DIR"), header);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file)) {
        char *call = strstr(line, "EXPORT") ? strstr(line, "ZE_APICALL zel") : NULL;
        if (call) {
            assert_true(count < room);
            assert_int_equal(sscanf(call, "ZE_APICALL %95[A-Za-z0-9]", names[count]), 1);
            count++;
        }
    }
    fclose(file);
    return count;
}

/* Reads the defined dynamic symbols of the loaded library. */
static size_t exported_names(const char **names, size_t room)
{
    struct link_map *map = NULL;
    void *loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD);
    assert_non_null(loader);
    assert_int_equal(dlinfo(loader, RTLD_DI_LINKMAP, &map), 0);
    const ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    const uint32_t *hash = NULL;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        symbols = entry->d_tag == DT_SYMTAB ? (const void *)entry->d_un.d_ptr : symbols;
        strings = entry->d_tag == DT_STRTAB ? (const void *)entry->d_un.d_ptr : strings;
        hash = entry->d_tag == DT_GNU_HASH ? (const void *)entry->d_un.d_ptr : hash;
    }
    assert_true(symbols && strings && hash);
    /* GNU hash table: header of 4 words, bloom filter, buckets, chains of all defined symbols */
    const uint32_t buckets = hash[0], first = hash[1];
    const uint32_t *bucket = hash + 4 + hash[2] * (sizeof(ElfW(Addr)) / 4),
                   *chain = bucket + buckets;
    size_t count = 0;
    for (uint32_t i = 0; i < buckets; i++) {
        for (uint32_t n = bucket[i]; n; n++) {
            assert_true(count < room);
            names[count++] = strings + symbols[n].st_name;
            if (chain[n - first] & 1) {
                break;
            }
        }
    }
    dlclose(loader);
    return count;
}

/* GEN-19, GEN-2, INI-10: every function of the specification, what shims need, nothing
 * else. */
static void test_exported_names_are_exactly_those_of_the_registry(void **state)
{
    (void)state;
    static char from_headers[600][96];
    static const char *wanted[2000], *found[2000];
    size_t count = 0, headers = 0, traced = 0;
    for (size_t i = 0; i < GEO_DDI_FUNCTION_COUNT; i++) {
        const enum geo_ddi_api api = geo_ddi_function_api(&geo_ddi_functions[i]);
        wanted[count++] = geo_ddi_functions[i].name;
        traced += api == GEO_DDI_ZE || api == GEO_DDI_ZER;
    }
    for (size_t i = 0; i < GEO_DDI_TABLE_COUNT; i++) {
        wanted[count++] = geo_ddi_tables[i].getter;
    }
    static const char *const files[] = {"loader/ze_loader.h", "layers/zel_tracing_api.h",
                                        "layers/zel_tracing_ddi.h",
                                        "layers/zel_tracing_register_cb.h"};
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        headers += header_names(files[i], from_headers + headers, 600 - headers);
    }
    assert_int_equal(headers, traced + 18); /* one zelTracer function for each, and 18 others */
    for (size_t i = 0; i < headers; i++) {
        wanted[count++] = from_headers[i];
    }
    for (size_t i = 0; i < extra_count(); i++) {
        wanted[count++] = extra_names[i];
    }
    size_t exported = exported_names(found, 2000);
    qsort(wanted, count, sizeof(*wanted), names_compare);
    qsort(found, exported, sizeof(*found), names_compare);
    for (size_t i = 0; i < count && i < exported; i++) {
        assert_string_equal(found[i], wanted[i]);
    }
    assert_int_equal(exported, count);
}

/* INI-13: the names under which programs link and load it. */
static void test_the_library_has_its_established_names(void **state)
{
    (void)state;
    struct link_map *map = NULL;
    void *loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_NOLOAD);
    assert_non_null(loader);
    assert_int_equal(dlinfo(loader, RTLD_DI_LINKMAP, &map), 0);
    char *path = realpath(map->l_name, NULL), name[64];
    snprintf(name, sizeof(name), "/libze_loader.so.%d.%d.%d", GEO_LOADER_MAJOR, GEO_LOADER_MINOR,
             GEO_LOADER_PATCH);
    assert_non_null(path);
    assert_string_equal(strrchr(path, '/'), name);
    const char *strings = NULL;
    size_t soname = 0;
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
        strings = entry->d_tag == DT_STRTAB ? (const char *)entry->d_un.d_ptr : strings;
        soname = entry->d_tag == DT_SONAME ? entry->d_un.d_val : soname;
    }
    assert_string_equal(strings + soname, "libze_loader.so.1");
    free(path);
    dlclose(loader);
}

#define S(name) {#name, name}
static const struct scenario scenarios[] = {
    S(versions),  S(versions_of_layers), S(versions_without_driver),
    S(translate), S(tracing_absent),     S(tracing_switched),
    S(shim),
};

int main(int argc, char **argv)
{
    scenario_main(argc, argv, scenarios, sizeof(scenarios) / sizeof(scenarios[0]));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions_of_the_components),
        cmocka_unit_test(test_versions_name_the_layers),
        cmocka_unit_test(test_versions_are_there_when_no_driver_is),
        cmocka_unit_test(test_handles_translate_to_themselves),
        cmocka_unit_test(test_tracing_says_that_it_is_not_there),
        cmocka_unit_test(test_tracing_is_switched_at_run_time),
        cmocka_unit_test(test_the_contract_with_static_shims),
        cmocka_unit_test(test_exported_names_are_exactly_those_of_the_registry),
        cmocka_unit_test(test_the_library_has_its_established_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
