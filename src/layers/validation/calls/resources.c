/* The resource tracker: the number of objects of each type and the resources of the process. It
 * writes a table with a row for each call that changes them (ZEL_SYSTEM_RESOURCE_TRACKER_CSV), and
 * reports the peaks at the end. */
#include "layers/validation/address/ranges.h"
#include "layers/validation/objects/plan.h"

#include "base/log.h"
#include "base/option.h"
#include "base/output.h"
#include "base/strbuf.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct amount {
    int64_t now, peak;
    uint64_t made;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Protected by the lock, like the variables below. */
static struct amount objects[GEO_DDI_HANDLE_COUNT];
static struct amount allocations, bytes;
static struct geo_output file;
static bool file_opened, file_wanted = true;

static void amount_add(struct amount *amount, int64_t change)
{
    amount->now += change;
    if (change > 0) {
        amount->made += (uint64_t)change;
    }
    if (amount->now > amount->peak) {
        amount->peak = amount->now;
    }
}

/* --- the process --- */

struct process {
    long size, resident, data, peak; /* kB */
    long threads, files;
};

static void status_line(struct process *process, const char *line)
{
    const struct {
        const char *name;
        long *value;
    } fields[] = {{"VmSize:", &process->size},
                  {"VmRSS:", &process->resident},
                  {"VmData:", &process->data},
                  {"VmPeak:", &process->peak},
                  {"Threads:", &process->threads}};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (strncmp(line, fields[i].name, strlen(fields[i].name)) == 0) {
            *fields[i].value = strtol(line + strlen(fields[i].name), NULL, 10);
        }
    }
}

static struct process process_read(void)
{
    struct process process = {0};
    char line[256];
    FILE *status = fopen("/proc/self/status", "re");
    while (status && fgets(line, sizeof(line), status)) {
        status_line(&process, line);
    }
    if (status) {
        fclose(status);
    }
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) { /* the stream is not shared */
        process.files++;
    }
    if (folder) {
        closedir(folder);
        process.files -= 3; /* without ".", ".." and the folder's own descriptor */
    }
    return process;
}

/* --- the table --- */

static void line_write(struct geo_strbuf *line)
{
    if (line->length > 0 && !geo_output_write(&file, line->text, line->length)) {
        file_wanted = false;
    }
    geo_strbuf_finish(line);
}

/* Opens the table. The process id is added to the name: "a/b.csv" becomes "a/b_pid12.csv". */
static void table_open(void)
{
    const char *path = geo_option_environment("ZEL_SYSTEM_RESOURCE_TRACKER_CSV");
    struct geo_strbuf name = {0}, line = {0};
    file_wanted = path && *path;
    if (!file_wanted) {
        return;
    }
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    const size_t stem = dot ? (size_t)(dot - path) : strlen(path);
    geo_strbuf_printf(&name, "%.*s_pid%d%s", (int)stem, path, (int)getpid(), dot ? dot : "");
    file_wanted = geo_output_open(&file, geo_strbuf_text(&name));
    if (!file_wanted) {
        geo_log("validation", GEO_LOG_ERROR, "ZEL_SYSTEM_RESOURCE_TRACKER_CSV: %s: %s",
                geo_strbuf_text(&name), strerror(errno));
    }
    geo_strbuf_finish(&name);
    geo_strbuf_printf(&line,
                      "seconds,thread,function,VmSize_kB,VmRSS_kB,VmData_kB,VmPeak_kB,threads,"
                      "files,VmSize_change_kB,VmRSS_change_kB,allocations,allocated_bytes");
    for (size_t i = 0; i < GEO_DDI_HANDLE_COUNT; i++) {
        if (geo_val_type_ends[i]) {
            geo_strbuf_printf(&line, ",%s", geo_ddi_handles[i].name);
        }
    }
    geo_strbuf_printf(&line, "\n");
    if (file_wanted) {
        line_write(&line);
    }
    geo_strbuf_finish(&line);
}

