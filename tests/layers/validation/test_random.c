/* Random lists whose right verdict is known by construction. A model says for each cell of memory
 * which earlier commands have finished before a command begins. Where two commands need order and
 * have none, the program appends one of the means that the specification gives. A list made so has
 * no fault (SYN-12, SYN-14, SYN-15); with one of the means left out it has one. */
#include "objects.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Memory is modelled in cells of 16 bytes. A pitched box has up to 8 rows. */
enum { BUFFERS = 3, CELLS = 256, CELL = 16, BYTES = CELLS * CELL, ALL = BUFFERS * CELLS };
enum { COMMANDS = 56, SEEDS = 60 };

typedef uint64_t set; /* of commands, by their numbers */

struct use {
    bool reads[ALL], writes[ALL];
};

struct model {
    const struct faulty_world *world;
    unsigned seed;
    bool immediate, leave_out, left_out;
    ze_command_list_handle_t list;
    ze_kernel_handle_t kernel;
    ze_event_pool_handle_t pool;
    char *buffers[BUFFERS];
    ze_event_handle_t events[COMMANDS]; /* of the command of that number, or NULL */
    struct use uses[COMMANDS];
    set done[COMMANDS][ALL]; /* what has finished before a command begins, for each cell */
    set floor[ALL];          /* what has finished before any later command begins */
    int count;
};

static unsigned choose(struct model *model, unsigned below)
{
    model->seed = model->seed * 1103515245u + 12345u;
    return (model->seed >> 16) % below;
}

/* --- the model --- */

/* Adds what is known to have finished once the command has, for every cell. */
static void after_command(struct model *model, set *to, int command)
{
    for (int cell = 0; cell < ALL; cell++)
        to[cell] |= model->done[command][cell] | (set)1 << command;
}

/* Whether the new use of the cell needs the earlier command to have finished. */
static bool conflict(const struct use *mine, const struct use *earlier, int cell)
{
    return (mine->writes[cell] && (earlier->reads[cell] || earlier->writes[cell])) ||
           (mine->reads[cell] && earlier->writes[cell]);
}

/* Returns the earlier commands that the use needs and that `done` does not have; marks the cells. */
static set missing(const struct model *model, const struct use *use, const set *done, bool *cells)
{
    set found = 0;
    for (int i = 0; i < model->count; i++) {
        for (int cell = 0; cell < ALL; cell++) {
            if (conflict(use, &model->uses[i], cell) && !(done[cell] >> i & 1)) {
                found |= (set)1 << i;
                if (cells)
                    cells[cell] = true;
            }
        }
    }
    return found;
}

/* --- means of order --- */

static void all_before(struct model *model, const bool *cells)
{
    for (int cell = 0; cell < ALL; cell++) {
        if (!cells || cells[cell])
            model->floor[cell] = ((set)1 << model->count) - 1;
    }
}

static void order_by_ranges(struct model *model, const bool *cells)
{
    const void *ranges[ALL];
    size_t sizes[ALL];
    uint32_t count = 0;
    for (int cell = 0; cell < ALL; cell++) {
        if (!cells[cell])
            continue;
        if (cell % CELLS != 0 && cells[cell - 1]) {
            sizes[count - 1] += CELL;
            continue;
        }
        ranges[count] = model->buffers[cell / CELLS] + cell % CELLS * CELL;
        sizes[count++] = CELL;
    }
    MUST(zeCommandListAppendMemoryRangesBarrier(model->list, count, sizes, ranges, NULL, 0, NULL));
    all_before(model, cells);
}

/* Fills `events` with those of the commands. Returns how many, or 0 if one has none. */
static uint32_t events_of(const struct model *model, set commands, ze_event_handle_t *events)
{
    uint32_t count = 0;
    for (int i = 0; i < model->count; i++) {
        if (!(commands >> i & 1))
            continue;
        if (!model->events[i])
            return 0;
        events[count++] = model->events[i];
    }
    return count;
}

static void floor_of(struct model *model, set commands)
{
    for (int i = 0; i < model->count; i++) {
        if (commands >> i & 1)
            after_command(model, model->floor, i);
    }
}

/* Orders later commands after the given ones by events. Returns false if some have none. */
static bool order_by_events(struct model *model, set commands)
{
    ze_event_handle_t events[COMMANDS];
    const uint32_t count = events_of(model, commands, events);
    if (count == 0)
        return false;
    switch (choose(model, model->immediate ? 3 : 2)) {
    case 0:
        MUST(zeCommandListAppendWaitOnEvents(model->list, count, events));
        break;
    case 1:
        MUST(zeCommandListAppendBarrier(model->list, NULL, count, events));
        break;
    default:
        for (uint32_t i = 0; i < count; i++)
            MUST(zeEventHostSynchronize(events[i], UINT64_MAX));
    }
    floor_of(model, commands);
    return true;
}

