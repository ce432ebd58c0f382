/* Accesses lanes in a window of memory by the vectors that cover it, and shuffles between these and
 * the components; see window.h.
 *
 *     lanes at 0 1 4 5 2 3 6 7, W = 4     load [0..3], [4..7];  shuffle 0 1 4 5 and 2 3 6 7
 *
 * Elements of no lane are masked. Without mask instructions, a load also reads elements between the
 * lanes, and a store requires that every element belongs to a lane. */
#include "compiler/lower/memory/window.h"

#include "base/assert.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/lanes.h"
#include "compiler/lower/emit/memory.h"
#include "compiler/lower/emit/number.h"

/* Largest number of vectors that cover a window. Beyond it, a gather costs less. NOBODY marks an
 * element that belongs to no lane. */
#define WINDOW_VECTORS 4u
#define NOBODY         UINT32_MAX

/* The window of one access. */
struct window {
    const struct geo_access *access;
    LLVMTypeRef type; /* type of an element */
    uint32_t bytes;   /* size of an element */
    uint32_t components;
    /* by lane: element of its first component in the window */
    uint32_t places[GEO_LOWER_LANES_LIMIT];
    uint32_t count;   /* number of elements in the window */
    LLVMValueRef low; /* address of its first element */
};

static const struct geo_ir_type *element_of(const struct geo_ir_type *type)
{
    return type->kind == GEO_TYPE_VECTOR ? type->element : type;
}

/* Stores the lanes' distances from lane 0, by pattern or stride. Returns false if they are unknown,
 * or if the lanes are consecutive and need no window. */
static bool offsets_find(const struct window *w, int64_t *offsets)
{
    const struct geo_address *address = &w->access->address;
    bool strided = address->kind == GEO_SHAPE_STRIDED;
    if (address->kind == GEO_SHAPE_UNIFORM ||
        (strided ? address->stride == (int64_t)w->bytes * w->components : !address->pattern)) {
        return false;
    }
    for (uint32_t lane = 0; lane < w->access->f->lanes; lane++) {
        offsets[lane] = strided ? address->stride * lane : address->pattern->offsets[lane];
    }
    return true;
}

/* Returns whether elements of this type can be accessed through a window. Without mask
 * instructions, masked rows of small elements would be accessed lane by lane, and stores may be
 * such rows. */
static bool is_regular(const struct geo_access *access, const struct geo_ir_type *type, bool load)
{
    const struct geo_ir_type *element = element_of(type);
    bool scalar = element->kind == GEO_TYPE_INT || element->kind == GEO_TYPE_FLOAT ||
                  element->kind == GEO_TYPE_POINTER;
    bool dense = type->kind != GEO_TYPE_VECTOR || type->size == type->count * element->size;
    return access->f->lanes > 1 && access->f->lanes <= GEO_PATTERN_LANES && !access->interleaved &&
           scalar && dense &&
           (element->size >= 4 || access->f->options->target.has_masks ||
            (load && !access->f->body.mask));
}

static LLVMValueRef lane0_pointer(const struct geo_access *access)
{
    return access->address.kind == GEO_SHAPE_STRIDED
               ? access->address.base
               : geo_emit_lane(access->f, access->address.base, 0);
}

/* Sets places and count, and the distance of the window's start from lane 0. Returns false if the
 * window is too large. */
static bool places_find(struct window *w, int64_t *least)
{
    int64_t offsets[GEO_PATTERN_LANES], most = 0;
    uint32_t lanes = w->access->f->lanes;
    if (!offsets_find(w, offsets)) {
        return false;
    }
    *least = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        *least = offsets[lane] < *least ? offsets[lane] : *least;
        most = offsets[lane] > most ? offsets[lane] : most;
    }
    uint64_t span = ((uint64_t)most - (uint64_t)*least) / w->bytes;
    if (span + w->components > (uint64_t)WINDOW_VECTORS * lanes) {
        return false;
    }
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint64_t offset = (uint64_t)offsets[lane] - (uint64_t)*least;
        w->places[lane] = (uint32_t)(offset / w->bytes);
        if (offset % w->bytes) {
            return false;
        }
    }
    w->count = (uint32_t)span + w->components;
    return true;
}

/* Fills *out for an access, except for addresses, and sets the distance of its start from lane 0.
 * Returns false if it cannot use a window. */
static bool window_measure(const struct geo_access *access, const struct geo_ir_type *type,
                           bool load, struct window *out, int64_t *least)
{
    *out = (struct window){.access = access, .bytes = (uint32_t)element_of(type)->size};
    out->components = type->kind == GEO_TYPE_VECTOR ? (uint32_t)type->count : 1;
    return is_regular(access, type, load) && places_find(out, least);
}

/* Fills *out for an access. Returns false if it cannot use a window. */
static bool window_find(const struct geo_access *access, const struct geo_ir_type *type, bool load,
                        struct window *out)
{
    int64_t least;
    if (!window_measure(access, type, load, out, &least)) {
        return false;
    }
    out->type = geo_type_of(access->f, element_of(type));
    out->low = geo_emit_offset_const(access->f, lane0_pointer(access), least);
    return true;
}

