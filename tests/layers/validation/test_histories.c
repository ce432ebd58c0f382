/* Random histories of objects whose right verdict is known by construction: memory, images, events
 * and kernels are made, used by lists and destroyed, lists are closed, run, reset and destroyed. A
 * model knows what each list refers to and which lists are in flight. A history without fault must
 * be passed in silence; one that ends with a fault must be told of that fault. */
#include "objects.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { MEMORY, IMAGE, EVENT, KERNEL, KINDS };
enum { SLOTS = 4, LISTS = 4, STEPS = 400, SEEDS = 40, BYTES = 4096, MADE = 20000 };

/* An object of a slot. `number` counts the objects that were there, so that lists can name one. */
struct object {
    void *handle; /* NULL: none */
    unsigned number;
    unsigned argument, argument_number; /* of a kernel: the memory it was given */
};

struct list {
    ze_command_list_handle_t handle;
    bool closed, in_flight;
    unsigned uses[KINDS][SLOTS]; /* number of the object that the list uses, or 0 */
    unsigned arguments[SLOTS];   /* of memory: number that kernels of the list were given */
};

struct history {
    const struct faulty_world *world;
    unsigned seed;
    struct object objects[KINDS][SLOTS];
    struct list lists[LISTS];
    ze_command_queue_handle_t queue;
    ze_module_handle_t module;
    ze_event_pool_handle_t pool, gate_pool;
    ze_event_handle_t gate;
    unsigned made;
    void *addresses[MADE]; /* of memory, by number */
};

static unsigned choose(struct history *history, unsigned below)
{
    history->seed = history->seed * 1103515245u + 12345u;
    return (history->seed >> 16) % below;
}

/* --- what the model knows --- */

static bool uses(const struct list *list, enum kind kind, unsigned slot, unsigned number)
{
    return number && (list->uses[kind][slot] == number ||
                      (kind == MEMORY && list->arguments[slot] == number));
}

static bool in_flight(const struct history *history, enum kind kind, unsigned slot)
{
    for (int i = 0; i < LISTS; i++) {
        if (history->lists[i].in_flight &&
            uses(&history->lists[i], kind, slot, history->objects[kind][slot].number))
            return true;
    }
    return false;
}

static bool gone(const struct history *history, enum kind kind, unsigned slot, unsigned number)
{
    const struct object *object = &history->objects[kind][slot];
    return number && (!object->handle || object->number != number);
}

/* Whether an object of the kind that the list uses has been destroyed. */
static bool lacks(const struct history *history, const struct list *list, enum kind kind)
{
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        if (gone(history, kind, slot, list->uses[kind][slot]) ||
            (kind == MEMORY && gone(history, kind, slot, list->arguments[slot])))
            return true;
    }
    return false;
}

static bool whole(const struct history *history, const struct list *list)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        if (lacks(history, list, kind))
            return false;
    }
    return true;
}

/* Whether the kernel can be launched: its memory is the one that it was given. */
static bool launchable(const struct history *history, unsigned slot)
{
    const struct object *kernel = &history->objects[KERNEL][slot];
    return kernel->handle && kernel->argument_number &&
           !gone(history, MEMORY, kernel->argument, kernel->argument_number);
}

/* --- objects --- */

static void create(struct history *history, enum kind kind, unsigned slot)
{
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = slot};
    struct object *object = &history->objects[kind][slot];
    ze_event_handle_t event;
    *object = (struct object){.number = ++history->made};
    if (history->made >= MADE)
        exit(5);
    if (kind == MEMORY) {
        object->handle = faulty_memory(history->world, BYTES);
        history->addresses[object->number] = object->handle;
    } else if (kind == IMAGE) {
        object->handle = image_create(history->world, 8, 8);
    } else if (kind == EVENT) {
        MUST(zeEventCreate(history->pool, &desc, &event));
        object->handle = event;
    } else {
        object->handle = faulty_kernel(history->module, "ids");
    }
}

static ze_result_t destroy(struct history *history, enum kind kind, unsigned slot)
{
    void *handle = history->objects[kind][slot].handle;
    switch (kind) {
    case MEMORY:
        return zeMemFree(history->world->context, handle);
    case IMAGE:
        return zeImageDestroy(handle);
    case EVENT:
        return zeEventDestroy(handle);
    default:
        return zeKernelDestroy(handle);
    }
}

static void change_object(struct history *history)
{
    const enum kind kind = choose(history, KINDS);
    const unsigned slot = choose(history, SLOTS);
    struct object *object = &history->objects[kind][slot];
    if (!object->handle) {
        create(history, kind, slot);
    } else if (!in_flight(history, kind, slot)) {
        MUST(destroy(history, kind, slot));
        object->handle = NULL;
    }
}

static void give_argument(struct history *history)
{
    const unsigned slot = choose(history, SLOTS), memory = choose(history, SLOTS);
    struct object *kernel = &history->objects[KERNEL][slot];
    const struct object *given = &history->objects[MEMORY][memory];
    if (kernel->handle && given->handle) {
        set_pointer(kernel->handle, 0, given->handle);
        kernel->argument = memory;
        kernel->argument_number = given->number;
    }
}

