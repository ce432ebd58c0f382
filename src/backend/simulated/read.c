/* Reads objects with all their members. See read.h. */
#include "backend/simulated/read.h"

/* ---- arrays ---- */

static bool reals_read(struct sim_reader *reader, const struct sim_json *json,
                       const struct sim_key *key, struct sim_list *list)
{
    if (!sim_read_kind(reader, json, GEO_JSON_ARRAY)) {
        return false;
    }
    if (json->count > key->size) {
        return sim_wrong(reader, "%u values, %u are allowed", json->count, key->size);
    }
    double *items = geo_arena_new_array(reader->arena, double, json->count + 1u);
    if (!items) {
        return sim_no_memory(reader);
    }
    list->items = items;
    for (const struct sim_json *element = json->first; element; element = element->next) {
        double *item = &items[list->count++];
        if (!sim_read_number(reader, element, NULL, key->min, key->max, item)) {
            return false;
        }
        if (item > items && item[0] <= item[-1]) {
            return sim_wrong(reader, "the values do not rise");
        }
    }
    return true;
}

bool sim_read_list(struct sim_reader *reader, const struct sim_json *json,
                   const struct sim_table *table, uint32_t most, struct sim_list *list)
{
    if (!sim_read_kind(reader, json, GEO_JSON_ARRAY)) {
        return false;
    }
    if (json->count > most) {
        return sim_wrong(reader, "%u elements, %u are allowed", json->count, most);
    }
    char *items = geo_arena_array(reader->arena, json->count + 1u, table->bytes);
    if (!items) {
        return sim_no_memory(reader);
    }
    list->items = items;
    list->count = json->count;
    int32_t i = 0;
    for (const struct sim_json *element = json->first; element; element = element->next, i++) {
        if (!sim_enter(reader, NULL, i, element) ||
            !sim_read(reader, element, table, items + (size_t)i * table->bytes)) {
            return false;
        }
        sim_leave(reader);
    }
    return true;
}

/* ---- objects ---- */

static bool value_read(struct sim_reader *reader, const struct sim_json *json,
                       const struct sim_key *key, void *at)
{
    switch (key->type) {
    case SIM_SCRIPT:
    case SIM_RATE:
        return sim_read_script(reader, json, key, at);
    case SIM_OBJECT:
        return sim_read(reader, json, key->table, at);
    case SIM_LIST:
        return sim_read_list(reader, json, key->table, key->size, at);
    case SIM_REALS:
        return reals_read(reader, json, key, at);
    default:
        return sim_read_scalar(reader, json, key, at);
    }
}

bool sim_read(struct sim_reader *reader, const struct sim_json *json, const struct sim_table *table,
              void *item)
{
    return sim_walk(reader, json, table, value_read, item);
}
