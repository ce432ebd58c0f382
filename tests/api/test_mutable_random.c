/* Random changes to mutable lists: after each round a list that was changed and one that is
 * recorded anew with the same commands leave the same memory and the same events. Changes that must
 * be refused are among them, alone and at the end of a chain that would be right without.
 *
 * A program has up to 10 commands in order: launches of four kernels (plain, cooperative,
 * indirect), copies, fills, barriers. Which events the host signals is said anew in each round, and
 * commands wait for no others: a wait that a change left behind hangs. GEOID_TEST_ROUNDS multiplies
 * the programs. */
#include "mutable_support.h"

#include "../generator/random.h"

#include <stdlib.h>

#define COMMANDS 10u
#define BUFFERS  4u
#define SIGNALS  6u /* events that commands signal */
#define GATES    6u /* that the host signals */
#define ROUNDS   8u /* of changes to a program */
#define PROGRAMS 40u
#define NO_EVENT UINT32_MAX

enum kind { LAUNCH, COPY, FILL, BARRIER, KINDS };
enum kernel { IDS, FIXED, SCALE, LOCAL, KERNELS };
enum launch { PLAIN, COOPERATIVE, INDIRECT };

/* What a command is, whichever list it is in. */
struct command {
    enum kind kind;
    enum launch launch;
    enum kernel kernel;
    uint32_t to, from; /* buffers */
    float factor;      /* of SCALE; the bits of a fill's pattern */
    uint32_t count;    /* of SCALE */
    uint32_t local[2]; /* of LOCAL */
    uint32_t size[3], offset;
    ze_group_count_t groups;
    uint32_t signal;                      /* NO_EVENT: none */
    uint32_t waits, wait[3];              /* gates; NO_EVENT: none in its place */
    ze_mutable_command_exp_flags_t flags; /* 0: has no id */
    bool signals;                         /* was appended with an event */
    uint64_t id;
};

/* One of two places where commands run: what is changed, and what is recorded anew. */
struct place {
    uint32_t *buffer[BUFFERS];
    ze_group_count_t *counts; /* of indirect launches, [COMMANDS] */
    ze_kernel_handle_t kernel[KERNELS];
};

/* Links of a chain, in the order in which they stand there. */
union link {
    ze_base_desc_t base;
    ze_mutable_kernel_argument_exp_desc_t argument;
    ze_mutable_group_count_exp_desc_t count;
    ze_mutable_group_size_exp_desc_t size;
    ze_mutable_global_offset_exp_desc_t offset;
};

struct chain {
    union link link[COMMANDS * 8];
    uint32_t count;
};

struct test {
    struct api *api;
    struct gen_random random;
    struct place changed, fresh;
    ze_module_handle_t module;
    ze_command_queue_handle_t queue;
    ze_command_list_handle_t list;
    ze_event_pool_handle_t pool;
    ze_event_handle_t signal[SIGNALS], gate[GATES];
    uint32_t open; /* gates that the host signals in this round */
    struct command command[COMMANDS];
    uint32_t count;
    struct chain chain;
    uint64_t seed;
};

static uint32_t below(struct test *test, uint32_t bound)
{
    return gen_below(&test->random, bound);
}

static bool chance(struct test *test, uint32_t percent)
{
    return gen_chance(&test->random, percent);
}

/* ---- commands ---- */

static void random_arguments(struct test *test, struct command *command)
{
    command->to = below(test, BUFFERS);
    do {
        command->from = below(test, BUFFERS);
    } while (command->from == command->to);
    command->factor = (float)(1 + below(test, 50)) / 4.0f;
    command->count = 1 + below(test, 99);
    command->local[0] = 8 * (1 + below(test, 500));
    command->local[1] = 8 * (1 + below(test, 500));
}

static void random_groups(struct test *test, struct command *command)
{
    bool one = command->launch == COOPERATIVE; /* any device has room for it */
    command->groups = one ? (ze_group_count_t){1, 1, 1}
                          : (ze_group_count_t){1 + below(test, 4), 1 + below(test, 2), 1};
}

/* Whatever is in the group, all items fit into a buffer. */
static void random_size(struct test *test, struct command *command)
{
    bool fixed = command->kernel == FIXED;
    command->size[0] = fixed ? 4 : 1 + below(test, 8);
    command->size[1] = fixed ? 2 : 1 + below(test, 2);
    command->size[2] = 1;
}

