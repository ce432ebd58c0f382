/* Collects the remarks of a build. See remark.h. */
#include "compiler/ir/remark.h"

#include "base/array.h"
#include "compiler/ir/debug.h"
#include "compiler/ir/grammar.h"
#include "compiler/ir/print.h"

#include <stdarg.h>
#include <string.h>

_Thread_local struct geo_remarks *geo_remarks_current;

void geo_remarks_init(struct geo_remarks *remarks, uint32_t wanted)
{
    *remarks = (struct geo_remarks){.wanted = wanted};
    geo_strbuf_init(&remarks->items, 0);
    geo_strbuf_init(&remarks->last, 0);
}

void geo_remarks_finish(struct geo_remarks *remarks)
{
    for (size_t i = 0; i < remarks->texts.count; i++) {
        free(remarks->texts.items[i].text);
    }
    geo_array_finish(&remarks->texts);
    geo_array_finish(&remarks->accesses);
    geo_ptrmap_finish(&remarks->seen);
    geo_strbuf_finish(&remarks->items);
    geo_strbuf_finish(&remarks->last);
}

void geo_remarks_restart(void)
{
    struct geo_remarks *remarks = geo_remarks_current;
    if (!geo_remarks_wanted()) {
        return;
    }
    geo_strbuf_finish(&remarks->items);
    geo_strbuf_init(&remarks->items, 0);
    geo_ptrmap_finish(&remarks->seen);
    remarks->seen = (struct geo_ptrmap){0};
    remarks->accesses.count = 0;
    remarks->open = false;
}

/* ---- text ---- */

/* Appends a string of JSON. Bytes that are not UTF-8 are escaped first, as in messages. */
static void string_add(struct geo_strbuf *out, const char *text)
{
    struct geo_strbuf shown;
    geo_strbuf_init(&shown, 0);
    geo_strbuf_add_shown(&shown, text, strlen(text));
    geo_strbuf_add(out, "\"", 1);
    for (const char *at = geo_strbuf_text(&shown); *at; at++) {
        if (*at == '"' || *at == '\\') {
            geo_strbuf_add(out, "\\", 1);
        }
        geo_strbuf_add(out, at, 1);
    }
    geo_strbuf_add(out, "\"", 1);
    geo_strbuf_finish(&shown);
}

/* Returns the place of an instruction in the source: its own, or that of the nearest instruction
 * before it in its block. NULL: unknown. */
static const struct geo_ir_location *location_of(const struct geo_ir_inst *inst)
{
    const struct geo_ir_module *module = inst->block->function->module;
    const struct geo_ir_location *at = NULL;
    for (; inst && !at; inst = inst->prev) {
        const struct geo_ir_location *location = geo_ir_location(module, inst->location);
        at = location && location->file && location->line ? location : NULL;
    }
    return at;
}

static void location_add(struct geo_strbuf *out, const struct geo_ir_inst *inst)
{
    const struct geo_ir_location *at = location_of(inst), *outer = at;
    if (!at) {
        return;
    }
    while (geo_ir_location(inst->block->function->module, outer->inlined_at)) {
        outer = geo_ir_location(inst->block->function->module, outer->inlined_at);
    }
    if (at->file->name) {
        geo_strbuf_printf(out, ", \"file\": ");
        string_add(out, at->file->name);
    }
    geo_strbuf_printf(out, ", \"line\": %u, \"column\": %u", at->line, at->column);
    if (outer != at && outer->line) {
        geo_strbuf_printf(out, ", \"inlined_line\": %u", outer->line);
    }
}

/* Begins an object: its kind, its function and its place. */
static void item_begin(struct geo_strbuf *out, const struct geo_ir_function *function,
                       const struct geo_ir_inst *inst, const char *kind)
{
    const char *name = function->is_kernel      ? function->entry_name
                       : function->linkage_name ? function->linkage_name
                                                : function->value.name;
    geo_strbuf_printf(out, "%s{\"kind\": \"%s\", \"function\": ", out->length ? ",\n" : "", kind);
    string_add(out, name ? name : "");
    geo_strbuf_printf(out, ", \"kernel\": %s", function->is_kernel ? "true" : "false");
    if (inst) {
        location_add(out, inst);
    }
}

