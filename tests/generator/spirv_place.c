/* Random kernels as SPIR-V: places as pointers, loads and stores. See spirv.h.
 *
 * A pointer is of its variable's storage class, or generic: as a parameter, or after a cast on the
 * way (enum gen_pointer_form). */
#include "spirv.h"

static struct gen_words *out(struct gen_spirv *spirv)
{
    return &spirv->current->body;
}

uint32_t gen_emit_cast(struct gen_spirv *spirv, const struct gen_type *type, uint32_t pointer,
                       SpvStorageClass from, SpvStorageClass to)
{
    if (from == to) {
        return pointer;
    }
    uint32_t type_id = gen_pointer_id(spirv, type, to), id = spirv->bound++;
    if (to == SpvStorageClassGeneric) {
        gen_put(out(spirv), SpvOpPtrCastToGeneric, 3, type_id, id, pointer);
    } else if (spirv->program->explicit_casts) {
        gen_put(out(spirv), SpvOpGenericCastToPtrExplicit, 4, type_id, id, pointer, (uint32_t)to);
    } else {
        gen_put(out(spirv), SpvOpGenericCastToPtr, 3, type_id, id, pointer);
    }
    return id;
}

uint32_t gen_buffer_address(struct gen_spirv *spirv, const struct gen_variable *buffer)
{
    if (spirv->addresses[buffer->slot]) {
        return spirv->addresses[buffer->slot];
    }
    uint32_t type = gen_pointer_id(spirv, buffer->type, SpvStorageClassWorkgroup);
    uint32_t zero = gen_u32_id(spirv, 0), id = spirv->bound++;
    gen_put(out(spirv), SpvOpInBoundsAccessChain, 4, type, id, spirv->shared_ids[buffer->slot],
            zero);
    return id;
}

/* Of the pointer that the walk along element and steps starts from. */
static SpvStorageClass root_storage(const struct gen_place *place)
{
    bool generic = place->form == GEN_POINTER_GENERIC || place->base->is_generic ||
                   (place->condition && place->other->is_generic);
    return generic ? SpvStorageClassGeneric : gen_storage(place->base);
}

static uint32_t root_address(struct gen_spirv *spirv, const struct gen_variable *base,
                             SpvStorageClass storage)
{
    uint32_t pointer = gen_buffer_address(spirv, base);
    return gen_emit_cast(spirv, base->type, pointer, gen_storage(base), storage);
}

/* One of two pointers of the same type. */
static uint32_t emit_either(struct gen_spirv *spirv, const struct gen_place *place)
{
    SpvStorageClass storage = root_storage(place);
    uint32_t condition = gen_emit_expr(spirv, place->condition);
    uint32_t first = root_address(spirv, place->base, storage);
    uint32_t second = root_address(spirv, place->other, storage);
    uint32_t type = gen_pointer_id(spirv, place->base->type, storage), id = spirv->bound++;
    gen_put(out(spirv), SpvOpSelect, 5, type, id, condition, second, first);
    return id;
}

/* The pointer where the walk along the steps starts: to an object of the base's type. */
static uint32_t emit_base(struct gen_spirv *spirv, const struct gen_place *place)
{
    const struct gen_variable *base = place->base;
    SpvStorageClass storage = root_storage(place);
    uint32_t either = place->condition ? emit_either(spirv, place) : 0;
    if (!place->element) {
        return either ? either : root_address(spirv, base, storage);
    }
    uint32_t index = gen_emit_expr(spirv, place->element);
    bool table = base->role == GEN_TABLE;
    bool array = base->role == GEN_SHARED && !base->is_parameter && !either &&
                 storage == SpvStorageClassWorkgroup;
    uint32_t root = either  ? either
                    : table ? spirv->table_ids[base->slot]
                    : array ? spirv->shared_ids[base->slot]
                            : root_address(spirv, base, storage);
    uint32_t type = gen_pointer_id(spirv, base->type, storage), id = spirv->bound++;
    gen_put(out(spirv), table || array ? SpvOpInBoundsAccessChain : SpvOpInBoundsPtrAccessChain, 4,
            type, id, root, index);
    return id;
}

