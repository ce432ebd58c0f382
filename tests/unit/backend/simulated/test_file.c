/* Description files that are wrong: what is said of each. */
#include "backend/simulated/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEVICE(members) "{\"version\": 1, \"devices\": [{\"name\": \"x\", " members "}]}"
#define SCRIPT(script)  DEVICE("\"temperature\": [{\"celsius\": " script "}]")
#define IN_SCRIPT       "1: devices[0].temperature[0].celsius"

static const struct {
    const char *text, *problem; /* NULL: nothing is wrong */
} cases[] = {
    {DEVICE("\"count\": 3"), NULL},
    {"", "1: a value is missing"},
    {"{\"version\": 1,\n\n\"devices\": [}", "3: a value is missing"},
    {"{\"version\": NaN, \"devices\": []}", "1: a value is missing"},
    {"{\"version\": 1e999}", "1: a number that is too large"},
    {"{\"version\": 1} x", "1: something follows the value"},
    {"{\"a\": \"\xff\"}", "1: not UTF-8"},
    {"{\"a\": \"\\u0000\"}", "1: \\u0000 in a string"},
    {"[]", "1: an array instead of an object"},
    {"{\"version\": 1}", "1: \"devices\" is missing"},
    {"{\"devices\": []}", "1: \"version\" is missing"},
    {"{\"version\": 2, \"devices\": []}", "1: version: 2 is not from 1 to 1"},
    {"{\"version\": 1, \"devices\": []}", "1: \"devices\" is not an array of devices"},
    {"{\"version\": 1, \"devices\": 7}", "1: \"devices\" is not an array of devices"},
    {"{\"version\": 1, \"clock\": \"sand\", \"devices\": []}",
     "1: \"clock\" is \"real\" or \"manual\""},
    {"{\"version\": 1,\n \"devices\": [\n {}]}", "3: devices[0]: \"name\" is missing"},
    {"{\"version\": 1, \"devices\": [null]}", "1: devices[0]: null instead of an object"},
    {DEVICE("\"name\": \"y\""), "1: devices[0]: \"name\" stands here for the second time"},
    {DEVICE("\"nmae\": 1"), "1: devices[0]: unknown key \"nmae\""},
    {DEVICE("\"a\\nb\\u001b\": 1"), "1: devices[0]: unknown key \"a\\nb\\x1b\""},
    {DEVICE("\"count\": 0"), "1: devices[0].count: 0 is not from 1 to 4096"},
    {DEVICE("\"count\": 1e9"), "1: devices[0].count: 1000000000 is not from 1 to 4096"},
    {DEVICE("\"count\": 1.5"), "1: devices[0].count: 1.5 is not an integer"},
    {DEVICE("\"count\": \"1\""), "1: devices[0].count: a string instead of a number"},
    {DEVICE("\"count\": 4000, \"tiles\": 16"),
     "1: devices[0]: more than 4096 devices, or 16384 with their tiles"},
    {DEVICE("\"tiles\": 1"), "1: devices[0]: a device of one tile has none"},
    {DEVICE("\"type\": \"toaster\""), "1: devices[0].type: unknown word \"toaster\""},
    {DEVICE("\"integrated\": 1"), "1: devices[0].integrated: a number instead of true or false"},
    {DEVICE("\"fan\": {}"), "1: devices[0].fan: an object instead of an array"},
    {DEVICE("\"fan\": [{\"max_rpm\": 1}]"), "1: devices[0].fan[0]: \"rpm\" is missing"},
    {DEVICE("\"fan\": [{\"rpm\": 1, \"max_rpm\": 1, \"tile\": 0}]"),
     "1: devices[0].fan: fan-0 is of tile 0, of 0"},
    {DEVICE("\"fan\": [{\"rpm\": 1, \"max_rpm\": 1, \"modes\": [\"fast\"]}]"),
     "1: devices[0].fan[0].modes: unknown word \"fast\""},
    {DEVICE("\"frequency\": [{\"min_mhz\": 2, \"max_mhz\": 1}]"),
     "1: devices[0].frequency[0]: \"min_mhz\" is above \"max_mhz\""},
    {DEVICE("\"frequency\": [{\"min_mhz\": 1, \"max_mhz\": 2, \"clocks_mhz\": [2, 1]}]"),
     "1: devices[0].frequency[0].clocks_mhz: the values do not rise"},
    {DEVICE("\"faults\": [{\"at_s\": 1, \"component\": \"nose\"}]"),
     "1: devices[0]: the component \"nose\" of a fault does not exist"},
    {DEVICE("\"faults\": [{\"at_s\": -1}]"),
     "1: devices[0].faults[0].at_s: -1 is not from 0 to 9.007199255e+15"},
    {DEVICE("\"faults\": [{\"at_s\": 1, \"result\": \"success\"}]"),
     "1: devices[0].faults[0]: \"result\" is not an error"},
    {DEVICE("\"faults\": [{\"at_s\": 5, \"until_s\": 5}]"),
     "1: devices[0].faults[0]: \"until_s\" is not after \"at_s\""},
    {DEVICE("\"faults\": [{\"at_s\": 5, \"until_s\": 5.5}]"), NULL},
    {DEVICE("\"processes\": [{\"process_id\": 1, \"from_s\": 5, \"until_s\": 4}]"),
     "1: devices[0].processes[0]: \"until_s\" is not after \"from_s\""},
    {DEVICE("\"power\": [{\"min_limit_mw\": 5, \"max_limit_mw\": 4}]"),
     "1: devices[0].power[0]: \"min_limit_mw\" is above \"max_limit_mw\""},
    {DEVICE("\"power\": [{\"min_limit_mw\": 5}, {\"max_limit_mw\": 4}]"), NULL},
    {DEVICE("\"overclock\": [{\"domain\": \"vram\", \"controls\": [{\"control\": \"freq\", "
            "\"min\": 1, \"max\": 9}]}]"),
     "1: devices[0].overclock[0].controls[0]: \"default\" 0 is not from 1 to 9"},
    {DEVICE("\"events\": [{\"at_s\": 1, \"event\": \"party\"}]"),
     "1: devices[0].events[0].event: unknown word \"party\""},
    {DEVICE("\"events\": [{\"at_s\": 1, \"every_s\": 1e-9, \"event\": \"mem_health\"}]"),
     "1: devices[0].events[0]: \"every_s\" is below 0.001"},
    {DEVICE("\"count\": 300, \"fabric_port\": [{\"id\": {\"port\": {\"index\": 1}}}]"),
     "1: devices[0].fabric_port[0].id.port: 299 is not from 0 to 255"},
    {DEVICE("\"fabric_port\": [{\"id\": {\"port\": {\"idnex\": 1}}}]"),
     "1: devices[0].fabric_port[0].id.port: a number by device is {\"index\": NUMBER, \"plus\": "
     "NUMBER}"},
    {DEVICE("\"ras\": [{\"type\": \"correctable\", \"counters\": [{\"category\": \"reset\", "
            "\"count\": 1}, {\"category\": \"reset\", \"count\": 1}]}]"),
     "1: devices[0].ras[0]: a category is there twice"},
    {DEVICE("\"engine\": [{\"busy_percent\": {\"counter\": {\"rate_per_s\": 1}}}]"),
     "1: devices[0].engine[0].busy_percent.counter: a counter inside of a rate"},
    {DEVICE("\"memory\": [{\"size_bytes\": 1, \"health\": {\"sine\": {}}}]"),
     "1: devices[0].memory[0].health: words change by \"steps\" only"},
    {SCRIPT("{\"sine\": {\"amplitude\": 1}}"), IN_SCRIPT ".sine: \"period_s\" is missing"},
    {SCRIPT("{\"sine\": {\"amplitude\": 1, \"period_s\": 0}}"),
     IN_SCRIPT ".sine.period_s: 0 is not from 1e-06 to 1e+12"},
    {SCRIPT("{\"ramp\": {\"from\": 1, \"to\": 2, \"start_s\": 5, \"end_s\": 5}}"),
     IN_SCRIPT ".ramp: \"end_s\" is not after \"start_s\""},
    {SCRIPT("{\"steps\": []}"), IN_SCRIPT ".steps: steps are 1 to 1024 pairs [SECONDS, VALUE]"},
    {SCRIPT("{\"steps\": [[1, 2], [1, 3]]}"), IN_SCRIPT ".steps: the times of steps do not rise"},
    {SCRIPT("{\"steps\": [[1]]}"), IN_SCRIPT ".steps: a step is a pair [SECONDS, VALUE]"},
    {SCRIPT("{\"steps\": [[1, -400]]}"), IN_SCRIPT ".steps: -400 is not from -273.15 to 10000"},
    {DEVICE(
         "\"engine\": [{\"busy_percent\": {\"ramp\": {\"from\": 100, \"to\": 0, \"end_s\": 1}}}]"),
     NULL},
    {DEVICE(
         "\"engine\": [{\"busy_percent\": {\"ramp\": {\"from\": 0, \"to\": 101, \"end_s\": 1}}}]"),
     "1: devices[0].engine[0].busy_percent.ramp: 101 is not from 0 to 100"},
    {DEVICE(
         "\"engine\": [{\"busy_percent\": {\"ramp\": {\"from\": -1, \"to\": 9, \"end_s\": 1}}}]"),
     "1: devices[0].engine[0].busy_percent.ramp: -1 is not from 0 to 100"},
    {DEVICE("\"engine\": [{\"busy_percent\": {\"sine\": {\"mean\": 90, \"amplitude\": 11, "
            "\"period_s\": 1}}}]"),
     "1: devices[0].engine[0].busy_percent.sine: 101 is not from 0 to 100"},
    {DEVICE("\"engine\": [{\"busy_percent\": {\"noise\": {\"mean\": 10, \"amplitude\": -11, "
            "\"period_s\": 1}}}]"),
     "1: devices[0].engine[0].busy_percent.noise: -1 is not from 0 to 100"},
    {DEVICE("\"engine\": [{\"busy_percent\": {\"sum\": [90, {\"sine\": {\"amplitude\": 10, "
            "\"period_s\": 1}}]}}]"),
     NULL},
    {DEVICE("\"pci\": {\"replays\": {\"counter\": {\"rate_per_s\": {\"sine\": {\"amplitude\": 1, "
            "\"period_s\": 1}}}}}"),
     "1: devices[0].pci.replays.counter.sine: -1 is not from 0 to 1e+18"},
    {SCRIPT("{}"), IN_SCRIPT ": a script is one of its kinds; \"sum\" adds several"},
    {SCRIPT("{\"sine\": {\"amplitude\": 1, \"period_s\": 1}, \"noise\": {}}"),
     IN_SCRIPT ": a script is one of its kinds; \"sum\" adds several"},
    {SCRIPT("{\"index\": 2, \"plus\": 1}"), NULL},
    {SCRIPT("{\"square\": 1}"), IN_SCRIPT ": unknown kind of script \"square\""},
    {SCRIPT("{\"sum\": [{\"sum\": [{\"sum\": [{\"sum\": [{\"sum\": [{\"sum\": [{\"sum\": "
            "[1]}]}]}]}]}]}]}"),
     IN_SCRIPT ".sum.sum.sum.sum.sum.sum: more than 6 scripts in each other"},
};

