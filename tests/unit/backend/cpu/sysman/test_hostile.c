/* Files that are not what they should be: no crash, no waiting, an error or the value's absence. */
#include "everything.h"

#include "backend/cpu/sysman/tree.h"
#include "failing.h"
#include "limit.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES 1024

/* ---- single files ---- */

static struct geo_tree tree_of(const struct machine *machine)
{
    struct geo_tree tree;
    assert_true(geo_tree_init(&tree, machine->root));
    return tree;
}

static void numbers_are_numbers_and_nothing_else(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, NULL, 1, 0);
    struct geo_tree tree = tree_of(&machine);
    const struct {
        const char *text;
        int64_t value;
        bool good;
    } rows[] = {
        {"0", 0, true},
        {"-12", -12, true},
        {"9223372036854775807", INT64_MAX, true},
        {"9223372036854775808", 0, false},
        {"7 ", 7, true}, /* some drivers end so */
        {" 7", 0, false},
        {"7\n8", 0, false},
        {"0x10", 0, false},
        {"", 0, false},
        {"12345678901234567890123456789012345678901234567890", 0, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t value = 4711;
        machine_write(&machine, "/sys/value", rows[i].text);
        assert_result(&machine, geo_tree_number(&tree, "/sys/value", &value, &machine.why),
                      rows[i].good ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNKNOWN, "/sys/value");
        assert_int_equal(value, rows[i].good ? rows[i].value : 4711);
    }
    machine_close(&machine);
}

static void results_say_what_is_the_matter(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, NULL, 1, 0);
    struct geo_tree tree = tree_of(&machine);
    int64_t value = 4711;
    const char *full = machine_path(&machine, "/pipe");
    assert_int_equal(mkfifo(full, 0600), 0);
    machine_write(&machine, "/folder/file", "1");
    assert_int_equal(symlink("loop", machine_path(&machine, "/loop")), 0);
    assert_int_equal(symlink("/dev/zero", machine_path(&machine, "/zero")), 0);
    assert_result(&machine, geo_tree_number(&tree, "/pipe", &value, &machine.why),
                  ZE_RESULT_ERROR_UNKNOWN, "not a regular file");
    assert_result(&machine, geo_tree_write(&tree, "/pipe", "1", &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "/pipe"); /* nobody reads it */
    assert_result(&machine, geo_tree_number(&tree, "/folder", &value, &machine.why),
                  ZE_RESULT_ERROR_UNKNOWN, "not a regular file");
    assert_result(&machine, geo_tree_number(&tree, "/zero", &value, &machine.why),
                  ZE_RESULT_ERROR_UNKNOWN, "not a regular file");
    assert_result(&machine, geo_tree_number(&tree, "/loop", &value, &machine.why),
                  ZE_RESULT_ERROR_NOT_AVAILABLE, "/loop");
    assert_result(&machine, geo_tree_number(&tree, "/folder/file/more", &value, &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "/folder/file/more");
    assert_result(&machine, geo_tree_number(&tree, "/none", &value, &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "/none");
    assert_result(&machine, geo_tree_write(&tree, "/none", "1", &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, "/none"); /* and is not made */
    assert_false(geo_tree_has(&tree, "/none"));
    assert_int_equal(value, 4711);
    machine_close(&machine);
}

static void paths_that_are_too_long_are_none(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, NULL, 1, 0);
    struct geo_tree tree = tree_of(&machine);
    char name[600];
    memset(name, 'a', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    int64_t value;
    assert_string_equal(geo_tree_path("/%s", name).text, "");
    assert_result(&machine,
                  geo_tree_number(&tree, geo_tree_path("/%s", name).text, &value, &machine.why),
                  ZE_RESULT_ERROR_DEVICE_LOST, machine.root);
    assert_false(geo_tree_init(&tree, name));
    assert_true(geo_tree_init(&tree, "/"));
    assert_string_equal(tree.root, "");
    assert_true(geo_tree_init(&tree, NULL));
    assert_string_equal(tree.root, "");
    machine_close(&machine);
}

static void names_are_sorted_by_number_and_printable(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, NULL, 1, 0);
    struct geo_tree tree = tree_of(&machine);
    struct geo_arena arena;
    struct geo_tree_names names;
    const char *const made[] = {"hwmon10", "hwmon9", "hwmon1", "hwmon\n2", "hwmon\x1b[3", "other"};
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
        char path[64];
        snprintf(path, sizeof(path), "/chips/%s", made[i]);
        machine_write(&machine, path, "1");
    }
    geo_arena_init(&arena, 0);
    assert_true(geo_tree_list(&tree, "/chips", "hwmon", &arena, &names));
    assert_int_equal(names.count, 3);
    assert_string_equal(names.names[0], "hwmon1");
    assert_string_equal(names.names[1], "hwmon9");
    assert_string_equal(names.names[2], "hwmon10");
    assert_true(geo_tree_list(&tree, "/nowhere", "", &arena, &names));
    assert_int_equal(names.count, 0);
    geo_arena_finish(&arena);
    machine_close(&machine);
}

static void lines_have_a_bound(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, NULL, 1, 0);
    struct geo_tree tree = tree_of(&machine);
    struct geo_tree_lines lines;
    machine_write(&machine, "/proc/file", "one\n\nthree");
    assert_works(&machine, geo_tree_lines_open(&lines, &tree, "/proc/file", &machine.why));
    assert_string_equal(geo_tree_lines_next(&lines), "one");
    assert_string_equal(geo_tree_lines_next(&lines), "");
    assert_string_equal(geo_tree_lines_next(&lines), "three");
    assert_null(geo_tree_lines_next(&lines));
    assert_null(geo_tree_lines_next(&lines));
    geo_tree_lines_close(&lines);
    /* 64 MiB without a line's end: what is read of it ends */
    assert_int_equal(truncate(machine_path(&machine, "/proc/file"), 64 << 20), 0);
    assert_works(&machine, geo_tree_lines_open(&lines, &tree, "/proc/file", &machine.why));
    size_t bytes = 0;
    for (char *line; (line = geo_tree_lines_next(&lines)) != NULL;) {
        bytes += strlen(line);
    }
    assert_true(bytes > 1 << 20 && bytes < 8 << 20);
    geo_tree_lines_close(&lines);
    machine_close(&machine);
}

