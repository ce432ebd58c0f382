/* One manifest: what it has to say, and everything that it may be instead. */
#include "loader/discovery/manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/geoid-manifest-XXXXXX";
static char path[64];

static void file_write(const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static struct geo_candidate candidate;

/* Ends what was read before. */
static void read_again(void)
{
    geo_candidate_finish(&candidate);
    assert_true(geo_manifest_read(path, &candidate));
    assert_int_equal(candidate.from, GEO_FROM_MANIFEST);
    assert_string_equal(candidate.manifest, path);
}

static void names(const char *text, const char *library, uint32_t declared, const char *label)
{
    file_write(text, strlen(text));
    read_again();
    if (candidate.refusal) {
        fail_msg("%s: %s", text, candidate.refusal);
    }
    assert_string_equal(candidate.name, library);
    assert_int_equal(candidate.declared, declared);
    assert_string_equal(candidate.label ? candidate.label : "(none)", label);
}

static void refused(const char *reason)
{
    read_again();
    if (!candidate.refusal || !strstr(candidate.refusal, reason)) {
        fail_msg("'%s' instead of '%s'", candidate.refusal ? candidate.refusal : "(fine)", reason);
    }
    assert_string_equal(candidate.name, path);
}

static void text_refused(const char *text, const char *reason)
{
    file_write(text, strlen(text));
    refused(reason);
}

#define FORMAT "\"file_format_version\": \"1.0\""

static void test_a_manifest_names_a_library(void **state)
{
    (void)state;
    char expected[96];
    names("{" FORMAT ", \"library\": \"libze_x.so.1\"}", "libze_x.so.1", 0, "(none)");
    names("{" FORMAT ", \"library\": \"/a/b.so\", \"api_version\": \"1.17\", \"name\": \"X\"}",
          "/a/b.so", 0x10011, "X");
    names("{" FORMAT ", \"library\": \"x.so\", \"api_version\": \"65535.65535\"}", "x.so",
          UINT32_MAX, "(none)");
    snprintf(expected, sizeof(expected), "%s/lib/b.so", folder); /* begins at the manifest */
    names("{" FORMAT ", \"library\": \"lib/b.so\"}", expected, 0, "(none)");
    snprintf(expected, sizeof(expected), "%s/../b.so", folder);
    names("{" FORMAT ", \"library\": \"../b.so\"}", expected, 0, "(none)");
}

/* Later minor versions of the format add members, which we ignore. */
static void test_unknown_members_are_ignored(void **state)
{
    (void)state;
    names(
        "{\"file_format_version\": \"1.7\", \"library\": \"x.so\", \"layers\": [{\"library\": 1}], "
        "\"Library\": 7}",
        "x.so", 0, "(none)");
}

static void test_what_is_missing_or_of_another_type_is_told(void **state)
{
    (void)state;
    text_refused("{}", "\"file_format_version\" is missing");
    text_refused("{\"library\": \"x.so\"}", "\"file_format_version\" is missing");
    text_refused("{" FORMAT "}", "\"library\" is missing");
    text_refused("{" FORMAT ", \"library\": \"\"}", "\"library\" is empty");
    text_refused("{" FORMAT ", \"library\": [\"x\"]}", "\"library\" is not a string");
    text_refused("{\"file_format_version\": 1.0, \"library\": \"x\"}",
                 "\"file_format_version\" is not a string");
    text_refused("{" FORMAT ", \"library\": \"x\", \"name\": {}}", "\"name\" is not a string");
    text_refused("{\"file_format_version\": \"2.0\", \"library\": \"x\"}", "of format 2.0");
    text_refused("{\"file_format_version\": \"0.9\", \"library\": \"x\"}", "of format 0.9");
    static const char *const versions[] = {"",      "1",    "1.",      ".1",
                                           "1.1.1", "v1.1", "1.65536", "65536.1",
                                           "-1.1",  "1. 1", "1.1 ",    "99999999999999999999.1"};
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        char text[160];
        snprintf(text, sizeof(text), "{" FORMAT ", \"library\": \"x\", \"api_version\": \"%s\"}",
                 versions[i]);
        text_refused(text, "\"api_version\" is not a version: ");
        snprintf(text, sizeof(text), "{\"file_format_version\": \"%s\", \"library\": \"x\"}",
                 versions[i]);
        text_refused(text, "\"file_format_version\" is not a version: ");
    }
    text_refused("{" FORMAT ",\n \"library\": x}", "line 2: \"library\" is not a string");
    text_refused("not JSON", "line 1: '{' is missing");
    text_refused("", "an empty file");
}

/* A manifest of the largest size is read, one byte more is not. */
static void test_a_large_file_is_refused(void **state)
{
    (void)state;
    static char text[GEO_MANIFEST_BYTES + 2];
    memset(text, ' ', sizeof(text) - 1);
    memcpy(text, "{" FORMAT ", \"library\": \"x.so\"}", 50);
    text[strcspn(text, "}") + 1] = ' ';
    text[GEO_MANIFEST_BYTES] = '\0';
    names(text, "x.so", 0, "(none)");
    text[GEO_MANIFEST_BYTES] = ' ';
    text_refused(text, "larger than 64 KiB");
}

/* What is no file is not opened: nothing waits for the other end of a pipe. */
static void test_what_is_no_regular_file_is_refused(void **state)
{
    (void)state;
    unlink(path);
    refused("No such file or directory");
    assert_int_equal(mkfifo(path, 0600), 0);
    refused("not a regular file");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    refused("not a regular file");
    rmdir(path);
    static const char *const targets[] = {"/dev/zero", "/dev/tty", "/dev/null"};
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        if (access(targets[i], F_OK) == 0) {
            assert_int_equal(symlink(targets[i], path), 0);
            refused("not a regular file");
            unlink(path);
        }
    }
    assert_int_equal(symlink(path, path), 0);
    refused("Too many levels of symbolic links");
    unlink(path);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    refused("not a regular file");
    close(fd);
    unlink(path);
    /* its size is told as 0, and there is no end of it */
    assert_int_equal(symlink("/proc/self/environ", path), 0);
    refused("line 1");
    unlink(path);
}

static void test_a_file_that_others_may_write_or_nobody_read_is_refused(void **state)
{
    (void)state;
    static const char text[] = "{" FORMAT ", \"library\": \"x.so\"}";
    names(text, "x.so", 0, "(none)");
    assert_int_equal(chmod(path, 0646), 0);
    refused("anybody may write to it");
    assert_int_equal(chmod(path, 0664), 0); /* a group is the user's own choice */
    names(text, "x.so", 0, "(none)");
    if (geteuid() != 0) {
        assert_int_equal(chmod(path, 0200), 0);
        refused("Permission denied");
    }
    unlink(path);
}

static int folder_make(void **state)
{
    (void)state;
    umask(022);
    bool made = mkdtemp(folder) != NULL;
    snprintf(path, sizeof(path), "%s/x.json", folder);
    return made ? 0 : -1;
}

static int folder_remove(void **state)
{
    (void)state;
    geo_candidate_finish(&candidate);
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_manifest_names_a_library),
        cmocka_unit_test(test_unknown_members_are_ignored),
        cmocka_unit_test(test_what_is_missing_or_of_another_type_is_told),
        cmocka_unit_test(test_a_large_file_is_refused),
        cmocka_unit_test(test_what_is_no_regular_file_is_refused),
        cmocka_unit_test(test_a_file_that_others_may_write_or_nobody_read_is_refused),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