static void item_end(struct geo_remarks *remarks)
{
    geo_strbuf_add(&remarks->items, "}", 1);
    remarks->failed |= remarks->items.truncated;
}

void geo_remark(const struct geo_ir_function *function, const struct geo_ir_inst *inst,
                const char *kind, const char *format, ...)
{
    struct geo_remarks *remarks = geo_remarks_current;
    if (!geo_remarks_wanted()) {
        return;
    }
    item_begin(&remarks->items, function, inst, kind);
    if (format) {
        va_list args;
        va_start(args, format);
        geo_strbuf_add(&remarks->items, ", ", 2);
        geo_strbuf_vprintf(&remarks->items, format, args);
        va_end(args);
    }
    item_end(remarks);
}

void geo_remark_name(const struct geo_ir_function *function, const struct geo_ir_inst *inst,
                     const char *kind, const char *key, const char *name)
{
    struct geo_remarks *remarks = geo_remarks_current;
    if (geo_remarks_wanted()) {
        item_begin(&remarks->items, function, inst, kind);
        geo_strbuf_printf(&remarks->items, ", \"%s\": ", key);
        string_add(&remarks->items, name ? name : "");
        item_end(remarks);
    }
}

void geo_remark_code(const char *symbol, const char *format, ...)
{
    struct geo_remarks *remarks = geo_remarks_current;
    if (!geo_remarks_wanted()) {
        return;
    }
    struct geo_strbuf *out = &remarks->items;
    va_list args;
    geo_strbuf_printf(out, "%s{\"kind\": \"code\", \"symbol\": ", out->length ? ",\n" : "");
    string_add(out, symbol);
    geo_strbuf_add(out, ", ", 2);
    va_start(args, format);
    geo_strbuf_vprintf(out, format, args);
    va_end(args);
    item_end(remarks);
}

/* ---- accesses ---- */

void geo_remark_access_begin(const struct geo_ir_inst *inst, bool masked)
{
    struct geo_remarks *remarks = geo_remarks_current;
    if (!geo_remarks_wanted()) {
        return;
    }
    remarks->open = !geo_ptrmap_find(&remarks->seen, inst);
    if (!remarks->open) {
        return;
    }
    if (!geo_array_reserve(&remarks->accesses, 1) ||
        !geo_ptrmap_set(&remarks->seen, inst, remarks)) {
        remarks->failed = true;
        remarks->open = false;
        return;
    }
    remarks->accesses.items[remarks->accesses.count++] =
        (struct geo_remark_access){inst, GEO_REMARK_SCALAR, masked};
}

void geo_remark_access_part(enum geo_remark_class class)
{
    struct geo_remarks *remarks = geo_remarks_current;
    if (remarks && remarks->open) {
        struct geo_remark_access *access = &remarks->accesses.items[remarks->accesses.count - 1];
        access->class = class > access->class ? class : access->class;
    }
}

void geo_remark_access_end(void)
{
    if (geo_remarks_current) {
        geo_remarks_current->open = false;
    }
}

static const char *space_name(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = NULL;
    for (uint32_t i = 0; i < inst->operand_count && !type; i++) {
        const struct geo_ir_type *of = inst->operands[i]->type;
        type = of && of->kind == GEO_TYPE_POINTER ? of : NULL;
    }
    switch (type ? type->storage : SpvStorageClassMax) {
    case SpvStorageClassUniformConstant:
        return "constant";
    case SpvStorageClassWorkgroup:
        return "local";
    case SpvStorageClassCrossWorkgroup:
        return "global";
    case SpvStorageClassPrivate:
    case SpvStorageClassFunction:
        return "private";
    case SpvStorageClassGeneric:
        return "generic";
    default:
        return "other";
    }
}