/* What cannot be changed waits for the gate that is always opened. */
static void random_waits(struct test *test, struct command *command)
{
    for (uint32_t i = 0; i < command->waits; i++) {
        uint32_t gate = command->flags & WAITS ? below(test, GATES) : 0;
        command->wait[i] = test->open & 1u << gate ? gate : NO_EVENT;
    }
}

static void random_signal(struct test *test, struct command *command)
{
    command->signal = chance(test, 20) ? NO_EVENT : below(test, SIGNALS);
}

static struct command random_command(struct test *test)
{
    static const ze_mutable_command_exp_flags_t sets[] = {0,
                                                          ARGUMENTS,
                                                          COUNT | WAITS,
                                                          SIZE | SIGNAL,
                                                          OFFSET | ARGUMENTS,
                                                          LAUNCH_FLAGS,
                                                          LAUNCH_FLAGS | SIGNAL | WAITS,
                                                          LAUNCH_FLAGS | SIGNAL | WAITS | KERNEL};
    struct command command = {.kind = chance(test, 65) ? LAUNCH : (enum kind)below(test, KINDS),
                              .launch = (enum launch)(chance(test, 60) ? 0 : below(test, 3)),
                              .kernel = (enum kernel)below(test, KERNELS),
                              .waits = chance(test, 40) ? 1 + below(test, 3) : 0,
                              .flags = sets[below(test, 8)],
                              .signals = chance(test, 50)};
    random_arguments(test, &command);
    random_groups(test, &command);
    random_size(test, &command);
    random_waits(test, &command);
    command.offset = chance(test, 50) ? below(test, 1000) : 0;
    command.signal = command.signals ? below(test, SIGNALS) : NO_EVENT;
    return command;
}

static void arguments_set(const struct command *command, struct place *place)
{
    ze_kernel_handle_t kernel = place->kernel[command->kernel];
    uint32_t *to = place->buffer[command->to], *from = place->buffer[command->from];
    assert_success(zeKernelSetArgumentValue(kernel, 0, sizeof(to), &to));
    if (command->kernel == SCALE) {
        assert_success(zeKernelSetArgumentValue(kernel, 1, sizeof(from), &from));
        assert_success(zeKernelSetArgumentValue(kernel, 2, 4, &command->factor));
        assert_success(zeKernelSetArgumentValue(kernel, 3, 4, &command->count));
    } else if (command->kernel == LOCAL) {
        assert_success(zeKernelSetArgumentValue(kernel, 1, command->local[0], NULL));
        assert_success(zeKernelSetArgumentValue(kernel, 2, command->local[1], NULL));
    }
    assert_success(
        zeKernelSetGroupSize(kernel, command->size[0], command->size[1], command->size[2]));
    assert_success(zeKernelSetGlobalOffsetExp(kernel, command->offset, 0, 0));
}

static void launch_append(const struct command *command, struct place *place, uint32_t index,
                          ze_command_list_handle_t list, ze_event_handle_t signal,
                          ze_event_handle_t *waits)
{
    ze_kernel_handle_t kernel = place->kernel[command->kernel];
    arguments_set(command, place);
    place->counts[index] = command->groups;
    assert_success(command->launch == PLAIN
                       ? zeCommandListAppendLaunchKernel(list, kernel, &command->groups, signal,
                                                         command->waits, waits)
                   : command->launch == COOPERATIVE
                       ? zeCommandListAppendLaunchCooperativeKernel(list, kernel, &command->groups,
                                                                    signal, command->waits, waits)
                       : zeCommandListAppendLaunchKernelIndirect(
                             list, kernel, &place->counts[index], signal, command->waits, waits));
}

/* A wait for nothing is one for a gate that stays open. */
static void waits_resolve(const struct test *test, const struct command *command,
                          ze_event_handle_t always, ze_event_handle_t *out)
{
    for (uint32_t i = 0; i < command->waits; i++) {
        out[i] = command->wait[i] == NO_EVENT ? always : test->gate[command->wait[i]];
    }
}

static void command_append(struct test *test, uint32_t index, struct place *place,
                           ze_command_list_handle_t list)
{
    const struct command *command = &test->command[index];
    ze_event_handle_t signal = command->signal == NO_EVENT ? NULL : test->signal[command->signal];
    ze_event_handle_t waits[3];
    uint32_t *to = place->buffer[command->to], *from = place->buffer[command->from];
    waits_resolve(test, command, test->gate[0], waits);
    switch (command->kind) {
    case LAUNCH:
        launch_append(command, place, index, list, signal, waits);
        break;
    case COPY:
        assert_success(zeCommandListAppendMemoryCopy(list, to, from, 4u * command->count, signal,
                                                     command->waits, waits));
        break;
    case FILL:
        assert_success(zeCommandListAppendMemoryFill(list, to, &command->factor, 4, 256, signal,
                                                     command->waits, waits));
        break;
    default:
        assert_success(zeCommandListAppendBarrier(list, signal, command->waits, waits));
        break;
    }
}

