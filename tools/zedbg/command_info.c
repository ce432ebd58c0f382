/* The command info. */
#include "breakpoint.h"
#include "command.h"
#include "error.h"
#include "memory.h"
#include "report.h"
#include "scope.h"
#include "source.h"
#include "view.h"

#include <stdio.h>
#include <string.h>

/* ---- breakpoints ---- */

static bool breakpoints_run(const char *arguments)
{
    const struct breakpoint *at = NULL;
    if (!no_arguments(arguments)) {
        return false;
    }
    if (!breakpoint_next(NULL)) {
        puts("No breakpoints are set.");
        return true;
    }
    puts("number  enabled  hits  place");
    while ((at = breakpoint_next(at))) {
        printf("%6d  %-7s  %4u  %s%s%s%s%s\n", at->number, at->enabled ? "yes" : "no", at->hits,
               breakpoint_text(at), at->condition ? " if " : "", at->condition ? at->condition : "",
               at->temporary ? ", once" : "", at->count ? "" : ", in no module so far");
        for (size_t i = 0; i < at->count; i++) {
            const struct module *module = debuggee_module(at->addresses[i]);
            printf("                       0x%llx in module %d\n",
                   (unsigned long long)at->addresses[i], module ? module->number : 0);
        }
    }
    return true;
}

/* ---- threads and work-items ---- */

static bool process_needed(void)
{
    return debuggee.pid || error_set("no program is debugged: `run` starts it");
}

static const char *state_text(const struct thread *thread)
{
    struct view view;
    if (!view_thread((struct thread *)thread, 0, &view)) {
        return scratch_format("stopped: %s", error_text());
    }
    const struct frame *frame = &view.frames[0];
    const uint64_t lane = thread == focus.thread ? focus.lane
                          : view.chunk_known     ? chunk_first(&view.chunk)
                                                 : 0;
    const char *where = frame->file && frame->line
                            ? scratch_format(" at %s:%d", source_name(frame->file), frame->line)
                            : "";
    return scratch_format("stopped in %s%s%s%s", frame->name, where, view.chunk_known ? ", " : "",
                          report_item(&view, lane));
}

static bool threads_run(const char *arguments)
{
    size_t others = 0;
    if (!no_arguments(arguments) || !process_needed()) {
        return false;
    }
    puts("  number  slice,sub-slice,EU,thread  state");
    for (struct thread *thread = debuggee_next(NULL); thread; thread = debuggee_next(thread)) {
        if (!thread->stopped) {
            others++;
            continue;
        }
        printf("%c %6d  %-26s  %s\n", thread == focus.thread ? '*' : ' ', thread->number,
               scratch_format("%u,%u,%u,%u", (unsigned)thread->id.slice,
                              (unsigned)thread->id.subslice, (unsigned)thread->id.eu,
                              (unsigned)thread->id.thread),
               state_text(thread));
    }
    printf("%zu other thread%s run%s, or run%s no kernel.\n", others, others == 1 ? "" : "s",
           others == 1 ? "s" : "", others == 1 ? "s" : "");
    return true;
}

static void items_print(const struct view *view)
{
    static const char *const states[] = {
        [LANE_OFF] = "no", [LANE_ON] = "yes", [LANE_UNKNOWN] = "?"};
    puts("  thread  lane  active  global id      local id       group");
    for (uint64_t lane = 0; lane < view->chunk.lanes; lane++) {
        const struct item_id global = chunk_global(&view->chunk, lane);
        const struct item_id local = chunk_local(&view->chunk, lane);
        const bool chosen = view->thread == focus.thread && lane == focus.lane;
        printf("%c %6d  %4llu  %-6s  %-13s  %-13s  %s\n", chosen ? '*' : ' ', view->thread->number,
               (unsigned long long)lane, states[chunk_state(&view->chunk, lane)],
               item_text(&global), item_text(&local), item_text(&view->chunk.group));
    }
}

