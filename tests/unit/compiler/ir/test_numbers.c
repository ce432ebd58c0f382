/* The numbers of numbers.def against what they were taken from: modules that producers wrote
 * (fixtures/producers) and SPIRV-Headers (spirv_headers.tsv). */
#include "../support.h"
#include "compiler/ir/grammar.h"
#include "compiler/spirv/reader.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEADER_WORDS 5u

struct row {
    uint32_t number;
    const char *kind, *name, *operands, *source;
    bool draft;
};

static const struct row rows[] = {
#define OP(name, number, spirv, operands, class, source)                                           \
    {number, "instruction", spirv, operands, source, false},
#define DEBUG_OP(name, number, spirv, operands, source)                                            \
    {number, "debug", spirv, operands, source, false},
#define DRAFT_OP(name, number, spirv, operands, source)                                            \
    {number, "instruction", spirv, operands, source, true},
#define CAPABILITY(name, number, spirv, source) {number, "Capability", spirv, "", source, false},
#define ENUMERANT(name, number, kind, spirv, source) {number, kind, spirv, "", source, false},
#include "compiler/ir/numbers.def"
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool is_text(const struct row *row)
{
    return strncmp(row->source, "SPV_", 4) == 0;
}

static bool is_module(const struct row *row)
{
    return !is_text(row) && strcmp(row->source, "headers") != 0;
}

static void *file_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char *data = calloc(1, *bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *bytes, file), *bytes);
    fclose(file);
    return data;
}

static void *module_read(const char *name, size_t *bytes)
{
    char path[512];
    snprintf(path, sizeof(path), COMPILER_TESTS "/fixtures/producers/%s.spv", name);
    return file_read(path, bytes);
}

/* ---- SPIRV-Headers ---- */

/* Finds what SPIRV-Headers say about a name of a kind. */
static bool headers_find(const char *table, const struct row *row, uint32_t *number, char *operands)
{
    for (const char *line = table; *line; line = strchr(line, '\n') + 1) {
        char text[256], kind[64], name[96];
        snprintf(text, sizeof(text), "%.*s", (int)strcspn(line, "\n"), line);
        operands[0] = 0;
        if (sscanf(text, "%63[^\t]\t%95[^\t]\t%u\t%63s", kind, name, number, operands) >= 3 &&
            strcmp(kind, row->kind) == 0 && strcmp(name, row->name) == 0) {
            return true;
        }
    }
    return false;
}

/* A number that differs from SPIRV-Headers has a module for witness (below); the text of an
 * extension is a source only for what they do not know. */
static void numbers_are_those_of_spirv_headers(void **state)
{
    uint32_t known = 0, unknown = 0;
    size_t bytes;
    char *table = file_read(COMPILER_TESTS "/ir/spirv_headers.tsv", &bytes);
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        char operands[64];
        uint32_t number;
        if (!headers_find(table, row, &number, operands)) {
            assert_string_not_equal(row->source, "headers");
            unknown++;
        } else if (number != row->number || row->draft) {
            assert_true(is_module(row));
        } else {
            assert_false(is_text(row));
            assert_string_equal(operands, row->operands);
            known++;
        }
    }
    assert_true(known > 80 && unknown > 10);
    free(table);
}

/* ---- modules ---- */

static uint32_t letters(const char *operands, bool all)
{
    uint32_t count = 0;
    for (const char *letter = operands; *letter; letter++) {
        bool optional = letter[1] == '?' || letter[1] == '*';
        count += all || !optional;
        letter += optional;
    }
    return count;
}

/* Does this instruction use the number of the row, with as many operands as the row has? */
static bool uses(const uint32_t *words, const struct row *row)
{
    uint32_t length = words[0] >> 16, op = words[0] & 0xFFFFu;
    if (strcmp(row->kind, "instruction") == 0) {
        return op == row->number && length - 1 >= letters(row->operands, false) &&
               length - 1 <= letters(row->operands, true);
    }
    if (strcmp(row->kind, "debug") == 0) {
        return op == SpvOpExtInst && words[4] == row->number &&
               length - 5 >= letters(row->operands, false) &&
               (length - 5 <= letters(row->operands, true) || strchr(row->operands, '*'));
    }
    return (strcmp(row->kind, "Capability") == 0 && op == SpvOpCapability &&
            words[1] == row->number) ||
           (strcmp(row->kind, "Decoration") == 0 && op == SpvOpDecorate &&
            words[2] == row->number) ||
           (strcmp(row->kind, "ExecutionMode") == 0 && op == SpvOpExecutionModeId &&
            words[2] == row->number);
}

static void producers_write_these_numbers(void **state)
{
    uint32_t checked = 0;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        size_t bytes;
        if (!is_module(&rows[i])) {
            continue;
        }
        uint32_t *words = module_read(rows[i].source, &bytes);
        bool found = false;
        for (size_t at = HEADER_WORDS; at < bytes / 4; at += words[at] >> 16) {
            assert_true(words[at] >> 16);
            found |= uses(words + at, &rows[i]);
        }
        if (!found) {
            fail_msg("%s (%u) is not in %s.spv", rows[i].name, rows[i].number, rows[i].source);
        }
        free(words);
        checked++;
    }
    assert_true(checked > 40);
}

/* Every module of the folder is read and keeps the rules. */
static void modules_of_producers_are_read(void **state)
{
    uint32_t count = 0;
    DIR *folder = opendir(COMPILER_TESTS "/fixtures/producers");
    (void)state;
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char name[256];
        snprintf(name, sizeof(name), "%s", entry->d_name);
        char *dot = strrchr(name, '.');
        if (!dot || strcmp(dot, ".spv") != 0) {
            continue;
        }
        *dot = 0;
        size_t bytes;
        void *words = module_read(name, &bytes);
        struct geo_strbuf log = {0};
        struct geo_ir_module *module = NULL;
        ze_result_t result = geo_spirv_read(words, bytes, &module, &log);
        if (result != ZE_RESULT_SUCCESS) {
            fail_msg("%s: %s", name, geo_strbuf_text(&log));
        }
        support_assert_valid(module);
        geo_ir_module_destroy(module);
        geo_strbuf_finish(&log);
        free(words);
        count++;
    }
    closedir(folder);
    assert_int_equal(count, 22);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_spirv_headers),
        cmocka_unit_test(producers_write_these_numbers),
        cmocka_unit_test(modules_of_producers_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
