/* Test of a layer of a tool that gives the program other modules, kernels and functions
 * (redirect.c). GEOID_LAYERS names the layer. */
#include "harness.h"

#include "redirect.h"

#include <dlfcn.h>
#include <stdlib.h>

#define ITEMS 48

/* The layers that GEOID_LAYERS lists. */
static redirect_set_fn *redirect, *redirect_below;

static ze_module_handle_t module_build(struct api *api, const char *path)
{
    size_t size;
    ze_module_handle_t module = NULL;
    void *bytes = api_read_file(path, &size);
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = size,
                                   .pInputModule = bytes};
    assert_success(zeModuleCreate(api->context, api->device, &desc, &module, NULL));
    free(bytes);
    return module;
}

static ze_kernel_handle_t kernel_make(ze_module_handle_t module, uint32_t *out)
{
    ze_kernel_handle_t kernel = api_kernel(module, "mark");
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(out), &out));
    assert_success(zeKernelSetGroupSize(kernel, ITEMS, 1, 1));
    return kernel;
}

static void out_check(uint32_t *out, uint32_t value)
{
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], value);
        out[i] = 0;
    }
}

static const ze_group_count_t groups = {1, 1, 1}; /* every device has room for a cooperative one */

/* Runs the program's kernel while the layer is in a mode, and checks which kernel has run. */
static void mode_check(struct api *api, enum redirect_mode mode, uint32_t value)
{
    struct api_list list = api_list_create(api);
    uint32_t *out = api_alloc_shared(api, ITEMS * sizeof(*out));
    ze_module_handle_t tool = module_build(api, "tests/layers/instrument/tool.spv");
    redirect(mode, tool);
    ze_module_handle_t module = module_build(api, "tests/layers/instrument/program.spv");
    ze_kernel_handle_t kernel = kernel_make(module, out);
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    out_check(out, value);
    assert_success(zeKernelDestroy(kernel));
    assert_int_equal(redirect(REDIRECT_NOTHING, NULL), mode == REDIRECT_NOTHING ? 0 : 1);
    assert_success(zeModuleDestroy(module));
    assert_success(zeModuleDestroy(tool));
    api_free(api, out);
    api_list_destroy(&list);
}

static void a_layer_that_changes_nothing_changes_nothing(void **state)
{
    mode_check(*state, REDIRECT_NOTHING, 1);
}

/* PIN-1 */
static void modules_are_redirected(void **state)
{
    mode_check(*state, REDIRECT_MODULES, 100);
}

/* PIN-1 */
static void kernels_are_redirected(void **state)
{
    mode_check(*state, REDIRECT_KERNELS, 100);
}

/* PIN-1, PIN-7 */
static void function_pointers_are_redirected(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    int *out = api_alloc_shared(api, ITEMS * sizeof(*out));
    void *function = NULL;
    ze_module_handle_t tool = module_build(api, "tests/pointer_calls.spv");
    ze_module_handle_t module = module_build(api, "tests/pointer_calls.spv");
    redirect(REDIRECT_FUNCTIONS, tool);
    assert_success(zeModuleGetFunctionPointer(module, "add_one", &function));
    assert_int_equal(redirect(REDIRECT_NOTHING, NULL), 1);
    ze_kernel_handle_t kernel = api_kernel(module, "call_argument");
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(function), &function));
    assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(out), &out));
    assert_success(zeKernelSetGroupSize(kernel, ITEMS, 1, 1));
    assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
    api_list_run(api, &list);
    for (int i = 0; i < ITEMS; i++) {
        assert_int_equal(out[i], 2 * i); /* the program's function adds one */
    }
    assert_success(zeKernelDestroy(kernel));
    assert_success(zeModuleDestroy(module));
    assert_success(zeModuleDestroy(tool));
    api_free(api, out);
    api_list_destroy(&list);
}

/* The first layer of GEOID_LAYERS gets a call first, so the last one has the last word. */
static void layers_are_in_the_order_of_the_list(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    uint32_t *out = api_alloc_shared(api, ITEMS * sizeof(*out));
    ze_module_handle_t tool = module_build(api, "tests/layers/instrument/tool.spv");
    ze_module_handle_t module = module_build(api, "tests/layers/instrument/program.spv");
    ze_module_handle_t last[] = {tool, module};
    for (int i = 0; i < 2; i++) {
        redirect(REDIRECT_KERNELS, last[1 - i]);
        redirect_below(REDIRECT_KERNELS, last[i]);
        ze_kernel_handle_t kernel = kernel_make(module, out);
        assert_int_equal(redirect(REDIRECT_NOTHING, NULL), 1);
        assert_int_equal(redirect_below(REDIRECT_NOTHING, NULL), 1);
        assert_success(zeCommandListAppendLaunchKernel(list.list, kernel, &groups, NULL, 0, NULL));
        api_list_run(api, &list);
        out_check(out, last[i] == tool ? 100 : 1);
        assert_success(zeKernelDestroy(kernel));
    }
    assert_success(zeModuleDestroy(module));
    assert_success(zeModuleDestroy(tool));
    api_free(api, out);
    api_list_destroy(&list);
}

