/* Faults of modules: links, logs, constants, variables and what is made from their binaries. */
#include "objects.h"

#include <stdlib.h>

static void modules_of_two_contexts_linked(struct faulty_world *world)
{
    /* zeModuleDynamicLink: "All modules belong to one device and context". */
    struct faulty_world other = other_begin(world);
    ze_module_handle_t modules[2] = {faulty_module(world), faulty_module(&other)};
    zeModuleDynamicLink(2, modules, NULL);
    MUST(zeModuleDestroy(modules[0]));
    MUST(zeModuleDestroy(modules[1]));
    other_end(&other);
}

static void destroyed_module_linked(struct faulty_world *world)
{
    /* VAL-3: use after destruction is reported. */
    ze_module_handle_t modules[2] = {faulty_module(world), faulty_module(world)};
    MUST(zeModuleDestroy(modules[1]));
    zeModuleDynamicLink(2, modules, NULL);
    MUST(zeModuleDestroy(modules[0]));
}

static void link_log_left_behind(struct faulty_world *world)
{
    /* MOD-5, MOD-8: the caller destroys a log. */
    ze_module_handle_t module = faulty_module(world);
    ze_module_build_log_handle_t log;
    MUST(zeModuleDynamicLink(1, &module, &log));
    MUST(zeModuleDestroy(module));
    exit(0); /* with the context, which may be kept */
}

static void constants_without_values(struct faulty_world *world)
{
    /* ze_module_constants_t: pConstantValues has numConstants entries. */
    const uint32_t id = 0, words[5] = {0x07230203, 0x00010000, 0, 1, 0};
    const ze_module_constants_t constants = {.numConstants = 1, .pConstantIds = &id};
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = sizeof(words),
                                   .pInputModule = (const uint8_t *)words,
                                   .pConstants = &constants};
    ze_module_handle_t module;
    zeModuleCreate(world->context, world->device, &desc, &module, NULL);
}

static void program_without_sizes(struct faulty_world *world)
{
    /* ze_module_program_exp_desc_t: inputSizes has count entries. */
    const uint8_t byte = 0, *inputs[1] = {&byte};
    const ze_module_program_exp_desc_t program = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC, .count = 1, .pInputModules = inputs};
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .pNext = &program,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV};
    ze_module_handle_t module;
    zeModuleCreate(world->context, world->device, &desc, &module, NULL);
}

static void variable_of_a_module_freed(struct faulty_world *world)
{
    /* zeMemFree: "what an allocation gave"; a variable belongs to its module (MOD-12). */
    ze_module_handle_t module = faulty_module(world);
    void *variable;
    MUST(zeModuleGetGlobalPointer(module, "table", NULL, &variable));
    zeMemFree(world->context, variable);
    MUST(zeModuleDestroy(module));
}

/* --- no fault --- */

static void kernels_of_one_name(struct faulty_world *world)
{
    /* KRN-1, MOD-13: a kernel is one entry point of its module; only its own kernels keep one. */
    ze_module_handle_t modules[2] = {faulty_module(world), faulty_module(world)};
    ze_kernel_handle_t kernels[2] = {faulty_kernel(modules[0], "ids"),
                                     faulty_kernel(modules[1], "ids")};
    ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    void *memory = faulty_memory(world, 4096);
    set_pointer(kernels[0], 0, memory);
    set_pointer(kernels[1], 0, memory);
    MUST(launch(list, kernels[1]));
    MUST(zeKernelDestroy(kernels[0]));
    MUST(zeModuleDestroy(modules[0]));
    MUST(launch(list, kernels[1]));
    MUST(close_and_run(world, list));
    MUST(zeKernelDestroy(kernels[1]));
    MUST(zeModuleDestroy(modules[1]));
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
}

