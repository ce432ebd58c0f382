/* Iterates over the values of a call, using the descriptions of ddi. See walk.h. */
#include "layers/walk.h"

#include "ddi/geo_ddi_chain.h"

#include <string.h>

struct walk {
    const struct geo_layer_call *call;
    enum geo_layer_phase phase;
    geo_layer_visit_fn visit;
    void *user;
};

/* A list of descriptions, and the location of the described values: the arguments of the call, or
 * the members of a structure. */
struct frame {
    const struct geo_ddi_param *params;
    size_t count;
    void *const *arguments; /* NULL: members of `object` */
    char *object;
};

static ze_result_t frame_walk(const struct walk *walk, const struct frame *frame,
                              const struct geo_layer_value *parent);

static void *frame_address(const struct frame *frame, size_t i)
{
    return frame->arguments ? frame->arguments[i] : frame->object + frame->params[i].offset;
}

static struct frame struct_frame(const struct geo_ddi_struct *s, void *object)
{
    return (struct frame){geo_ddi_struct_members(s), s->member_count, NULL, object};
}

static struct frame call_frame(const struct geo_layer_call *call)
{
    const struct geo_ddi_function *function = &geo_ddi_functions[call->id];
    return (struct frame){geo_ddi_function_params(function), function->param_count, call->arguments,
                          NULL};
}

static void *pointer_at(const void *address)
{
    void *pointer;
    memcpy(&pointer, address, sizeof(pointer));
    return pointer;
}

static uint64_t number_at(const void *address, size_t size)
{
    uint64_t number = 0; /* little-endian, as all supported machines are */
    memcpy(&number, address, size < sizeof(number) ? size : sizeof(number));
    return number;
}

/* Returns the number of elements behind pointer i of the frame; 1 when the description has no
 * count. */
static uint64_t frame_count(const struct frame *frame, size_t i)
{
    const struct geo_ddi_param *param = &frame->params[i];
    if (param->count == NULL) {
        return 1;
    }
    if (param->count_param < 0) {
        return 0; /* counted by another value: not followed */
    }
    const struct geo_ddi_param *count = &frame->params[param->count_param];
    const void *address = frame_address(frame, (size_t)param->count_param);
    if (!param->count_indirect) {
        return number_at(address, count->size);
    }
    const void *pointer = pointer_at(address);
    return pointer ? number_at(pointer, count->element_size) : 0;
}

/* Returns whether the data behind the parameter's pointer is input (before the call) or output
 * (after it). Data that a function only writes is not read before the call, because it may be
 * uninitialised. */
static bool follows(const struct walk *walk, const struct geo_ddi_param *param)
{
    if (walk->phase == GEO_LAYER_AFTER) {
        return (param->direction & GEO_DDI_OUT) != 0;
    }
    if (param->kind == GEO_DDI_STRUCT) {
        return (param->direction & GEO_DDI_IN) != 0;
    }
    const bool is_count = param->kind == GEO_DDI_VALUE && param->count == NULL;
    return param->direction == GEO_DDI_IN || (param->direction == GEO_DDI_INOUT && is_count);
}

