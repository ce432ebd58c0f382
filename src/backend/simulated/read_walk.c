/* Reads an object by its table, and keeps track of the place in the description. See read.h. */
#include "backend/simulated/read.h"

#include <stdarg.h>
#include <string.h>

/* ---- places and problems ---- */

bool sim_enter(struct sim_reader *reader, const char *name, int32_t element,
               const struct sim_json *json)
{
    if (reader->depth >= sizeof(reader->place) / sizeof(reader->place[0])) {
        return sim_wrong(reader, "too deep");
    }
    reader->place[reader->depth].name = name;
    reader->place[reader->depth++].element = element;
    reader->line = json->line;
    return true;
}

void sim_leave(struct sim_reader *reader)
{
    reader->depth--;
}

static void place_print(const struct sim_reader *reader, struct geo_strbuf *out)
{
    for (uint32_t i = 0; i < reader->depth; i++) {
        if (reader->place[i].name) {
            geo_strbuf_printf(out, "%s%s", i ? "." : "", reader->place[i].name);
        }
        if (reader->place[i].element >= 0) {
            geo_strbuf_printf(out, "[%d]", reader->place[i].element);
        }
    }
}

bool sim_wrong(struct sim_reader *reader, const char *format, ...)
{
    struct geo_strbuf *out = reader->problem;
    if (out && !reader->failed) {
        va_list args;
        geo_strbuf_printf(out, "%u: ", reader->line);
        place_print(reader, out);
        geo_strbuf_printf(out, reader->depth ? ": " : "%s", "");
        va_start(args, format);
        geo_strbuf_vprintf(out, format, args);
        va_end(args);
    }
    reader->failed = true;
    return false;
}

bool sim_no_memory(struct sim_reader *reader)
{
    if (reader->arena->limit_met) {
        return sim_wrong(reader, "the description takes more memory than is allowed");
    }
    reader->failed = true;
    return false;
}

bool sim_read_kind(struct sim_reader *reader, const struct sim_json *json, enum geo_json_kind kind)
{
    return json->kind == kind ||
           sim_wrong(reader, "%s instead of %s", sim_json_kind_name(json->kind),
                     sim_json_kind_name(kind));
}

/* ---- objects ---- */

static const struct sim_key *key_find(const struct sim_table *table, const char *name)
{
    for (uint32_t i = 0; i < table->key_count; i++) {
        if (strcmp(table->keys[i].name, name) == 0) {
            return &table->keys[i];
        }
    }
    return NULL;
}

static bool member_read(struct sim_reader *reader, const struct sim_json *member,
                        const struct sim_table *table, sim_value_fn value, uint64_t *seen,
                        void *item)
{
    const struct sim_key *key = key_find(table, member->key);
    reader->line = member->line;
    if (!key) {
        return sim_wrong(reader, "unknown key \"%.60s\"", member->key);
    }
    const uint64_t bit = UINT64_C(1) << (key - table->keys);
    if (*seen & bit) {
        return sim_wrong(reader, "\"%s\" stands here for the second time", key->name);
    }
    *seen |= bit;
    if (!sim_enter(reader, key->name, -1, member) ||
        !value(reader, member, key, (char *)item + key->offset)) {
        return false;
    }
    sim_leave(reader);
    return true;
}

bool sim_walk(struct sim_reader *reader, const struct sim_json *json, const struct sim_table *table,
              sim_value_fn value, void *item)
{
    uint64_t seen = 0;
    reader->line = json->line;
    if (!sim_read_kind(reader, json, GEO_JSON_OBJECT)) {
        return false;
    }
    if (table->defaults) {
        memcpy(item, table->defaults, table->bytes);
    }
    for (const struct sim_json *member = json->first; member; member = member->next) {
        if (!member_read(reader, member, table, value, &seen, item)) {
            return false;
        }
    }
    reader->line = json->line;
    for (uint32_t i = 0; i < table->key_count; i++) {
        if (table->keys[i].required && !(seen & UINT64_C(1) << i)) {
            return sim_wrong(reader, "\"%s\" is missing", table->keys[i].name);
        }
    }
    return !table->finish || table->finish(reader, item);
}