static bool items_run(const char *arguments)
{
    const bool all = strcmp(arguments, "all") == 0;
    struct view view;
    if (!all && !no_arguments(arguments)) {
        return false;
    }
    if (!view_make(&view)) {
        return false;
    }
    if (!all) {
        if (!view.chunk_known) {
            return error_set("the work-items are not known here: %s has no debug information of "
                             "them",
                             view.frame->name);
        }
        items_print(&view);
        return true;
    }
    for (struct thread *thread = debuggee_next(NULL); thread; thread = debuggee_next(thread)) {
        if (thread->stopped && view_thread(thread, 0, &view) && view.chunk_known) {
            items_print(&view);
        }
    }
    return true;
}

/* ---- modules ---- */

static bool function_print(void *context, const char *name, uint64_t address, bool is_kernel)
{
    (void)context;
    printf("            0x%llx %s%s\n", (unsigned long long)address, is_kernel ? "kernel " : "",
           name);
    return true;
}

static bool modules_run(const char *arguments)
{
    if (!no_arguments(arguments) || !process_needed()) {
        return false;
    }
    if (!debuggee.modules) {
        puts("The program has loaded no module so far.");
        return true;
    }
    puts("number  load address        debug information  functions");
    for (const struct module *at = debuggee.modules; at; at = at->next) {
        printf("%6d  0x%-16llx  %s\n", at->number, (unsigned long long)at->load,
               at->image.line_count ? "yes"
               : at->image.dwarf    ? "without lines"
                                    : "no");
        image_functions(&at->image, function_print, NULL);
    }
    return true;
}

/* ---- registers ---- */

static void general_print(const struct view *view, unsigned number)
{
    uint64_t value;
    if (view->frame->state.read_register(view->frame->state.context, number, &value,
                                         sizeof(value))) {
        printf("%-8s 0x%-18llx %lld\n", machine_general(number), (unsigned long long)value,
               (long long)value);
    } else {
        printf("%-8s <not known in this frame>\n", machine_general(number));
    }
}

static bool wide_print(struct thread *thread, uint32_t set, const char *name)
{
    const struct register_set *properties = &thread->session->sets[set];
    uint8_t bytes[MACHINE_VECTOR_BYTES];
    if (properties->count == 0 || properties->bytes > sizeof(bytes)) {
        return error_set("the device has no such registers");
    }
    for (uint32_t i = 0; i < properties->count; i++) {
        if (!thread_register(thread, set, i, bytes)) {
            return false;
        }
        printf("%s%-*u 0x", name, (int)(8 - strlen(name)), (unsigned)i);
        for (uint32_t byte = properties->bytes; byte-- > 0;) {
            printf("%02x%s", bytes[byte], byte && byte % 8 == 0 ? "_" : "");
        }
        putchar('\n');
    }
    return true;
}

static bool named_print(struct thread *thread, uint32_t set, const char *const names[],
                        uint32_t count)
{
    for (uint32_t i = 0; i < count && i < thread->session->sets[set].count; i++) {
        uint64_t value = 0;
        if (!thread_register(thread, set, i, &value)) {
            return false;
        }
        printf("%-20s 0x%-18llx %llu\n", names[i], (unsigned long long)value,
               (unsigned long long)value);
    }
    return true;
}

static bool status_print(struct thread *thread)
{
    static const char *const names[] = {"flags", "mxcsr"};
    return named_print(thread, GEOID_REGSET_STATUS, names, 2);
}

static bool launch_print(struct thread *thread)
{
    static const char *const names[GEOID_LAUNCH_REGISTER_COUNT] = {
        "lanes",           "flags",           "first_group",
        "group_count",     "groups_x",        "groups_y",
        "groups_z",        "local_size_x",    "local_size_y",
        "local_size_z",    "global_offset_x", "global_offset_y",
        "global_offset_z", "global_size_x",   "global_size_y",
        "global_size_z",   "local_memory",    "local_memory_bytes",
        "arguments",       "kernel_name",     "kernel_entry",
        "stop_reason",     "stop_signal",     "stop_address",
        "system_thread"};
    return named_print(thread, GEOID_REGSET_LAUNCH, names, GEOID_LAUNCH_REGISTER_COUNT);
}

