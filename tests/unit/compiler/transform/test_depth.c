/* What is deep in a module is deep in no stack: modules are read, copied into another one and made
 * canonical on a thread with a small stack. What recursion there is is as deep as types nest, 255
 * at most. */
#include "families.h"

#include "compiler/link/copy.h"
#include "compiler/link/link.h"
#include "compiler/spirv/reader.h"
#include "compiler/transform/transform.h"
#include "compiler/validate/validate.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STACK_BYTES  ((size_t)256 << 10)
#define MODULE_BYTES ((size_t)1 << 30)

struct job {
    const uint32_t *words;
    size_t bytes;
    struct geo_strbuf log;
    ze_result_t result;
};

/* From what is deepest on: whole modules are copied in the order in which they were written. */
static bool copies_from_the_end(struct geo_ir_module *module)
{
    struct geo_ir_module *copy = geo_ir_module_create(MODULE_BYTES);
    bool good = copy && geo_copy_function(copy, module->last_function) != NULL;
    geo_ir_module_destroy(copy);
    return good;
}

static void *run(void *data)
{
    struct job *job = data;
    struct geo_ir_module *module = NULL, *copy = geo_ir_module_create(MODULE_BYTES);
    ze_result_t result = geo_spirv_read(job->words, job->bytes, &module, &job->log);
    result = result == ZE_RESULT_SUCCESS ? geo_validate(module, "reading", &job->log) : result;
    if (result == ZE_RESULT_SUCCESS && !copies_from_the_end(module)) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    result = result == ZE_RESULT_SUCCESS ? geo_copy_module(copy, module) : result;
    result = result == ZE_RESULT_SUCCESS ? geo_link_module(copy, &job->log) : result;
    result =
        result == ZE_RESULT_SUCCESS ? geo_transform_canonicalize(copy, true, &job->log) : result;
    geo_ir_module_destroy(module);
    geo_ir_module_destroy(copy);
    job->result = result;
    return NULL;
}

static void run_small(const struct family *family, uint32_t size)
{
    struct spv s;
    struct job job = {.result = ZE_RESULT_ERROR_UNKNOWN};
    pthread_attr_t attributes;
    pthread_t thread;
    spv_begin(&s);
    family->write(&s, size);
    uint32_t *words = spv_end(&s, &job.bytes);
    job.words = words;
    geo_strbuf_init(&job.log, 1 << 16);
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run, &job), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    if (job.result != ZE_RESULT_SUCCESS) {
        fail_msg("%s of %u: result %#x, log: %s", family->name, size, (unsigned)job.result,
                 geo_strbuf_text(&job.log));
    }
    geo_strbuf_finish(&job.log);
    free(words);
}

static void run_named(const char *name, uint32_t size)
{
    for (size_t i = 0; i < families_flow_count; i++) {
        if (strcmp(families_flow[i].name, name) == 0) {
            run_small(&families_flow[i], size);
            return;
        }
    }
    for (size_t i = 0; i < families_data_count; i++) {
        if (strcmp(families_data[i].name, name) == 0) {
            run_small(&families_data[i], size);
            return;
        }
    }
    fail_msg("there is no family %s", name);
}

static void long_chains_of_values_need_no_stack(void **state)
{
    (void)state;
    run_named("chain", 100000);
    run_named("phis", 20000);
}

static void long_chains_of_pointers_need_no_stack(void **state)
{
    (void)state;
    run_named("pointers", 100000);
}

static void long_chains_of_variables_need_no_stack(void **state)
{
    (void)state;
    run_named("variables_linked", 50000);
}

static void deep_control_flow_needs_no_stack(void **state)
{
    (void)state;
    run_named("ifs_varying", 20000);
    run_named("ifs_nested", 5000);
    run_named("calls_deep", 20000);
}

static void deep_types_fit(void **state)
{
    (void)state;
    run_named("structs_nested", 250);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_chains_of_values_need_no_stack),
        cmocka_unit_test(long_chains_of_pointers_need_no_stack),
        cmocka_unit_test(long_chains_of_variables_need_no_stack),
        cmocka_unit_test(deep_control_flow_needs_no_stack),
        cmocka_unit_test(deep_types_fit),
    };
    return cmocka_run_group_tests_name("depth", tests, NULL, NULL);
}