/* Visits the structures of a chain and their members. */
static ze_result_t chain_walk(const struct walk *walk, const struct geo_ddi_struct *base,
                              const struct geo_ddi_param *param, const void *first,
                              const struct geo_layer_value *parent)
{
    const enum geo_ddi_api api = base ? (enum geo_ddi_api)base->api : GEO_DDI_ZE;
    size_t index = 0;
    for (struct geo_chain chain = geo_chain_begin(first); chain.link; geo_chain_step(&chain)) {
        const struct geo_ddi_struct *s = geo_ddi_stype_struct(api, (uint32_t)chain.link->stype);
        const struct geo_layer_value link = {.place = GEO_LAYER_LINK,
                                             .param = param,
                                             .structure = s,
                                             .base = base,
                                             .address = chain.link,
                                             .index = index++,
                                             .parent = parent};
        ze_result_t result = walk->visit(&link, walk->user);
        if (result == ZE_RESULT_SUCCESS && s) {
            const struct frame frame = struct_frame(s, chain.link);
            result = frame_walk(walk, &frame, &link);
        }
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* Visits the members of a structure and its chain. */
static ze_result_t struct_walk(const struct walk *walk, const struct geo_ddi_struct *s,
                               void *object, const struct geo_layer_value *parent)
{
    const struct frame frame = struct_frame(s, object);
    ze_result_t result = frame_walk(walk, &frame, parent);
    if (result != ZE_RESULT_SUCCESS || !s->has_stype) {
        return result;
    }
    const ze_base_properties_t *base = object;
    if (geo_ddi_stype_struct((enum geo_ddi_api)s->api, (uint32_t)base->stype) != s) {
        return ZE_RESULT_SUCCESS;
    }
    return chain_walk(walk, s, &frame.params[1], base->pNext, parent);
}

/* Visits one value behind a pointer. */
static ze_result_t element_walk(const struct walk *walk, const struct geo_ddi_param *param,
                                void *address, size_t index, const struct geo_layer_value *parent)
{
    const struct geo_layer_value element = {.place = GEO_LAYER_ELEMENT,
                                            .param = param,
                                            .address = address,
                                            .index = index,
                                            .parent = parent};
    const ze_result_t result = walk->visit(&element, walk->user);
    if (result != ZE_RESULT_SUCCESS || param->kind != GEO_DDI_STRUCT || param->index < 0) {
        return result;
    }
    void *object = param->depth == 2 ? pointer_at(address) : address;
    return object ? struct_walk(walk, &geo_ddi_structs[param->index], object, &element)
                  : ZE_RESULT_SUCCESS;
}

/* Visits everything behind the pointer `value`, which is entry i of the frame. */
static ze_result_t pointer_walk(const struct walk *walk, const struct frame *frame, size_t i,
                                const struct geo_layer_value *value)
{
    const struct geo_ddi_param *param = value->param;
    char *pointer = pointer_at(value->address);
    const bool array = param->count != NULL;
    const bool numbers =
        param->kind == GEO_DDI_VALUE || param->kind == GEO_DDI_FLOAT || param->kind == GEO_DDI_BOOL;
    const bool opaque = param->kind == GEO_DDI_TEXT || param->kind == GEO_DDI_CALLBACK ||
                        (param->kind == GEO_DDI_VOID && !(param->create && param->depth == 2));
    if (!pointer || opaque || (array && numbers) || !follows(walk, param) ||
        (param->depth > 1 && param->kind != GEO_DDI_STRUCT && !param->create)) {
        return ZE_RESULT_SUCCESS;
    }
    const uint64_t count = frame_count(frame, i);
    for (uint64_t k = 0; k < count; k++) {
        const ze_result_t result =
            element_walk(walk, param, pointer + k * param->element_size, k, value);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

/* Visits an argument or member, and everything that it contains or points to. */
static ze_result_t entry_walk(const struct walk *walk, const struct frame *frame, size_t i,
                              const struct geo_layer_value *parent)
{
    const struct geo_ddi_param *param = &frame->params[i];
    const bool argument = frame->arguments != NULL;
    const struct geo_layer_value value = {.place = argument ? GEO_LAYER_ARGUMENT : GEO_LAYER_MEMBER,
                                          .param = param,
                                          .address = frame_address(frame, i),
                                          .parent = parent};
    /* Arguments are inputs; a member has its own direction. */
    const uint8_t wanted = walk->phase == GEO_LAYER_BEFORE ? GEO_DDI_IN : GEO_DDI_OUT;
    const bool shown =
        argument ? walk->phase == GEO_LAYER_BEFORE : (param->direction & wanted) != 0;
    ze_result_t result = shown ? walk->visit(&value, walk->user) : ZE_RESULT_SUCCESS;
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    if (param->depth > 0) {
        if (param->chain) {
            return argument && walk->phase == GEO_LAYER_BEFORE
                       ? chain_walk(walk, NULL, param, pointer_at(value.address), &value)
                       : ZE_RESULT_SUCCESS;
        }
        return pointer_walk(walk, frame, i, &value);
    }
    if (param->kind == GEO_DDI_STRUCT && param->index >= 0 && shown) {
        const struct geo_ddi_struct *s = &geo_ddi_structs[param->index];
        const size_t count = param->array_length ? param->array_length : 1;
        for (size_t k = 0; k < count && result == ZE_RESULT_SUCCESS; k++) {
            /* A nested structure's chain is not followed: its header may hold anything. */
            const struct frame inner = struct_frame(s, (char *)value.address + k * s->size);
            result = frame_walk(walk, &inner, &value);
        }
    }
    return result;
}

static ze_result_t frame_walk(const struct walk *walk, const struct frame *frame,
                              const struct geo_layer_value *parent)
{
    for (size_t i = 0; i < frame->count; i++) {
        const ze_result_t result = entry_walk(walk, frame, i, parent);
        if (result != ZE_RESULT_SUCCESS) {
            return result;
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_layer_walk(const struct geo_layer_call *call, enum geo_layer_phase phase,
                           geo_layer_visit_fn visit, void *user)
{
    if (phase == GEO_LAYER_AFTER && !geo_layer_succeeded(call)) {
        return ZE_RESULT_SUCCESS;
    }
    const struct walk walk = {call, phase, visit, user};
    const struct frame frame = call_frame(call);
    return frame_walk(&walk, &frame, NULL);
}
