/* Makes the report from the compiler's remarks and the native binary. See report.h. */
#include "report.h"

#include "base/strbuf.h"
#include "native/abi.h"
#include "native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets a member. The reference to `value` is taken over. */
static void put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static void put_number(json_t *object, const char *key, uint64_t value)
{
    put(object, key, json_integer((json_int_t)value));
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Makes a string of text from the binary, which may have any bytes. They are escaped as in
 * remarks. */
static json_t *shown(const char *text)
{
    char out[1024];
    geo_strbuf_shown(out, sizeof(out), text, strlen(text));
    return json_string(out);
}

/* ---- facts of the native binary ---- */

static json_t *flags_list(uint32_t flags)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } names[] = {
        {GEO_KERNEL_BARRIER, "barriers"},
        {GEO_KERNEL_DEVICE_BARRIER, "device barriers"},
        {GEO_KERNEL_WAITS, "waits for other groups"},
        {GEO_KERNEL_SUBGROUPS, "sub-groups"},
        {GEO_KERNEL_PRINTF, "printf or assertions"},
        {GEO_KERNEL_ANY_GROUPS, "any work-groups"},
        {GEO_KERNEL_CONTENDS, "atomics that groups contend for"},
    };
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (flags & names[i].flag) {
            json_array_append_new(list, json_string(names[i].name));
        }
    }
    return list;
}

static json_t *arguments_list(const struct geo_native_view *view,
                              const struct geo_native_kernel *kernel)
{
    static const char *const kinds[] = {
        [GEO_ARGUMENT_VALUE] = "value",     [GEO_ARGUMENT_GLOBAL] = "global",
        [GEO_ARGUMENT_LOCAL] = "local",     [GEO_ARGUMENT_IMAGE] = "image",
        [GEO_ARGUMENT_SAMPLER] = "sampler",
    };
    json_t *list = json_array();
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const struct geo_native_argument *argument = &view->arguments[kernel->first_argument + i];
        json_t *object = json_object();
        put(object, "name", shown(geo_native_string(view, argument->name)));
        put(object, "kind", json_string(kinds[argument->kind]));
        put_number(object, "bytes", argument->size);
        json_array_append_new(list, object);
    }
    return list;
}

/* Describes a kernel as zeKernelGetProperties does, by the names of its members. */
static json_t *properties_of(const struct geo_native_kernel *kernel)
{
    json_t *object = json_object();
    put_number(object, "numKernelArgs", kernel->argument_count);
    put_number(object, "requiredGroupSizeX", kernel->required_size[0]);
    put_number(object, "requiredGroupSizeY", kernel->required_size[1]);
    put_number(object, "requiredGroupSizeZ", kernel->required_size[2]);
    put_number(object, "requiredSubgroupSize", kernel->required_subgroup_size);
    put_number(object, "maxSubgroupSize", kernel->subgroup_size);
    put_number(object, "preferredMultiple", kernel->preferred_multiple);
    put_number(object, "localMemSize", kernel->local_bytes);
    put_number(object, "privateMemSize", kernel->private_bytes);
    put_number(object, "spillMemSize", kernel->spill_bytes);
    return object;
}

static json_t *kernel_create(const struct geo_native_view *view, uint32_t index)
{
    const struct geo_native_kernel *kernel = &view->kernels[index];
    const struct geo_native_entry *entry =
        geo_native_payload_entry(view, &view->payloads[0], index);
    json_t *object = json_object();
    put(object, "name", shown(geo_native_string(view, kernel->name)));
    if (view->payloads[0].kind == GEO_PAYLOAD_OBJECT) {
        const struct geo_native_cpu_kernel *record = (const void *)entry;
        put_number(object, "lanes", record->lanes);
    }
    put(object, "uses", flags_list(kernel->flags | entry->flags));
    put(object, "properties", properties_of(kernel));
    put(object, "arguments", arguments_list(view, kernel));
    return object;
}

