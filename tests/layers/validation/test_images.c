/* Faults of images and samplers: when they are destroyed, what copies of them touch, whose they
 * are. */
#include "objects.h"

#include <stdlib.h>

static const ze_image_region_t whole = {0, 0, 0, 8, 8, 1};

/* The fixture's kernel with an image to read, one to write, a sampler and memory. */
struct look {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_image_handle_t in, out;
    ze_sampler_handle_t sampler;
    void *words;
    ze_command_list_handle_t list;
};

static struct look look_begin(const struct faulty_world *world)
{
    struct look look = {.module = native_module(world, "native_image"),
                        .in = image_create(world, 8, 8),
                        .out = image_create(world, 8, 8),
                        .sampler = sampler_create(world),
                        .words = shared_memory(world, 4096),
                        .list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER)};
    look.kernel = faulty_kernel(look.module, "look");
    MUST(zeKernelSetArgumentValue(look.kernel, 0, sizeof(look.in), &look.in));
    MUST(zeKernelSetArgumentValue(look.kernel, 1, sizeof(look.out), &look.out));
    MUST(zeKernelSetArgumentValue(look.kernel, 2, sizeof(look.sampler), &look.sampler));
    set_pointer(look.kernel, 3, look.words);
    return look;
}

static void look_end(const struct faulty_world *world, struct look *look)
{
    MUST(zeCommandListDestroy(look->list));
    MUST(zeKernelDestroy(look->kernel));
    MUST(zeModuleDestroy(look->module));
    if (look->in)
        MUST(zeImageDestroy(look->in));
    MUST(zeImageDestroy(look->out));
    if (look->sampler)
        MUST(zeSamplerDestroy(look->sampler));
    MUST(zeMemFree(world->context, look->words));
}

static void image_destroyed_in_flight(struct faulty_world *world)
{
    /* zeImageDestroy: "The application makes sure that no device uses it any more." */
    struct gate gate = gate_begin(world);
    ze_image_handle_t image = image_create(world, 8, 8);
    void *memory = faulty_memory(world, 256);
    MUST(zeCommandListAppendImageCopyToMemory(gate.list, memory, image, NULL, NULL, 0, NULL));
    const ze_result_t result = zeImageDestroy(image);
    gate_end(&gate);
    if (result != ZE_RESULT_SUCCESS)
        MUST(zeImageDestroy(image));
    MUST(zeMemFree(world->context, memory));
}

static void image_destroyed_before_its_list_runs(struct faulty_world *world)
{
    /* GEN-15: handles have no reference counts, so the list refers to an object that is gone. */
    ze_command_list_handle_t list = faulty_list(world, 0);
    ze_image_handle_t image = image_create(world, 8, 8);
    void *memory = faulty_memory(world, 256);
    MUST(zeCommandListAppendImageCopyToMemory(list, memory, image, NULL, NULL, 0, NULL));
    MUST(zeCommandListClose(list));
    MUST(zeImageDestroy(image));
    run_list(world, list);
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
}

static void image_before_its_view(struct faulty_world *world)
{
    /* zeImageViewCreateExt: "The image must outlive its views." */
    const ze_image_desc_t desc = image_desc(8, 8);
    ze_image_handle_t image = image_create(world, 8, 8), view;
    MUST(zeImageViewCreateExt(world->context, world->device, &desc, image, &view));
    const ze_result_t result = zeImageDestroy(image);
    MUST(zeImageDestroy(view));
    if (result != ZE_RESULT_SUCCESS)
        MUST(zeImageDestroy(image));
}

static void region_beyond_the_image(struct faulty_world *world)
{
    /* ze_image_region_t: "A box of pixels in an image"; columns 8 to 11 are not in it. */
    const ze_image_region_t region = {4, 0, 0, 8, 8, 1};
    ze_command_list_handle_t list = faulty_list(world, 0);
    ze_image_handle_t image = image_create(world, 8, 8);
    void *memory = faulty_memory(world, 256);
    zeCommandListAppendImageCopyFromMemory(list, image, memory, &region, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(image));
    MUST(zeMemFree(world->context, memory));
}

static void memory_shorter_than_the_image(struct faulty_world *world)
{
    /* MEM-11: going past the requested size is undefined; 8 * 8 pixels have 256 bytes. */
    ze_command_list_handle_t list = faulty_list(world, 0);
    ze_image_handle_t image = image_create(world, 8, 8);
    void *memory = faulty_memory(world, 128);
    zeCommandListAppendImageCopyToMemory(list, memory, image, &whole, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(image));
    MUST(zeMemFree(world->context, memory));
}

