/* Replaces the functions of ray queries by those of ray.cl. See imports_ray.h.
 *
 * Programs declare these functions in C++ or C. Producers pass and return their structures in
 * different ways. A structure is a value or a pointer to private memory. A returned structure may
 * be stored through an additional first parameter, to private or generic memory. Therefore
 * ray.cl's functions take and return single numbers. Loads and stores of the structures' words are
 * written here.
 *
 * A query is an opaque pointer to private memory. Its state is a variable of the function that
 * calls intel_ray_query_init. */
#include "compiler/builtins/imports_ray.h"

#include "compiler/builtins/import.h"
#include "compiler/builtins/ray_state.h"

#include <string.h>

#define MAX_ARGUMENTS 16u
#define WORD_BYTES    4u

/* A function of ray queries. */
struct ray_name {
    const char *name;
    const char *function; /* in ray.cl; NULL: the call does nothing */
    /* A letter for each parameter:
     *     q  a query       i  an integer                     d  a ray (struct intel_ray_desc_t)
     *     f  a float       s  an acceleration structure      2  a pair of floats
     *     o  a pointer to the result */
    const char *parameters;
    /* number of floats of a result that is a structure, each returned by a call with its index */
    uint32_t floats;
};

static const struct ray_name names[] = {
    {"intel_ray_query_init", "geo_ray_query_init", "ds", 0},
    {"intel_ray_query_forward_ray", "geo_ray_query_forward", "qds", 0},
    {"intel_ray_query_commit_potential_hit", "geo_ray_query_commit", "q", 0},
    {"intel_ray_query_commit_potential_hit_override", "geo_ray_query_commit_override", "qf2", 0},
    {"intel_ray_query_start_traversal", "geo_ray_query_start", "q", 0},
    {"intel_ray_query_sync", NULL, "q", 0},
    {"intel_ray_query_abandon", NULL, "q", 0},
    {"intel_is_traversal_done", "geo_ray_is_done", "q", 0},
    {"intel_has_committed_hit", "geo_ray_has_committed", "q", 0},
    {"intel_get_hit_bvh_level", "geo_ray_hit_level", "qi", 0},
    {"intel_get_hit_distance", "geo_ray_hit_distance", "qi", 0},
    {"intel_get_hit_barycentrics", "geo_ray_hit_barycentrics", "qi", 2},
    {"intel_get_hit_front_face", "geo_ray_hit_front", "qi", 0},
    {"intel_get_hit_geometry_id", "geo_ray_hit_geometry", "qi", 0},
    {"intel_get_hit_primitive_id", "geo_ray_hit_primitive", "qi", 0},
    {"intel_get_hit_triangle_primitive_id", "geo_ray_hit_primitive", "qi", 0},
    {"intel_get_hit_procedural_primitive_id", "geo_ray_hit_primitive", "qi", 0},
    {"intel_get_hit_instance_id", "geo_ray_hit_instance", "qi", 0},
    {"intel_get_hit_instance_user_id", "geo_ray_hit_instance_user", "qi", 0},
    {"intel_get_hit_world_to_object", "geo_ray_hit_world_to_object", "qi", 12},
    {"intel_get_hit_object_to_world", "geo_ray_hit_object_to_world", "qi", 12},
    {"intel_get_hit_candidate", "geo_ray_hit_candidate", "qi", 0},
    {"intel_get_hit_triangle_vertices", "geo_ray_hit_vertices", "qoi", 9},
    {"intel_get_ray_origin", "geo_ray_origin", "qi", 3},
    {"intel_get_ray_direction", "geo_ray_direction", "qi", 3},
    {"intel_get_ray_tmin", "geo_ray_tmin", "qi", 0},
    {"intel_get_ray_flags", "geo_ray_flags", "qi", 0},
    {"intel_get_ray_mask", "geo_ray_mask", "qi", 0},
};

static const struct ray_name *name_find(const char *name)
{
    for (size_t i = 0; strncmp(name, "intel_", 6) == 0 && i < sizeof(names) / sizeof(names[0]);
         i++) {
        if (strcmp(names[i].name, name) == 0) {
            return &names[i];
        }
    }
    return NULL;
}

/* The replacement of one call. */
struct ray_call {
    struct geo_builtins_functions *functions;
    struct geo_writer *writer;
    struct geo_ir_inst *call;
    const struct ray_name *row;
    struct geo_ir_function *function;
    struct geo_ir_value *operands[MAX_ARGUMENTS]; /* of the call of ray.cl's function */
    uint32_t operand_count;
    struct geo_ir_value *result;   /* pointer to the result's structure, or NULL */
    struct geo_ir_value *variable; /* in which the result's structure is made; NULL: elsewhere */
};

