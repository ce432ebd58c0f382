/* Which result code a wrong call gets: every question that the registry has an answer to
 * (scripts/gen/test_codes.py), asked of every function that the driver has.
 *
 * A call is made of memory: one cell for each argument, one block behind each pointer, and links
 * for chains. It starts with right arguments, a question changes some of it. Its handles are of no
 * object of the driver, so arguments that pass the checks are refused for that: INVALID_ARGUMENT.
 * The driver's tables are called, not the loader. */
#include "harness.h"

#include <level_zero/ze_ddi_common.h>

#include <stdio.h>

struct codes_tables {
    const ze_dditable_driver_t *ze;
    const zes_dditable_driver_t *zes;
    const zet_dditable_driver_t *zet;
    const zer_dditable_driver_t *zer;
};

enum codes_where {
    CODES_ARGUMENT,      /* the argument itself */
    CODES_HANDLE,        /* the argument becomes a handle of no object */
    CODES_BEHIND,        /* what the argument points to */
    CODES_CHAIN,         /* a new link in the chain of what the argument points to */
    CODES_CHAIN_OF_CALL, /* a new link in the chain that the argument is */
    CODES_LINK,          /* the newest link */
};

struct codes_write {
    enum codes_where where;
    int param;
    size_t offset, bytes;
    uint64_t value; /* of a new link: its structure type */
    bool pointer;   /* the value is the address of memory */
};

#define CODES_PASSES ZE_RESULT_ERROR_INVALID_ARGUMENT

struct codes_question {
    const char *what;
    ze_result_t answer;
    uint32_t write_first, write_count;
};

struct codes_function {
    const char *name;
    ze_result_t (*call)(const struct codes_tables *tables, void **arguments);
    uint32_t write_first, write_count;
    uint32_t question_first, question_count;
    uint32_t param_count;
    bool has_handle; /* the first parameter is a handle: right arguments can be tried */
};

enum codes_use {
    CODES_INPUT,  /* the caller writes it */
    CODES_OUTPUT, /* the function does */
    CODES_TEXT,   /* and up to a zero */
};

/* A member of a structure that a function fills. */
struct codes_place {
    const char *name;
    size_t offset, bytes;
    enum codes_use use;
};

/* A structure that a function fills. */
struct codes_output {
    const char *function;
    ze_result_t (*call)(const struct codes_tables *tables, void **arguments);
    const char *form; /* a letter for each argument, see argument_set */
    const char *structure;
    uint32_t stype; /* of the structure that is passed in, 0 when it has none */
    uint32_t link;  /* of the one in its chain that is looked at, 0: the structure itself */
    uint32_t place_first, place_count;
};

#include "tests/codes.inc" /* generated: codes_functions, codes_outputs, and what belongs to them */

enum { PARAMS = 16, BYTES = 2048, LINKS = 4 };

static struct call {
    uint64_t arguments[PARAMS][16];
    uint64_t behind[PARAMS][BYTES / 8];
    uint64_t links[LINKS][BYTES / 8];
    uint64_t members[BYTES / 8]; /* what pointers inside structures lead to */
    int link_count;
} call;

/* New links are put in front. */
static void link_add(void *next, uint32_t stype)
{
    assert_true(call.link_count < LINKS);
    ze_base_properties_t *link = (void *)call.links[call.link_count++];
    link->stype = (ze_structure_type_t)stype;
    memcpy(&link->pNext, next, sizeof(void *));
    memcpy(next, &link, sizeof(void *));
}

static void write_apply(const struct codes_write *write)
{
    char *argument = write->param >= 0 ? (char *)call.arguments[write->param] : NULL;
    char *behind = write->param >= 0 ? (char *)call.behind[write->param] : NULL;
    uint64_t value = write->value;
    switch (write->where) {
    case CODES_ARGUMENT:
        value = write->pointer ? (uintptr_t)behind : value;
        memcpy(argument + write->offset, &value, write->bytes);
        break;
    case CODES_HANDLE:
        value = (uintptr_t)api_foreign_handle();
        memcpy(argument, &value, sizeof(value));
        break;
    case CODES_BEHIND:
        value = write->pointer ? (uintptr_t)call.members : value;
        memcpy(behind + write->offset, &value, write->bytes);
        break;
    case CODES_LINK:
        value = write->pointer ? (uintptr_t)call.members : value;
        memcpy((char *)call.links[call.link_count - 1] + write->offset, &value, write->bytes);
        break;
    case CODES_CHAIN:
        link_add(behind + write->offset, (uint32_t)value);
        break;
    case CODES_CHAIN_OF_CALL:
        link_add(argument, (uint32_t)value);
        break;
    }
}