/* --- lists --- */

static void *use(struct history *history, struct list *list, enum kind kind, unsigned slot)
{
    const struct object *object = &history->objects[kind][slot];
    if (object->handle)
        list->uses[kind][slot] = object->number;
    return object->handle;
}

/* An object that the list used before in the slot would be forgotten by the model. */
static bool usable(const struct history *history, const struct list *list, enum kind kind,
                   unsigned slot)
{
    const struct object *object = &history->objects[kind][slot];
    return object->handle && (!list->uses[kind][slot] || list->uses[kind][slot] == object->number);
}

static void append(struct history *history, unsigned index)
{
    struct list *list = &history->lists[index];
    const unsigned slot = choose(history, SLOTS), other = choose(history, SLOTS);
    const struct object *kernel = &history->objects[KERNEL][slot];
    switch (choose(history, 5)) {
    case 0:
        if (usable(history, list, MEMORY, slot))
            fill(list->handle, use(history, list, MEMORY, slot), 1, BYTES);
        break;
    case 1:
        if (slot != other && usable(history, list, MEMORY, slot) &&
            usable(history, list, MEMORY, other))
            copy(list->handle, use(history, list, MEMORY, slot), use(history, list, MEMORY, other),
                 BYTES);
        break;
    case 2:
        if (usable(history, list, MEMORY, slot) && usable(history, list, IMAGE, other))
            MUST(zeCommandListAppendImageCopyToMemory(
                list->handle, use(history, list, MEMORY, slot), use(history, list, IMAGE, other),
                NULL, NULL, 0, NULL));
        break;
    case 3: /* each list has its own event, so that none is signalled twice */
        if (usable(history, list, EVENT, index)) {
            ze_event_handle_t event = use(history, list, EVENT, index);
            MUST(zeCommandListAppendEventReset(list->handle, event));
            MUST(zeCommandListAppendBarrier(list->handle, event, 0, NULL));
        }
        break;
    default:
        if (launchable(history, slot) && usable(history, list, KERNEL, slot) &&
            (!list->arguments[kernel->argument] ||
             list->arguments[kernel->argument] == kernel->argument_number)) {
            MUST(launch(list->handle, use(history, list, KERNEL, slot)));
            list->arguments[kernel->argument] = kernel->argument_number;
        }
    }
}

/* Makes the list an open one that begins with the wait for the gate. */
static void list_begin(struct history *history, struct list *list, ze_command_list_handle_t handle)
{
    *list = (struct list){.handle = handle};
    MUST(zeCommandListAppendWaitOnEvents(handle, 1, &history->gate));
}

static void list_open(struct history *history, struct list *list)
{
    list_begin(history, list, faulty_list(history->world, ZE_COMMAND_LIST_FLAG_IN_ORDER));
}

static ze_result_t list_run(const struct history *history, const struct list *list)
{
    ze_command_list_handle_t handle = list->handle;
    return zeCommandQueueExecuteCommandLists(history->queue, 1, &handle, NULL);
}

/* Lets everything in flight finish. */
static void finish(struct history *history)
{
    MUST(zeEventHostSignal(history->gate));
    MUST(zeCommandQueueSynchronize(history->queue, UINT64_MAX));
    MUST(zeEventHostReset(history->gate));
    for (int i = 0; i < LISTS; i++)
        history->lists[i].in_flight = false;
}

static void change_list(struct history *history)
{
    const unsigned index = choose(history, LISTS);
    struct list *list = &history->lists[index];
    if (!list->closed) {
        if (choose(history, 4)) {
            append(history, index);
        } else {
            MUST(zeCommandListClose(list->handle));
            list->closed = true;
        }
    } else if (list->in_flight) {
        return;
    } else if (whole(history, list) && choose(history, 3)) {
        MUST(list_run(history, list));
        list->in_flight = true;
    } else if (choose(history, 2)) {
        MUST(zeCommandListReset(list->handle));
        list_begin(history, list, list->handle);
    } else {
        MUST(zeCommandListDestroy(list->handle));
        list_open(history, list);
    }
}

static void step(struct history *history)
{
    switch (choose(history, 8)) {
    case 0:
        finish(history);
        break;
    case 1:
    case 2:
        change_object(history);
        break;
    case 3:
        give_argument(history);
        break;
    default:
        change_list(history);
    }
}

static struct history *history_begin(const struct faulty_world *world, unsigned seed)
{
    static struct history history;
    history = (struct history){.world = world,
                               .seed = seed,
                               .queue = faulty_queue(world),
                               .module = faulty_module(world),
                               .pool = faulty_pool(world, SLOTS),
                               .gate_pool = faulty_pool(world, 1)};
    history.gate = faulty_event(history.gate_pool, 0);
    for (int i = 0; i < LISTS; i++)
        list_open(&history, &history.lists[i]);
    return &history;
}