/* ---- remarks ---- */

/* Copies the members of a remark, except those that its place in the report says. */
static json_t *remark_copy(const json_t *remark)
{
    static const char *const left_out[] = {"kind", "function", "kernel"};
    json_t *copy = json_copy((json_t *)(uintptr_t)remark);
    for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
        json_object_del(copy, left_out[i]);
    }
    return copy;
}

/* Appends a value to an array of the object. `once`: unless the array has it. */
static void list_add(json_t *object, const char *key, json_t *value, bool once)
{
    json_t *list = json_object_get(object, key);
    if (!list) {
        list = json_array();
        put(object, key, list);
    }
    for (size_t i = 0; once && i < json_array_size(list); i++) {
        if (json_equal(json_array_get(list, i), value)) {
            json_decref(value);
            return;
        }
    }
    json_array_append_new(list, value);
}

/* Adds why the kernel is not faster. */
static void hindrance_add(json_t *object, const json_t *remark, const char *what)
{
    static const char *const places[] = {"file", "line", "column", "inlined_line"};
    json_t *hindrance = json_object();
    put(hindrance, "what", json_string(what));
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        json_t *place = json_object_get(remark, places[i]);
        if (place) {
            json_object_set(hindrance, places[i], place);
        }
    }
    list_add(object, "hindrances", hindrance, true);
}

static void access_judge(json_t *object, const json_t *remark)
{
    const char *class = text_of(remark, "class");
    char what[128];
    if (strcmp(class, "gathered") == 0 || strcmp(class, "lane by lane") == 0 ||
        strcmp(class, "records") == 0) {
        snprintf(what, sizeof(what), "%.64s: work-items access memory that is apart, %s",
                 text_of(remark, "op"),
                 strcmp(class, "gathered") == 0  ? "by a gather or scatter"
                 : strcmp(class, "records") == 0 ? "a vector at a time"
                                                 : "one after another");
        hindrance_add(object, remark, what);
    }
}

static void regions_judge(json_t *object, const json_t *remark)
{
    if (json_integer_value(json_object_get(remark, "count")) == 0) {
        bool passed = json_is_true(json_object_get(remark, "passed"));
        bool device = json_is_true(json_object_get(remark, "device"));
        hindrance_add(object, remark,
                      device   ? "barriers of the device: the kernel starts again at each of them"
                      : passed ? "work-items may return before a barrier: the kernel is entered "
                                 "again behind each barrier"
                               : "barriers do not divide the kernel into regions: it is entered "
                                 "again behind each barrier");
    }
}

/* Adds a remark to the kernel or function that it is about. */
static void remark_add(json_t *object, const json_t *remark)
{
    static const struct {
        const char *kind, *list;
    } lists[] = {
        {"width", "width"},     {"cost", "costs"}, {"access", "accesses"}, {"barrier", "barriers"},
        {"branch", "branches"}, {"loop", "loops"}, {"call", "calls"},      {"variant", "variants"},
    };
    const char *kind = text_of(remark, "kind");
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (strcmp(kind, lists[i].kind) == 0) {
            bool once = strcmp(kind, "variant") == 0;
            list_add(object, lists[i].list, remark_copy(remark), once);
        }
    }
    if (strcmp(kind, "masks") == 0 || strcmp(kind, "regions") == 0) {
        put(object, kind, remark_copy(remark));
    }
    if (strcmp(kind, "symbol") == 0) {
        put(object, "symbol", json_string(text_of(remark, "symbol")));
    }
    if (strcmp(kind, "branch") == 0) {
        hindrance_add(object, remark, "work-items of a vector may branch in different ways here");
    } else if (strcmp(kind, "loop") == 0) {
        hindrance_add(object, remark,
                      "work-items of a vector may leave this loop at different "
                      "times");
    } else if (strcmp(kind, "call") == 0) {
        char what[256];
        snprintf(what, sizeof(what), "a call of %.200s, which is not inlined",
                 text_of(remark, "callee"));
        hindrance_add(object, remark, what);
    } else if (strcmp(kind, "access") == 0) {
        access_judge(object, remark);
    } else if (strcmp(kind, "regions") == 0) {
        regions_judge(object, remark);
    }
}