/* Makes later commands begin after the given ones, as far as the cells go. */
static void order(struct model *model, set commands, const bool *cells)
{
    const unsigned means = choose(model, model->immediate ? 5 : 3);
    if (means == 0 && !model->leave_out) { /* for the layer, ranges order all commands */
        order_by_ranges(model, cells);
        return;
    }
    if (means == 1 && order_by_events(model, commands))
        return;
    if (means == 3)
        MUST(zeCommandListHostSynchronize(model->list, UINT64_MAX));
    else if (means == 4)
        MUST(zeDeviceSynchronize(model->world->device));
    else
        MUST(zeCommandListAppendBarrier(model->list, NULL, 0, NULL));
    all_before(model, NULL);
}

/* --- commands --- */

struct box {
    int first, pitch, width, rows; /* in cells; the first of all buffers' cells */
};

static struct box choose_box(struct model *model, int width, int rows)
{
    struct box box = {.width = width, .rows = rows};
    box.pitch = rows > 1 ? width + (int)choose(model, 9) : width;
    const int span = box.pitch * (rows - 1) + width;
    box.first = (int)choose(model, BUFFERS) * CELLS + (int)choose(model, (unsigned)(CELLS - span));
    return box;
}

static void mark(bool *cells, const struct box *box)
{
    for (int row = 0; row < box->rows; row++)
        memset(cells + box->first + row * box->pitch, true, (size_t)box->width);
}

static bool boxes_meet(const struct box *one, const struct box *other)
{
    bool mine[ALL] = {0}, theirs[ALL] = {0};
    mark(mine, one);
    mark(theirs, other);
    for (int cell = 0; cell < ALL; cell++) {
        if (mine[cell] && theirs[cell])
            return true;
    }
    return false;
}

static char *address(const struct model *model, const struct box *box)
{
    return model->buffers[box->first / CELLS] + box->first % CELLS * CELL;
}

struct command {
    unsigned kind; /* 0: fill, 1: copy, 2: copy of a box, 3: launch */
    struct box to, from;
};

static struct command choose_command(struct model *model, struct use *use)
{
    struct command command = {.kind = choose(model, 16) == 0 ? 3 : choose(model, 3)};
    const int rows = command.kind == 2 ? 2 + (int)choose(model, 7) : 1;
    const int width = 1 + (int)choose(model, rows > 1 ? 12 : 60);
    memset(use, 0, sizeof(*use));
    command.to = choose_box(model, width, rows);
    command.from = choose_box(model, width, rows);
    while (boxes_meet(&command.to, &command.from))
        command.from = choose_box(model, width, rows);
    if (command.kind == 3)
        command.to = (struct box){.first = (int)choose(model, BUFFERS) * CELLS,
                                  .pitch = CELLS,
                                  .width = CELLS,
                                  .rows = 1};
    mark(use->writes, &command.to);
    if (command.kind == 1 || command.kind == 2)
        mark(use->reads, &command.from);
    return command;
}

static void append(const struct model *model, const struct command *command,
                   ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits)
{
    const uint8_t pattern = 1;
    const ze_group_count_t groups = {1, 1, 1};
    const struct box *to = &command->to, *from = &command->from;
    const size_t size = (size_t)to->width * CELL;
    const ze_copy_region_t region = {.width = (uint32_t)size, .height = (uint32_t)to->rows};
    if (command->kind == 0) {
        MUST(zeCommandListAppendMemoryFill(model->list, address(model, to), &pattern, 1, size,
                                           signal, count, waits));
    } else if (command->kind == 1) {
        MUST(zeCommandListAppendMemoryCopy(model->list, address(model, to), address(model, from),
                                           size, signal, count, waits));
    } else if (command->kind == 2) {
        MUST(zeCommandListAppendMemoryCopyRegion(
            model->list, address(model, to), &region, (uint32_t)(to->pitch * CELL), 0,
            address(model, from), &region, (uint32_t)(from->pitch * CELL), 0, signal, count,
            waits));
    } else {
        set_pointer(model->kernel, 0, address(model, to));
        MUST(zeCommandListAppendLaunchKernel(model->list, model->kernel, &groups, signal, count,
                                             waits));
    }
}

static bool launched(const struct model *model, set commands, const struct command *command,
                     const bool *launches)
{
    bool found = command->kind == 3;
    for (int i = 0; i < model->count; i++)
        found = found || ((commands >> i & 1) && launches[i]);
    return found;
}

