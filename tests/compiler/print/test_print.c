/* Kernels that print and assert, at the lane count of GEOID_LANES, from each producer of SPIR-V
 * whose file is there. Usage: test_print FOLDER (of the SPIR-V files). See print.h. */
#include "print.h"

#include "level.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Far less than the text of a million lines. */
#define EXTRA_KIB (16l << 10)

static const char *folder;

/* ---- comparing ---- */

/* What the items still have to print: each item's text, and the end of it. */
struct expectation {
    char **texts, **at;
    uint32_t count;
};

static void expectation_make(const struct print_case *test, struct expectation *expected)
{
    expected->count = print_item_count(test);
    expected->texts = calloc(expected->count, sizeof(char *));
    expected->at = calloc(expected->count, sizeof(char *));
    for (uint32_t i = 0; i < expected->count; i++) {
        size_t length;
        FILE *stream = open_memstream(&expected->texts[i], &length);
        struct print_item item = print_item_at(test, i);
        test->expect(stream, &item);
        fclose(stream);
        expected->at[i] = expected->texts[i];
    }
}

static void expectation_free(struct expectation *expected)
{
    for (uint32_t i = 0; i < expected->count; i++) {
        free(expected->texts[i]);
    }
    free(expected->texts);
    free(expected->at);
}

/* Not strtoul: under a sanitizer it measures all the text that follows, for every line. */
static uint32_t number_at(const char *text)
{
    uint32_t number = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        number = number * 10 + (uint32_t)(*text - '0');
    }
    return number;
}

/* One line with its end: the next one of its item? */
static bool line_take(struct expectation *expected, const char *line, size_t length)
{
    uint32_t item = number_at(line);
    if (item >= expected->count || strncmp(expected->at[item], line, length) != 0) {
        const char *wanted = item < expected->count ? expected->at[item] : "";
        print_error("printed: %.*s\nwanted:  %.*s\n", (int)length, line, (int)strcspn(wanted, "\n"),
                    wanted);
        return false;
    }
    expected->at[item] += length;
    return true;
}

/* From `text` to the line "done", behind which it returns; the text ends at `behind`. */
static const char *output_compare(const struct print_case *test, const char *text,
                                  const char *behind)
{
    struct expectation expected;
    bool good = true, done = false;
    expectation_make(test, &expected);
    while (good && !done && *text) {
        const char *end = memchr(text, '\n', (size_t)(behind - text));
        size_t length = (size_t)((end ? end + 1 : behind) - text);
        done = strncmp(text, "done\n", length) == 0;
        good = done || line_take(&expected, text, length);
        text += length;
    }
    for (uint32_t i = 0; i < expected.count && good; i++) {
        good = *expected.at[i] == '\0';
        if (!good) {
            print_error("item %u did not print: %s\n", i, expected.at[i]);
        }
    }
    expectation_free(&expected);
    if (!good || !done) {
        print_error("kernel %s\n", test->kernel);
    }
    return good && done ? text : NULL;
}

/* ---- cases ---- */

static bool file_find(char path[4096], const char *stem, const char *producer)
{
    snprintf(path, 4096, "%s/%s.%s.spv", folder, stem, producer);
    return access(path, R_OK) == 0;
}

static bool batch_run(const struct print_batch *batch, long *peak_kib)
{
    struct print_output output = {0};
    assert_true(print_run(batch, &output));
    bool good = WIFEXITED(output.status) && WEXITSTATUS(output.status) == 0;
    if (!good) {
        print_error("%s, mode %d: status 0x%x\n%s", batch->file, (int)batch->mode,
                    (unsigned)output.status, output.errors);
    }
    const char *text = output.text;
    for (size_t i = 0; good && text && i < batch->count && batch->cases[i].expect; i++) {
        text = output_compare(&batch->cases[i], text, output.text + output.length);
        good = text != NULL;
    }
    *peak_kib = output.peak_kib;
    print_output_free(&output);
    return good;
}

/* Every producer's form of a file, from SPIR-V and by way of native code. */
static void file_run(const char *stem, const struct print_case *cases, size_t count)
{
    static const char *const producers[] = {"O0", "O2", "L15"};
    uint32_t files = 0;
    for (size_t p = 0; p < sizeof(producers) / sizeof(producers[0]); p++) {
        char path[4096];
        if (!file_find(path, stem, producers[p])) {
            continue;
        }
        files++;
        for (int mode = PRINT_SPIRV; mode <= PRINT_NATIVE; mode++) {
            const struct print_batch batch = {path, cases, count, (enum print_mode)mode, false};
            long peak_kib;
            assert_true(batch_run(&batch, &peak_kib));
        }
    }
    assert_true(files >= 2);
}

/* KRN-13 */
static void work_items_print_in_the_order_of_their_program(void **state)
{
    (void)state;
    file_run("print", print_cases, print_case_count);
}

/* KRN-12: more than any buffer holds: nothing is lost, and memory does not grow with it. */
static void a_million_lines_arrive(void **state)
{
    (void)state;
    char path[4096];
    assert_true(file_find(path, "print", "O2"));
    const struct print_batch few = {path, print_cases, 1, PRINT_SPIRV, false};
    const struct print_batch many = {path, &print_many_case, 1, PRINT_SPIRV, false};
    long few_kib, many_kib;
    assert_true(batch_run(&few, &few_kib));
    assert_true(batch_run(&many, &many_kib));
#ifndef GEOID_SANITIZED
    assert_true(many_kib < few_kib + EXTRA_KIB);
#endif
}

static void subgroup_kernels_print(void **state)
{
    (void)state;
    file_run("subgroups", subgroup_cases, subgroup_case_count);
}

static void functions_called_through_pointers_print(void **state)
{
    (void)state;
    file_run("pointers", pointer_cases, pointer_case_count);
}