/* ---- whole machines ---- */

static char found[FILES][512];
static size_t found_count, root_length;

static int file_note(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status;
    (void)walk;
    if (kind == FTW_F && found_count < FILES) {
        snprintf(found[found_count++], sizeof(found[0]), "%s", path + root_length);
    }
    return 0;
}

static void files_find(const struct machine *machine)
{
    found_count = 0;
    root_length = strlen(machine->root);
    assert_int_equal(nftw(machine->root, file_note, 16, FTW_PHYS), 0);
    assert_true(found_count > 2 && found_count < FILES);
}

enum harm {
    GONE,
    EMPTY,
    JUNK,
    NEGATIVE,
    HUGE_NUMBER,
    HUGE_FILE,
    PIPE,
    FOLDER,
    LOOP,
    REFUSED,
    HARMS
};

static void file_harm(const struct machine *machine, const char *path, enum harm harm)
{
    const char *full = machine_path(machine, path);
    assert_int_equal(unlink(full), 0);
    switch (harm) {
    case EMPTY:
        close(open(full, O_CREAT | O_WRONLY, 0644));
        break;
    case JUNK:
        machine_write(machine, path, "\xff\xfe\x01 %s%n \x1b[2J: -,:\n\n cpu\xc3 kB: 0-,");
        break;
    case NEGATIVE:
        machine_write(machine, path, "-9223372036854775808");
        break;
    case HUGE_NUMBER:
        machine_write(machine, path, "9223372036854775807");
        break;
    case HUGE_FILE:
        machine_write(machine, path, "1");
        assert_int_equal(truncate(full, INT64_C(1) << 40), 0);
        break;
    case PIPE:
        assert_int_equal(mkfifo(full, 0644), 0);
        break;
    case FOLDER:
        assert_int_equal(mkdir(full, 0755), 0);
        break;
    case LOOP:
        assert_int_equal(symlink(full, full), 0);
        break;
    case REFUSED:
        machine_write(machine, path, "1");
        machine_mode(machine, path, 0);
        break;
    default:
        break;
    }
}

/* As it is found now, and with what was found before. */
static void both_look(struct machine *machine)
{
    struct everything all = {.set = true};
    everything_call(machine, &all);
    machine_reopen(machine);
    everything_call(machine, &all);
    assert_true(all.calls > 4);
}

/* Each file in turn; what it was comes back. */
static void machine_harm(const char *name, uint32_t cpus, enum harm harm)
{
    struct machine machine;
    char kept[512];
    machine_open(&machine, name, cpus, 0);
    files_find(&machine);
    snprintf(kept, sizeof(kept), "%s/kept", machine.root);
    for (size_t i = 0; i < found_count; i++) {
        struct everything all = {0};
        machine_reopen(&machine);
        everything_call(&machine, &all);
        assert_int_equal(link(machine_path(&machine, found[i]), kept), 0);
        file_harm(&machine, found[i], harm);
        both_look(&machine);
        const char *full = machine_path(&machine, found[i]);
        assert_true(harm == GONE || remove(full) == 0);
        assert_int_equal(rename(kept, full), 0);
    }
    machine_close(&machine);
}

/* All files at once. */
static void machine_harm_all(const char *name, uint32_t cpus, uint32_t parts, enum harm harm)
{
    struct machine machine;
    machine_open(&machine, name, cpus, parts);
    struct everything all = {0};
    everything_call(&machine, &all);
    files_find(&machine);
    for (size_t i = 0; i < found_count; i++) {
        file_harm(&machine, found[i], harm);
    }
    both_look(&machine);
    machine_close(&machine);
}

