/* Diagnostic test suites with results from scripts. A run takes no time. */
#include "backend/simulated/classes.h"

#define TESTS 64u

struct sim_test {
    uint32_t index;
    char name[ZES_STRING_PROPERTY_SIZE];
    const struct sim_script *result;
};

struct sim_diagnostics {
    struct geo_sysman_diagnostics seam;
    const struct sim_script *result;
    struct sim_list tests; /* struct sim_test */
};

/* Runs tests. The result is the most severe one, which is the enumerator with the largest
 * number. */
SIM_OP(diagnostics, run, uint32_t first, uint32_t last, zes_diag_result_t *result)
{
    SIM_BEGIN(diagnostics)
    const struct sim_test *tests = part->tests.items;
    double worst = sim_value(part->result, t, ZES_DIAG_RESULT_NO_ERRORS);
    for (uint32_t i = 0; i < part->tests.count; i++) {
        if (tests[i].index >= first && tests[i].index <= last) {
            const double one = sim_value(tests[i].result, t, ZES_DIAG_RESULT_NO_ERRORS);
            worst = one > worst ? one : worst;
        }
    }
    *result = (zes_diag_result_t)sim_u32(worst);
    SIM_END;
}

static const struct geo_sysman_diagnostics_ops ops = {.run = diagnostics_run};

/* ---- keys ---- */

#define TEST(field) offsetof(struct sim_test, field)
static const struct sim_key test_keys[] = {
    {"index", SIM_U32, TEST(index), .required = true, .help = "number of the test, ascending"},
    {"name", SIM_CHARS, TEST(name), .size = ZES_STRING_PROPERTY_SIZE, .required = true,
     .help = "name of the test"},
    {"result", SIM_SCRIPT, TEST(result), .words = "zes_diag_result_t", .help = "no_errors"},
};
static const struct sim_table test_table = {"tests of diagnostics", SIM_KEYS(test_keys),
                                            .bytes = sizeof(struct sim_test)};

#define AT(field) offsetof(struct sim_diagnostics, field)
static const struct sim_key keys[] = {
    SIM_COMPONENT_KEYS(struct sim_diagnostics),
    {"suite", SIM_CHARS, AT(seam.properties.name), .size = ZES_STRING_PROPERTY_SIZE,
     .required = true, .help = "name of the tests"},
    {"result", SIM_SCRIPT, AT(result), .words = "zes_diag_result_t",
     .help = "result, unless one of the tests that run has a worse one; no_errors"},
    {"tests", SIM_LIST, AT(tests), .size = TESTS, .table = &test_table, .help = "none"},
};
static const struct sim_diagnostics defaults = {.seam = {.base = {.subdevice = -1}, .ops = &ops}};

static bool finish(struct sim_reader *reader, void *item)
{
    struct sim_diagnostics *part = item;
    const struct sim_test *tests = part->tests.items;
    zes_diag_test_t *shown =
        geo_arena_new_array(reader->arena, zes_diag_test_t, part->tests.count + 1u);
    if (!shown) {
        return sim_no_memory(reader);
    }
    for (uint32_t i = 0; i < part->tests.count; i++) {
        if (i > 0 && tests[i].index <= tests[i - 1].index) {
            return sim_wrong(reader, "the indexes of tests do not rise");
        }
        shown[i].index = tests[i].index;
        memcpy(shown[i].name, tests[i].name, sizeof(shown[i].name));
    }
    part->seam.tests = shown;
    part->seam.test_count = part->tests.count;
    part->seam.properties.haveTests = part->tests.count > 0;
    return true;
}

SIM_TABLE(diagnostics, finish);
const struct sim_class sim_diagnostics_class = {
    .key = "diagnostics", .kind = GEO_SYSMAN_DIAGNOSTICS, .table = &sim_diagnostics_table};
