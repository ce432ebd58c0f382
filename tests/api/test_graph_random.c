/* API test of recorded graphs: random programs over several lists, recorded and run again and
 * again, leave in memory what plain C leaves that does one command after the other. Commands that
 * touch the same buffer are ordered by their list or by an event, those of different lists are
 * not. */
#include "graph_support.h"

#include <stdlib.h>

#define LISTS    4u
#define BUFFERS  6u
#define WORDS    32u
#define STEPS    40u
#define WAITS    6u
#define PROGRAMS 60u
#define RUNS     3u

struct step {
    uint32_t list;
    uint32_t destination, source; /* buffers */
    uint32_t multiply, add, spin;
    bool copies; /* by the device, instead of a function of the host */
    uint32_t event_kind;
    uint32_t waits[WAITS], wait_count; /* steps */
};

struct program {
    uint64_t random;
    struct step steps[STEPS];
    uint32_t count;
};

static uint32_t below(struct program *program, uint32_t bound)
{
    uint64_t z = program->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ (z >> 31)) >> 32) % bound;
}

/* ---- programs ---- */

static bool touches(const struct step *step, uint32_t buffer)
{
    return step->destination == buffer || step->source == buffer;
}

static bool conflict(const struct step *a, const struct step *b)
{
    return touches(a, b->destination) || touches(b, a->destination);
}

/* The latest step of the list that came before, STEPS: none. */
static uint32_t latest_of(const struct program *program, uint32_t list, uint32_t before)
{
    for (uint32_t i = before; i-- > 0;) {
        if (program->steps[i].list == list) {
            return i;
        }
    }
    return STEPS;
}

/* Of each other list the latest step that it conflicts with: those before are done then too. */
static void waits_choose(struct program *program, uint32_t number)
{
    struct step *step = &program->steps[number];
    step->wait_count = 0;
    for (uint32_t list = 0; list < LISTS; list++) {
        uint32_t found = STEPS;
        for (uint32_t i = 0; i < number && list != step->list; i++) {
            if (program->steps[i].list == list && conflict(&program->steps[i], step)) {
                found = i;
            }
        }
        if (found != STEPS) {
            step->waits[step->wait_count++] = found;
        }
    }
    if (number != 0 && step->wait_count == 0 && latest_of(program, step->list, number) == STEPS) {
        step->waits[step->wait_count++] = number - 1; /* its first: a fork */
    }
}

static void program_make(struct program *program, uint64_t seed, bool executes)
{
    program->random = seed;
    program->count = 8 + below(program, STEPS - 7);
    for (uint32_t i = 0; i < program->count; i++) {
        struct step *step = &program->steps[i];
        step->list = i == 0 ? 0 : below(program, LISTS);
        step->destination = below(program, BUFFERS);
        step->source = (step->destination + 1 + below(program, BUFFERS - 1)) % BUFFERS;
        step->multiply = 2 * below(program, 8) + 3;
        step->add = below(program, 100);
        step->spin = below(program, 4) == 0 ? below(program, 20000) : 0;
        step->copies = executes && below(program, 4) == 0;
        step->event_kind = below(program, 3);
        waits_choose(program, i);
    }
}

/* ---- in plain C ---- */

static void words_do(uint32_t *destination, const uint32_t *source, const struct step *step)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        destination[i] =
            step->copies ? source[i] : destination[i] * step->multiply + source[i] + step->add;
    }
}

static void words_start(uint32_t buffers[BUFFERS][WORDS])
{
    for (uint32_t i = 0; i < BUFFERS * WORDS; i++) {
        buffers[i / WORDS][i % WORDS] = i * 0x9E3779B9u + 1;
    }
}

/* ---- on a device ---- */

struct call {
    uint32_t (*buffers)[WORDS];
    const struct step *step;
};

static void call_do(void *data)
{
    const struct call *call = data;
    for (volatile uint32_t i = 0; i < call->step->spin; i++) {
    }
    words_do(call->buffers[call->step->destination], call->buffers[call->step->source], call->step);
}

struct run {
    struct api *api;
    const struct program *program;
    ze_command_list_handle_t lists[LISTS];
    ze_event_pool_handle_t pool;
    ze_event_handle_t events[STEPS];
    uint32_t (*buffers)[WORDS];
    struct call calls[STEPS];
};

static void run_open(struct run *run, struct api *api, const struct program *program)
{
    ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                 .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                 .count = STEPS};
    *run = (struct run){.api = api, .program = program};
    run->buffers = api_alloc_shared(api, sizeof(uint32_t[BUFFERS][WORDS]));
    words_start(run->buffers);
    assert_success(zeEventPoolCreate(api->context, &desc, 0, NULL, &run->pool));
    for (uint32_t i = 0; i < LISTS; i++) {
        run->lists[i] = graph_list(api);
    }
    for (uint32_t i = 0; i < program->count; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        uint32_t kind = program->steps[i].event_kind;
        if (kind == 0) {
            assert_success(zeEventCreate(run->pool, &event, &run->events[i]));
        } else {
            run->events[i] = counter_event(api, kind == 1 ? GRAPH_EXTERNAL : 0, NULL);
        }
        run->calls[i] = (struct call){run->buffers, &program->steps[i]};
    }
}

static void run_close(struct run *run)
{
    for (uint32_t i = 0; i < run->program->count; i++) {
        assert_success(zeEventDestroy(run->events[i]));
    }
    for (uint32_t i = 0; i < LISTS; i++) {
        assert_success(zeCommandListDestroy(run->lists[i]));
    }
    assert_success(zeEventPoolDestroy(run->pool));
    api_free(run->api, run->buffers);
}