static ze_result_t ask(const struct codes_tables *tables, const struct codes_function *function,
                       const struct codes_question *question)
{
    void *arguments[PARAMS];
    memset(&call, 0, sizeof(call));
    for (uint32_t i = 0; i < PARAMS; i++) {
        arguments[i] = call.arguments[i];
    }
    for (uint32_t i = 0; i < function->write_count; i++) {
        write_apply(&codes_writes[function->write_first + i]);
    }
    for (uint32_t i = 0; i < question->write_count; i++) {
        write_apply(&codes_writes[question->write_first + i]);
    }
    return function->call(tables, arguments);
}

static struct codes_tables tables_of(const struct api *api)
{
    const ze_handle_t *handle = (const void *)api->driver;
    return (struct codes_tables){handle->pCore, handle->pSysman, handle->pTools, handle->pRuntime};
}

/* Returns whether the driver accepts this violation of the registry: docs/decisions/driver.md,
 * "Harmless violations are accepted with a warning". */
static bool is_tolerated(const char *function, const char *what)
{
    return strcmp(what, "0 != (alignment & (alignment - 1))") == 0 ||
           (strcmp(function, "zeVirtualMemQueryPageSize") == 0 && strcmp(what, "0 == size") == 0);
}

/* Asks a function the questions with that kind of answer; returns how many answers are wrong. */
static uint32_t function_ask(const struct codes_tables *tables,
                             const struct codes_function *function, bool right, uint32_t *asked)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < function->question_count; i++) {
        const struct codes_question *question = &codes_questions[function->question_first + i];
        bool tolerated = is_tolerated(function->name, question->what);
        ze_result_t answer = tolerated ? CODES_PASSES : question->answer;
        if ((answer == CODES_PASSES) != right) {
            continue;
        }
        ze_result_t result = ask(tables, function, question);
        ++*asked;
        if (result != answer) {
            print_error("%s: %s: 0x%x instead of 0x%x\n", function->name, question->what, result,
                        answer);
            wrong++;
        }
    }
    return wrong;
}