static void table_add_locked(enum geo_ddi_function_id id)
{
    static struct process last;
    struct geo_strbuf line = {0};
    if (!file_opened) {
        table_open();
    }
    file_opened = true;
    if (!file_wanted) {
        return;
    }
    const struct geo_val_moment now = geo_val_report_now(id);
    const struct process process = process_read();
    geo_strbuf_printf(&line, "%.3f,%u,%s,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%lld,%lld",
                      (double)now.time_ns / 1e9, now.thread, geo_ddi_functions[id].name,
                      process.size, process.resident, process.data, process.peak, process.threads,
                      process.files, process.size - last.size, process.resident - last.resident,
                      (long long)allocations.now, (long long)bytes.now);
    for (size_t i = 0; i < GEO_DDI_HANDLE_COUNT; i++) {
        if (geo_val_type_ends[i]) {
            geo_strbuf_printf(&line, ",%lld", (long long)objects[i].now);
        }
    }
    geo_strbuf_printf(&line, "\n");
    last = process;
    line_write(&line);
}

/* --- the part --- */

static void objects_count(const struct geo_layer_call *call)
{
    const struct geo_val_plan *plan = &geo_val_plans[call->id];
    for (size_t i = 0; i < plan->count; i++) {
        const struct geo_val_step *step = &plan->steps[i];
        size_t count;
        void *const *handles = geo_val_step_handles(call, step, &count);
        for (size_t k = 0; k < count; k++) {
            if (handles[k] && step->action == GEO_VAL_MADE) {
                amount_add(&objects[step->type], 1);
            } else if (handles[k] && step->action == GEO_VAL_END) {
                amount_add(&objects[step->type], -1);
            }
        }
    }
}

/* Returns the index of the parameter with allocated or freed memory, or -1. */
static int memory_param(const struct geo_ddi_function *function)
{
    const struct geo_ddi_param *params = geo_ddi_function_params(function);
    for (int i = 0; i < function->param_count; i++) {
        if (params[i].kind == GEO_DDI_VOID &&
            (params[i].release || (params[i].create && params[i].depth == 2))) {
            return i;
        }
    }
    return -1;
}

static void memory_count(const struct geo_layer_call *call)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[call->id];
    const int param = memory_param(function);
    struct geo_val_range range;
    if (param < 0) {
        return;
    }
    const bool freed = geo_ddi_function_params(function)[param].release;
    const uintptr_t *place = call->arguments[param];
    const uintptr_t address = freed ? *place : **(uintptr_t *const *)place;
    if (!geo_val_range_find(address, &range)) {
        return;
    }
    amount_add(&allocations, freed ? -1 : 1);
    amount_add(&bytes, freed ? -(int64_t)range.size : (int64_t)range.size);
}

static void resources_after(struct geo_layer_call *call, void **scratch)
{
    (void)scratch;
    if (!geo_layer_succeeded(call)) {
        return;
    }
    pthread_mutex_lock(&lock);
    objects_count(call);
    memory_count(call);
    table_add_locked(call->id);
    pthread_mutex_unlock(&lock);
}

static bool resources_want(const struct geo_ddi_function *function)
{
    const struct geo_val_plan *plan = &geo_val_plans[function - geo_ddi_functions];
    bool changes = memory_param(function) >= 0;
    for (size_t i = 0; i < plan->count; i++) {
        changes |= plan->steps[i].action == GEO_VAL_MADE || plan->steps[i].action == GEO_VAL_END;
    }
    return geo_val_on(GEO_VAL_RESOURCES) &&
           (changes || strncmp(function->name, "zeCommandListAppend", 19) == 0);
}

const struct geo_layer_part geo_val_part_resources = {
    .name = "resources", .wants = resources_want, .after = resources_after};

/* --- at the end --- */

static void amount_tell(const char *name, const struct amount *amount)
{
    const struct geo_val_place place = {.argument = name};
    if (amount->made > 0) {
        geo_val_tell(GEO_VAL_RESOURCES_USED, &place, "%llu in all, at most %lld at once, %lld left",
                     (unsigned long long)amount->made, (long long)amount->peak,
                     (long long)amount->now);
    }
}

void geo_val_resources_tell(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < GEO_DDI_HANDLE_COUNT; i++) {
        amount_tell(geo_ddi_handles[i].name, &objects[i]);
    }
    amount_tell("allocations", &allocations);
    amount_tell("bytes", &bytes);
    pthread_mutex_unlock(&lock);
}