static void every_file_is_harmed_in_every_way(void **state)
{
    (void)state;
    limit_stall();
    for (int harm = 0; harm < HARMS; harm++) {
        machine_harm_all("laptop", 4, 0, (enum harm)harm);
        machine_harm_all("server2s", 8, 2, (enum harm)harm);
    }
    limit_work(0);
}

/* One at a time: what lies beside it is sound. */
static void single_files_are_harmed(void **state)
{
    (void)state;
    limit_stall();
    for (int harm = 0; harm < HARMS; harm++) {
        machine_harm("container", 2, (enum harm)harm);
    }
    machine_harm("amd", 2, GONE);
    machine_harm("amd", 2, JUNK);
    machine_harm("amd", 2, HUGE_NUMBER);
    limit_work(0);
}

/* One descriptor is not to be had, whichever: a list is as it should be or there is none, and the
 * next who asks has it. */
static void lack_of_descriptors_does_not_last(void **state)
{
    (void)state;
    struct machine machine;
    uint32_t whole = 4;
    bool failed = true;
    long at = 1;
    machine_open(&machine, "server2s", 8, 2);
    for (; failed; at++) {
        machine_reopen(&machine);
        failing_begin(&(struct failing){.call = FAILING_OPEN, .at = at});
        uint32_t powers = machine_count(&machine, GEO_SYSMAN_POWER);
        failed = failing_end();
        assert_true(powers == whole || (powers == 0 && failed));
        assert_int_equal(machine_count(&machine, GEO_SYSMAN_POWER), whole);
    }
    if (at == 2) {
        print_message("nothing fails here: a sanitizer's functions\n");
    }
    const struct geo_sysman_power *power = machine_component(&machine, GEO_SYSMAN_POWER, 0);
    zes_power_energy_counter_t energy = {0};
    failing_begin(&(struct failing){.call = FAILING_OPEN, .at = 1});
    ze_result_t result = power->ops->energy(power, &energy, &machine.why);
    if (failing_end()) { /* not under a sanitizer */
        assert_result(&machine, result, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "energy_uj");
    }
    machine_close(&machine);
}

static void nobody_run(struct machine *machine)
{
    struct everything all = {.set = true};
    everything_call(machine, &all);
    assert_true(all.failures > 5);
    machine_reopen(machine);
    everything_call(machine, &all);
}

static void who_has_no_rights_at_all_is_told_so(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "server2s", 8, 2);
    files_find(&machine);
    struct everything all = {0};
    everything_call(&machine, &all);
    for (size_t i = 0; i < found_count; i++) {
        machine_mode(&machine, found[i], 0);
    }
    bool could = machine_as_nobody(&machine, nobody_run);
    machine_close(&machine);
    if (!could) {
        skip();
    }
}

static ze_result_t energy_read(struct machine *machine)
{
    const struct geo_sysman_power *power = machine_component(machine, GEO_SYSMAN_POWER, 0);
    zes_power_energy_counter_t energy = {0};
    return power->ops->energy(power, &energy, &machine->why);
}

static ze_result_t range_write(struct machine *machine)
{
    const struct geo_sysman_frequency *frequency =
        machine_component(machine, GEO_SYSMAN_FREQUENCY, 0);
    const zes_freq_range_t range = {.min = 800.0, .max = 1600.0};
    return frequency->ops->set_range(frequency, &range, &machine->why);
}

static void others_run(struct machine *machine)
{
    const struct geo_sysman_temperature *temperature =
        machine_component(machine, GEO_SYSMAN_TEMPERATURE, 0);
    double celsius = 0.0;
    assert_result(machine, energy_read(machine), ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS,
                  "energy_uj");
    assert_result(machine, range_write(machine), ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS,
                  "scaling_");
    assert_works(machine, temperature->ops->state(temperature, &celsius, &machine->why));
}

static void loosened_run(struct machine *machine)
{
    assert_works(machine, energy_read(machine));
    assert_works(machine, range_write(machine));
}

/* SYC-30 */
static void rights_are_those_of_the_systems_files(void **state)
{
    (void)state;
    struct machine machine;
    machine_open(&machine, "laptop", 4, 0);
    assert_works(&machine, energy_read(&machine));
    assert_works(&machine, range_write(&machine));
    bool could = machine_as_nobody(&machine, others_run);
    files_find(&machine);
    for (size_t i = 0; i < found_count; i++) {
        machine_mode(&machine, found[i], 0666);
    }
    could = machine_as_nobody(&machine, loosened_run) && could;
    machine_close(&machine);
    if (!could) {
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rights_are_those_of_the_systems_files),
        cmocka_unit_test(numbers_are_numbers_and_nothing_else),
        cmocka_unit_test(results_say_what_is_the_matter),
        cmocka_unit_test(paths_that_are_too_long_are_none),
        cmocka_unit_test(names_are_sorted_by_number_and_printable),
        cmocka_unit_test(lines_have_a_bound),
        cmocka_unit_test(every_file_is_harmed_in_every_way),
        cmocka_unit_test(single_files_are_harmed),
        cmocka_unit_test(lack_of_descriptors_does_not_last),
        cmocka_unit_test(who_has_no_rights_at_all_is_told_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