/* Returns the object of a name in a list, or NULL. */
static json_t *named_find(const json_t *list, const char *key, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (strcmp(text_of(json_array_get(list, i), key), name) == 0) {
            return json_array_get(list, i);
        }
    }
    return NULL;
}

/* Sets what LLVM says about the code of a kernel. */
static void code_add(const json_t *kernels, const json_t *remark)
{
    json_t *kernel = named_find(kernels, "symbol", text_of(remark, "symbol"));
    if (kernel) {
        json_t *code = json_copy((json_t *)(uintptr_t)remark);
        json_object_del(code, "kind");
        json_object_del(code, "symbol");
        put(kernel, "code", code);
    }
}

static void remarks_add(const json_t *remarks, json_t *kernels, json_t *functions)
{
    for (size_t i = 0; i < json_array_size(remarks); i++) {
        const json_t *remark = json_array_get(remarks, i);
        const char *name = text_of(remark, "function");
        if (strcmp(text_of(remark, "kind"), "code") == 0) {
            code_add(kernels, remark);
            continue;
        }
        json_t *list = json_is_true(json_object_get(remark, "kernel")) ? kernels : functions;
        json_t *object = named_find(list, "name", name);
        if (!object) {
            object = json_object();
            put(object, "name", json_string(name));
            json_array_append_new(list, object);
        }
        remark_add(object, remark);
    }
}

/* Adds the last reason for a width of one. */
static void widths_judge(const json_t *kernels)
{
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        json_t *kernel = json_array_get(kernels, i);
        const json_t *steps = json_object_get(kernel, "width");
        size_t count = json_array_size(steps);
        if (count && json_integer_value(json_object_get(kernel, "lanes")) == 1) {
            const json_t *last = json_array_get(steps, count - 1);
            char what[256];
            snprintf(what, sizeof(what), "work-items run one at a time: %.200s",
                     text_of(last, "why"));
            hindrance_add(kernel, last, what);
        }
    }
}

/* ---- the document ---- */

json_t *report_create(const char *input, const char *compiler, const char *remarks,
                      const void *binary, size_t bytes)
{
    struct geo_native_view view;
    const char *reason;
    json_error_t error;
    if (geo_native_parse(binary, bytes, &view, &reason) != ZE_RESULT_SUCCESS) {
        return NULL;
    }
    json_t *list = json_loads(remarks, 0, &error);
    json_t *document = list ? json_object() : NULL;
    if (!document) {
        json_decref(list);
        return NULL;
    }
    const struct geo_native_payload *payload = &view.payloads[0];
    const struct geo_native_level *level =
        geo_native_target_level_best(payload->target, payload->features);
    json_t *kernels = json_array(), *functions = json_array();
    put(document, "input", shown(input));
    put(document, "compiler", json_string(compiler));
    put(document, "target", json_string(level ? level->name : "unknown"));
    put(document, "options", shown(geo_native_string(&view, view.header->build_options)));
    put(document, "kernels", kernels);
    put(document, "functions", functions);
    for (uint32_t i = 0; i < view.header->kernel_count; i++) {
        json_array_append_new(kernels, kernel_create(&view, i));
    }
    remarks_add(list, kernels, functions);
    widths_judge(kernels);
    json_decref(list);
    return document;
}

char *report_json(const json_t *document)
{
    char *text = json_dumps(document, JSON_INDENT(2) | JSON_ENSURE_ASCII), *line = NULL;
    if (text && asprintf(&line, "%s\n", text) < 0) {
        line = NULL;
    }
    free(text);
    return line;
}
