/* Writes graphs in the Graphviz language: a box for each command, a frame around the commands of
 * each list, dashed arrows between lists. See graph.h. */
#include "driver/graph/graph.h"

#include "base/assert.h"
#include "base/output.h"
#include "base/strbuf.h"
#include "driver/program/module_deferred.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct picture {
    struct geo_strbuf text;
    const struct geo_graph *graph;
    bool detailed;
};

/* ---- text in labels ---- */

/* Adds a name. Names come from modules, so special characters are escaped. */
static void name_put(struct picture *picture, const char *name)
{
    char shown[256];
    size_t length = geo_strbuf_shown(shown, sizeof(shown), name, strlen(name));
    for (size_t i = 0; i < length; i++) {
        if (shown[i] == '"' || shown[i] == '\\') {
            geo_strbuf_add(&picture->text, "\\", 1);
        }
        geo_strbuf_add(&picture->text, &shown[i], 1);
    }
}

#define PUT(picture, ...)  geo_strbuf_printf(&(picture)->text, __VA_ARGS__)
#define LINE(picture, ...) geo_strbuf_printf(&(picture)->text, "\\l" __VA_ARGS__)

static const char *operation_name(const struct geo_command *command)
{
    static const char *const names[GEO_COMMAND_OPERATION_COUNT] = {
#define GEO_COMMAND(operation, payload, name, run, dump, fault, capture)                           \
    [GEO_COMMAND_##operation] = name,
#include "backend/command.def"
#undef GEO_COMMAND
    };
    bool signals = command->operation == GEO_COMMAND_NOP && command->signal.slot;
    GEO_ASSERT(command->operation < GEO_COMMAND_OPERATION_COUNT);
    return names[signals ? GEO_COMMAND_EVENT_SIGNAL : command->operation];
}

/* ---- launches ---- */

static const char *kind_name(uint32_t kind)
{
    static const char *const names[] = {
        [GEO_ARGUMENT_VALUE] = "value",     [GEO_ARGUMENT_GLOBAL] = "pointer",
        [GEO_ARGUMENT_LOCAL] = "local",     [GEO_ARGUMENT_IMAGE] = "image",
        [GEO_ARGUMENT_SAMPLER] = "sampler",
    };
    return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "argument";
}

/* Adds bytes as one number, the highest byte first. */
static void value_put(struct picture *picture, const uint8_t *value, uint32_t bytes)
{
    PUT(picture, "0x");
    for (uint32_t i = bytes; i-- > 0;) {
        PUT(picture, "%02x", value[i]);
    }
}

static void arguments_put(struct picture *picture, const struct geo_native_view *view,
                          const struct geo_native_kernel *kernel,
                          const struct geo_command_launch *launch)
{
    const uint8_t *block = (const uint8_t *)launch + launch->argument_offset;
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const struct geo_native_argument *argument = &view->arguments[kernel->first_argument + i];
        const char *type = geo_native_string(view, argument->type_name);
        LINE(picture, "%u: ", i);
        name_put(picture, type[0] ? type : kind_name(argument->kind));
        PUT(picture, " ");
        name_put(picture, geo_native_string(view, argument->name));
        PUT(picture, " = ");
        value_put(picture, block + argument->offset, argument->size);
    }
}

static void launch_put(struct picture *picture, const struct geo_graph_node *node,
                       const struct geo_command_launch *launch)
{
    const struct geo_module_binary *binary;
    const struct geo_native_kernel *kernel =
        geo_module_deferred_find(node->module, node->kernel, &binary);
    const struct geo_native_view *view = &binary->view;
    PUT(picture, " of ");
    name_put(picture, geo_native_string(view, kernel->name));
    if (!picture->detailed) {
        return;
    }
    if (launch->indirect_counts) {
        LINE(picture, "groups at %p", (const void *)launch->indirect_counts);
    } else {
        LINE(picture, "%u x %u x %u groups", launch->group_count[0], launch->group_count[1],
             launch->group_count[2]);
    }
    PUT(picture, " of %u x %u x %u", launch->local_size[0], launch->local_size[1],
        launch->local_size[2]);
    arguments_put(picture, view, kernel, launch);
}

/* ---- other commands: one function for each `dump` of command.def ---- */

static void plain_put(struct picture *picture, const struct geo_command *command)
{
    (void)picture, (void)command;
}

static void copy_put(struct picture *picture, const struct geo_command *command)
{
    const struct geo_command_copy *copy = (const struct geo_command_copy *)command;
    LINE(picture, "%llu bytes from %p to %p", (unsigned long long)copy->bytes, copy->source,
         copy->destination);
}

static void region_put(struct picture *picture, const struct geo_command *command)
{
    const struct geo_command_copy_region *copy = (const struct geo_command_copy_region *)command;
    LINE(picture, "%llu x %llu x %llu bytes from %p to %p", (unsigned long long)copy->width,
         (unsigned long long)copy->height, (unsigned long long)copy->depth,
         (const void *)copy->source, (void *)copy->destination);
}

