/* Random programs of which a model knows what the host may know: lists, queues, events and fences
 * depend on each other, some of them on a gate that is closed. What the host has learnt to be done
 * may be freed and destroyed, whichever way the knowledge came; what the gate holds up may not. */
#include "objects.h"

#include <stdbool.h>
#include <stdlib.h>

enum { LANES = 4, QUEUES = 2, COMMANDS = 48, SEEDS = 40, BYTES = 4096 };

typedef uint64_t set; /* of commands, by their numbers */

struct command {
    void *memory;
    ze_event_handle_t event;       /* that it signals, or NULL */
    ze_command_list_handle_t list; /* of its own, on a queue, or NULL */
    ze_fence_handle_t fence;       /* of its submission, or NULL */
    set before;                    /* what has finished when it has, itself included */
    set fenced;                    /* what has finished when the fence is signalled */
    set waits;                     /* whose events it waits for */
    bool held;                     /* it cannot finish before the gate opens */
    bool stuck;                    /* held, or perhaps behind a list that is (SYN-7) */
};

struct program {
    const struct faulty_world *world;
    unsigned seed;
    ze_command_list_handle_t lanes[LANES]; /* in-order immediate lists */
    ze_command_queue_handle_t queues[QUEUES];
    set lane_last[LANES], queue_all[QUEUES];
    bool queue_stuck[QUEUES];
    ze_event_pool_handle_t pool;
    struct signal gate;
    struct command commands[COMMANDS];
    int count;
    set known; /* to have finished, by the host */
};

static unsigned choose(struct program *program, unsigned below)
{
    program->seed = program->seed * 1103515245u + 12345u;
    return (program->seed >> 16) % below;
}

/* --- commands --- */

/* Chooses events to wait for among earlier commands that have one. */
static uint32_t choose_waits(struct program *program, struct command *command,
                             ze_event_handle_t *events)
{
    uint32_t count = 0;
    if (choose(program, 6) == 0) {
        events[count++] = program->gate.event;
        command->held = command->stuck = true;
    }
    for (int tries = (int)choose(program, 3); tries > 0 && program->count; tries--) {
        const int other = (int)choose(program, (unsigned)program->count);
        const struct command *earlier = &program->commands[other];
        if (!earlier->event || command->waits >> other & 1)
            continue;
        events[count++] = earlier->event;
        command->waits |= (set)1 << other;
        command->before |= earlier->before;
        command->held = command->held || earlier->held;
        command->stuck = command->stuck || earlier->stuck;
    }
    return count;
}

static void after(struct program *program, struct command *command, set commands)
{
    command->before |= commands;
    for (int i = 0; i < program->count; i++) {
        if (!(commands >> i & 1))
            continue;
        command->held = command->held || program->commands[i].held;
        command->stuck = command->stuck || program->commands[i].stuck;
    }
}

static void append_fill(struct program *program, struct command *command,
                        ze_command_list_handle_t list)
{
    const uint8_t pattern = 1;
    ze_event_handle_t waits[4];
    const uint32_t count = choose_waits(program, command, waits);
    MUST(zeCommandListAppendMemoryFill(list, command->memory, &pattern, 1, BYTES, command->event,
                                       count, count ? waits : NULL));
}

/* To an immediate list, where it comes after what is there. */
static void add_to_a_lane(struct program *program, struct command *command)
{
    const unsigned lane = choose(program, LANES);
    after(program, command, program->lane_last[lane]);
    append_fill(program, command, program->lanes[lane]);
    command->before |= (set)1 << program->count;
    program->lane_last[lane] = command->before;
}

/* As a list of its own to a queue, whose lists may overlap. */
static void add_to_a_queue(struct program *program, struct command *command)
{
    const ze_fence_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    const unsigned queue = choose(program, QUEUES);
    command->list = faulty_list(program->world, 0);
    append_fill(program, command, command->list);
    command->before |= (set)1 << program->count;
    MUST(zeCommandListClose(command->list));
    command->stuck = program->queue_stuck[queue] = command->stuck || program->queue_stuck[queue];
    program->queue_all[queue] |= command->before;
    command->fenced = program->queue_all[queue];
    if (choose(program, 2))
        MUST(zeFenceCreate(program->queues[queue], &desc, &command->fence));
    MUST(zeCommandQueueExecuteCommandLists(program->queues[queue], 1, &command->list,
                                           command->fence));
}

static void add(struct program *program)
{
    const ze_event_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
                                  .index = (uint32_t)program->count,
                                  .signal = ZE_EVENT_SCOPE_FLAG_HOST,
                                  .wait = ZE_EVENT_SCOPE_FLAG_HOST};
    struct command *command = &program->commands[program->count];
    command->memory = faulty_memory(program->world, BYTES);
    if (choose(program, 3))
        MUST(zeEventCreate(program->pool, &desc, &command->event));
    if (choose(program, 3))
        add_to_a_lane(program, command);
    else
        add_to_a_queue(program, command);
    program->count++;
}

/* --- what the host learns --- */

static bool stuck(const struct program *program, set commands)
{
    for (int i = 0; i < program->count; i++) {
        if ((commands >> i & 1) && program->commands[i].stuck)
            return true;
    }
    return false;
}