static void all_ask(const struct api *api, bool right)
{
    const struct codes_tables tables = tables_of(api);
    uint32_t wrong = 0, asked = 0;
    for (size_t i = 0; i < sizeof(codes_functions) / sizeof(codes_functions[0]); i++) {
        const struct codes_function *function = &codes_functions[i];
        assert_true(function->param_count <= PARAMS);
        if (api_has_function(api, function->name) && (function->has_handle || !right)) {
            wrong += function_ask(&tables, function, right, &asked);
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(asked > 500);
}

/* GEN-24, GEN-25, VAL-7, KRN-7, KRN-8 */
static void wrong_arguments_get_their_code(void **state)
{
    all_ask(*state, false);
}

/* EXN-7: every known value, what is optional, structures that are unknown or stand elsewhere */
static void right_arguments_pass(void **state)
{
    all_ask(*state, true);
}

/* GEN-6, GEN-26 */
static void missing_functions_are_unsupported(void **state)
{
    const struct api *api = *state;
    const struct codes_tables tables = tables_of(api);
    const struct codes_question right = {"right arguments", ZE_RESULT_SUCCESS, 0, 0};
    for (size_t i = 0; i < sizeof(codes_functions) / sizeof(codes_functions[0]); i++) {
        const struct codes_function *function = &codes_functions[i];
        if (!api_has_function(api, function->name)) {
            assert_result(ask(&tables, function, &right), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
        }
    }
}

/* ---- what functions write ---- */

/* What the functions are asked about. */
struct objects {
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    ze_fabric_vertex_handle_t vertex;
    ze_image_handle_t image;
    void *memory;
};

/* Sets an argument by the letter of its kind. */
static void argument_set(const struct api *api, const struct objects *objects, char letter,
                         size_t index)
{
    const void *value = call.behind[index]; /* S: a structure, N: its count, O: something else */
    switch (letter) {
    case 'R':
        value = api->driver;
        break;
    case 'D':
        value = api->device;
        break;
    case 'C':
        value = api->context;
        break;
    case 'M':
        value = objects->module;
        break;
    case 'K':
        value = objects->kernel;
        break;
    case 'I':
        value = objects->image;
        break;
    case 'V':
        value = objects->vertex;
        break;
    case 'P':
        value = objects->memory;
        break;
    case 'N':
        call.behind[index][0] = 1;
        break;
    default:
        break;
    }
    memcpy(call.arguments[index], &value, sizeof(value));
}

/* Calls the function with structures full of `fill`; the one that is looked at goes to `out`. */
static ze_result_t output_take(const struct api *api, const struct objects *objects,
                               const struct codes_output *output, int fill, uint8_t out[BYTES])
{
    const struct codes_tables tables = tables_of(api);
    void *arguments[PARAMS];
    void *looked_at = NULL;
    memset(&call, 0, sizeof(call));
    memset(call.links, fill, sizeof(call.links));
    for (size_t i = 0; output->form[i]; i++) {
        arguments[i] = call.arguments[i];
        argument_set(api, objects, output->form[i], i);
        if (output->form[i] != 'S') {
            continue;
        }
        ze_base_properties_t *base = (void *)call.behind[i];
        looked_at = output->link ? (void *)call.links[0] : (void *)call.behind[i];
        memset(call.behind[i], fill, BYTES);
        if (output->stype) {
            base->stype = (ze_structure_type_t)output->stype;
            base->pNext = NULL;
        }
        if (output->link) {
            link_add(&base->pNext, output->link);
        }
        for (uint32_t k = 0; k < output->place_count; k++) {
            const struct codes_place *place = &codes_places[output->place_first + k];
            if (place->use == CODES_INPUT) {
                memset((char *)looked_at + place->offset, 0, place->bytes);
            }
        }
    }
    ze_result_t result = output->call(&tables, arguments);
    memcpy(out, looked_at, BYTES);
    const char *count = strchr(output->form, 'N');
    bool none = count && call.behind[count - output->form][0] == 0; /* there is none of these */
    return none ? ZE_RESULT_NOT_READY : result;
}

enum { FILL = 0xa5, OTHER_FILL = 0x5a };

/* Whether no byte of a place is what was there before both calls; values may differ, as those of
 * free memory do. A text ends before its place does. */
static bool place_is_written(const struct codes_place *place, const uint8_t *a, const uint8_t *b)
{
    const uint8_t *one = a + place->offset, *other = b + place->offset;
    if (place->use == CODES_TEXT) {
        return strncmp((const char *)one, (const char *)other, place->bytes) == 0;
    }
    for (uint32_t i = 0; i < place->bytes; i++) {
        if (one[i] == FILL && other[i] == OTHER_FILL) {
            return false;
        }
    }
    return true;
}

static uint32_t output_check(const struct api *api, const struct objects *objects,
                             const struct codes_output *output, uint32_t *looked)
{
    static uint8_t a[BYTES], b[BYTES];
    uint32_t missing = 0;
    ze_result_t result = output_take(api, objects, output, FILL, a);
    assert_int_equal(result, output_take(api, objects, output, OTHER_FILL, b));
    if (result != ZE_RESULT_SUCCESS) {
        return 0; /* nothing is written then */
    }
    for (uint32_t i = 0; i < output->place_count; i++) {
        const struct codes_place *place = &codes_places[output->place_first + i];
        ++*looked;
        if (!place_is_written(place, a, b)) {
            print_error("%s leaves %s.%s as it was\n", output->function, output->structure,
                        place->name);
            missing++;
        }
    }
    return missing;
}

/* EXN-7, DEV-11, DEV-12, DEV-13, DEV-14, DEV-16 */
static void functions_write_all_of_their_structures(void **state)
{
    struct api *api = *state;
    uint32_t missing = 0, looked = 0, one = 1;
    struct objects objects = {.module = api_native_module(api), .memory = api_alloc_host(api, 64)};
    objects.kernel = api_kernel(objects.module, "ids");
    assert_success(zeFabricVertexGetExp(api->driver, &one, &objects.vertex));
    const ze_image_desc_t image = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC, .width = 1};
    assert_success(zeImageCreate(api->context, api->device, &image, &objects.image));
    for (size_t i = 0; i < sizeof(codes_outputs) / sizeof(codes_outputs[0]); i++) {
        if (api_has_function(api, codes_outputs[i].function)) {
            missing += output_check(api, &objects, &codes_outputs[i], &looked);
        }
    }
    assert_success(zeImageDestroy(objects.image));
    assert_success(zeKernelDestroy(objects.kernel));
    assert_success(zeModuleDestroy(objects.module));
    api_free(api, objects.memory);
    assert_int_equal(missing, 0);
    assert_true(looked > 150);
}

static const struct api_case cases[] = {
    API_CASE(wrong_arguments_get_their_code),
    API_CASE(right_arguments_pass),
    API_CASE(missing_functions_are_unsupported),
    API_CASE(functions_write_all_of_their_structures),
};
API_MAIN("codes", cases)