static void fill_put(struct picture *picture, const struct geo_command *command)
{
    const struct geo_command_fill *fill = (const struct geo_command_fill *)command;
    LINE(picture, "%llu bytes at %p with a pattern of %u: ", (unsigned long long)fill->bytes,
         fill->destination, fill->pattern_bytes);
    value_put(picture, (const uint8_t *)fill + fill->pattern_offset,
              fill->pattern_bytes < 16 ? fill->pattern_bytes : 16);
}

static void host_put(struct picture *picture, const struct geo_command *command)
{
    const struct geo_command_host_function *host =
        (const struct geo_command_host_function *)command;
    LINE(picture, "%p of %p", (void *)(uintptr_t)host->function, host->user_data);
}

static void timestamp_put(struct picture *picture, const struct geo_command *command)
{
    LINE(picture, "to %p", (void *)((const struct geo_command_timestamp *)command)->destination);
}

static void query_put(struct picture *picture, const struct geo_command *command)
{
    const struct geo_command_query_timestamps *query =
        (const struct geo_command_query_timestamps *)command;
    LINE(picture, "of %u events to %p", query->times_count, query->destination);
}

static void details_put(struct picture *picture, const struct geo_command *command)
{
    static void (*const putters[GEO_COMMAND_OPERATION_COUNT])(struct picture *,
                                                              const struct geo_command *) = {
#define GEO_COMMAND(operation, payload, name, run, dump, fault, capture)                           \
    [GEO_COMMAND_##operation] = dump##_put,
#include "backend/command.def"
#undef GEO_COMMAND
    };
    putters[command->operation](picture, command);
}

static void events_put(struct picture *picture, const struct geo_command *command, uint32_t node)
{
    const struct geo_graph *graph = picture->graph;
    for (uint32_t i = 0; i < command->wait_count; i++) {
        LINE(picture, "waits for %p", (void *)geo_command_waits(command)[i].slot);
    }
    for (size_t i = 0; i < graph->arrivals.count; i++) {
        if (graph->arrivals.items[i].node == node) {
            LINE(picture, "waits for event %p from outside",
                 (void *)graph->arrivals.items[i].event);
        }
    }
    if (command->signal.slot) {
        LINE(picture, "signals %p", (void *)command->signal.slot);
    }
    for (size_t i = 0; i < graph->departures.count; i++) {
        if (graph->departures.items[i].node == node) {
            LINE(picture, "signals event %p to outside", (void *)graph->departures.items[i].event);
        }
    }
}

/* ---- graph ---- */

static void node_put(struct picture *picture, uint32_t number)
{
    const struct geo_graph_node *node = &picture->graph->nodes.items[number];
    const struct geo_command *command = geo_graph_record(picture->graph, number);
    PUT(picture, "    n%u [label=\"%u: %s", number, number, operation_name(command));
    if (node->module) {
        launch_put(picture, node, (const struct geo_command_launch *)command);
    }
    if (picture->detailed) {
        details_put(picture, command);
        events_put(picture, command, number);
    }
    PUT(picture, "\\l\"];\n");
}

static void branch_put(struct picture *picture, const struct geo_graph_branch *branch)
{
    const struct geo_graph *graph = picture->graph;
    uint32_t before = 0;
    bool any = false;
    PUT(picture, "  subgraph cluster_%u {\n    label=\"%s list %p\";\n", branch->index,
        branch->index == 0 ? "primary" : "forked", (void *)branch->list);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        if (graph->nodes.items[i].branch != branch->index) {
            continue;
        }
        node_put(picture, i);
        if (any) {
            PUT(picture, "    n%u -> n%u;\n", before, i);
        }
        any = true;
        before = i;
    }
    PUT(picture, "  }\n");
}

static void graph_put(struct picture *picture)
{
    const struct geo_graph *graph = picture->graph;
    PUT(picture, "digraph graph_%llu {\n  node [shape=box, fontname=\"monospace\"];\n",
        (unsigned long long)graph->id);
    for (size_t i = 0; i < graph->branches.count; i++) {
        branch_put(picture, graph->branches.items[i]);
    }
    for (size_t i = 0; i < graph->edges.count; i++) {
        PUT(picture, "  n%u -> n%u [style=dashed];\n", graph->edges.items[i].from,
            graph->edges.items[i].to);
    }
    PUT(picture, "}\n");
}

static ze_result_t file_write(const char *path, const struct geo_strbuf *text)
{
    return geo_output_file(path, text->text, text->length)
               ? ZE_RESULT_SUCCESS
               : geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT, "%s: %s", path, strerror(errno));
}

ze_result_t geo_graph_dump(const struct geo_graph *graph, const char *path, bool detailed)
{
    struct picture picture = {.graph = graph, .detailed = detailed};
    geo_strbuf_init(&picture.text, 0);
    graph_put(&picture);
    ze_result_t result = picture.text.truncated ? geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY,
                                                           "no memory for a picture")
                                                : file_write(path, &picture.text);
    geo_strbuf_finish(&picture.text);
    return result;
}
