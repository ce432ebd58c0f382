/* Which processes are shown, and in which order. See view.h. */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int order_of(uint64_t one, uint64_t other)
{
    return (one > other) - (one < other);
}

/* Large memory comes first, numbers and names from their beginning. */
static int process_compare(const void *left, const void *right, void *context)
{
    const struct view *view = context;
    const struct process *one = *(const struct process *const *)left;
    const struct process *other = *(const struct process *const *)right;
    int order = 0;
    switch (view->order) {
    case ORDER_MEMORY:
        order = order_of(other->memory, one->memory);
        break;
    case ORDER_SHARED:
        order = order_of(other->shared, one->shared);
        break;
    case ORDER_NAME:
        order = strcmp(one->name, other->name);
        break;
    case ORDER_PID:
    case ORDERS:
        break;
    }
    order = order ? order : order_of(one->pid, other->pid);
    return view->reverse ? -order : order;
}

static bool process_matches(const struct process *process, const char *filter)
{
    char pid[16];
    snprintf(pid, sizeof(pid), "%u", process->pid);
    return strcasestr(process->name, filter) || strstr(pid, filter);
}

size_t view_processes(const struct view *view, const struct device *device,
                      const struct process **list)
{
    size_t count = 0;
    for (size_t i = 0; i < device->process_count; i++) {
        if (process_matches(&device->processes[i], view->filter)) {
            list[count++] = &device->processes[i];
        }
    }
    qsort_r(list, count, sizeof(*list), process_compare, (void *)view);
    return count;
}