/* What is said of a text of just its size. */
static bool is_told(const char *text, const char *expected)
{
    const size_t size = strlen(text);
    char *copy = malloc(size ? size : 1), *end = copy;
    struct sim_file file = {0};
    struct geo_strbuf problem;
    assert_non_null(copy);
    for (const char *c = text; *c; c++) {
        *end++ = *c;
    }
    geo_strbuf_init(&problem, 400);
    problem.shown = true;
    const bool right = sim_file_parse(copy, size, &file, &problem);
    const bool told = expected ? !right && strcmp(geo_strbuf_text(&problem), expected) == 0
                               : right && !problem.length;
    if (!told) {
        print_error("%.200s\n  says: %s\n  not:  %s\n", text, geo_strbuf_text(&problem),
                    expected ? expected : "");
    }
    geo_strbuf_finish(&problem);
    sim_file_finish(&file);
    free(copy);
    return told;
}

static void what_is_wrong_is_named_with_its_place(void **unused)
{
    int failures = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        failures += !is_told(cases[i].text, cases[i].problem);
    }
    assert_int_equal(failures, 0);
}

static void deep_texts_end_early(void **unused)
{
    enum { DEPTH = 100000 };
    char *text = calloc(1, DEPTH + 1);
    (void)unused;
    assert_non_null(text);
    memset(text, '[', DEPTH);
    assert_true(is_told(text, "1: more than 32 arrays and objects in each other"));
    for (int i = 0; i < DEPTH; i++) {
        text[i] = "{\"a\":"[i % 5];
    }
    assert_true(is_told(text, "1: more than 32 arrays and objects in each other"));
    free(text);
}