static void learn_from_event(struct program *program, const struct command *command)
{
    if (!command->event || command->stuck)
        return;
    if (choose(program, 2))
        MUST(zeEventHostSynchronize(command->event, UINT64_MAX));
    while (zeEventQueryStatus(command->event) == ZE_RESULT_NOT_READY)
        ;
    program->known |= command->before;
}

static void learn_from_fence(struct program *program, const struct command *command)
{
    if (!command->fence || stuck(program, command->fenced))
        return;
    MUST(zeFenceHostSynchronize(command->fence, UINT64_MAX));
    program->known |= command->fenced;
}

static void learn_from_lane(struct program *program)
{
    const unsigned lane = choose(program, LANES);
    if (stuck(program, program->lane_last[lane]))
        return;
    MUST(zeCommandListHostSynchronize(program->lanes[lane], UINT64_MAX));
    program->known |= program->lane_last[lane];
}

static void learn_from_queue(struct program *program)
{
    const unsigned queue = choose(program, QUEUES);
    if (stuck(program, program->queue_all[queue]))
        return;
    MUST(zeCommandQueueSynchronize(program->queues[queue], UINT64_MAX));
    program->known |= program->queue_all[queue];
}

/* --- what it does with that --- */

/* Whether a command that is not known to be done waits for the command's event. */
static bool awaited(const struct program *program, int number)
{
    for (int i = 0; i < program->count; i++) {
        if (!(program->known >> i & 1) && program->commands[i].waits >> number & 1)
            return true;
    }
    return false;
}

static void release(struct program *program, int number)
{
    struct command *command = &program->commands[number];
    if (command->memory)
        MUST(zeMemFree(program->world->context, command->memory));
    command->memory = NULL;
    if (command->list)
        MUST(zeCommandListDestroy(command->list));
    command->list = NULL;
    if (command->event && !awaited(program, number)) {
        MUST(zeEventDestroy(command->event));
        command->event = NULL;
    }
}

static void step(struct program *program)
{
    const int number = program->count ? (int)choose(program, (unsigned)program->count) : 0;
    switch (choose(program, 8)) {
    case 0:
        learn_from_event(program, &program->commands[number]);
        break;
    case 1:
        learn_from_fence(program, &program->commands[number]);
        break;
    case 2:
        learn_from_lane(program);
        break;
    case 3:
        learn_from_queue(program);
        break;
    case 4:
    case 5:
        if (program->known >> number & 1)
            release(program, number);
        break;
    default:
        if (program->count < COMMANDS)
            add(program);
    }
}

static struct program *program_begin(const struct faulty_world *world, unsigned seed)
{
    static struct program program;
    program = (struct program){.world = world,
                               .seed = seed,
                               .pool = faulty_pool(world, COMMANDS),
                               .gate = signal_begin(world, 0)};
    for (int i = 0; i < LANES; i++)
        program.lanes[i] = faulty_immediate(world, ZE_COMMAND_QUEUE_FLAG_IN_ORDER);
    for (int i = 0; i < QUEUES; i++)
        program.queues[i] = faulty_queue(world);
    return &program;
}

static void program_end(struct program *program)
{
    MUST(zeEventHostSignal(program->gate.event));
    for (int i = 0; i < LANES; i++)
        MUST(zeCommandListHostSynchronize(program->lanes[i], UINT64_MAX));
    for (int i = 0; i < QUEUES; i++)
        MUST(zeCommandQueueSynchronize(program->queues[i], UINT64_MAX));
    program->known = ~(set)0;
    for (int i = 0; i < program->count; i++) {
        release(program, i);
        if (program->commands[i].fence)
            MUST(zeFenceDestroy(program->commands[i].fence));
    }
    for (int i = 0; i < LANES; i++)
        MUST(zeCommandListDestroy(program->lanes[i]));
    for (int i = 0; i < QUEUES; i++)
        MUST(zeCommandQueueDestroy(program->queues[i]));
    MUST(zeEventPoolDestroy(program->pool));
    signal_end(&program->gate);
}

static void known_work_released(struct faulty_world *world)
{
    /* SYN-2, SYN-5, SYN-12, CMQ-18, MEM-19: a signal says that a command is done, and with it what
     * it came after: what stands before it in an in-order list and whose events it waited for. */
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        struct program *program = program_begin(world, seed);
        for (int i = 0; i < 12 * COMMANDS; i++)
            step(program);
        program_end(program);
    }
}

/* Tries to free the memory of every command that the gate holds up. */
static void held_memory_freed(struct faulty_world *world)
{
    /* MEM-19: the device must be finished; the gate is closed. */
    bool passed = false;
    for (unsigned seed = 1; seed <= SEEDS / 4; seed++) {
        struct program *program = program_begin(world, seed);
        for (int i = 0; i < 12 * COMMANDS; i++)
            step(program);
        for (int i = 0; i < program->count; i++) {
            struct command *command = &program->commands[i];
            if (command->held && command->memory &&
                zeMemFree(world->context, command->memory) == ZE_RESULT_SUCCESS) {
                command->memory = NULL;
                passed = true;
            }
        }
        program_end(program);
    }
    if (passed)
        exit(4);
}

const struct faulty faulty_programs[] = {
    {"known_work_released", known_work_released, "", NULL, NULL},
    {"held_memory_freed", held_memory_freed, "destroyed-in-use", "zeMemFree", NULL},
    {0}};
