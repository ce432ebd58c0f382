/* Random boxes of images in lists without order. A model of pixels knows which commands meet, also
 * through a view and in slices of a 3D image. Where they do, a barrier or an event stands between
 * them, or is left out. */
#include "objects.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIDE = 8, DEPTH = 4, PIXELS = SIDE * SIDE * DEPTH, COMMANDS = 24, SEEDS = 40, PIXEL = 4 };

/* Two 3D images and a view of the first. */
struct scene {
    const struct faulty_world *world;
    unsigned seed;
    ze_command_list_handle_t list;
    ze_image_handle_t images[2], view;
    struct signal signals[COMMANDS];
    char *memory;                  /* each command has a part of its own */
    unsigned char uses[2][PIXELS]; /* since the last order: 1 read, 2 written */
    int count;
};

static unsigned choose(struct scene *scene, unsigned below)
{
    scene->seed = scene->seed * 1103515245u + 12345u;
    return (scene->seed >> 16) % below;
}

static ze_image_region_t choose_box(struct scene *scene)
{
    ze_image_region_t box = {.width = 1 + choose(scene, SIDE / 2),
                             .height = 1 + choose(scene, SIDE / 2),
                             .depth = 1 + choose(scene, DEPTH / 2)};
    box.originX = choose(scene, SIDE - box.width + 1);
    box.originY = choose(scene, SIDE - box.height + 1);
    box.originZ = choose(scene, DEPTH - box.depth + 1);
    return box;
}

static bool in_box(const ze_image_region_t *box, unsigned pixel)
{
    const unsigned x = pixel % SIDE, y = pixel / SIDE % SIDE, z = pixel / SIDE / SIDE;
    return x - box->originX < box->width && y - box->originY < box->height &&
           z - box->originZ < box->depth;
}

static bool boxes_meet(const ze_image_region_t *one, const ze_image_region_t *other)
{
    for (unsigned pixel = 0; pixel < PIXELS; pixel++) {
        if (in_box(one, pixel) && in_box(other, pixel))
            return true;
    }
    return false;
}

/* Whether the use meets an earlier one of which one writes; notes the use if asked to. */
static bool meets(struct scene *scene, unsigned image, const ze_image_region_t *box, bool writes,
                  bool note)
{
    bool found = false;
    for (unsigned pixel = 0; pixel < PIXELS; pixel++) {
        if (!in_box(box, pixel))
            continue;
        const unsigned char earlier = scene->uses[image][pixel];
        found = found || (writes ? earlier != 0 : (earlier & 2) != 0);
        if (note)
            scene->uses[image][pixel] |= writes ? 2 : 1;
    }
    return found;
}

static void order(struct scene *scene)
{
    struct signal *signal = &scene->signals[scene->count];
    if (choose(scene, 2)) {
        MUST(zeCommandListAppendBarrier(scene->list, NULL, 0, NULL));
    } else {
        MUST(zeCommandListAppendBarrier(scene->list, signal->event, 0, NULL));
        MUST(zeCommandListAppendWaitOnEvents(scene->list, 1, &signal->event));
    }
    memset(scene->uses, 0, sizeof(scene->uses));
}

/* The image, or its view at times. */
static ze_image_handle_t handle_of(struct scene *scene, unsigned image)
{
    return image == 0 && choose(scene, 2) ? scene->view : scene->images[image];
}

