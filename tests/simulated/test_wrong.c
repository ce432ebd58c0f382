/* A description that is wrong: its devices are not there, everything else is, and it is said where
 * it is wrong. */
#include "simulated.h"

#include <stdlib.h>
#include <unistd.h>

static void what_is_wrong_is_told(void **unused)
{
    zes_driver_handle_t drivers[4];
    uint32_t count = 4;
    const char *text = NULL;
    char name[] = "/tmp/simulated-XXXXXX", log[1024] = "";
    (void)unused;
    const int file = mkstemp(name), before = dup(STDERR_FILENO);
    assert_true(file >= 0 && before >= 0);
    unlink(name);
    dup2(file, STDERR_FILENO);
    const ze_result_t init = zesInit(0), result = zesDriverGet(&count, drivers);
    dup2(before, STDERR_FILENO);
    close(before);
    assert_success(init);
    assert_success(result);
    assert_true(count >= 1);
    assert_success(zeDriverGetLastErrorDescription((ze_driver_handle_t)drivers[0], &text));
    assert_non_null(strstr(text, "wrong.json:4: devices[0].fan[0]: unknown key \"colour\""));
    assert_null(simulated_driver());
    assert_true(pread(file, log, sizeof(log) - 1, 0) > 0);
    char *line = strstr(log, "simulated: error: ");
    assert_non_null(line);
    assert_non_null(strstr(line, "wrong.json:4: devices[0].fan[0]: unknown key \"colour\"\n"));
    assert_null(strstr(line + 1, "simulated: error: ")); /* once */
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_wrong_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
