/* API test of runtime requirements: what a module needs, and who meets it. */
#include "harness.h"

#include <stdlib.h>

static void text_get(struct api *api, ze_module_handle_t module, char *text, size_t room)
{
    ze_runtime_requirements_module_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_MODULE_DESC, .requirementsSrc = module};
    size_t size = 0, again = room;
    assert_success(zeDeviceGetRuntimeRequirements(api->device, &desc, &size, NULL));
    assert_in_range(size, 2, room);
    assert_success(zeDeviceGetRuntimeRequirements(api->device, &desc, &again, text));
    assert_int_equal(again, size);
    assert_int_equal(strlen(text) + 1, size);
    size--;
    assert_result(zeDeviceGetRuntimeRequirements(api->device, &desc, &size, text),
                  ZE_RESULT_ERROR_INVALID_SIZE);
}

static ze_validate_runtime_requirements_result_t answer_to(struct api *api, const char *text)
{
    ze_validate_runtime_requirements_output_t out = {
        .stype = ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_OUTPUT,
        .result = ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_FORCE_UINT32};
    assert_success(zeDeviceValidateRuntimeRequirements(api->device, text, &out));
    return out.result;
}

/* The hand-written module needs no instruction set: code for this device were faster */
static void a_module_runs_where_its_requirements_are_met(void **state)
{
    struct api *api = *state;
    char text[256], more[256];
    ze_module_handle_t module = api_native_module(api);
    text_get(api, module, text, sizeof(text));
    assert_int_equal(
        answer_to(api, text),
        ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_MET_RECOMPILATION_ADVISABLE);
    assert_success(zeModuleDestroy(module));
    char *digits = strstr(text, "features 0x");
    assert_non_null(digits);
    memcpy(more, text, sizeof(more));
    strcpy(more + (digits - text), "features 0x80000000"); /* what no processor has */
    assert_int_equal(answer_to(api, more),
                     ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_NOT_MET);
}

/* What a device meets at most is met without reserve, and is the same text every time. */
static void the_key_of_a_device_is_what_it_meets(void **state)
{
    struct api *api = *state;
    const char *key = NULL, *again = NULL;
    assert_success(zeDeviceGetRuntimeRequirementsKey(api->device, &key));
    assert_success(zeDeviceGetRuntimeRequirementsKey(api->device, &again));
    assert_string_equal(key, again);
    assert_int_equal(answer_to(api, key), ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_REQUIREMENTS_MET);
    assert_result(zeDeviceGetRuntimeRequirementsKey(api->device, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

/* GEN-23 */
static void texts_of_others_do_not_apply(void **state)
{
    struct api *api = *state;
    const char *key = NULL;
    char text[4096];
    assert_success(zeDeviceGetRuntimeRequirementsKey(api->device, &key));
    const char *const others[] = {"",
                                  "geoid",
                                  "geoid native ",
                                  "geoid native 3, calls",
                                  "%s%n",
                                  "geoid native -1, calls 1, target 1, features 0x0"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_int_equal(answer_to(api, others[i]),
                         ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_NOT_APPLICABLE);
    }
    for (size_t length = 1; length < strlen(key); length++) {
        memcpy(text, key, length);
        memset(text + length, '9', sizeof(text) - length - 1); /* a number that never ends */
        text[sizeof(text) - 1] = '\0';
        assert_int_equal(answer_to(api, text),
                         ZE_VALIDATE_RUNTIME_REQUIREMENTS_RESULT_NOT_APPLICABLE);
    }
    ze_runtime_requirements_module_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_OUTPUT};
    size_t size = 0;
    assert_result(zeDeviceGetRuntimeRequirements(api->device, &desc, &size, NULL),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    desc.stype = ZE_STRUCTURE_TYPE_RUNTIME_REQUIREMENTS_MODULE_DESC;
    assert_result(zeDeviceGetRuntimeRequirements(api->device, &desc, &size, NULL),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

static const struct api_case cases[] = {
    API_CASE(a_module_runs_where_its_requirements_are_met),
    API_CASE(the_key_of_a_device_is_what_it_meets),
    API_CASE(texts_of_others_do_not_apply),
};
API_MAIN("requirements", cases)