static void history_end(struct history *history)
{
    finish(history);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        for (unsigned slot = 0; slot < SLOTS; slot++) {
            if (history->objects[kind][slot].handle)
                MUST(destroy(history, kind, slot));
        }
    }
    for (int i = 0; i < LISTS; i++)
        MUST(zeCommandListDestroy(history->lists[i].handle));
    MUST(zeModuleDestroy(history->module));
    MUST(zeEventPoolDestroy(history->pool));
    MUST(zeEventDestroy(history->gate));
    MUST(zeEventPoolDestroy(history->gate_pool));
    MUST(zeCommandQueueDestroy(history->queue));
}

static void histories_without_fault(struct faulty_world *world)
{
    /* GEN-15, MEM-19, CMQ-16, CMQ-18: nothing is destroyed while the device uses it, and no list
     * runs when something that it refers to is gone. */
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct history *history = history_begin(world, seed);
        for (int i = 0; i < STEPS; i++)
            step(history);
        history_end(history);
    }
}

/* --- one fault at the end --- */

/* Destroys something that a list in flight uses. Returns the message's name, or NULL. */
static const char *destroy_in_flight(struct history *history, enum kind kind)
{
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        if (history->objects[kind][slot].handle && in_flight(history, kind, slot)) {
            destroy(history, kind, slot);
            return "destroyed-in-use";
        }
    }
    return NULL;
}

/* Whether an address that the list uses is memory again: then the list has no fault that can be
 * told. */
static bool memory_again(const struct history *history, const struct list *list)
{
    for (unsigned slot = 0; slot < SLOTS; slot++) {
        for (unsigned now = 0; now < SLOTS; now++) {
            const void *live = history->objects[MEMORY][now].handle;
            const unsigned used = list->uses[MEMORY][slot], given = list->arguments[slot];
            if (live && ((gone(history, MEMORY, slot, used) && history->addresses[used] == live) ||
                         (gone(history, MEMORY, slot, given) && history->addresses[given] == live)))
                return true;
        }
    }
    return false;
}

/* Runs a list that lacks something of the kind, and nothing else. */
static const char *run_without(struct history *history, enum kind kind)
{
    for (int i = 0; i < LISTS; i++) {
        const struct list *list = &history->lists[i];
        bool others = false;
        for (enum kind other = 0; other < KINDS; other++)
            others = others || (other != kind && lacks(history, list, other));
        if (list->closed && !list->in_flight && !others && lacks(history, list, kind) &&
            !memory_again(history, list)) {
            list_run(history, list);
            return kind == MEMORY ? "freed-memory" : "destroyed-handle";
        }
    }
    return NULL;
}

/* Makes a history until the fault that the seed asks for is possible, and commits it. */
static void faulty_history(const struct faulty_world *world, unsigned seed)
{
    const enum kind kind = seed % KINDS;
    const char *told = NULL;
    struct history *history = history_begin(world, seed);
    for (int i = 0; i < 100 * STEPS && !told; i++) {
        step(history);
        if (i >= STEPS / 4)
            told = seed / KINDS % 2 ? destroy_in_flight(history, kind) : run_without(history, kind);
    }
    fprintf(stderr, "expected: %s\n", told ? told : "no such history");
    _exit(0);
}

/* Runs this program for one seed. Returns whether the layer told what the program expected, and
 * nothing else. */
static bool fault_is_told(unsigned seed)
{
    static char told[65536], text[16];
    char path[4096] = {0}, *line, *next, *expected = NULL;
    const int file = memfd_create("told", 0);
    bool right = false, wrong = false;
    int status;
    if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0)
        exit(3);
    snprintf(text, sizeof(text), "%u", seed);
    const pid_t child = fork();
    if (child == 0) {
        setenv("FAULTY_SEED", text, 1);
        dup2(file, STDERR_FILENO);
        execl(path, path, "--program", "histories_with_a_fault", (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    const ssize_t length = pread(file, told, sizeof(told) - 1, 0);
    told[length > 0 ? length : 0] = '\0';
    close(file);
    fputs(told, stderr);
    if ((line = strstr(told, "expected: "))) {
        expected = line + strlen("expected: ");
        expected[strcspn(expected, "\n")] = '\0';
    }
    for (line = told; (line = strstr(line, "geoid: validation: error: ")); line = next) {
        next = line + strlen("geoid: validation: error: ");
        if (expected && strncmp(next, expected, strlen(expected)) == 0)
            right = true;
        else
            wrong = true;
    }
    if (status != 0 || !right || wrong)
        fprintf(stderr, "seed %u: status %d, expected %s\n", seed, status,
                expected ? expected : "nothing");
    return status == 0 && right && !wrong;
}

static void histories_with_a_fault(struct faulty_world *world)
{
    /* GEN-15, MEM-19: destroyed in flight, or a list that runs when a part of it is gone. */
    const char *asked = getenv("FAULTY_SEED");
    unsigned missed = 0;
    if (asked)
        faulty_history(world, (unsigned)strtoul(asked, NULL, 10));
    for (unsigned seed = 0; seed < SEEDS; seed++)
        missed += !fault_is_told(seed);
    if (missed)
        exit(4);
}

const struct faulty faulty_programs[] = {
    {"histories_without_fault", histories_without_fault, "", NULL, NULL},
    {"histories_with_a_fault", histories_with_a_fault,
     "freed-memory,destroyed-handle,destroyed-in-use", NULL, NULL},
    {0}};