/* Appends a command; orders it before unless it is to be left out. Returns whether that was. */
static bool step(struct scene *scene, bool leave_out)
{
    const unsigned kind = choose(scene, 3), image = choose(scene, 2), other = choose(scene, 2);
    const ze_image_region_t box = choose_box(scene);
    ze_image_region_t from = box;
    char *memory = scene->memory + scene->count * PIXELS * PIXEL;
    if (kind == 2) {
        from.originX = choose(scene, SIDE - from.width + 1);
        from.originY = choose(scene, SIDE - from.height + 1);
        if (image == other && boxes_meet(&box, &from))
            return false;
    }
    const bool needed = meets(scene, image, &box, kind != 0, false) ||
                        (kind == 2 && meets(scene, other, &from, false, false));
    const bool left_out = needed && leave_out;
    if (needed && !left_out)
        order(scene);
    meets(scene, image, &box, kind != 0, true);
    if (kind == 0) {
        MUST(zeCommandListAppendImageCopyToMemory(scene->list, memory, handle_of(scene, image),
                                                  &box, NULL, 0, NULL));
    } else if (kind == 1) {
        MUST(zeCommandListAppendImageCopyFromMemory(scene->list, handle_of(scene, image), memory,
                                                    &box, NULL, 0, NULL));
    } else {
        meets(scene, other, &from, false, true);
        MUST(zeCommandListAppendImageCopyRegion(scene->list, handle_of(scene, image),
                                                handle_of(scene, other), &box, &from, NULL, 0,
                                                NULL));
    }
    scene->count++;
    return left_out;
}

/* Makes a list, with one order left out if asked to, and runs it. Returns whether one was. */
static bool run_scene(const struct faulty_world *world, unsigned seed, bool leave_out)
{
    static struct scene scene;
    bool left_out = false;
    ze_image_desc_t desc = image_desc(SIDE, SIDE);
    desc.type = ZE_IMAGE_TYPE_3D;
    desc.depth = DEPTH;
    memset(&scene, 0, sizeof(scene));
    scene.world = world;
    scene.seed = seed;
    scene.list = faulty_list(world, 0);
    scene.memory = faulty_memory(world, COMMANDS * PIXELS * PIXEL);
    for (int i = 0; i < 2; i++)
        MUST(zeImageCreate(world->context, world->device, &desc, &scene.images[i]));
    MUST(zeImageViewCreateExt(world->context, world->device, &desc, scene.images[0], &scene.view));
    for (int i = 0; i < COMMANDS; i++)
        scene.signals[i] = signal_begin(world, 0);
    while (scene.count < COMMANDS)
        left_out = step(&scene, leave_out && !left_out) || left_out;
    close_and_run(world, scene.list);
    MUST(zeCommandListDestroy(scene.list));
    MUST(zeImageDestroy(scene.view));
    for (int i = 0; i < 2; i++)
        MUST(zeImageDestroy(scene.images[i]));
    for (int i = 0; i < COMMANDS; i++)
        signal_end(&scene.signals[i]);
    MUST(zeMemFree(world->context, scene.memory));
    return left_out;
}

static void ordered_boxes(struct faulty_world *world)
{
    /* SYN-12, SYN-14, CPY-5: every pair of commands that meets at a pixel has order. */
    for (unsigned seed = 1; seed <= SEEDS; seed++)
        run_scene(world, seed, false);
}

static void boxes_with_one_order_left_out(struct faulty_world *world)
{
    /* SYN-12: completion order is undefined without events, barriers or fences. */
    static char told[65536];
    int missed = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        const int file = memfd_create("told", 0), error = dup(STDERR_FILENO);
        dup2(file, STDERR_FILENO);
        const bool faulty = run_scene(world, seed, true);
        dup2(error, STDERR_FILENO);
        const ssize_t length = pread(file, told, sizeof(told) - 1, 0);
        told[length > 0 ? length : 0] = '\0';
        close(file);
        close(error);
        fputs(told, stderr);
        if (faulty != (strstr(told, "missing-dependency") != NULL)) {
            fprintf(stderr, "seed %u is not told\n", seed);
            missed++;
        }
    }
    if (missed)
        exit(4);
}

const struct faulty faulty_programs[] = {{"ordered_boxes", ordered_boxes, "", NULL, NULL},
                                         {"boxes_with_one_order_left_out",
                                          boxes_with_one_order_left_out, "missing-dependency", NULL,
                                          NULL},
                                         {0}};