/* A device that is made of more than a device may be: 64 sensors of many steps each. */
static void large_devices_are_refused(void **unused)
{
    enum { BYTES = 2 << 20 };
    char *text = malloc(BYTES);
    (void)unused;
    assert_non_null(text);
    int at = snprintf(text, BYTES, "{\"version\": 1, \"devices\": [{\"name\": \"x\"");
    for (int list = 0; list < 9; list++) {
        static const char *const names[] = {"temperature", "fan",    "psu",
                                            "performance", "engine", "memory",
                                            "frequency",   "power",  "diagnostics"};
        at += snprintf(text + at, (size_t)(BYTES - at), ", \"%s\": [", names[list]);
        for (int i = 0; i < 65; i++) {
            at += snprintf(text + at, (size_t)(BYTES - at), "%s{}", i ? "," : "");
        }
        at += snprintf(text + at, (size_t)(BYTES - at), "]");
    }
    snprintf(text + at, (size_t)(BYTES - at), "}]}");
    assert_true(is_told(text, "1: devices[0].power: 65 elements, 64 are allowed"));
    free(text);
}

static void files_that_are_none_are_refused(void **unused)
{
    static const struct {
        const char *path, *problem;
    } files[] = {{"/dev/zero", "/dev/zero: not a regular file"},
                 {"/tmp", "/tmp: not a regular file"},
                 {"/no/such/file", "/no/such/file: No such file or directory"}};
    char large[] = "/tmp/simulated-XXXXXX", text[128];
    struct sim_file file = {0};
    struct geo_strbuf problem;
    (void)unused;
    for (size_t i = 0; i < 3; i++) {
        geo_strbuf_init(&problem, 400);
        assert_false(sim_file_read(files[i].path, &file, &problem));
        assert_string_equal(geo_strbuf_text(&problem), files[i].problem);
        geo_strbuf_finish(&problem);
        sim_file_finish(&file);
    }
    const int fd = mkstemp(large);
    assert_true(fd >= 0 && ftruncate(fd, SIM_FILE_BYTES + 1) == 0);
    geo_strbuf_init(&problem, 400);
    assert_false(sim_file_read(large, &file, &problem));
    snprintf(text, sizeof(text), "%s: larger than 1 MiB", large);
    assert_string_equal(geo_strbuf_text(&problem), text);
    geo_strbuf_finish(&problem);
    sim_file_finish(&file);
    unlink(large);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(deep_texts_end_early),
        cmocka_unit_test(large_devices_are_refused),
        cmocka_unit_test(files_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
