/* Logs and reports: what happens to them harms neither the program nor its files. */
#include "unit.h"

#include "child.h"

#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/geoid_test_output_XXXXXX";
static char path[64];

static int folder_make(void **state)
{
    (void)state;
    strcpy(strrchr(folder, '_'), "_XXXXXX");
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof(path), "%s/out", folder);
    return 0;
}

static int folder_remove(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

static const char *content(const char *of)
{
    static char text[256];
    int fd = open(of, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
    close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length < 0 ? "no file" : text;
}

static struct geo_output output;

static void lines_are_appended(void **state)
{
    (void)state;
    assert_true(geo_output_open(&output, path));
    assert_true(geo_output_write(&output, "one\n", 4));
    assert_true(geo_output_write(&output, "two\n", 4));
    geo_fd_close(&output.file);
    assert_true(geo_output_open(&output, path));
    assert_true(geo_output_write(&output, "three\n", 6));
    geo_fd_close(&output.file);
    assert_string_equal(content(path), "one\ntwo\nthree\n");
}

static void a_file_that_the_program_closed_is_opened_again(void **state)
{
    (void)state;
    char own[64];
    snprintf(own, sizeof(own), "%s/own", folder);
    assert_true(geo_output_open(&output, path));
    assert_true(geo_output_write(&output, "before\n", 7));
    int number = output.file.number;
    int fd = open(own, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(dup2(fd, number), number);
    assert_true(geo_output_write(&output, "after\n", 6));
    assert_string_equal(content(path), "before\nafter\n");
    assert_string_equal(content(own), "");
    geo_fd_close(&output.file);
    assert_true(fcntl(number, F_GETFD) >= 0);
    close(number);
    close(fd);
    unlink(own);
}

static void a_relative_path_stays_where_it_was(void **state)
{
    (void)state;
    char before[GEO_PATH_BYTES], *name = strrchr(path, '/') + 1;
    assert_non_null(getcwd(before, sizeof(before)));
    assert_true(geo_output_open(&output, "output-of-a-test"));
    assert_int_equal(chdir(folder), 0);
    int number = output.file.number;
    close(number);
    assert_true(geo_output_write(&output, "x", 1));
    assert_string_equal(content("output-of-a-test"), "no file");
    assert_string_equal(content(name), "no file");
    geo_fd_close(&output.file);
    assert_int_equal(chdir(before), 0);
    assert_string_equal(content("output-of-a-test"), "x");
    unlink("output-of-a-test");
}

static void to_a_pipe_that_nobody_reads(void)
{
    int ends[2];
    if (pipe(ends) != 0 || close(ends[0]) != 0 || dup2(ends[1], STDERR_FILENO) < 0 ||
        !geo_output_open(&output, NULL) || geo_output_write(&output, "lost\n", 5)) {
        _exit(1);
    }
}

static void beyond_a_limit(void)
{
    const struct rlimit limit = {0, 0};
    if (!geo_output_open(&output, path) || setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        geo_output_write(&output, "lost\n", 5) || geo_output_file(path, "lost\n", 5)) {
        _exit(1);
    }
}

/* The children end by themselves, not by SIGPIPE or SIGXFSZ. */
static void failing_writes_end_no_program(void **state)
{
    (void)state;
    (void)child_output(NULL, to_a_pipe_that_nobody_reads);
    (void)child_output(NULL, beyond_a_limit);
    assert_string_equal(content(path), "");
}

static void pipes_without_a_reader_are_not_waited_for(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(geo_output_open(&output, path));
    assert_int_equal(errno, ENXIO);
    assert_int_equal(geo_output_create(path), -1);
    assert_false(geo_output_file(path, "x", 1));
}

static void files_are_written_anew(void **state)
{
    (void)state;
    assert_true(geo_output_file(path, "longer", 6));
    assert_true(geo_output_file(path, "short", 5));
    assert_string_equal(content(path), "short");
    assert_false(geo_output_file("/dev/full", "x", 1));
    assert_int_equal(errno, ENOSPC);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, folder_make, folder_remove)
    const struct CMUnitTest tests[] = {
        CASE(lines_are_appended),
        CASE(a_file_that_the_program_closed_is_opened_again),
        CASE(a_relative_path_stays_where_it_was),
        CASE(failing_writes_end_no_program),
        CASE(pipes_without_a_reader_are_not_waited_for),
        CASE(files_are_written_anew),
    };
    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