static uint32_t walk(struct gen_spirv *spirv, const struct gen_place *place, uint32_t base)
{
    uint32_t indices[GEN_MAX_STEPS];
    for (uint32_t i = 0; i < place->step_count; i++) {
        const struct gen_step *step = &place->steps[i];
        indices[i] =
            step->is_member ? gen_u32_id(spirv, step->member) : gen_emit_expr(spirv, step->index);
    }
    uint32_t type = gen_pointer_id(spirv, place->type, root_storage(place));
    uint32_t id = spirv->bound++;
    gen_words_put(out(spirv), (4 + place->step_count) << 16 | SpvOpInBoundsAccessChain);
    gen_words_put(out(spirv), type);
    gen_words_put(out(spirv), id);
    gen_words_put(out(spirv), base);
    for (uint32_t i = 0; i < place->step_count; i++) {
        gen_words_put(out(spirv), indices[i]);
    }
    return id;
}

uint32_t gen_emit_address(struct gen_spirv *spirv, const struct gen_place *place)
{
    SpvStorageClass storage = root_storage(place), own = gen_storage(place->base);
    uint32_t pointer = emit_base(spirv, place);
    if (place->step_count > 0) {
        pointer = walk(spirv, place, pointer);
    }
    if (place->form == GEN_POINTER_LATE || place->form == GEN_POINTER_BACK) {
        pointer = gen_emit_cast(spirv, place->type, pointer, storage, SpvStorageClassGeneric);
    }
    if (place->form == GEN_POINTER_BACK) {
        pointer = gen_emit_cast(spirv, place->type, pointer, SpvStorageClassGeneric, own);
    }
    return pointer;
}

uint32_t gen_way(const struct gen_spirv *spirv, uint32_t count)
{
    return (spirv->bound * 2654435761u >> 12) % count;
}

uint32_t gen_access_operands(const struct gen_spirv *spirv, const struct gen_type *type,
                             uint32_t operands[GEN_MAX_ACCESS])
{
    uint32_t way = spirv->program->forms ? gen_way(spirv, 12) : 2, count = 0;
    uint32_t mask = way == 0   ? SpvMemoryAccessVolatileMask
                    : way == 1 ? SpvMemoryAccessNontemporalMask
                               : 0;
    mask |= spirv->program->aligned_access ? SpvMemoryAccessAlignedMask : 0;
    if (mask) {
        operands[count++] = mask;
    }
    if (mask & SpvMemoryAccessAlignedMask) {
        operands[count++] = type->align;
    }
    return count;
}

uint32_t gen_emit_load(struct gen_spirv *spirv, const struct gen_place *place)
{
    const struct gen_variable *base = place->base;
    if (!place->element && spirv->ssa[base->slot]) {
        return gen_ssa_read(spirv, base);
    }
    uint32_t address = gen_emit_address(spirv, place), type = gen_type_id(spirv, place->type);
    uint32_t access[GEN_MAX_ACCESS], count = gen_access_operands(spirv, place->type, access);
    uint32_t id = spirv->bound++;
    gen_put_list(out(spirv), SpvOpLoad, 3, (uint32_t[]){type, id, address}, count, access);
    return id;
}

void gen_emit_store(struct gen_spirv *spirv, const struct gen_place *place, uint32_t value)
{
    const struct gen_variable *base = place->base;
    if (!place->element && spirv->ssa[base->slot]) {
        gen_ssa_write(spirv, base, value);
        return;
    }
    uint32_t address = gen_emit_address(spirv, place);
    uint32_t access[GEN_MAX_ACCESS], count = gen_access_operands(spirv, place->type, access);
    gen_put_list(out(spirv), SpvOpStore, 2, (uint32_t[]){address, value}, count, access);
}