/* Appends a command, in order unless it is to be left out. */
static void step(struct model *model, bool *launches)
{
    struct use *use = &model->uses[model->count];
    const struct command command = choose_command(model, use);
    set *done = model->done[model->count];
    ze_event_handle_t waits[COMMANDS];
    bool cells[ALL] = {0};
    uint32_t count = 0;
    set needed = missing(model, use, model->floor, cells);
    const bool leave = needed && model->leave_out && !model->left_out && model->count > 8 &&
                       !launched(model, needed, &command, launches);
    if (leave)
        model->left_out = true;
    else if (needed && choose(model, 2))
        count = events_of(model, needed, waits);
    if (needed && !leave && count == 0)
        order(model, needed, cells);
    memcpy(done, model->floor, sizeof(model->floor));
    for (int i = 0; i < model->count && count; i++) {
        if (needed >> i & 1)
            after_command(model, done, i);
    }
    if (!leave && missing(model, use, done, NULL))
        exit(5); /* the program itself is wrong */
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                  .index = (uint32_t)model->count,
                                  .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                  .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    if (choose(model, 3))
        MUST(zeEventCreate(model->pool, &desc, &model->events[model->count]));
    append(model, &command, model->events[model->count], count, waits);
    launches[model->count++] = command.kind == 3;
}

/* Makes and runs a list. Returns whether something was left out. */
static bool run_random(struct faulty_world *world, unsigned seed, bool immediate, bool leave_out)
{
    static struct model model;
    bool launches[COMMANDS] = {0};
    memset(&model, 0, sizeof(model));
    model.seed = seed;
    model.immediate = immediate;
    model.leave_out = leave_out;
    model.world = world;
    model.list = immediate ? faulty_immediate(world, 0) : faulty_list(world, 0);
    model.pool = faulty_pool(world, COMMANDS);
    for (int i = 0; i < BUFFERS; i++)
        model.buffers[i] = faulty_memory(world, BYTES);
    ze_module_handle_t module = faulty_module(world);
    model.kernel = faulty_kernel(module, "ids");
    while (model.count < COMMANDS)
        step(&model, launches);
    if (immediate)
        MUST(zeCommandListHostSynchronize(model.list, UINT64_MAX));
    else
        close_and_run(world, model.list);
    MUST(zeCommandListDestroy(model.list));
    for (int i = 0; i < COMMANDS; i++) {
        if (model.events[i])
            MUST(zeEventDestroy(model.events[i]));
    }
    MUST(zeEventPoolDestroy(model.pool));
    MUST(zeKernelDestroy(model.kernel));
    MUST(zeModuleDestroy(module));
    for (int i = 0; i < BUFFERS; i++)
        MUST(zeMemFree(world->context, model.buffers[i]));
    return model.left_out;
}

static void ordered_lists(struct faulty_world *world)
{
    /* SYN-12, SYN-14, SYN-15: every pair of commands that needs order has it. */
    for (unsigned seed = 1; seed <= SEEDS; seed++)
        run_random(world, seed, false, false);
}

static void ordered_immediate_lists(struct faulty_world *world)
{
    /* As above; the host's waits order as well (SYN-2, SYN-5). */
    for (unsigned seed = 1; seed <= SEEDS; seed++)
        run_random(world, seed, true, false);
}

/* Runs the list while standard error goes to a file. Returns whether the layer told the fault. */
static bool fault_is_told(struct faulty_world *world, unsigned seed, bool immediate)
{
    static char told[65536];
    const int file = memfd_create("told", 0), error = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    const bool faulty = run_random(world, seed, immediate, true);
    dup2(error, STDERR_FILENO);
    const ssize_t length = pread(file, told, sizeof(told) - 1, 0);
    told[length > 0 ? length : 0] = '\0';
    close(file);
    close(error);
    fputs(told, stderr);
    return faulty == (strstr(told, "missing-dependency") != NULL);
}

static void lists_with_one_order_left_out(struct faulty_world *world)
{
    /* SYN-12: completion order is undefined without events, barriers or fences. */
    int missed = 0;
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        if (!fault_is_told(world, seed, seed % 2)) {
            fprintf(stderr, "seed %u is not told\n", seed);
            missed++;
        }
    }
    if (missed)
        exit(4);
}

const struct faulty faulty_programs[] = {
    {"ordered_lists", ordered_lists, "", NULL, NULL},
    {"ordered_immediate_lists", ordered_immediate_lists, "", NULL, NULL},
    {"lists_with_one_order_left_out", lists_with_one_order_left_out, "missing-dependency",
     "nothing orders the two", NULL},
    {0}};
