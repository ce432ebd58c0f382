/* See debug_corpus.h. */
#include "debug_corpus.h"

#include "compiler/spirv/reader.h"
#include "support.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct geo_ir_module *file_module(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    struct geo_strbuf log;
    struct geo_ir_module *module = NULL;
    geo_strbuf_init(&log, 0);
    if (geo_spirv_read(bytes, size, &module, &log) != ZE_RESULT_SUCCESS) {
        fail_msg("%s: %s", path, geo_strbuf_text(&log));
    }
    geo_strbuf_finish(&log);
    free(bytes);
    return module;
}

static bool has_records(struct geo_ir_module *module)
{
    return module->debug && module->debug->lists.count > 1;
}

/* Adds the modules of a folder that have (`real`), or do not have, debug information. */
static void corpus_add(struct debug_corpus *corpus, const char *path, bool real)
{
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char file[1024];
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".spv") != 0) {
            continue;
        }
        snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
        struct geo_ir_module *module = file_module(file);
        if (has_records(module) != real) {
            geo_ir_module_destroy(module);
            continue;
        }
        assert_true(corpus->count < DEBUG_MODULES);
        snprintf(corpus->items[corpus->count].name, sizeof(corpus->items[0].name), "%.60s",
                 entry->d_name);
        corpus->items[corpus->count++].module = module;
    }
    closedir(folder);
}

static void *debug_alloc(struct geo_ir_module *module, size_t bytes)
{
    void *made = geo_arena_alloc(&geo_ir_debug_get(module)->store->arena, bytes);
    assert_non_null(made);
    return made;
}

/* Gives each instruction of a function a line, and a variable whose value is its result. */
static void function_debugify(struct geo_ir_function *function, const struct geo_ir_file *file)
{
    struct geo_ir_module *module = function->module;
    struct geo_ir_scope *scope = debug_alloc(module, sizeof(*scope));
    uint32_t line = 0;
    scope->kind = GEO_SCOPE_FUNCTION;
    scope->file = file;
    scope->name = "f";
    function->scope = scope;
    geo_ir_for_each_block(block, function) {
        for (struct geo_ir_inst *inst = block->first; inst; inst = inst->next) {
            struct geo_ir_location at = {.file = file, .line = ++line, .scope = scope};
            inst->location = geo_ir_location_number(module, &at);
            struct geo_ir_inst *behind = inst->next;
            while (behind && behind->op == SpvOpPhi) {
                behind = behind->next;
            }
            if (inst->value.type->kind == GEO_TYPE_VOID || !behind) {
                continue;
            }
            struct geo_ir_debug_variable *variable = debug_alloc(module, sizeof(*variable));
            char *name = debug_alloc(module, 16);
            snprintf(name, 16, "v%u", line);
            variable->name = name;
            variable->scope = scope;
            variable->line = line;
            geo_ir_record_add(
                behind, &(struct geo_ir_record){
                            .variable = variable,
                            .location = inst->location,
                            .place = inst->op == SpvOpVariable ? GEO_PLACE_MEMORY : GEO_PLACE_VALUE,
                            .value = &inst->value,
                        });
        }
    }
}

static void debugify(struct geo_ir_module *module)
{
    struct geo_ir_file *file = debug_alloc(module, sizeof(*file));
    file->name = "made";
    geo_ir_for_each_function(function, module) {
        if (function->first_block) {
            function_debugify(function, file);
        }
    }
}

void debug_corpus_open(struct debug_corpus *corpus, bool real)
{
    corpus->name = real ? "compiled" : "made";
    corpus->count = 0;
    corpus_add(corpus, COMPILER_TESTS "/fixtures/producers", real);
    corpus_add(corpus, FIXTURES, real);
    for (uint32_t i = 0; i < corpus->count && !real; i++) {
        debugify(corpus->items[i].module);
    }
}

void debug_corpus_finish(struct debug_corpus *corpus)
{
    for (uint32_t i = 0; i < corpus->count; i++) {
        geo_ir_module_destroy(corpus->items[i].module);
    }
    corpus->count = 0;
}