void gen_maybe_volatile(struct gen_spirv *spirv, const struct gen_variable *variable, uint32_t id)
{
    if (spirv->program->volatiles && (variable->number * 2654435761u >> 16) % 5 < 2) {
        gen_put(&spirv->annotations, SpvOpDecorate, 2, id, SpvDecorationVolatile);
    }
}

/* ---- which kind of memory ---- */

/* A generic pointer to one of two objects, as pointer to `type`. */
static uint32_t emit_somewhere(struct gen_spirv *spirv, const struct gen_expr *expr,
                               const struct gen_type *type)
{
    const struct gen_place *places[] = {expr->place, expr->other_place};
    uint32_t condition = gen_emit_expr(spirv, expr->args[0]), pointers[2];
    uint32_t generic = gen_pointer_id(spirv, type, SpvStorageClassGeneric);
    for (uint32_t i = 0; i < 2; i++) {
        const struct gen_type *own = places[i]->type;
        pointers[i] = gen_emit_cast(spirv, own, gen_emit_address(spirv, places[i]),
                                    gen_storage(places[i]->base), SpvStorageClassGeneric);
        if (own != type) {
            uint32_t id = spirv->bound++;
            gen_put(out(spirv), SpvOpBitcast, 3, generic, id, pointers[i]);
            pointers[i] = id;
        }
    }
    uint32_t id = spirv->bound++;
    gen_put(out(spirv), SpvOpSelect, 5, generic, id, condition, pointers[1], pointers[0]);
    return id;
}

/* 1 where the cast to this storage class gives no null. */
static uint32_t emit_question(struct gen_spirv *spirv, uint32_t pointer, SpvStorageClass storage)
{
    struct gen_program *program = (struct gen_program *)(uintptr_t)spirv->program;
    const struct gen_type *byte = gen_type_int(program, 8), *word = gen_type_int(program, 64);
    uint32_t cast = spirv->bound++, number = spirv->bound++, truth = spirv->bound++;
    gen_put(out(spirv), SpvOpGenericCastToPtrExplicit, 4, gen_pointer_id(spirv, byte, storage),
            cast, pointer, (uint32_t)storage);
    gen_put(out(spirv), SpvOpConvertPtrToU, 3, gen_type_id(spirv, word), number, cast);
    uint32_t null = gen_scalar_id(spirv, word, 0);
    gen_put(out(spirv), SpvOpINotEqual, 4, gen_type_id(spirv, gen_type_bool(program)), truth,
            number, null);
    uint32_t one = gen_u32_id(spirv, 1), zero = gen_u32_id(spirv, 0), id = spirv->bound++;
    gen_put(out(spirv), SpvOpSelect, 5, gen_type_id(spirv, gen_type_int(program, 32)), id, truth,
            one, zero);
    return id;
}

uint32_t gen_emit_space(struct gen_spirv *spirv, const struct gen_expr *expr)
{
    static const SpvStorageClass storages[] = {
        SpvStorageClassWorkgroup, SpvStorageClassCrossWorkgroup, SpvStorageClassFunction};
    struct gen_program *program = (struct gen_program *)(uintptr_t)spirv->program;
    bool behind = expr->number == GEN_BEHIND;
    uint32_t pointer = emit_somewhere(spirv, expr, behind ? expr->type : gen_type_int(program, 8));
    if (expr->number < 3) {
        return emit_question(spirv, pointer, storages[expr->number]);
    }
    uint32_t type = gen_type_id(spirv, expr->type), id = spirv->bound++;
    if (behind) {
        gen_put(out(spirv), SpvOpLoad, 5, type, id, pointer, SpvMemoryAccessAlignedMask,
                expr->type->align);
    } else {
        gen_put(out(spirv), SpvOpGenericPtrMemSemantics, 3, type, id, pointer);
    }
    return id;
}
