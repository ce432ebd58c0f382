/* Finds performance events by name, and reads sets of open events. See perf.h. */
#include "backend/cpu/sysman/perf.h"

#include "backend/cpu/sysman/perf_event.h"
#include "base/number_list.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

/* ---- names ---- */

/* Stores `value` in the bits that `format` names, lowest bit first: "config:0-7" or
 * "config:0-7,32-35". */
static bool bits_place(const char *format, uint64_t value, uint64_t *config)
{
    if (strncmp(format, "config:", 7) != 0) {
        return false;
    }
    const char *at = format + 7;
    for (;;) {
        uint64_t first, last;
        if (!geo_number_list_next(&at, &first, &last) || first > last || last > 63) {
            return false;
        }
        for (uint64_t bit = first; bit <= last; bit++, value >>= 1) {
            *config |= (value & 1) << bit;
        }
        if (*at == '\0') {
            return value == 0;
        }
        if (*at++ != ',') {
            return false;
        }
    }
}

/* Parses terms such as "event=0x04,umask=0x03". A term without a value has the value 1. */
static bool terms_read(const struct geo_tree *tree, const char *unit, char *terms, uint64_t *config)
{
    char *rest = terms;
    for (char *term; (term = strsep(&rest, ",")) != NULL;) {
        char format[64], *end = NULL;
        char *number = strchr(term, '=');
        uint64_t value = 1;
        if (number) {
            *number++ = '\0';
            value = strtoull(number, &end, 0);
        }
        if ((number && (end == number || *end != '\0')) || strchr(term, '/') ||
            !geo_tree_text_known(tree, geo_tree_path("%s/format/%s", unit, term).text, format,
                                 sizeof(format)) ||
            !bits_place(format, value, config)) {
            return false;
        }
    }
    return true;
}

/* Reads the factor of a count, 1 if the system does not give one. Returns false for an invalid
 * number. */
static bool scale_read(const struct geo_tree *tree, const char *folder, const char *name,
                       double *scale)
{
    char text[64] = "1", *end;
    geo_tree_text_known(tree, geo_tree_path("%s/events/%s.scale", folder, name).text, text,
                        sizeof(text));
    *scale = strtod(text, &end);
    return end != text && *end == '\0' && *scale > 0 && *scale < 1e9;
}

bool geo_perf_find(const struct geo_tree *tree, const char *unit, const char *name,
                   struct geo_perf_event *event)
{
    const struct geo_tree_path folder = geo_tree_path(GEO_PERF_FOLDER "/%s", unit);
    char terms[128];
    int64_t type = geo_tree_known(tree, geo_tree_path("%s/type", folder.text).text, -1);
    *event = (struct geo_perf_event){0};
    if (type < 0 || type > UINT32_MAX ||
        !geo_tree_text_known(tree, geo_tree_path("%s/events/%s", folder.text, name).text, terms,
                             sizeof(terms)) ||
        !terms_read(tree, folder.text, terms, &event->config)) {
        return false;
    }
    event->type = (uint32_t)type;
    return scale_read(tree, folder.text, name, &event->scale);
}

uint32_t geo_perf_cpus(const struct geo_sysman *sysman, const char *unit, const cpu_set_t *cpus,
                       int *list, uint32_t room)
{
    cpu_set_t mask;
    uint32_t count = 0;
    if (!geo_finding_cpus_read(sysman, geo_tree_path(GEO_PERF_FOLDER "/%s/cpumask", unit).text,
                               &mask)) {
        return 0;
    }
    for (int cpu = 0; cpu < GEO_SYSMAN_CPUS && count < room; cpu++) {
        if (CPU_ISSET((size_t)cpu, &mask) && CPU_ISSET((size_t)cpu, cpus)) {
            list[count++] = cpu;
        }
    }
    return count;
}

/* ---- counting ---- */

struct geo_perf_opened {
    uint32_t count;
    struct {
        int fd;
        uint64_t id;
    } counters[];
};

static void opened_close(struct geo_perf_opened *opened)
{
    for (uint32_t i = 0; opened && i < opened->count; i++) {
        geo_perf_event_close(opened->counters[i].fd, opened->counters[i].id);
    }
    free(opened);
}

static ze_result_t open_failed(const struct geo_perf_item *item, struct geo_strbuf *why)
{
    const int error = errno;
    geo_strbuf_printf(why, "perf_event_open of type %u on CPU %d (%s): %s",
                      (unsigned)item->event.type, item->cpu, PARANOID, strerror(error));
    return error == EACCES || error == EPERM ? ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS
           : error == ENOMEM || error == EMFILE || error == ENFILE
               ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
               : ZE_RESULT_ERROR_NOT_AVAILABLE;
}

static ze_result_t set_open(const struct geo_perf_set *set, struct geo_perf_opened **out,
                            struct geo_strbuf *why)
{
    struct geo_perf_opened *opened =
        calloc(1, sizeof(*opened) + set->count * sizeof(opened->counters[0]));
    if (!opened) {
        geo_strbuf_printf(why, "no memory for counters");
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = 0; i < set->count; i++) {
        const struct geo_perf_item *item = &set->items[i];
        int fd = geo_perf_event_open(item->event.type, item->event.config, item->cpu,
                                     &opened->counters[i].id);
        if (fd < 0) {
            ze_result_t result = open_failed(item, why);
            opened_close(opened);
            return result;
        }
        opened->counters[opened->count++].fd = fd;
    }
    *out = opened;
    return ZE_RESULT_SUCCESS;
}

/* Opens the set's events once. If two threads open them at the same time, one of them closes its
 * own. */
static ze_result_t set_opened(struct geo_perf_set *set, struct geo_perf_opened **out,
                              struct geo_strbuf *why)
{
    struct geo_perf_opened *made = NULL, *none = NULL;
    *out = atomic_load_explicit(&set->opened, memory_order_acquire);
    if (*out) {
        return ZE_RESULT_SUCCESS;
    }
    ze_result_t result = set_open(set, &made, why);
    if (result == ZE_RESULT_SUCCESS) {
        bool first = atomic_compare_exchange_strong(&set->opened, &none, made);
        *out = first ? made : none;
        opened_close(first ? NULL : made);
    }
    return result;
}

ze_result_t geo_perf_read(struct geo_perf_set *set, const struct geo_tree *tree,
                          double sums[GEO_PERF_SUMS], struct geo_strbuf *why)
{
    struct geo_perf_opened *opened;
    double all[GEO_PERF_SUMS] = {0};
    if (!geo_perf_event_allowed(tree)) {
        geo_strbuf_printf(why,
                          "performance counters exist only on a real machine, not in a recording");
        return ZE_RESULT_ERROR_NOT_AVAILABLE;
    }
    ze_result_t result = set_opened(set, &opened, why);
    for (uint32_t i = 0; result == ZE_RESULT_SUCCESS && i < opened->count; i++) {
        uint64_t value;
        if (!geo_perf_event_read(opened->counters[i].fd, opened->counters[i].id, &value)) {
            geo_strbuf_printf(why, "the descriptor of a performance counter was closed");
            return ZE_RESULT_ERROR_NOT_AVAILABLE;
        }
        all[set->items[i].sum] += (double)value * set->items[i].event.scale;
    }
    if (result == ZE_RESULT_SUCCESS) {
        memcpy(sums, all, sizeof(all));
    }
    return result;
}

void geo_perf_finish(struct geo_perf_set *set)
{
    opened_close(atomic_exchange(&set->opened, NULL));
}