/* ---- words of structures ---- */

static struct geo_ir_value *word_pointer(struct geo_writer *writer, struct geo_ir_value *pointer,
                                         const struct geo_ir_type *type, uint32_t word)
{
    return geo_write_2(writer, (SpvOp)GEO_OP_PTR_ADD,
                       geo_ir_type_pointer(writer->module, type, pointer->type->storage), pointer,
                       geo_write_const(writer, 64, (uint64_t)word * WORD_BYTES));
}

/* Returns a pointer to a structure that is given as a pointer or as a value. */
static struct geo_ir_value *structure_pointer(struct geo_writer *writer, struct geo_ir_value *given)
{
    if (given->type->kind == GEO_TYPE_POINTER) {
        return given;
    }
    struct geo_ir_value *variable = geo_write_variable(writer, given->type);
    geo_write_2(writer, SpvOpStore, geo_ir_type_void(writer->module), variable, given);
    return variable;
}

/* Loads the words of a structure as further operands. They have the types of the function's
 * parameters. */
static void words_push(struct ray_call *ray, struct geo_ir_value *given, uint32_t count)
{
    struct geo_ir_value *pointer = structure_pointer(ray->writer, given);
    for (uint32_t word = 0; pointer && word < count; word++) {
        const struct geo_ir_type *type = ray->function->parameters[ray->operand_count - 1]->type;
        ray->operands[ray->operand_count++] = geo_write_1(
            ray->writer, SpvOpLoad, type, word_pointer(ray->writer, pointer, type, word));
    }
}

/* ---- arguments ---- */

static bool argument_fits(char letter, const struct geo_ir_type *type)
{
    switch (letter) {
    case 'q':
        return type->kind == GEO_TYPE_POINTER && (type->storage == SpvStorageClassFunction ||
                                                  type->storage == SpvStorageClassGeneric);
    case 'i':
        return type->kind == GEO_TYPE_INT && type->width == 32;
    case 'f':
        return type->kind == GEO_TYPE_FLOAT && type->width == 32;
    case 'o':
    case 's':
        return type->kind == GEO_TYPE_POINTER;
    default:
        return type->kind == GEO_TYPE_POINTER ||
               (type->kind == GEO_TYPE_STRUCT &&
                type->size == WORD_BYTES * (letter == 'd' ? 10 : 2));
    }
}

/* Returns the query in the type of the function's parameter. */
static struct geo_ir_value *query_convert(struct ray_call *ray, struct geo_ir_value *query)
{
    const struct geo_ir_type *wanted = ray->function->parameters[0]->type;
    if (query && query->type->storage == SpvStorageClassGeneric) {
        query = geo_write_1(
            ray->writer, SpvOpGenericCastToPtr,
            geo_ir_type_pointer(ray->writer->module, query->type->element, SpvStorageClassFunction),
            query);
    }
    return query && query->type != wanted ? geo_write_1(ray->writer, SpvOpBitcast, wanted, query)
                                          : query;
}

static void argument_push(struct ray_call *ray, char letter, struct geo_ir_value *argument)
{
    struct geo_writer *writer = ray->writer;
    switch (letter) {
    case 'd':
        words_push(ray, argument, 10);
        return;
    case '2':
        words_push(ray, argument, 2);
        return;
    case 'o':
        ray->result = argument;
        return;
    case 'q':
        argument = query_convert(ray, argument);
        break;
    case 's':
        argument =
            geo_write_1(writer, SpvOpConvertPtrToU, geo_ir_type_int(writer->module, 64), argument);
        break;
    default:
        break;
    }
    ray->operands[ray->operand_count++] = argument;
}

/* Checks the number and the types of the arguments. Sets *first to the index of the first one
 * behind a pointer to the result. */
static bool arguments_fit(const struct ray_call *ray, uint32_t *first)
{
    uint32_t count = (uint32_t)strlen(ray->row->parameters);
    uint32_t given = geo_import_argument_count(ray->call);
    bool stores =
        ray->row->floats && given == count + 1 && ray->call->value.type->kind == GEO_TYPE_VOID;
    *first = stores ? 1 : 0;
    if (given != count + *first ||
        (stores && geo_import_argument(ray->call, 0)->type->kind != GEO_TYPE_POINTER)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!argument_fits(ray->row->parameters[i],
                           geo_import_argument(ray->call, *first + i)->type)) {
            return false;
        }
    }
    return true;
}

/* ---- results ---- */

static bool result_fits(const struct ray_call *ray, bool stored)
{
    const struct geo_ir_type *type = ray->call->value.type;
    if (ray->row->floats && !stored) {
        return type->kind == GEO_TYPE_STRUCT && type->size == WORD_BYTES * ray->row->floats;
    }
    return ray->row->floats || type == ray->function->value.type->element;
}