static void pitched_rows_beyond_the_memory(struct faulty_world *world)
{
    /* MEM-11: seven pitches of 64 bytes and the last row's 32 are 480 bytes. */
    ze_command_list_handle_t list = faulty_list(world, 0);
    ze_image_handle_t image = image_create(world, 8, 8);
    void *memory = faulty_memory(world, 479);
    zeCommandListAppendImageCopyFromMemoryExt(list, image, memory, &whole, 64, 0, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(image));
    MUST(zeMemFree(world->context, memory));
}

static void overlapping_boxes_of_an_image(struct faulty_world *world)
{
    /* CPY-5, VAL-11: no overlap. */
    const ze_image_region_t to = {1, 0, 0, 4, 8, 1}, from = {0, 0, 0, 4, 8, 1};
    ze_command_list_handle_t list = faulty_list(world, 0);
    ze_image_handle_t image = image_create(world, 8, 8);
    zeCommandListAppendImageCopyRegion(list, image, image, &to, &from, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(image));
}

static void image_of_another_context(struct faulty_world *world)
{
    /* CTX-4 and "Contexts": objects of one context are not for calls on another. */
    struct faulty_world other = other_begin(world);
    ze_command_list_handle_t list = faulty_list(world, 0);
    ze_image_handle_t ours = image_create(world, 8, 8), theirs = image_create(&other, 8, 8);
    zeCommandListAppendImageCopy(list, ours, theirs, NULL, 0, NULL);
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(ours));
    MUST(zeImageDestroy(theirs));
    other_end(&other);
}

static void image_read_without_order(struct faulty_world *world)
{
    /* SYN-12, SYN-13: completion order is undefined without events or barriers. */
    ze_command_list_handle_t list = faulty_list(world, 0);
    ze_image_handle_t image = image_create(world, 8, 8);
    char *memory = faulty_memory(world, 512);
    MUST(zeCommandListAppendImageCopyFromMemory(list, image, memory, NULL, NULL, 0, NULL));
    MUST(zeCommandListAppendImageCopyToMemory(list, memory + 256, image, NULL, NULL, 0, NULL));
    close_and_run(world, list);
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(image));
    MUST(zeMemFree(world->context, memory));
}

static void image_left_behind(struct faulty_world *world)
{
    /* VAL-3: leaks are reported. */
    image_create(world, 8, 8);
    exit(0); /* with the context, which it keeps */
}

static void sampler_destroyed_before_the_launch(struct faulty_world *world)
{
    /* KRN-5: the value is copied at append, when the sampler is gone; GEN-15. */
    struct look look = look_begin(world);
    MUST(zeSamplerDestroy(look.sampler));
    look.sampler = NULL;
    launch(look.list, look.kernel);
    look_end(world, &look);
}

static void image_argument_destroyed_before_its_list_runs(struct faulty_world *world)
{
    /* GEN-15: handles have no reference counts; the launch reads the image when the list runs. */
    struct look look = look_begin(world);
    MUST(launch(look.list, look.kernel));
    MUST(zeCommandListClose(look.list));
    MUST(zeImageDestroy(look.in));
    look.in = NULL;
    run_list(world, look.list);
    look_end(world, &look);
}

static void sampler_of_another_context(struct faulty_world *world)
{
    /* CTX-4 and "Contexts": a kernel takes objects of its own context. */
    struct faulty_world other = other_begin(world);
    struct look look = look_begin(world);
    ze_sampler_handle_t theirs = sampler_create(&other);
    if (zeKernelSetArgumentValue(look.kernel, 2, sizeof(theirs), &theirs) == ZE_RESULT_SUCCESS)
        launch(look.list, look.kernel);
    look_end(world, &look);
    MUST(zeSamplerDestroy(theirs));
    other_end(&other);
}

/* --- no fault --- */

static void columns_of_an_image_without_order(struct faulty_world *world)
{
    /* SYN-12 asks for order between commands that use the same pixels; these do not. */
    const ze_image_region_t left = {0, 0, 0, 4, 8, 1}, right = {4, 0, 0, 4, 8, 1};
    ze_command_list_handle_t list = faulty_list(world, 0);
    ze_image_handle_t image = image_create(world, 8, 8);
    char *memory = faulty_memory(world, 256);
    MUST(zeCommandListAppendImageCopyFromMemory(list, image, memory, &left, NULL, 0, NULL));
    MUST(zeCommandListAppendImageCopyFromMemory(list, image, memory + 128, &right, NULL, 0, NULL));
    MUST(close_and_run(world, list));
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(image));
    MUST(zeMemFree(world->context, memory));
}