/* ---- the list that is changed ---- */

static void program_record(struct test *test)
{
    test->count = 2 + below(test, COMMANDS - 1);
    for (uint32_t i = 0; i < test->count; i++) {
        struct command *command = &test->command[i];
        *command = random_command(test);
        if (command->flags) {
            command->id = mutable_id_of(test->list, command->flags, KERNELS, test->changed.kernel);
        }
        command_append(test, i, &test->changed, test->list);
    }
    assert_success(zeCommandListClose(test->list));
}

static void program_renew(struct test *test)
{
    if (chance(test, 20)) {
        ze_command_list_handle_t clone;
        assert_success(zeCommandListCreateCloneExp(test->list, &clone));
        assert_success(zeCommandListDestroy(test->list));
        test->list = clone;
    }
}

/* ---- changes ---- */

static union link *link_add(struct test *test)
{
    assert_true(test->chain.count < sizeof(test->chain.link) / sizeof(test->chain.link[0]));
    return &test->chain.link[test->chain.count++];
}

static void link_argument(struct test *test, uint64_t id, uint32_t index, size_t bytes,
                          const void *value)
{
    link_add(test)->argument = *NEW_BYTES(id, index, bytes, value, NULL);
}

static void arguments_change(struct test *test, struct command *command)
{
    uint64_t id = command->id;
    link_argument(test, id, 0, sizeof(void *), &test->changed.buffer[command->to]);
    if (command->kernel == SCALE) {
        link_argument(test, id, 1, sizeof(void *), &test->changed.buffer[command->from]);
        link_argument(test, id, 2, 4, &command->factor);
        link_argument(test, id, 3, 4, &command->count);
    } else if (command->kernel == LOCAL) {
        link_argument(test, id, 1, command->local[0], NULL);
        link_argument(test, id, 2, command->local[1], NULL);
    }
}

static void launch_change(struct test *test, struct command *command, bool all)
{
    bool sized = command->kernel != FIXED;
    if (command->flags & ARGUMENTS && (all || chance(test, 50))) {
        random_arguments(test, command);
        arguments_change(test, command);
    }
    if (command->flags & COUNT && command->launch != INDIRECT && (all || chance(test, 50))) {
        random_groups(test, command);
        link_add(test)->count = *NEW_COUNT(command->id, &command->groups, NULL);
    }
    if (command->flags & SIZE && (all || (sized && chance(test, 50)))) {
        random_size(test, command);
        link_add(test)->size = *NEW_SIZE(command->id, command->size[0], command->size[1], 1, NULL);
    }
    if (command->flags & OFFSET && (all || chance(test, 50))) {
        command->offset = below(test, 1000);
        link_add(test)->offset = *NEW_OFFSET(command->id, command->offset, 0, 0, NULL);
    }
}

static void kernel_change(struct test *test, struct command *command)
{
    enum kernel next = (enum kernel)below(test, KERNELS);
    bool other = next != command->kernel;
    command->kernel = next;
    assert_success(zeCommandListUpdateMutableCommandKernelsExp(test->list, 1, &command->id,
                                                               &test->changed.kernel[next]));
    launch_change(test, command, other);
}

static void events_change(struct test *test, struct command *command)
{
    if (command->flags & SIGNAL && command->signals && chance(test, 50)) {
        random_signal(test, command);
        ze_event_handle_t event =
            command->signal == NO_EVENT ? NULL : test->signal[command->signal];
        assert_success(
            zeCommandListUpdateMutableCommandSignalEventExp(test->list, command->id, event));
    }
    if (command->flags & WAITS) { /* the gates are others in each round */
        ze_event_handle_t waits[3];
        random_waits(test, command);
        waits_resolve(test, command, NULL, waits);
        assert_success(zeCommandListUpdateMutableCommandWaitEventsExp(test->list, command->id,
                                                                      command->waits, waits));
    }
}

