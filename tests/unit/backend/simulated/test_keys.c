/* Checks that docs/user/simulated-keys.md lists the keys that the code reads. The text below the
 * page's mark is what this program prints with the argument "print". */
#include "backend/simulated/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK   "<!-- keys -->\n"
#define TABLES 64

static const struct sim_table *tables[TABLES];
static uint32_t table_count;

static const char *const types[] = {[SIM_BOOL] = "bool",
                                    [SIM_FLAG] = "bool",
                                    [SIM_I32] = "integer",
                                    [SIM_U32] = "integer",
                                    [SIM_U8] = "integer",
                                    [SIM_I64] = "integer",
                                    [SIM_U64] = "integer",
                                    [SIM_REAL] = "number",
                                    [SIM_WORD] = "word",
                                    [SIM_WORDS] = "words",
                                    [SIM_CHOICE] = "array of words",
                                    [SIM_CHARS] = "text",
                                    [SIM_TEXT] = "text",
                                    [SIM_SCRIPT] = "script",
                                    [SIM_RATE] = "rate",
                                    [SIM_OBJECT] = "object",
                                    [SIM_LIST] = "array",
                                    [SIM_REALS] = "array of numbers",
                                    [SIM_JSON] = "script"};

static void table_collect(const struct sim_table *table)
{
    for (uint32_t i = 0; i < table_count; i++) {
        if (tables[i] == table) {
            return;
        }
    }
    assert_true(table_count < TABLES);
    tables[table_count++] = table;
    for (uint32_t i = 0; i < table->key_count; i++) {
        if (table->keys[i].table) {
            table_collect(table->keys[i].table);
        }
    }
}

static void words_print(const char *type, struct geo_strbuf *out)
{
    char word[96];
    int64_t value;
    geo_strbuf_printf(out, "; words: ");
    for (uint32_t i = 0; sim_word(type, i, word, sizeof(word), &value); i++) {
        geo_strbuf_printf(out, "%s`%s`", i ? ", " : "", word);
    }
}

static void key_print(const struct sim_key *key, struct geo_strbuf *out)
{
    const bool is_list = key->type == SIM_LIST || (key->type == SIM_JSON && key->table);
    geo_strbuf_printf(out, "| `%s`%s | %s%s%s", key->name, key->required ? " \\*" : "",
                      is_list ? "array of " : "", key->table ? "" : types[key->type],
                      key->table ? key->table->name : "");
    if (is_list || key->type == SIM_REALS) {
        geo_strbuf_printf(out, ", at most %u", key->size);
    }
    if ((key->min != 0 || key->max != 0) && !key->words) {
        geo_strbuf_printf(out, ", %.6g to %.6g", key->min, key->max);
    }
    geo_strbuf_printf(out, " | %s", key->help ? key->help : "");
    if (key->words && strcmp(key->words, "ze_result_t") != 0) {
        words_print(key->words, out);
    }
    geo_strbuf_printf(out, " |\n");
}

static void tables_print(struct geo_strbuf *out)
{
    static const struct sim_table *const scripts[] = {&sim_ramp_table, &sim_sine_table,
                                                      &sim_noise_table, &sim_counter_table};
    table_count = 0;
    table_collect(&sim_root_table);
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        table_collect(scripts[i]);
    }
    for (uint32_t i = 0; i < table_count; i++) {
        geo_strbuf_printf(out, "\n### %s\n\n| key | value | meaning; default |\n|---|---|---|\n",
                          tables[i]->name);
        for (uint32_t k = 0; k < tables[i]->key_count; k++) {
            key_print(&tables[i]->keys[k], out);
        }
    }
}

static void the_document_has_every_key(void **unused)
{
    char path[4096], *text = calloc(1, 1 << 20);
    struct geo_strbuf out;
    (void)unused;
    assert_non_null(text);
    snprintf(path, sizeof(path), "%s/docs/user/simulated-keys.md", getenv("GEOID_SOURCE_DIR"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    const size_t size = fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    assert_true(size > 0);
    const char *mark = strstr(text, MARK);
    assert_non_null(mark);
    geo_strbuf_init(&out, 0);
    tables_print(&out);
    assert_string_equal(mark + strlen(MARK), geo_strbuf_text(&out));
    geo_strbuf_finish(&out);
    free(text);
}

/* Every table is small enough for the walker, and every type of the API that it names is one. */
static void tables_fit_their_reader(void **unused)
{
    struct geo_strbuf out;
    char word[96];
    int64_t value;
    (void)unused;
    geo_strbuf_init(&out, 0);
    tables_print(&out);
    geo_strbuf_finish(&out);
    for (uint32_t i = 0; i < table_count; i++) {
        assert_true(tables[i]->key_count <= 64);
        for (uint32_t k = 0; k < tables[i]->key_count; k++) {
            const struct sim_key *key = &tables[i]->keys[k];
            assert_true(key->offset < tables[i]->bytes);
            assert_non_null(key->help);
            if (key->words && !sim_word(key->words, 0, word, sizeof(word), &value)) {
                fail_msg("%s: no type %s", key->name, key->words);
            }
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_has_every_key),
        cmocka_unit_test(tables_fit_their_reader),
    };
    if (argc == 2 && strcmp(argv[1], "print") == 0) {
        struct geo_strbuf out;
        geo_strbuf_init(&out, 0);
        tables_print(&out);
        fputs(geo_strbuf_text(&out), stdout);
        geo_strbuf_finish(&out);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