static bool registers_run(const char *arguments)
{
    struct view view;
    if (!view_make(&view)) {
        return false;
    }
    if (strcmp(arguments, "vector") == 0) {
        return wide_print(view.thread, GEOID_REGSET_VECTOR, "v");
    }
    if (strcmp(arguments, "mask") == 0) {
        return wide_print(view.thread, GEOID_REGSET_MASK, "k");
    }
    if (strcmp(arguments, "status") == 0) {
        return status_print(view.thread);
    }
    if (strcmp(arguments, "launch") == 0) {
        return launch_print(view.thread);
    }
    if (*arguments) {
        const int number = machine_find(*arguments == '$' ? arguments + 1 : arguments);
        if (number < 0) {
            return error_set("\"%s\" is neither a general register nor vector, mask, status or "
                             "launch",
                             arguments);
        }
        general_print(&view, (unsigned)number);
        return true;
    }
    for (unsigned i = 0; i < MACHINE_GENERAL; i++) {
        general_print(&view, i);
    }
    return true;
}

/* ---- others ---- */

struct arguments {
    const struct view *view;
};

static void argument_visit(void *context, Dwarf_Die *variable)
{
    const struct arguments *arguments = context;
    printf("%s = %s\n", scope_name(variable),
           report_variable(arguments->view, arguments->view->frame, variable, STYLE_USUAL));
}

static bool args_run(const char *text)
{
    struct view view;
    struct arguments arguments = {&view};
    if (!no_arguments(text) || !view_make(&view)) {
        return false;
    }
    if (!view.frame->scope) {
        return error_set("%s has no debug information", view.frame->name);
    }
    scope_arguments(view.frame->scope, argument_visit, &arguments);
    return true;
}

static bool locals_run(const char *arguments)
{
    return command_locals(arguments);
}

static bool program_run(const char *arguments)
{
    if (!no_arguments(arguments)) {
        return false;
    }
    if (!debuggee.pid) {
        puts("No program is debugged.");
        return true;
    }
    printf("Process %d, %s\n", (int)debuggee.pid, debuggee.owned ? "started by zedbg" : "attached");
    for (size_t i = 0; i < debuggee.session_count; i++) {
        printf("device %zu: %s, %zu threads\n", i, debuggee.sessions[i].properties.name,
               debuggee.sessions[i].thread_count);
    }
    return true;
}

/* ---- the command ---- */

static const struct {
    const char *name;
    bool (*run)(const char *arguments);
} topics[] = {
    {"args", args_run},       {"breakpoints", breakpoints_run}, {"locals", locals_run},
    {"modules", modules_run}, {"program", program_run},         {"registers", registers_run},
    {"threads", threads_run}, {"work-items", items_run},
};

static bool info_run(const char *arguments)
{
    const char *word = word_take(&arguments);
    const size_t count = sizeof(topics) / sizeof(topics[0]);
    size_t found = count, fits = 0;
    for (size_t i = 0; word && i < count; i++) {
        if (strncmp(topics[i].name, word, strlen(word)) == 0) {
            found = i;
            fits++;
        }
    }
    if (fits != 1) {
        return error_set("%s%s%s: args, breakpoints, locals, modules, program, registers, threads "
                         "or work-items",
                         word ? "unknown topic \"" : "a topic is expected", word ? word : "",
                         word ? "\"" : "");
    }
    return topics[found].run(arguments);
}

const struct command commands_info[] = {
    {"info", "i", info_run, "TOPIC",
     "Prints facts about the program.\n"
     "TOPIC is args, breakpoints, locals, modules, program, registers, threads or work-items.\n"
     "`info registers` takes a general register or a set: vector, mask, status or launch.\n"
     "`info work-items all` lists those of all threads that are stopped."},
    {0},
};