/* Extends the window downwards to an aligned address, as far as the pattern tells. The added
 * elements have to be masked. Accesses across cache lines are slower (a factor of two in a
 * bitonic sort), and two patterns of one window then use the same vectors. */
static void window_align(struct window *w)
{
    const struct geo_pattern *pattern = w->access->address.pattern;
    uint32_t vector = w->access->f->lanes * w->bytes;
    if (!pattern || pattern->zeros == 0) {
        return;
    }
    uint64_t known = pattern->zeros < 32 ? (uint64_t)1 << pattern->zeros : vector;
    known = known < vector ? known : vector;
    uint64_t lane0 = (uint64_t)w->places[0] * w->bytes;
    uint32_t lead = (uint32_t)((pattern->first - lane0) & (known - 1)) / w->bytes;
    if ((pattern->first - lane0) % w->bytes ||
        lead + w->count > WINDOW_VECTORS * w->access->f->lanes) {
        return;
    }
    for (uint32_t lane = 0; lane < w->access->f->lanes; lane++) {
        w->places[lane] += lead;
    }
    w->count += lead;
    w->low = geo_emit_offset_const(w->access->f, w->low, -(int64_t)lead * w->bytes);
}

static LLVMValueRef shuffle(struct geo_lower_function *f, LLVMValueRef a, LLVMValueRef b,
                            LLVMValueRef *picks, uint32_t count)
{
    return LLVMBuildShuffleVector(f->llvm.builder, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                  LLVMConstVector(picks, count), "");
}

static LLVMValueRef pointer_at(const struct window *w, uint32_t element)
{
    return geo_emit_offset_const(w->access->f, w->low, (int64_t)element * w->bytes);
}

static uint32_t align_of(const struct window *w)
{
    return geo_lane_address_align(w->access->align, w->bytes);
}

/* ---- owners of elements ---- */

/* Stores for each element its owner, lane + component * W. The last of several owners wins.
 * Returns false if an element has several owners and a mask decides which are active. */
static bool owners_find(const struct window *w, uint32_t *owners)
{
    const struct geo_lower_function *f = w->access->f;
    for (uint32_t i = 0; i < WINDOW_VECTORS * f->lanes; i++) {
        owners[i] = NOBODY;
    }
    for (uint32_t i = 0; i < f->lanes * w->components; i++) {
        uint32_t lane = i / w->components, component = i % w->components;
        GEO_ASSERT(w->places[lane] + component < w->count && w->count <= WINDOW_VECTORS * f->lanes);
        uint32_t *owner = &owners[w->places[lane] + component];
        if (*owner != NOBODY && f->body.mask) {
            return false;
        }
        *owner = lane + component * f->lanes;
    }
    return true;
}

/* Returns the mask of the elements whose owner is active. NULL: all. */
static LLVMValueRef row_mask(const struct window *w, const uint32_t *owners)
{
    struct geo_lower_function *f = w->access->f;
    LLVMValueRef owned[GEO_LOWER_LANES_LIMIT], picks[GEO_LOWER_LANES_LIMIT];
    bool all = true;
    for (uint32_t i = 0; i < f->lanes; i++) {
        bool here = owners[i] != NOBODY;
        owned[i] = LLVMConstInt(geo_type_i1(f), here, false);
        picks[i] = geo_emit_const_i32(f, here ? owners[i] % f->lanes : 0);
        all = all && here;
    }
    LLVMValueRef mask = all ? NULL : LLVMConstVector(owned, f->lanes);
    if (!f->body.mask) {
        return mask;
    }
    LLVMValueRef on = shuffle(f, f->body.mask, NULL, picks, f->lanes);
    return mask ? LLVMBuildAnd(f->llvm.builder, on, mask, "") : on;
}

/* ---- loads ---- */

/* The vectors that cover a window, each of `width` elements. Without masks, the last one ends at
 * the window's end. */
struct rows {
    LLVMValueRef rows[WINDOW_VECTORS];
    uint32_t starts[WINDOW_VECTORS];
    uint32_t count, width;
};

static void rows_load(const struct window *w, const uint32_t *owners, struct rows *out)
{
    const struct geo_lower_function *f = w->access->f;
    bool masks = f->options->target.has_masks;
    out->width = f->lanes;
    while (out->width > w->count && !masks) {
        out->width /= 2;
    }
    out->count = (w->count + out->width - 1) / out->width;
    GEO_ASSERT(out->width && out->count <= WINDOW_VECTORS);
    for (uint32_t i = 0; i < out->count; i++) {
        bool last = i + 1 == out->count && !masks;
        out->starts[i] = last ? w->count - out->width : i * out->width;
        out->rows[i] = geo_access_row_load(
            w->access, LLVMVectorType(w->type, out->width), pointer_at(w, out->starts[i]),
            masks ? row_mask(w, owners + out->starts[i]) : NULL, align_of(w));
    }
}

