/* Recorded graphs in API tests: lists that record, and notes of what ran, in its order. */
#ifndef TESTS_API_GRAPH_SUPPORT_H
#define TESTS_API_GRAPH_SUPPORT_H

#include "counter_support.h"

#include <stdatomic.h>

#define GRAPH_EXTERNAL ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL
#define NOTES          64u
#define WHILE_NS       UINT64_C(10000000) /* for which what is held back is looked at */

struct journal {
    _Atomic uint32_t used;
    _Atomic uint32_t entry[NOTES];
};

struct note {
    struct journal *journal;
    uint32_t value;
};

static inline void note_write(void *data)
{
    struct note *note = data;
    uint32_t place = atomic_fetch_add(&note->journal->used, 1);
    if (place < NOTES) {
        atomic_store(&note->journal->entry[place], note->value);
    }
}

/* The note has to live as long as the graph. */
static inline void note_append(ze_command_list_handle_t list, struct note *note,
                               ze_event_handle_t signal, ze_event_handle_t wait)
{
    assert_success(zeCommandListAppendHostFunction(list, note_write, note, NULL, signal,
                                                   wait ? 1 : 0, wait ? &wait : NULL));
}

static inline void journal_expect(const struct journal *journal, const uint32_t *order,
                                  uint32_t count)
{
    assert_int_equal(journal->used, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(journal->entry[i], order[i]);
    }
}

static inline ze_command_list_handle_t graph_list(struct api *api)
{
    return counter_immediate(api, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
}

static inline void graph_begin(ze_command_list_handle_t list)
{
    assert_success(zeCommandListBeginGraphCaptureExt(list, NULL));
}

static inline ze_graph_handle_t graph_end(ze_command_list_handle_t list)
{
    ze_graph_handle_t graph = NULL;
    assert_success(zeCommandListEndGraphCaptureExt(list, NULL, &graph));
    assert_non_null(graph);
    return graph;
}

static inline ze_executable_graph_handle_t graph_make(ze_graph_handle_t graph)
{
    ze_executable_graph_handle_t executable;
    assert_success(zeGraphInstantiateExt(graph, NULL, &executable));
    return executable;
}

static inline void graph_append(ze_command_list_handle_t list,
                                ze_executable_graph_handle_t executable)
{
    assert_success(zeCommandListAppendGraphExt(list, executable, NULL, NULL, 0, NULL));
}

static inline void list_wait(ze_command_list_handle_t list)
{
    assert_success(zeCommandListHostSynchronize(list, UINT64_MAX));
}

static inline void graph_run(ze_command_list_handle_t list, ze_executable_graph_handle_t executable)
{
    graph_append(list, executable);
    list_wait(list);
}

static inline void graph_drop(ze_graph_handle_t graph, ze_executable_graph_handle_t executable)
{
    if (executable) {
        assert_success(zeExecutableGraphDestroyExt(executable));
    }
    assert_success(zeGraphDestroyExt(graph));
}

#endif
