/* A process that debugs itself (GEOID_DEBUG_SELF=1, ZET_ENABLE_PROGRAM_DEBUGGING=1). */
#include "debug.h"

#include <stdio.h>
#include <unistd.h>

/* A module is loaded without an acknowledgement, which the same thread would have to make. */
static void a_process_debugs_itself_if_it_says_so(void **state)
{
    const zet_debug_config_t config = {.pid = (uint32_t)getpid()};
    const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    static uint8_t bytes[1 << 16];
    ze_context_handle_t context = NULL;
    ze_module_handle_t module = NULL;
    uint64_t value = 0x1234;
    (void)state;
    assert_success(zetDebugAttach(device, &config, &session));
    assert_success(zeContextCreate(driver, &context_desc, &context));
    FILE *file = fopen(fixture("native_debugged.o"), "rb");
    assert_non_null(file);
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = fread(bytes, 1, sizeof(bytes), file),
                                   .pInputModule = bytes};
    fclose(file);
    assert_success(zeModuleCreate(context, device, &desc, &module, NULL));
    assert_int_equal(event_await(ZET_DEBUG_EVENT_TYPE_MODULE_LOAD).flags, 0);
    assert_int_equal(memory_word((uint64_t)(uintptr_t)&value), 0x1234);
    memory_set_word((uint64_t)(uintptr_t)&value, 0x5678);
    assert_int_equal(*(volatile uint64_t *)&value, 0x5678);
    assert_success(zeModuleDestroy(module));
    event_await(ZET_DEBUG_EVENT_TYPE_MODULE_UNLOAD);
    assert_success(zetDebugDetach(session));
    assert_success(zeContextDestroy(context));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_process_debugs_itself_if_it_says_so)};
    return cmocka_run_group_tests(tests, group_setup, NULL);
}