static struct geo_ir_value *function_call(struct ray_call *ray)
{
    return geo_write_op(ray->writer, SpvOpFunctionCall, ray->function->value.type->element,
                        ray->operand_count, ray->operands, 0, NULL);
}

/* Calls the function for each float of the result, and stores them. Returns the call's value, NULL
 * for void. */
static struct geo_ir_value *floats_write(struct ray_call *ray)
{
    struct geo_writer *writer = ray->writer;
    const struct geo_ir_type *type = ray->function->value.type->element;
    uint32_t last = ray->operand_count++;
    for (uint32_t i = 0; i < ray->row->floats && !writer->out_of_memory; i++) {
        ray->operands[last] = geo_write_const(writer, 32, i);
        struct geo_ir_value *value = function_call(ray);
        geo_write_2(writer, SpvOpStore, geo_ir_type_void(writer->module),
                    word_pointer(writer, ray->result, type, i), value);
    }
    return ray->variable ? geo_write_1(writer, SpvOpLoad, ray->call->value.type, ray->variable)
                         : NULL;
}

/* ---- calls ---- */

/* Creates the state of a query and returns its address in the type that the program gives it. */
static struct geo_ir_value *query_init(struct ray_call *ray)
{
    struct geo_writer *writer = ray->writer;
    const struct geo_ir_type *type =
        geo_ir_type_array(writer->module, geo_ir_type_int(writer->module, 64), GEO_RAY_QUERY_UNITS);
    struct geo_ir_value *state = geo_write_variable(writer, type);
    ray->operands[ray->operand_count++] = query_convert(ray, state);
    argument_push(ray, 'd', geo_import_argument(ray->call, 0));
    argument_push(ray, 's', geo_import_argument(ray->call, 1));
    function_call(ray);
    return geo_write_1(writer, SpvOpBitcast, ray->call->value.type, state);
}

static bool init_replace(struct ray_call *ray)
{
    uint32_t first;
    const struct geo_ir_type *type = ray->call->value.type;
    if (!arguments_fit(ray, &first) || type->kind != GEO_TYPE_POINTER ||
        type->storage != SpvStorageClassFunction) {
        return false;
    }
    geo_write_replace(ray->call, query_init(ray));
    return true;
}

static bool other_replace(struct ray_call *ray)
{
    uint32_t first;
    if (!arguments_fit(ray, &first) ||
        !result_fits(ray, first || strchr(ray->row->parameters, 'o'))) {
        return false;
    }
    for (uint32_t i = 0; ray->row->parameters[i]; i++) {
        argument_push(ray, ray->row->parameters[i], geo_import_argument(ray->call, first + i));
    }
    struct geo_ir_value *value;
    if (ray->row->floats) {
        if (first) {
            ray->result = geo_import_argument(ray->call, 0);
        } else if (!ray->result) {
            ray->result = ray->variable = geo_write_variable(ray->writer, ray->call->value.type);
        }
        value = floats_write(ray);
    } else {
        value = function_call(ray);
    }
    geo_write_replace(ray->call, ray->call->value.type->kind == GEO_TYPE_VOID ? NULL : value);
    return true;
}

/* Replaces intel_get_raytracing_ext_flag(), whose value 1 says that there are ray queries. */
static bool flag_replace(struct geo_writer *writer, struct geo_ir_inst *call)
{
    return geo_import_argument_count(call) == 0 && call->value.type->kind == GEO_TYPE_INT &&
           geo_import_replace(call, geo_write_const(writer, call->value.type->width, 1));
}

bool geo_builtins_imports_ray(struct geo_builtins_functions *functions, struct geo_writer *writer,
                              struct geo_ir_inst *call, const char *name)
{
    struct ray_call ray = {
        .functions = functions, .writer = writer, .call = call, .row = name_find(name)};
    if (strcmp(name, "intel_get_raytracing_ext_flag") == 0) {
        return flag_replace(writer, call);
    }
    if (!ray.row) {
        return false;
    }
    if (!ray.row->function) {
        uint32_t first;
        if (!arguments_fit(&ray, &first) || call->value.type->kind != GEO_TYPE_VOID) {
            return false;
        }
        geo_write_replace(call, NULL);
        return true;
    }
    ray.function = geo_builtins_function(functions, ray.row->function, &writer->out_of_memory);
    if (!ray.function) {
        return false;
    }
    ray.operands[ray.operand_count++] = &ray.function->value;
    bool replaced = ray.row == names ? init_replace(&ray) : other_replace(&ray);
    return replaced && !writer->out_of_memory;
}