/* Returns the first row that contains an element. */
static uint32_t row_of(const struct rows *rows, uint32_t element)
{
    uint32_t row = element / rows->width;
    return row < rows->count ? row : rows->count - 1;
}

/* Returns one component of all lanes, by shuffles of two rows at a time. Rows after the second have
 * the width of the result. */
static LLVMValueRef lanes_pick(const struct window *w, const struct rows *rows, uint32_t component)
{
    struct geo_lower_function *f = w->access->f;
    LLVMValueRef result = rows->rows[0], picks[GEO_LOWER_LANES_LIMIT];
    for (uint32_t i = rows->count > 1 ? 1 : 0; i < rows->count; i++) {
        for (uint32_t lane = 0; lane < f->lanes; lane++) {
            uint32_t element = w->places[lane] + component, row = row_of(rows, element);
            uint32_t place = element - rows->starts[row];
            picks[lane] = geo_emit_const_i32(f, row == i && i > 0   ? rows->width + place
                                                : row == 0 && i < 2 ? place
                                                                    : lane);
        }
        result = shuffle(f, result, i > 0 ? rows->rows[i] : NULL, picks, f->lanes);
    }
    return result;
}

bool geo_window_load_fits(const struct geo_access *access, const struct geo_ir_type *type)
{
    const struct geo_lower_function *f = access->f;
    struct window w;
    int64_t least;
    uint32_t owners[WINDOW_VECTORS * GEO_LOWER_LANES_LIMIT];
    return access->address.pattern && (!f->body.mask || f->options->target.has_masks) &&
           window_measure(access, type, true, &w, &least) && owners_find(&w, owners);
}

bool geo_window_load(const struct geo_access *access, const struct geo_ir_type *type,
                     LLVMValueRef *values)
{
    struct geo_lower_function *f = access->f;
    bool masks = f->options->target.has_masks;
    struct window w;
    struct rows rows;
    uint32_t owners[WINDOW_VECTORS * GEO_LOWER_LANES_LIMIT];
    if (!access->address.pattern || (f->body.mask && !masks) ||
        !window_find(access, type, true, &w)) {
        return false;
    }
    if (masks) {
        window_align(&w);
    }
    if (!owners_find(&w, owners)) {
        return false;
    }
    rows_load(&w, owners, &rows);
    for (uint32_t i = 0; i < w.components; i++) {
        values[i] = lanes_pick(&w, &rows, i);
    }
    return true;
}

/* ---- stores ---- */

/* Returns the vector of W elements to store, by shuffling in one component after another. */
static LLVMValueRef row_make(const struct window *w, const LLVMValueRef *values,
                             const uint32_t *owners)
{
    struct geo_lower_function *f = w->access->f;
    LLVMValueRef result = NULL, picks[GEO_LOWER_LANES_LIMIT];
    for (uint32_t component = 0; component < w->components; component++) {
        uint32_t beyond = result ? f->lanes : 0;
        for (uint32_t i = 0; i < f->lanes; i++) {
            bool here = owners[i] != NOBODY && owners[i] / f->lanes == component;
            picks[i] = here     ? geo_emit_const_i32(f, beyond + owners[i] % f->lanes)
                       : result ? geo_emit_const_i32(f, i)
                                : LLVMGetPoison(geo_type_i32(f));
        }
        result = shuffle(f, result ? result : values[component], result ? values[component] : NULL,
                         picks, f->lanes);
    }
    return result;
}

/* Returns the number of elements in a row that have an owner. */
static uint32_t owned(const struct window *w, const uint32_t *owners)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->access->f->lanes; i++) {
        count += owners[i] != NOBODY;
    }
    return count;
}

/* Returns whether the store needs no mask. */
static bool is_full(const struct window *w, const uint32_t *owners)
{
    bool full = !w->access->f->body.mask;
    for (uint32_t at = 0; at < w->count; at += w->access->f->lanes) {
        full = full && owned(w, owners + at) == w->access->f->lanes;
    }
    return full;
}

bool geo_window_store(const struct geo_access *access, const struct geo_ir_type *type,
                      LLVMValueRef *values)
{
    struct geo_lower_function *f = access->f;
    struct window w;
    uint32_t owners[WINDOW_VECTORS * GEO_LOWER_LANES_LIMIT];
    if (!window_find(access, type, false, &w)) {
        return false;
    }
    window_align(&w);
    if (!owners_find(&w, owners) || (!f->options->target.has_masks && !is_full(&w, owners))) {
        return false;
    }
    for (uint32_t i = 0; i < w.components; i++) {
        values[i] = geo_type_lanes(values[i]) > 1 ? values[i] : geo_lanes_splat(f, values[i]);
    }
    for (uint32_t at = 0; at < w.count; at += f->lanes) {
        if (owned(&w, owners + at)) {
            geo_access_row_store(access, row_make(&w, values, owners + at), pointer_at(&w, at),
                                 row_mask(&w, owners + at), align_of(&w));
        }
    }
    return true;
}