static void hostile_formats_do_no_harm(void **state)
{
    (void)state;
    file_run("hostile", hostile_cases, hostile_case_count);
}

static void the_build_log_notes_what_does_not_fit(void **state)
{
    (void)state;
    static const char *const notes[] = {
        "note: misfits: printf prints \"%d\" literally: it does not fit argument 2\n",
        "note: misfits: printf prints \"%s\" literally: argument 3 is missing\n",
        "note: misfits: printf prints \"%v4hld\" literally: it does not fit argument 2\n",
        "note: misfits: printf has an unknown directive \"%n\"\n",
        "note: misfits: printf has an unknown directive \"%k\"\n",
    };
    const struct print_case *test = print_cases;
    while (strcmp(test->kernel, "misfits") != 0) {
        test++;
    }
    struct print_output output = {0};
    char path[4096];
    assert_true(file_find(path, "print", "O2"));
    const struct print_batch batch = {path, test, 1, PRINT_SPIRV, false};
    assert_true(print_run(&batch, &output));
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++) {
        assert_non_null(strstr(output.errors, notes[i]));
    }
    assert_null(strstr(output.errors, "note: scalars"));
    assert_null(strstr(output.errors, "note: vectors"));
    print_output_free(&output);
}

static void calls_that_cannot_be_printed_do_not_build(void **state)
{
    (void)state;
    static const struct {
        const char *file, *producer, *kernel, *message;
    } refused[] = {
        {"too_many", "O2", "too_many", "more than 2048 values"},
        {"structure", "O0", "structure",
         "argument 1 is not a number, a vector of numbers or a pointer"},
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        const struct print_case test = {refused[i].kernel, {1, 1, 1}, {1, 1, 1}, NULL};
        struct print_output output = {0};
        char path[4096];
        assert_true(file_find(path, refused[i].file, refused[i].producer));
        const struct print_batch batch = {path, &test, 1, PRINT_SPIRV, false};
        assert_true(print_run(&batch, &output));
        assert_true(WIFEXITED(output.status) && WEXITSTATUS(output.status) == 1);
        assert_non_null(strstr(output.errors, refused[i].message));
        print_output_free(&output);
    }
}

/* ---- assert ---- */

static const struct print_case asserting = {"asserting", {1, 1, 1}, {16, 1, 1}, NULL};
static const struct print_case asserting_plainly = {
    "asserting_plainly", {4, 1, 1}, {9, 1, 1}, NULL};
static const struct print_case asserting_nothing = {
    "asserting_nothing", {4, 1, 1}, {9, 1, 1}, NULL};

static void assertion_run(const struct print_case *test, enum print_mode mode, bool is_lost,
                          struct print_output *output)
{
    char path[4096];
    assert_true(file_find(path, "assertion", "O2"));
    const struct print_batch batch = {path, test, 1, mode, is_lost};
    assert_true(print_run(&batch, output));
}

/* Inputs: -5 2 9 ...: item 2 is the first that fails, in any width. */
static void a_failed_assertion_aborts_the_program(void **state)
{
    (void)state;
    for (int mode = PRINT_SPIRV; mode <= PRINT_NATIVE; mode++) {
        struct print_output output = {0};
        assertion_run(&asserting, (enum print_mode)mode, false, &output);
        assert_true(WIFSIGNALED(output.status));
        assert_int_equal(WTERMSIG(output.status), SIGABRT);
        assert_string_equal(output.errors,
                            "assertion.cl:42: asserting: global id: [2,0,0], local id: [2,0,0] "
                            "Assertion `in[i] < 7` failed.\n");
        assert_non_null(strstr(output.text, "2 checks\n")); /* not lost with the process */
        assert_null(strstr(output.text, "done"));
        print_output_free(&output);
    }
}

static void a_failed_assertion_can_be_reported(void **state)
{
    (void)state;
    setenv("GEOID_ASSERT", "report", 1);
    for (int mode = PRINT_SPIRV; mode <= PRINT_NATIVE; mode++) {
        struct print_output output = {0};
        assertion_run(&asserting_plainly, (enum print_mode)mode, true, &output);
        assert_true(WIFEXITED(output.status) && WEXITSTATUS(output.status) == 0);
        assert_non_null(strstr(output.errors, "assertion.cl:43: (null): global id: ["));
        assert_non_null(strstr(output.errors, "] Assertion `in[i] < 7` failed.\n"));
        print_output_free(&output);
    }
    unsetenv("GEOID_ASSERT");
}

static void assertions_that_hold_do_nothing(void **state)
{
    (void)state;
    struct print_output output = {0};
    assertion_run(&asserting_nothing, PRINT_SPIRV, false, &output);
    assert_true(WIFEXITED(output.status) && WEXITSTATUS(output.status) == 0);
    assert_string_equal(output.text, "done\n");
    assert_string_equal(output.errors, "");
    print_output_free(&output);
}

int main(int argc, char **argv)
{
    level_demand();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_items_print_in_the_order_of_their_program),
        cmocka_unit_test(a_million_lines_arrive),
        cmocka_unit_test(subgroup_kernels_print),
        cmocka_unit_test(functions_called_through_pointers_print),
        cmocka_unit_test(hostile_formats_do_no_harm),
        cmocka_unit_test(the_build_log_notes_what_does_not_fit),
        cmocka_unit_test(calls_that_cannot_be_printed_do_not_build),
        cmocka_unit_test(a_failed_assertion_aborts_the_program),
        cmocka_unit_test(a_failed_assertion_can_be_reported),
        cmocka_unit_test(assertions_that_hold_do_nothing),
    };
    if (argc != 2) {
        fprintf(stderr, "usage: test_print FOLDER\n");
        return 2;
    }
    folder = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
