/* Arguments that are plain numbers: an 8-byte value is no pointer, whatever it equals. */
#include "objects.h"

#include <stdlib.h>

/* kernel keep(global ulong *out, ulong value) { *out = value; } */
static const uint32_t keep[] = {
    0x07230203, 0x00010000, 0x00070000, 0x00000009, 0x00000000, 0x00020011, 0x00000004, 0x00020011,
    0x00000006, 0x00020011, 0x0000000b, 0x0003000e, 0x00000002, 0x00000002, 0x0005000f, 0x00000006,
    0x00000001, 0x7065656b, 0x00000000, 0x00020013, 0x00000002, 0x00040015, 0x00000003, 0x00000040,
    0x00000000, 0x00040020, 0x00000004, 0x00000005, 0x00000003, 0x00050021, 0x00000005, 0x00000002,
    0x00000004, 0x00000003, 0x00050036, 0x00000002, 0x00000001, 0x00000000, 0x00000005, 0x00030037,
    0x00000004, 0x00000006, 0x00030037, 0x00000003, 0x00000007, 0x000200f8, 0x00000008, 0x0005003e,
    0x00000006, 0x00000007, 0x00000002, 0x00000008, 0x000100fd, 0x00010038};

struct keeper {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_command_list_handle_t list;
    uint64_t *kept;
};

static struct keeper keeper_begin(const struct faulty_world *world)
{
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
                                   .format = ZE_MODULE_FORMAT_IL_SPIRV,
                                   .inputSize = sizeof(keep),
                                   .pInputModule = (const uint8_t *)keep};
    struct keeper keeper = {.list = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER),
                            .kept = shared_memory(world, sizeof(uint64_t))};
    MUST(zeModuleCreate(world->context, world->device, &desc, &keeper.module, NULL));
    keeper.kernel = faulty_kernel(keeper.module, "keep");
    set_pointer(keeper.kernel, 0, keeper.kept);
    return keeper;
}

/* Lets the kernel keep the number and checks that it did. */
static void keep_number(const struct keeper *keeper, uint64_t number)
{
    MUST(zeKernelSetArgumentValue(keeper->kernel, 1, sizeof(number), &number));
    MUST(launch(keeper->list, keeper->kernel));
    MUST(zeCommandListHostSynchronize(keeper->list, UINT64_MAX));
    if (*keeper->kept != number)
        exit(4);
}

static void keeper_end(const struct faulty_world *world, const struct keeper *keeper)
{
    MUST(zeCommandListDestroy(keeper->list));
    MUST(zeKernelDestroy(keeper->kernel));
    MUST(zeModuleDestroy(keeper->module));
    MUST(zeMemFree(world->context, keeper->kept));
}

static void number_of_four_bytes(struct faulty_world *world)
{
    /* VAL-15: ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE; the kernel takes 64 bits. */
    const uint32_t number = 1;
    struct keeper keeper = keeper_begin(world);
    zeKernelSetArgumentValue(keeper.kernel, 1, sizeof(number), &number);
    keeper_end(world, &keeper);
}

/* --- no fault --- */

static void number_that_equals_a_freed_address(struct faulty_world *world)
{
    /* KRN-5: the argument is a value; nothing is read or written where it would point. */
    struct keeper keeper = keeper_begin(world);
    void *memory = faulty_memory(world, 4096);
    MUST(zeMemFree(world->context, memory));
    keep_number(&keeper, (uintptr_t)memory);
    keep_number(&keeper, (uintptr_t)memory + 100);
    keeper_end(world, &keeper);
}

static void number_that_equals_an_address_of_another_context(struct faulty_world *world)
{
    /* KRN-5, CTX-4: a number is no pointer of any context. */
    struct faulty_world other = other_begin(world);
    struct keeper keeper = keeper_begin(world);
    void *memory = faulty_memory(&other, 4096);
    keep_number(&keeper, (uintptr_t)memory);
    MUST(zeMemFree(other.context, memory));
    keeper_end(world, &keeper);
    other_end(&other);
}

static void number_that_equals_a_destroyed_handle(struct faulty_world *world)
{
    /* KRN-5: a number is no image and no sampler. */
    struct keeper keeper = keeper_begin(world);
    ze_image_handle_t image = image_create(world, 8, 8);
    ze_sampler_handle_t sampler = sampler_create(world);
    MUST(zeImageDestroy(image));
    MUST(zeSamplerDestroy(sampler));
    keep_number(&keeper, (uintptr_t)image);
    keep_number(&keeper, (uintptr_t)sampler);
    keeper_end(world, &keeper);
}

static void memory_freed_while_its_number_is_in_flight(struct faulty_world *world)
{
    /* MEM-19: the device does not use the memory whose address it keeps as a number. */
    struct keeper keeper = keeper_begin(world);
    struct gate gate = gate_begin(world);
    void *memory = faulty_memory(world, 4096);
    const uint64_t number = (uintptr_t)memory;
    MUST(zeKernelSetArgumentValue(keeper.kernel, 1, sizeof(number), &number));
    MUST(launch(gate.list, keeper.kernel));
    MUST(zeMemFree(world->context, memory));
    gate_end(&gate);
    if (*keeper.kept != number)
        exit(4);
    keeper_end(world, &keeper);
}

const struct faulty faulty_programs[] = {
    {"number_of_four_bytes", number_of_four_bytes, "argument-size", "zeKernelSetArgumentValue",
     NULL},
    {"number_that_equals_a_freed_address", number_that_equals_a_freed_address, "", NULL, NULL},
    {"number_that_equals_an_address_of_another_context",
     number_that_equals_an_address_of_another_context, "", NULL, NULL},
    {"number_that_equals_a_destroyed_handle", number_that_equals_a_destroyed_handle, "", NULL,
     NULL},
    {"memory_freed_while_its_number_is_in_flight", memory_freed_while_its_number_is_in_flight, "",
     NULL, NULL},
    {0}};
