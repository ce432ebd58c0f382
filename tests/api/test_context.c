/* API test of contexts: creation, isolation, threads, residency. */
#include "harness.h"

#include <pthread.h>
#include <stdlib.h>

static const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};

static ze_context_handle_t context_make(struct api *api)
{
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context = NULL;
    assert_success(zeContextCreate(api->driver, &desc, &context));
    assert_non_null(context);
    return context;
}

/* CTX-1, CTX-6 */
static void many_contexts_live_side_by_side(void **state)
{
    struct api *api = *state;
    ze_context_handle_t contexts[32];
    for (int i = 0; i < 32; i++) {
        contexts[i] = context_make(api);
        for (int k = 0; k < i; k++) {
            assert_ptr_not_equal(contexts[i], contexts[k]);
        }
    }
    for (int i = 31; i >= 0; i--) {
        assert_success(zeContextGetStatus(contexts[i]));
        assert_success(zeContextDestroy(contexts[i]));
    }
}

/* CTX-1, VAL-7 */
static void creation_checks_its_descriptor(void **state)
{
    struct api *api = *state;
    ze_context_handle_t context = (ze_context_handle_t)&context;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC, .flags = 0x80};
    assert_result(zeContextCreate(api->driver, &desc, &context),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc.flags = 0;
    assert_ptr_equal(context, &context); /* outputs are written on success only */
    assert_result(zeContextCreateEx(api->driver, &desc, 1, NULL, &context),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(zeContextCreateEx(api->driver, &desc, 0, &api->device, &context),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    ze_device_handle_t none = NULL;
    assert_result(zeContextCreateEx(api->driver, &desc, 1, &none, &context),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    ze_context_power_saving_hint_exp_desc_t saving = {
        .stype = ZE_STRUCTURE_TYPE_POWER_SAVING_HINT_EXP_DESC,
        .hint = ZE_POWER_SAVING_HINT_TYPE_MAX};
    desc.pNext = &saving;
    desc.flags = 0;
    assert_success(zeContextCreate(api->driver, &desc, &context));
    assert_success(zeContextDestroy(context));
    saving.hint++;
    assert_result(zeContextCreate(api->driver, &desc, &context),
                  ZE_RESULT_ERROR_INVALID_ENUMERATION);
}

/* CTX-1 */
static void a_context_for_named_devices_works_on_them(void **state)
{
    struct api *api = *state;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t context;
    assert_success(zeContextCreateEx(api->driver, &desc, 1, &api->device, &context));
    ze_device_mem_alloc_desc_t device_desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *pointer = NULL;
    assert_success(zeMemAllocDevice(context, &device_desc, 4096, 0, api->device, &pointer));
    assert_success(zeMemFree(context, pointer));
    assert_success(zeContextDestroy(context));
}

/* CTX-1, MEM-19 */
static void destroying_a_context_frees_what_is_left_in_it(void **state)
{
    struct api *api = *state;
    ze_context_handle_t context = context_make(api);
    void *pointers[40];
    for (int i = 0; i < 40; i++) {
        assert_success(
            zeMemAllocHost(context, &host_desc, 4096u * (unsigned)(i + 1), 0, &pointers[i]));
        memset(pointers[i], i, 4096);
    }
    assert_success(zeMemFree(context, pointers[7]));
    assert_success(zeContextDestroy(context));
    for (int i = 0; i < 40; i++) { /* nothing is known of them any more */
        ze_memory_allocation_properties_t p = {.stype =
                                                   ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
        assert_success(zeMemGetAllocProperties(api->context, pointers[i], &p, NULL));
        assert_int_equal(p.type, ZE_MEMORY_TYPE_UNKNOWN);
    }
}

/* CTX-1, MOD-13 */
static void objects_may_be_destroyed_in_any_order(void **state)
{
    struct api *api = *state;
    struct api other = *api;
    other.context = context_make(api);
    ze_module_handle_t module = api_native_module(&other);
    ze_kernel_handle_t kernel = api_kernel(module, "ids");
    void *memory = api_alloc_shared(&other, 256);
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(memory), &memory));
    assert_success(zeContextDestroy(other.context));
    assert_success(zeModuleDestroy(module));
    char name[8];
    size_t size = sizeof(name);
    assert_success(zeKernelGetName(kernel, &size, name));
    assert_string_equal(name, "ids");
    /* The limit of the group's size is the device's, which the kernel knows by its module. */
    assert_success(zeKernelSetGroupSize(kernel, 8, 1, 1));
    assert_success(zeKernelDestroy(kernel));
}

/* CTX-3, CTX-4 */
static void contexts_do_not_free_each_others_memory(void **state)
{
    struct api *api = *state;
    ze_context_handle_t other = context_make(api);
    void *pointer = api_alloc_host(api, 4096);
    assert_result(zeMemFree(other, pointer), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    memset(pointer, 1, 4096); /* still there */
    api_free(api, pointer);
    assert_success(zeContextDestroy(other));
}

struct worker {
    struct api *api;
    ze_context_handle_t context;
    int failures;
    pthread_barrier_t *start;
};

static void *worker_run(void *argument)
{
    struct worker *worker = argument;
    pthread_barrier_wait(worker->start);
    for (int i = 0; i < 5000; i++) {
        void *pointer = NULL;
        ze_memory_allocation_properties_t p = {.stype =
                                                   ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
        worker->failures +=
            zeMemAllocHost(worker->context, &host_desc, 512 + i % 200u * 64, 0, &pointer) != 0;
        worker->failures +=
            zeMemGetAllocProperties(worker->context, (char *)pointer + 300, &p, NULL) != 0;
        worker->failures += p.type != ZE_MEMORY_TYPE_HOST;
        memset(pointer, i, 512);
        worker->failures += zeMemFree(worker->context, pointer) != 0;
    }
    return NULL;
}

/* CTX-2, GEN-13, GEN-16, GEN-27 */
static void threads_share_a_context(void **state)
{
    struct api *api = *state;
    pthread_t threads[4];
    struct worker workers[4];
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, 4), 0);
    for (int i = 0; i < 4; i++) {
        workers[i] = (struct worker){api, api->context, 0, &start};
        assert_int_equal(pthread_create(&threads[i], NULL, worker_run, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].failures, 0);
    }
}

static void *context_churn(void *argument)
{
    struct worker *worker = argument;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    for (int i = 0; i < 50; i++) {
        ze_context_handle_t context;
        void *pointer;
        worker->failures += zeContextCreate(worker->api->driver, &desc, &context) != 0;
        worker->failures += zeMemAllocHost(context, &host_desc, 4096, 0, &pointer) != 0;
        worker->failures += zeContextDestroy(context) != 0;
    }
    return NULL;
}

/* CTX-2, GEN-13, GEN-17 */
static void threads_make_contexts_at_once(void **state)
{
    struct api *api = *state;
    pthread_t threads[4];
    struct worker workers[4];
    for (int i = 0; i < 4; i++) {
        workers[i] = (struct worker){api, NULL, 0, NULL};
        assert_int_equal(pthread_create(&threads[i], NULL, context_churn, &workers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].failures, 0);
    }
}

/* RES-4, RES-5 */
static void residency_is_for_memory_that_the_driver_knows(void **state)
{
    struct api *api = *state;
    char *pointer = api_alloc_device(api, 3 * 4096);
    static char system_memory[4096];
    assert_success(zeContextMakeMemoryResident(api->context, api->device, pointer, 3 * 4096));
    assert_success(zeContextEvictMemory(api->context, api->device, pointer, 3 * 4096));
    assert_success(zeContextMakeMemoryResident(api->context, api->device, pointer + 4096, 4096));
    assert_result(zeContextMakeMemoryResident(api->context, api->device, system_memory, 4096),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT); /* nobody's memory here */
    assert_result(zeContextEvictMemory(api->context, api->device, system_memory, 4096),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
    assert_result(zeContextMakeMemoryResident(api->context, api->device, pointer, 4 * 4096),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(zeContextMakeMemoryResident(api->context, api->device, NULL, 16),
                  ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeContextMakeMemoryResident(api->context, api->device, pointer, 0),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_result(zeContextMakeMemoryResident(api->context, NULL, pointer, 16),
                  ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    api_free(api, pointer); /* evicts implicitly */
    assert_result(zeContextEvictMemory(api->context, api->device, pointer, 4096),
                  ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

/* SYN-16 */
static void system_barrier_succeeds(void **state)
{
    struct api *api = *state;
    assert_success(zeContextSystemBarrier(api->context, api->device));
    assert_result(zeContextSystemBarrier(api->context, NULL), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

static const struct api_case cases[] = {
    API_CASE(many_contexts_live_side_by_side),
    API_CASE(creation_checks_its_descriptor),
    API_CASE(a_context_for_named_devices_works_on_them),
    API_CASE(destroying_a_context_frees_what_is_left_in_it),
    API_CASE(objects_may_be_destroyed_in_any_order),
    API_CASE(contexts_do_not_free_each_others_memory),
    API_CASE(threads_share_a_context),
    API_CASE(threads_make_contexts_at_once),
    API_CASE(residency_is_for_memory_that_the_driver_knows),
    API_CASE(system_barrier_succeeds),
};

API_MAIN("context", cases)
