/* Records about the memory of private variables. See declared.h. */
#include "compiler/transform/memory/declared.h"

bool declared_find(struct geo_pass *pass, struct geo_ir_function *function,
                   struct declared_map *map)
{
    map->of = NULL;
    if (!pass->module->debug) {
        return true;
    }
    uint32_t count = function->value_count;
    map->of = geo_arena_new_array(&pass->arena, struct declared *, count);
    struct declared **last = geo_arena_new_array(&pass->arena, struct declared *, count);
    uint32_t *found = geo_arena_new_array(&pass->arena, uint32_t, count);
    if (!map->of || !last || !found) {
        return geo_pass_no_memory(pass);
    }
    geo_ir_for_each_block(block, function) {
        geo_ir_for_each_inst(inst, block) {
            geo_ir_for_each_record(record, inst)
            {
                const struct geo_ir_inst *variable =
                    record->value ? geo_ir_as_inst(record->value) : NULL;
                if (!variable || variable->op != SpvOpVariable || !variable->block) {
                    continue;
                }
                uint32_t index = variable->value.index;
                if (++found[index] > DECLARED_MAX) {
                    geo_ir_record_lose(record);
                    continue;
                }
                struct declared *made = geo_arena_new(&pass->arena, struct declared);
                struct geo_ir_record *copy = geo_arena_copy(&pass->arena, record, sizeof(*record));
                if (!made || !copy) {
                    return geo_pass_no_memory(pass);
                }
                *made = (struct declared){.record = record, .template = copy};
                *(last[index] ? &last[index]->next : &map->of[index]) = made;
                last[index] = made;
            }
        }
    }
    return true;
}

bool declared_is_value(const struct geo_ir_record *record)
{
    return (record->steps && record->steps->items[0].kind == GEO_STEP_DEREF) ||
           (!record->steps && record->place == GEO_PLACE_MEMORY);
}

void declared_to_value(struct geo_ir_module *module, struct geo_ir_record *record,
                       struct geo_ir_value *value)
{
    bool loads = record->steps != NULL;
    if (!value || value->kind == GEO_VALUE_UNDEF || !declared_is_value(record)) {
        geo_ir_record_lose(record);
        return;
    }
    record->value = value;
    if (!loads) {
        record->place = GEO_PLACE_VALUE;
    } else if (!geo_ir_record_steps(module, record, 1, NULL, 0)) {
        geo_ir_record_lose(record);
    }
}
