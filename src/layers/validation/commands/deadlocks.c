/* Finds deadlocks of events: which of the submitted commands can run?
 *
 * A command can run when each event that it waits for is signalled or can be signalled. Besides,
 * the preceding commands of its list that it depends on must be able to run. In a list in order
 * these are all of them, in other lists barriers and waits. An event that no submitted command
 * signals counts as one that can be signalled, by the host or by later work. The commands that
 * remain are deadlocked. The host could still signal an event itself, so a deadlock is reported
 * only when the host starts to wait. */
#include "layers/validation/commands/order.h"

enum { NODES = 2048 }; /* with more pending commands the search is skipped */

struct node {
    const struct geo_val_list *list;
    const struct geo_val_command *command;
    bool runs;
};

struct graph {
    struct node nodes[NODES];
    uint32_t count;
    bool full;
};

static void list_add(struct geo_val_list *list, void *user)
{
    struct graph *graph = user;
    const bool submitted = list->immediate || (list->queue && list->queue->handle &&
                                               list->submission > list->queue->done);
    for (uint32_t i = 0; submitted && !list->changed && i < list->record.count; i++) {
        if (list->immediate && list->record.commands[i].done) {
            continue;
        }
        if (graph->count == NODES) {
            graph->full = true;
            return;
        }
        graph->nodes[graph->count++] = (struct node){list, &list->record.commands[i], false};
    }
}

static bool event_is_signalled(void *event)
{
    return geo_layer_next.ze.Event.pfnQueryStatus((ze_event_handle_t)event) == ZE_RESULT_SUCCESS;
}

/* Returns whether an event can be signalled by the commands that are known to run. */
static bool event_can(const struct graph *graph, void *event)
{
    const struct geo_val_event *known = geo_val_pools_event(event);
    bool signaller = false;
    if (!known || !known->plain) {
        return true;
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i].command->signal != event) {
            continue;
        }
        if (graph->nodes[i].runs) {
            return true;
        }
        signaller = true;
    }
    return !signaller || event_is_signalled(event);
}

static bool node_can(const struct graph *graph, uint32_t at)
{
    const struct node *node = &graph->nodes[at];
    const bool last =
        node->list->in_order || (node->command->blocks && node->command->wait_count == 0);
    for (uint32_t i = at; i-- > 0;) {
        const struct node *earlier = &graph->nodes[i];
        if (earlier->list != node->list) {
            break;
        }
        if (!earlier->runs && (last || earlier->command->blocks)) {
            return false;
        }
    }
    for (uint32_t w = 0; w < node->command->wait_count; w++) {
        if (!event_can(graph, node->command->waits[w])) {
            return false;
        }
    }
    return true;
}

static void graph_run(struct graph *graph)
{
    bool more = true;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < graph->count; i++) {
            if (!graph->nodes[i].runs && node_can(graph, i)) {
                graph->nodes[i].runs = more = true;
            }
        }
    }
}

/* Returns the event that blocks a command, or NULL when only another command of its list blocks
 * it. */
static void *blocking_event(const struct graph *graph, const struct node *node)
{
    for (uint32_t w = 0; w < node->command->wait_count; w++) {
        if (!event_can(graph, node->command->waits[w])) {
            return node->command->waits[w];
        }
    }
    return NULL;
}

static void stuck_tell(const struct geo_layer_call *call, const struct graph *graph,
                       const struct node *node, void *event)
{
    const struct geo_val_place place = {.call = call, .handle = event};
    const struct node *signaller = NULL;
    for (uint32_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i].command->signal == event) {
            signaller = &graph->nodes[i];
        }
    }
    if (!signaller) {
        return;
    }
    const bool same = signaller->list == node->list;
    geo_val_tell(
        same ? GEO_VAL_WAIT_BEFORE_SIGNAL : GEO_VAL_WAIT_CYCLE, &place,
        "command %u of list %p, %s, waits for event %p, which is signalled by command %u of %s "
        "%p, %s, which cannot run before",
        node->command->number, (void *)node->list->handle,
        geo_ddi_functions[node->command->function].name, event, signaller->command->number,
        same ? "the same list" : "list", (void *)signaller->list->handle,
        geo_ddi_functions[signaller->command->function].name);
}

void geo_val_deadlocks_find(const struct geo_layer_call *call)
{
    static struct graph only; /* protected by the lock of the model */
    struct graph *graph = &only;
    graph->count = 0;
    graph->full = false;
    geo_val_model_lists_each(list_add, graph);
    if (!graph->full) {
        graph_run(graph);
    }
    for (uint32_t i = 0; i < graph->count && !graph->full; i++) {
        void *event = graph->nodes[i].runs ? NULL : blocking_event(graph, &graph->nodes[i]);
        if (event && geo_val_model_list_in_flight(graph->nodes[i].list)) {
            stuck_tell(call, graph, &graph->nodes[i], event);
            break;
        }
    }
}