/* In any order; arguments of one command do not repeat, so it does not matter. */
static const void *chain_shuffle(struct test *test)
{
    struct chain *chain = &test->chain;
    for (uint32_t i = chain->count; i > 1; i--) {
        uint32_t other = below(test, i);
        union link swapped = chain->link[i - 1];
        chain->link[i - 1] = chain->link[other];
        chain->link[other] = swapped;
    }
    for (uint32_t i = 0; i < chain->count; i++) {
        chain->link[i].base.pNext = i + 1 < chain->count ? &chain->link[i + 1] : NULL;
    }
    return chain->count ? chain->link : NULL;
}

/* Something that nobody can have, with what is right around it; too many groups alone, which other
 * groups would take back, and of kernels that stay, which are looked at at once. */
static void refused_change(struct test *test, bool kernels_stay)
{
    struct command saved[COMMANDS];
    const struct command *command = &test->command[below(test, test->count)];
    const ze_group_count_t beyond = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    memcpy(saved, test->command, sizeof(saved));
    test->chain.count = 0;
    for (uint32_t i = 0; i < test->count; i++) {
        if (test->command[i].kind == LAUNCH) {
            launch_change(test, &test->command[i], false);
        }
    }
    switch (below(test, kernels_stay ? 4 : 3)) {
    case 0:
        link_argument(test, command->id, 9, 4, &beyond);
        break;
    case 1:
        link_add(test)->size = *NEW_SIZE(command->id, 1, 0, 1, NULL);
        break;
    case 2:
        link_add(test)->offset = *NEW_OFFSET(command->id + 1000, 1, 1, 1, NULL);
        break;
    default:
        test->chain.count = 0;
        link_add(test)->count = *NEW_COUNT(command->id, &beyond, NULL);
        break;
    }
    if (mutable_update(test->list, chain_shuffle(test)) == ZE_RESULT_SUCCESS) {
        fail_msg("seed %llu: a change was not refused", (unsigned long long)test->seed);
    }
    memcpy(test->command, saved, sizeof(saved));
}

static void program_change(struct test *test)
{
    test->open = 1u | gen_below(&test->random, 1u << GATES); /* gate 0 always */
    if (chance(test, 30)) {
        refused_change(test, true);
    }
    test->chain.count = 0;
    for (uint32_t i = 0; i < test->count; i++) {
        struct command *command = &test->command[i];
        if (command->flags & KERNEL && command->kind == LAUNCH && chance(test, 40)) {
            kernel_change(test, command);
        } else if (command->kind == LAUNCH && chance(test, 60)) {
            launch_change(test, command, false);
        }
        if (command->flags) {
            events_change(test, command);
        }
    }
    assert_success(mutable_update(test->list, chain_shuffle(test)));
    if (chance(test, 30)) {
        refused_change(test, false);
    }
    assert_success(zeCommandListClose(test->list));
}

/* ---- runs ---- */

static void place_begin(struct place *place)
{
    for (uint32_t b = 0; b < BUFFERS; b++) {
        for (uint32_t i = 0; i < RIG_WORDS; i++) {
            place->buffer[b][i] = 0x3f800000u + (b << 16) + i; /* a float, too */
        }
    }
}

/* Which of the signals came. */
static uint32_t list_run(struct test *test, ze_command_list_handle_t list, struct place *place)
{
    uint32_t came = 0;
    place_begin(place);
    assert_success(zeCommandQueueExecuteCommandLists(test->queue, 1, &list, NULL));
    for (uint32_t i = 0; i < GATES; i++) {
        if (test->open & 1u << i) {
            assert_success(zeEventHostSignal(test->gate[i]));
        }
    }
    assert_success(zeCommandQueueSynchronize(test->queue, UINT64_MAX));
    for (uint32_t i = 0; i < SIGNALS; i++) {
        came |= zeEventQueryStatus(test->signal[i]) == ZE_RESULT_SUCCESS ? 1u << i : 0;
        assert_success(zeEventHostReset(test->signal[i]));
    }
    for (uint32_t i = 0; i < GATES; i++) {
        assert_success(zeEventHostReset(test->gate[i]));
    }
    return came;
}

/* Addresses of local memory are offsets: the same in both. */
static void places_compare(const struct test *test, uint32_t round)
{
    for (uint32_t b = 0; b < BUFFERS; b++) {
        for (uint32_t i = 0; i < RIG_WORDS; i++) {
            if (test->changed.buffer[b][i] != test->fresh.buffer[b][i]) {
                fail_msg("seed %llu, round %u: word %u of buffer %u is %x instead of %x",
                         (unsigned long long)test->seed, round, i, b, test->changed.buffer[b][i],
                         test->fresh.buffer[b][i]);
            }
        }
    }
}

