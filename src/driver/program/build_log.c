/* Build log objects. See build_log.h. */
#include "driver/program/build_log.h"

#include <stdlib.h>
#include <string.h>

#define LOG_LIMIT_BYTES (16u << 20)

/* Returns the part behind a part, or the first one for NULL. */
static struct geo_build_log_part *part_next(const struct geo_build_log *log,
                                            const struct geo_build_log_part *part)
{
    return atomic_load_explicit(part ? &part->next : &log->parts, memory_order_acquire);
}

static void build_log_destroy(struct geo_object *object)
{
    struct geo_build_log *log = (struct geo_build_log *)object;
    GEO_ASSERT(log->text.shown);
    geo_strbuf_finish(&log->text);
    for (struct geo_build_log_part *part = part_next(log, NULL), *next; part; part = next) {
        next = part_next(log, part);
        free(part);
    }
    free(log);
}

struct geo_build_log *geo_build_log_create(struct geo_driver *driver)
{
    struct geo_build_log *log = calloc(1, sizeof(*log));
    if (log) {
        geo_object_init(&log->base, GEO_OBJECT_BUILD_LOG, driver, build_log_destroy);
        geo_strbuf_init(&log->text, LOG_LIMIT_BYTES);
        log->text.shown = true;
    }
    return log;
}

void geo_build_log_add(struct geo_build_log *log, const char *text, size_t length)
{
    struct geo_build_log_part *part =
        length < LOG_LIMIT_BYTES && geo_build_log_length(log) < LOG_LIMIT_BYTES - length
            ? calloc(1, sizeof(*part) + length)
            : NULL;
    if (!part) {
        return;
    }
    part->length = length;
    memcpy(part->text, text, length);
    _Atomic(struct geo_build_log_part *) *place = &log->parts;
    struct geo_build_log_part *other = NULL;
    while (!atomic_compare_exchange_strong_explicit(place, &other, part, memory_order_release,
                                                    memory_order_acquire)) {
        place = &other->next;
        other = NULL;
    }
}

size_t geo_build_log_length(const struct geo_build_log *log)
{
    size_t length = log->text.length;
    for (struct geo_build_log_part *part = part_next(log, NULL); part;
         part = part_next(log, part)) {
        length += part->length;
    }
    return length;
}

void geo_build_log_read(const struct geo_build_log *log, char *to, size_t length)
{
    size_t done = log->text.length < length ? log->text.length : length;
    memcpy(to, geo_strbuf_text(&log->text), done);
    for (struct geo_build_log_part *part = part_next(log, NULL); part && done < length;
         part = part_next(log, part)) {
        size_t more = part->length < length - done ? part->length : length - done;
        memcpy(to + done, part->text, more);
        done += more;
    }
    GEO_ASSERT(done == length);
    to[done] = '\0';
}