static void step_append(struct run *run, uint32_t number)
{
    const struct step *step = &run->program->steps[number];
    ze_event_handle_t waits[WAITS];
    for (uint32_t i = 0; i < step->wait_count; i++) {
        waits[i] = run->events[step->waits[i]];
    }
    ze_command_list_handle_t list = run->lists[step->list];
    if (step->copies) {
        assert_success(zeCommandListAppendMemoryCopy(
            list, run->buffers[step->destination], run->buffers[step->source],
            sizeof(run->buffers[0]), run->events[number], step->wait_count, waits));
    } else {
        assert_success(zeCommandListAppendHostFunction(list, call_do, &run->calls[number], NULL,
                                                       run->events[number], step->wait_count,
                                                       waits));
    }
}

/* The first list waits for the others. */
static void program_append(struct run *run)
{
    for (uint32_t i = 0; i < run->program->count; i++) {
        step_append(run, i);
    }
    for (uint32_t list = 1; list < LISTS; list++) {
        uint32_t last = latest_of(run->program, list, run->program->count);
        if (last != STEPS) {
            assert_success(zeCommandListAppendWaitOnEvents(run->lists[0], 1, &run->events[last]));
        }
    }
}

static void expect(const struct run *run, uint32_t times, uint64_t seed, const char *how)
{
    uint32_t expected[BUFFERS][WORDS];
    words_start(expected);
    for (uint32_t i = 0; i < times * run->program->count; i++) {
        const struct step *step = &run->program->steps[i % run->program->count];
        words_do(expected[step->destination], expected[step->source], step);
    }
    for (uint32_t i = 0; i < BUFFERS * WORDS; i++) {
        if (expected[i / WORDS][i % WORDS] != run->buffers[i / WORDS][i % WORDS]) {
            fail_msg("program %llu %s: buffer %u word %u is 0x%x instead of 0x%x",
                     (unsigned long long)seed, how, i / WORDS, i % WORDS,
                     run->buffers[i / WORDS][i % WORDS], expected[i / WORDS][i % WORDS]);
        }
    }
}

/* What the programs are made for: without a graph they leave the same. */
static void programs_that_are_submitted_leave_what_c_leaves(void **state)
{
    struct api *api = *state;
    for (uint64_t seed = 0; seed < PROGRAMS / 4; seed++) {
        struct program program;
        struct run run;
        program_make(&program, seed, api->executes);
        run_open(&run, api, &program);
        program_append(&run);
        list_wait(run.lists[0]);
        expect(&run, 1, seed, "submitted");
        run_close(&run);
    }
}

/* On the list that recorded it, on others, without a wait between. */
static void recorded_programs_leave_what_c_leaves(void **state)
{
    struct api *api = *state;
    for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
        struct program program;
        struct run run;
        program_make(&program, seed, api->executes);
        run_open(&run, api, &program);
        graph_begin(run.lists[0]);
        program_append(&run);
        ze_graph_handle_t graph = graph_end(run.lists[0]);
        ze_executable_graph_handle_t executable = graph_make(graph), second = graph_make(graph);
        expect(&run, 0, seed, "recorded");
        for (uint32_t i = 0; i < RUNS; i++) {
            graph_append(run.lists[i % 2], executable);
        }
        list_wait(run.lists[(RUNS - 1) % 2]);
        expect(&run, RUNS, seed, "executed");
        graph_run(run.lists[2], second);
        expect(&run, RUNS + 1, seed, "executed by another");
        list_wait(run.lists[1]);
        assert_success(zeExecutableGraphDestroyExt(second));
        graph_drop(graph, executable);
        run_close(&run);
    }
}

/* One after the other in a regular list, and as a part of a graph. */
static void copied_programs_leave_what_c_leaves(void **state)
{
    struct api *api = *state;
    ze_command_queue_handle_t queue = counter_queue(api);
    for (uint64_t seed = 0; seed < PROGRAMS / 4; seed++) {
        struct program program;
        struct run run;
        program_make(&program, seed, api->executes);
        run_open(&run, api, &program);
        ze_command_list_handle_t regular = counter_regular(api);
        graph_begin(run.lists[0]);
        program_append(&run);
        ze_graph_handle_t inner = graph_end(run.lists[0]);
        ze_executable_graph_handle_t part = graph_make(inner);
        graph_append(regular, part);
        assert_success(zeCommandListClose(regular));
        counter_execute(queue, regular);
        counter_execute(queue, regular);
        assert_success(zeCommandQueueSynchronize(queue, UINT64_MAX));
        expect(&run, 2, seed, "copied into a list");
        graph_begin(run.lists[1]);
        graph_append(run.lists[1], part);
        ze_graph_handle_t graph = graph_end(run.lists[1]);
        ze_executable_graph_handle_t executable = graph_make(graph);
        graph_run(run.lists[1], executable);
        expect(&run, 3, seed, "copied into a graph");
        graph_drop(graph, executable);
        graph_drop(inner, part);
        assert_success(zeCommandListDestroy(regular));
        run_close(&run);
    }
    assert_success(zeCommandQueueDestroy(queue));
}

static const struct api_case cases[] = {
    API_CASE(programs_that_are_submitted_leave_what_c_leaves),
    API_CASE(recorded_programs_leave_what_c_leaves),
    API_CASE(copied_programs_leave_what_c_leaves),
};
API_MAIN("graph_random", cases)