/* Returns the size of the value that an access moves for each item; 0 if it is unknown. */
static unsigned long long bytes_of(const struct geo_ir_inst *inst)
{
    const struct geo_ir_type *type = inst->value.type;
    if (type->kind == GEO_TYPE_VOID) {
        uint32_t data = inst->op == SpvOpStore         ? 1
                        : inst->op == SpvOpExtInst     ? 0
                        : inst->op == SpvOpAtomicStore ? 3
                                                       : UINT32_MAX;
        type = data < inst->operand_count ? inst->operands[data]->type : NULL;
    }
    return type ? type->size : 0;
}

static const char *op_name(const struct geo_ir_inst *inst)
{
    if (inst->op == SpvOpLoad || inst->op == SpvOpStore) {
        return inst->op == SpvOpLoad ? "load" : "store";
    }
    if (inst->op == SpvOpExtInst) {
        const struct geo_grammar *ext = geo_grammar_find_opencl(inst->literals[1]);
        return ext ? ext->name : "function";
    }
    return geo_op_name(inst->op);
}

void geo_remarks_accesses_add(void)
{
    static const char *const classes[] = {
        [GEO_REMARK_SCALAR] = "scalar",
        [GEO_REMARK_UNIFORM] = "uniform",
        [GEO_REMARK_CONSECUTIVE] = "consecutive",
        [GEO_REMARK_REVERSED] = "reversed",
        [GEO_REMARK_STRIDED] = "strided",
        [GEO_REMARK_PATTERN] = "pattern",
        [GEO_REMARK_TABLE] = "table",
        [GEO_REMARK_RECORDS] = "records",
        [GEO_REMARK_GATHERED] = "gathered",
        [GEO_REMARK_LANES] = "lane by lane",
    };
    struct geo_remarks *remarks = geo_remarks_current;
    if (!geo_remarks_wanted()) {
        return;
    }
    remarks->open = false;
    for (size_t i = 0; i < remarks->accesses.count; i++) {
        const struct geo_remark_access *access = &remarks->accesses.items[i];
        geo_remark(
            access->inst->block->function, access->inst, "access",
            "\"op\": \"%s\", \"class\": \"%s\", \"space\": \"%s\", \"bytes\": %llu, \"masked\": %s",
            op_name(access->inst), classes[access->class], space_name(access->inst),
            bytes_of(access->inst), access->masked ? "true" : "false");
    }
    remarks->accesses.count = 0;
}

/* ---- texts ---- */

void geo_remark_text(enum geo_remark_form form, const char *name, const char *text, size_t length)
{
    struct geo_remarks *remarks = geo_remarks_current;
    if (!geo_remarks_want(form)) {
        return;
    }
    char *copy = strndup(text, length);
    if (!copy || !geo_array_reserve(&remarks->texts, 1)) {
        remarks->failed = true;
        free(copy);
        return;
    }
    remarks->texts.items[remarks->texts.count++] =
        (struct geo_remark_text){form, name, copy, length};
}

void geo_remark_model(const struct geo_ir_module *module, const char *pass)
{
    struct geo_remarks *remarks = geo_remarks_current;
    if (!geo_remarks_want(GEO_REMARK_MODELS)) {
        return;
    }
    struct geo_strbuf text;
    geo_strbuf_init(&text, 0);
    text.shown = true;
    geo_ir_print(module, &text);
    bool same = strcmp(geo_strbuf_text(&text), geo_strbuf_text(&remarks->last)) == 0;
    geo_remark_text(GEO_REMARK_MODELS, pass, geo_strbuf_text(&text), same ? 0 : text.length);
    remarks->failed |= text.truncated;
    geo_strbuf_finish(&remarks->last);
    remarks->last = text;
}