static void left_half_to_the_right(struct faulty_world *world)
{
    /* CPY-5 forbids overlap; halves of one image have none. Null regions mean the whole image. */
    const ze_image_region_t left = {0, 0, 0, 4, 8, 1}, right = {4, 0, 0, 4, 8, 1};
    ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    ze_image_handle_t image = image_create(world, 8, 8), second = image_create(world, 8, 8);
    MUST(zeCommandListAppendImageCopyRegion(list, image, image, &right, &left, NULL, 0, NULL));
    MUST(zeCommandListAppendImageCopyRegion(list, second, image, NULL, NULL, NULL, 0, NULL));
    MUST(zeCommandListAppendImageCopyRegion(list, image, second, &whole, NULL, NULL, 0, NULL));
    MUST(close_and_run(world, list));
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(image));
    MUST(zeImageDestroy(second));
}

static void views_before_their_image(struct faulty_world *world)
{
    /* zeImageViewCreateExt: "The image must outlive its views", and it does, each time anew. */
    const ze_image_desc_t desc = image_desc(8, 8);
    void *memory = faulty_memory(world, 256);
    for (int i = 0; i < 8; i++) {
        ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER);
        ze_image_handle_t image = image_create(world, 8, 8), views[2];
        for (int k = 0; k < 2; k++) {
            MUST(zeImageViewCreateExt(world->context, world->device, &desc, image, &views[k]));
            MUST(zeCommandListAppendImageCopyToMemory(list, memory, views[k], NULL, NULL, 0, NULL));
        }
        MUST(close_and_run(world, list));
        MUST(zeImageDestroy(views[i % 2]));
        MUST(zeImageDestroy(views[1 - i % 2]));
        MUST(zeImageDestroy(image));
        MUST(zeCommandListDestroy(list));
    }
    MUST(zeMemFree(world->context, memory));
}

static void last_row_without_its_padding(struct faulty_world *world)
{
    /* MEM-11: seven pitches of 64 bytes and the last row's 32 are within 480 bytes. */
    ze_command_list_handle_t list = faulty_list(world, ZE_COMMAND_LIST_FLAG_IN_ORDER);
    ze_image_handle_t image = image_create(world, 8, 8);
    void *memory = faulty_memory(world, 480);
    MUST(
        zeCommandListAppendImageCopyToMemoryExt(list, memory, image, &whole, 64, 0, NULL, 0, NULL));
    MUST(
        zeCommandListAppendImageCopyFromMemoryExt(list, image, memory, NULL, 64, 0, NULL, 0, NULL));
    MUST(close_and_run(world, list));
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(image));
    MUST(zeMemFree(world->context, memory));
}

static void image_of_a_list_that_is_reset(struct faulty_world *world)
{
    /* CMQ-18: reset returns the list to empty, so what it referred to matters no more. */
    ze_command_list_handle_t list = faulty_list(world, 0);
    void *memory = faulty_memory(world, 256);
    for (int i = 0; i < 4; i++) {
        ze_image_handle_t image = image_create(world, 8, 8);
        MUST(zeCommandListAppendImageCopyToMemory(list, memory, image, NULL, NULL, 0, NULL));
        MUST(close_and_run(world, list));
        MUST(zeImageDestroy(image)); /* the list has finished and will not run again */
        MUST(zeCommandListReset(list));
    }
    MUST(zeCommandListDestroy(list));
    MUST(zeMemFree(world->context, memory));
}

static void sampler_replaced_before_the_launch(struct faulty_world *world)
{
    /* KRN-5: arguments may change between appends and count when a launch is appended. */
    struct look look = look_begin(world);
    MUST(zeSamplerDestroy(look.sampler));
    look.sampler = sampler_create(world);
    MUST(zeKernelSetArgumentValue(look.kernel, 2, sizeof(look.sampler), &look.sampler));
    MUST(launch(look.list, look.kernel));
    MUST(close_and_run(world, look.list));
    MUST(zeSamplerDestroy(look.sampler)); /* the kernel still has it and is not launched again */
    MUST(zeImageDestroy(look.in));
    look.sampler = NULL;
    look.in = NULL;
    look_end(world, &look);
}