static void module_of_another_modules_binary(struct faulty_world *world)
{
    /* MOD-10: applications cache a module's native binary; the first module is gone meanwhile. */
    ze_module_handle_t first = faulty_module(world), second;
    size_t size = 0;
    MUST(zeModuleGetNativeBinary(first, &size, NULL));
    uint8_t *binary = malloc(size);
    MUST(zeModuleGetNativeBinary(first, &size, binary));
    MUST(zeModuleDestroy(first));
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_NATIVE,
                                   .inputSize = size,
                                   .pInputModule = binary};
    MUST(zeModuleCreate(world->context, world->device, &desc, &second, NULL));
    free(binary);
    MUST(zeKernelDestroy(faulty_kernel(second, "ids")));
    MUST(zeModuleDestroy(second));
}

static void linked_alone_and_again(struct faulty_world *world)
{
    /* MOD-9: a fully linked module is not linked again. MOD-5: a log may outlive the module. */
    ze_module_handle_t module = faulty_module(world);
    ze_module_build_log_handle_t logs[2];
    size_t size = 0;
    for (int i = 0; i < 2; i++)
        MUST(zeModuleDynamicLink(1, &module, &logs[i]));
    MUST(zeModuleDynamicLink(1, &module, NULL));
    MUST(zeModuleDestroy(module));
    for (int i = 0; i < 2; i++) {
        MUST(zeModuleBuildLogGetString(logs[i], &size, NULL));
        MUST(zeModuleBuildLogDestroy(logs[i]));
    }
}

static void variable_of_a_module_written(struct faulty_world *world)
{
    /* MOD-12: a variable's pointer is for copies, although no zeMemAlloc gave it. */
    ze_module_handle_t module = faulty_module(world);
    ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    char *memory = faulty_memory(world, 16);
    void *variable;
    size_t size;
    MUST(zeModuleGetGlobalPointer(module, "table", &size, &variable));
    copy(list, memory, variable, size);
    copy(list, variable, memory, size);
    MUST(close_and_run(world, list));
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
    MUST(zeModuleDestroy(module));
}

static void optional_results_left_out(struct faulty_world *world)
{
    /* GEN-22, MEM-18: optional pointers may be null; lists have two steps. */
    ze_module_handle_t module = faulty_module(world);
    ze_kernel_handle_t kernel = faulty_kernel(module, "ids");
    const char *names[64];
    uint32_t count = 0, x;
    void *memory = faulty_memory(world, 4096);
    size_t size = 0;
    MUST(zeModuleGetKernelNames(module, &count, NULL));
    count = 64; /* more than there are */
    MUST(zeModuleGetKernelNames(module, &count, names));
    MUST(zeModuleGetGlobalPointer(module, "table", NULL, NULL));
    MUST(zeKernelGetName(kernel, &size, NULL));
    MUST(zeKernelSuggestGroupSize(kernel, 64, 1, 1, &x, NULL, NULL));
    MUST(zeMemGetAddressRange(world->context, memory, NULL, &size));
    MUST(zeMemGetAddressRange(world->context, memory, NULL, NULL));
    MUST(zeMemFree(world->context, memory));
    MUST(zeKernelDestroy(kernel));
    MUST(zeModuleDestroy(module));
}

const struct faulty faulty_programs[] = {
    {"modules_of_two_contexts_linked", modules_of_two_contexts_linked, "other-context",
     "phModules[1]", NULL},
    {"destroyed_module_linked", destroyed_module_linked, "destroyed-handle", "phModules[1]", NULL},
    {"link_log_left_behind", link_log_left_behind, "leak", "zeModuleDynamicLink", NULL},
    {"constants_without_values", constants_without_values, "null-pointer", "pConstantValues", NULL},
    {"program_without_sizes", program_without_sizes, "null-pointer", "inputSizes", NULL},
    {"variable_of_a_module_freed", variable_of_a_module_freed, "bad-free", "zeMemFree", NULL},
    {"kernels_of_one_name", kernels_of_one_name, "", NULL, NULL},
    {"module_of_another_modules_binary", module_of_another_modules_binary, "", NULL, NULL},
    {"linked_alone_and_again", linked_alone_and_again, "", NULL, NULL},
    {"variable_of_a_module_written", variable_of_a_module_written, "", NULL,
     "GEOID_VALIDATION_SYSTEM_MEMORY=0"},
    {"optional_results_left_out", optional_results_left_out, "", NULL, NULL},
    {0}};