static void program_compare(struct test *test, uint32_t round)
{
    ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC,
                                   .commandQueueGroupOrdinal = test->api->ordinal,
                                   .flags = ZE_COMMAND_LIST_FLAG_IN_ORDER};
    ze_command_list_handle_t fresh;
    assert_success(zeCommandListCreate(test->api->context, test->api->device, &desc, &fresh));
    for (uint32_t i = 0; i < test->count; i++) {
        command_append(test, i, &test->fresh, fresh);
    }
    assert_success(zeCommandListClose(fresh));
    uint32_t expected = list_run(test, fresh, &test->fresh);
    uint32_t came = list_run(test, test->list, &test->changed);
    if (came != expected) {
        fail_msg("seed %llu, round %u: events %x instead of %x", (unsigned long long)test->seed,
                 round, came, expected);
    }
    places_compare(test, round);
    assert_success(zeCommandListDestroy(fresh));
}

static void program_run(struct test *test)
{
    test->open = (1u << GATES) - 1;
    test->list =
        mutable_list(test->api, ZE_COMMAND_LIST_FLAG_IN_ORDER | ZE_COMMAND_LIST_FLAG_EXP_CLONEABLE);
    for (uint32_t recorded = 0; recorded < 2; recorded++) {
        program_record(test);
        program_compare(test, 0);
        for (uint32_t round = 1; round <= ROUNDS; round++) {
            program_renew(test);
            program_change(test);
            program_compare(test, round);
        }
        test->open = (1u << GATES) - 1;
        assert_success(zeCommandListReset(test->list));
    }
    assert_success(zeCommandListDestroy(test->list));
}

/* ---- the test ---- */

static void place_open(struct test *test, struct place *place)
{
    static const char *const names[KERNELS] = {"ids", "fixed", "scale", "local"};
    for (uint32_t i = 0; i < BUFFERS; i++) {
        place->buffer[i] = api_alloc_shared(test->api, RIG_WORDS * sizeof(uint32_t));
    }
    place->counts = api_alloc_shared(test->api, COMMANDS * sizeof(*place->counts));
    for (uint32_t i = 0; i < KERNELS; i++) {
        place->kernel[i] = api_kernel(test->module, names[i]);
    }
}

static void place_close(struct test *test, struct place *place)
{
    for (uint32_t i = 0; i < BUFFERS; i++) {
        api_free(test->api, place->buffer[i]);
    }
    api_free(test->api, place->counts);
    for (uint32_t i = 0; i < KERNELS; i++) {
        assert_success(zeKernelDestroy(place->kernel[i]));
    }
}

static void events_open(struct test *test)
{
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                 .count = SIGNALS + GATES};
    assert_success(zeEventPoolCreate(test->api->context, &desc, 0, NULL, &test->pool));
    for (uint32_t i = 0; i < SIGNALS + GATES; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        assert_success(zeEventCreate(test->pool, &event,
                                     i < SIGNALS ? &test->signal[i] : &test->gate[i - SIGNALS]));
    }
}

static void events_close(struct test *test)
{
    for (uint32_t i = 0; i < SIGNALS + GATES; i++) {
        assert_success(zeEventDestroy(i < SIGNALS ? test->signal[i] : test->gate[i - SIGNALS]));
    }
    assert_success(zeEventPoolDestroy(test->pool));
}

static uint32_t programs_wanted(void)
{
    const char *text = getenv("GEOID_TEST_ROUNDS");
    return text && atoi(text) > 0 ? PROGRAMS * (uint32_t)atoi(text) : PROGRAMS;
}

static void changed_lists_are_as_if_recorded_anew(void **state)
{
    static struct test test;
    ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    test = (struct test){.api = *state};
    desc.ordinal = test.api->ordinal;
    assert_success(zeCommandQueueCreate(test.api->context, test.api->device, &desc, &test.queue));
    test.module = api_native_module(test.api);
    place_open(&test, &test.changed);
    place_open(&test, &test.fresh);
    events_open(&test);
    for (uint32_t i = 0; i < programs_wanted(); i++) {
        test.seed = i + 1;
        test.random.state = test.seed * 0x9E3779B97F4A7C15u;
        program_run(&test);
    }
    events_close(&test);
    place_close(&test, &test.changed);
    place_close(&test, &test.fresh);
    assert_success(zeModuleDestroy(test.module));
    assert_success(zeCommandQueueDestroy(test.queue));
}

static const struct api_case cases[] = {
    API_CASE(changed_lists_are_as_if_recorded_anew),
};

API_MAIN("mutable_random", cases)