static void chain_of_a_bindless_image(struct faulty_world *world)
{
    /* EXN-7: chains may be in any order. The custom pitch extends the pitched descriptor. */
    ze_image_desc_t desc = image_desc(64, 64);
    size_t pitch;
    MUST(zeMemGetPitchFor2dImage(world->context, world->device, 64, 64, 4, &pitch));
    void *memory = faulty_memory(world, pitch * 64);
    ze_custom_pitch_exp_desc_t custom = {.stype = ZE_STRUCTURE_TYPE_CUSTOM_PITCH_EXP_DESC,
                                         .rowPitch = pitch,
                                         .slicePitch = pitch * 64};
    ze_image_pitched_exp_desc_t pitched = {.stype = ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC,
                                           .ptr = memory};
    ze_image_bindless_exp_desc_t bindless = {.stype = ZE_STRUCTURE_TYPE_BINDLESS_IMAGE_EXP_DESC,
                                             .flags = ZE_IMAGE_BINDLESS_EXP_FLAG_BINDLESS};
    for (int i = 0; i < 2; i++) {
        ze_image_handle_t image;
        desc.pNext = i ? (void *)&pitched : (void *)&bindless;
        bindless.pNext = i ? NULL : &pitched;
        pitched.pNext = &custom;
        custom.pNext = i ? &bindless : NULL;
        MUST(zeImageCreate(world->context, world->device, &desc, &image));
        MUST(zeImageDestroy(image));
    }
    MUST(zeMemFree(world->context, memory));
}

static void image_read_twice_without_order(struct faulty_world *world)
{
    /* SYN-12 matters where one of two commands writes; these only read the image. */
    ze_command_list_handle_t list = faulty_list(world, 0);
    ze_image_handle_t image = image_create(world, 8, 8);
    char *memory = faulty_memory(world, 512);
    MUST(zeCommandListAppendImageCopyToMemory(list, memory, image, NULL, NULL, 0, NULL));
    MUST(zeCommandListAppendImageCopyToMemory(list, memory + 256, image, NULL, NULL, 0, NULL));
    MUST(close_and_run(world, list));
    MUST(zeCommandListDestroy(list));
    MUST(zeImageDestroy(image));
    MUST(zeMemFree(world->context, memory));
}

const struct faulty faulty_programs[] = {
    {"image_destroyed_in_flight", image_destroyed_in_flight, "destroyed-in-use", "zeImageDestroy",
     NULL},
    {"image_destroyed_before_its_list_runs", image_destroyed_before_its_list_runs,
     "destroyed-handle", "zeCommandQueueExecuteCommandLists", NULL},
    {"image_before_its_view", image_before_its_view, "children-alive", "zeImageDestroy", NULL},
    {"region_beyond_the_image", region_beyond_the_image, "out-of-range",
     "zeCommandListAppendImageCopyFromMemory", NULL},
    {"memory_shorter_than_the_image", memory_shorter_than_the_image, "out-of-range", "dstptr",
     NULL},
    {"pitched_rows_beyond_the_memory", pitched_rows_beyond_the_memory, "out-of-range", "srcptr",
     NULL},
    {"overlapping_boxes_of_an_image", overlapping_boxes_of_an_image, "overlapping-copy", NULL,
     NULL},
    {"image_of_another_context", image_of_another_context, "other-context",
     "zeCommandListAppendImageCopy", NULL},
    {"image_read_without_order", image_read_without_order, "missing-dependency",
     "zeCommandListAppendImageCopyToMemory", NULL},
    {"image_left_behind", image_left_behind, "leak", "zeImageCreate", NULL},
    {"sampler_destroyed_before_the_launch", sampler_destroyed_before_the_launch, "destroyed-handle",
     "zeCommandListAppendLaunchKernel", NULL},
    {"image_argument_destroyed_before_its_list_runs", image_argument_destroyed_before_its_list_runs,
     "destroyed-handle", "zeCommandQueueExecuteCommandLists", NULL},
    {"sampler_of_another_context", sampler_of_another_context, "other-context", NULL, NULL},
    {"columns_of_an_image_without_order", columns_of_an_image_without_order, "", NULL, NULL},
    {"left_half_to_the_right", left_half_to_the_right, "", NULL, NULL},
    {"views_before_their_image", views_before_their_image, "", NULL, NULL},
    {"last_row_without_its_padding", last_row_without_its_padding, "", NULL, NULL},
    {"image_of_a_list_that_is_reset", image_of_a_list_that_is_reset, "", NULL, NULL},
    {"sampler_replaced_before_the_launch", sampler_replaced_before_the_launch, "", NULL, NULL},
    {"chain_of_a_bindless_image", chain_of_a_bindless_image, "", NULL, NULL},
    {"image_read_twice_without_order", image_read_twice_without_order, "", NULL, NULL},
    {0}};