/* The objects for launches of one kernel. The group counts are in memory of the device. */
struct launch {
    ze_command_list_handle_t list;
    ze_kernel_handle_t kernel;
    uint32_t *out, *count;
    ze_group_count_t *groups;
};

static ze_result_t launch_plain(const struct launch *launch)
{
    return zeCommandListAppendLaunchKernel(launch->list, launch->kernel, &groups, NULL, 0, NULL);
}

static ze_result_t launch_cooperative(const struct launch *launch)
{
    return zeCommandListAppendLaunchCooperativeKernel(launch->list, launch->kernel, &groups, NULL,
                                                      0, NULL);
}

static ze_result_t launch_indirect(const struct launch *launch)
{
    return zeCommandListAppendLaunchKernelIndirect(launch->list, launch->kernel, launch->groups,
                                                   NULL, 0, NULL);
}

static ze_result_t launch_several(const struct launch *launch)
{
    ze_kernel_handle_t kernel = launch->kernel;
    return zeCommandListAppendLaunchMultipleKernelsIndirect(launch->list, 1, &kernel, launch->count,
                                                            launch->groups, NULL, 0, NULL);
}

static ze_result_t launch_parameters(const struct launch *launch)
{
    return zeCommandListAppendLaunchKernelWithParameters(launch->list, launch->kernel, &groups,
                                                         NULL, NULL, 0, NULL);
}

static ze_result_t launch_arguments(const struct launch *launch)
{
    const ze_group_size_t size = {ITEMS, 1, 1};
    const uint32_t *out = launch->out;
    void *arguments[] = {&out};
    return zeCommandListAppendLaunchKernelWithArguments(launch->list, launch->kernel, groups, size,
                                                        arguments, NULL, NULL, 0, NULL);
}

/* PIN-7 */
static void every_way_to_launch_is_redirected(void **state)
{
    static ze_result_t (*const ways[])(const struct launch *launch) = {
        launch_plain,   launch_cooperative, launch_indirect,
        launch_several, launch_parameters,  launch_arguments,
    };
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    struct launch launch = {.list = list.list,
                            .out = api_alloc_shared(api, ITEMS * sizeof(uint32_t)),
                            .count = api_alloc_shared(api, sizeof(uint32_t)),
                            .groups = api_alloc_shared(api, sizeof(ze_group_count_t))};
    *launch.count = 1;
    *launch.groups = groups;
    ze_module_handle_t tool = module_build(api, "tests/layers/instrument/tool.spv");
    ze_module_handle_t module = module_build(api, "tests/layers/instrument/program.spv");
    redirect(REDIRECT_LAUNCHES, tool);
    launch.kernel = kernel_make(module, launch.out);
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        assert_success(ways[i](&launch));
        api_list_run(api, &list);
        out_check(launch.out, 100);
    }
    assert_success(zeKernelDestroy(launch.kernel));
    assert_int_equal(redirect(REDIRECT_NOTHING, NULL), sizeof(ways) / sizeof(ways[0]));
    assert_success(zeModuleDestroy(module));
    assert_success(zeModuleDestroy(tool));
    api_free(api, launch.groups);
    api_free(api, launch.count);
    api_free(api, launch.out);
    api_list_destroy(&list);
}

static const struct api_case cases[] = {
    API_RUN_CASE(a_layer_that_changes_nothing_changes_nothing),
    API_RUN_CASE(modules_are_redirected),
    API_RUN_CASE(kernels_are_redirected),
    API_RUN_CASE(function_pointers_are_redirected),
    API_RUN_CASE(layers_are_in_the_order_of_the_list),
    API_RUN_CASE(every_way_to_launch_is_redirected),
};

static redirect_set_fn *layer_find(const char *path)
{
    void *layer = dlopen(path, RTLD_NOW);
    redirect_set_fn *found = NULL;
    *(void **)&found = layer ? dlsym(layer, "redirect_set") : NULL;
    return found;
}

int main(void)
{
    redirect = layer_find(REDIRECT_LAYER);
    redirect_below = layer_find(REDIRECT_LAYER_BELOW);
    return redirect && redirect_below
               ? api_main("redirect", cases, sizeof(cases) / sizeof(cases[0]))
               : 1;
}
