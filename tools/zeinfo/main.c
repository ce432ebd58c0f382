/* zeinfo: lists the Level Zero drivers and devices of this machine with all their properties, and
 * explains why a driver is missing. Uses the public API only, so it works with any loader. */
#include "check.h"
#include "describe.h"
#include "query.h"
#include "zeinfo.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef GEOID_VERSION
#define GEOID_VERSION "unknown"
#endif

struct options {
    bool list, functions, why, check, json;
    int seconds; /* limit on a part of the check */
};

static const char usage[] =
    "usage: zeinfo [--list | --functions] [--why] [--json]\n"
    "       zeinfo --check [--timeout SECONDS] [--json]\n"
    "Lists the Level Zero drivers and devices of this machine with all their properties.\n"
    "\n"
    "  -l, --list       print one line for each device\n"
    "  -f, --functions  print each function of the API: implemented by the driver, by the\n"
    "                   tracing layer, or not\n"
    "  -w, --why        print every driver library that the loader tried, and what happened to it\n"
    "  -c, --check      check whether everything works that programs need: drivers, kernels,\n"
    "                   compiler, cache, layers, OpenCL, debuggers, counters and limits. Print a\n"
    "                   line for each, and below it what you can do\n"
    "  -t, --timeout SECONDS\n"
    "                   limit on each part of --check, 1 to 3600; default 60\n"
    "  -j, --json       print JSON instead of text\n"
    "  -V, --version    print the version\n"
    "  -h, --help       print this help\n"
    "\n"
    "Exit status: 0 if there is a driver, 1 if no driver is usable or the output fails, and 2 for\n"
    "wrong usage. With --check: 0 if nothing has failed; notes do not count. 1 otherwise.\n";

/* Reports wrong usage. Returns false, which ends the program, with the exit status in *status. */
static bool wrong(int *status, const char *format, const char *value)
{
    fputs("zeinfo: ", stderr);
    fprintf(stderr, format, value);
    fprintf(stderr, "\n%s", usage);
    *status = 2;
    return false;
}

static bool seconds_read(const char *text, int *seconds)
{
    char *end;
    const long number = strtol(text, &end, 10);
    *seconds = (int)number;
    return *text >= '0' && *text <= '9' && *end == '\0' && number >= 1 && number <= 3600;
}

/* Takes one option. Returns false if it ends the program, with the exit status in *status. */
static bool option_take(struct options *options, int option, int *status)
{
    switch (option) {
    case 'l':
        options->list = true;
        return true;
    case 'f':
        options->functions = true;
        return true;
    case 'w':
        options->why = true;
        return true;
    case 'c':
        options->check = true;
        return true;
    case 't':
        return seconds_read(optarg, &options->seconds) ||
               wrong(status, "--timeout '%s' is not a number of seconds from 1 to 3600", optarg);
    case 'j':
        options->json = true;
        return true;
    case 'V':
        printf("zeinfo (Geoid) %s\n", GEOID_VERSION);
        *status = 0;
        return false;
    case 'h':
        fputs(usage, stdout);
        *status = 0;
        return false;
    default:
        fputs(usage, stderr);
        *status = 2;
        return false;
    }
}

/* Reads the arguments. Returns false if they end the program, with the exit status in *status. */
static bool options_read(struct options *options, int argc, char **argv, int *status)
{
    static const struct option names[] = {
        {"list", no_argument, NULL, 'l'},
        {"functions", no_argument, NULL, 'f'},
        {"why", no_argument, NULL, 'w'},
        {"check", no_argument, NULL, 'c'},
        {"timeout", required_argument, NULL, 't'},
        {"json", no_argument, NULL, 'j'},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "lfwct:jVh", names, NULL)) != -1) {
        if (!option_take(options, option, status)) {
            return false;
        }
    }
    if (optind < argc) {
        return wrong(status, "unexpected argument '%s'", argv[optind]);
    }
    if (options->list && options->functions) {
        return wrong(status, "%s cannot be combined", "--list and --functions");
    }
    if (options->check && (options->list || options->functions || options->why)) {
        return wrong(status, "--check cannot be combined with %s", "--list, --functions or --why");
    }
    if (options->seconds && !options->check) {
        return wrong(status, "%s requires --check", "--timeout");
    }
    return true;
}

/* Loaders older than 1.19 lack this function. */
#pragma weak zeInitDrivers

static ze_result_t drivers_get(void *unused, uint32_t *count, void **drivers)
{
    ze_init_driver_type_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_INIT_DRIVER_TYPE_DESC,
                                       .flags = UINT32_MAX};
    (void)unused;
    if (zeInitDrivers) {
        return zeInitDrivers(count, (ze_driver_handle_t *)drivers, &desc);
    }
    ze_result_t result = zeInit(0);
    return result == ZE_RESULT_SUCCESS ? zeDriverGet(count, (ze_driver_handle_t *)drivers) : result;
}

void **drivers_all(uint32_t *count, ze_result_t *result)
{
    return query_handles(drivers_get, NULL, count, result);
}

static void drivers_print(struct emit *emit, const struct options *options, void **drivers,
                          uint32_t count)
{
    emit_begin(emit, "drivers", EMIT_LIST);
    for (uint32_t i = 0; i < count; i++) {
        ze_driver_handle_t driver = (ze_driver_handle_t)drivers[i];
        if (options->functions) {
            emit_begin(emit, NULL, EMIT_OBJECT);
            emit_text(emit, "library", why_driver_path(driver));
            functions_print(emit, driver);
            emit_end(emit);
        } else {
            driver_print(emit, driver, options->list);
        }
    }
    emit_end(emit);
}

int main(int argc, char **argv)
{
    struct options options = {0};
    int status = 0;
    if (!options_read(&options, argc, argv, &status)) {
        return status;
    }
    if (options.check) {
        return check_run(options.json, options.seconds ? options.seconds : 60);
    }
    struct emit *emit = options.json ? emit_json_create() : emit_text_create();
    if (!emit) {
        fputs("zeinfo: out of memory\n", stderr);
        return 1;
    }
    uint32_t count;
    ze_result_t result;
    void **drivers = drivers_all(&count, &result);
    emit_begin(emit, NULL, EMIT_OBJECT);
    if (options.why) {
        why_print(emit);
    }
    if (result != ZE_RESULT_SUCCESS) {
        emit_text(emit, "error", describe_result(result));
    } else if (!options.why || options.list || options.functions) {
        drivers_print(emit, &options, drivers, count);
    }
    emit_end(emit);
    bool written = emit_finish(emit);
    free(drivers);
    if (count == 0) {
        const char *text = why_error_text();
        fprintf(stderr, "zeinfo: no driver: %s%s%s%s\n", describe_result(result), text ? ": " : "",
                text ? text : "",
                options.why ? "" : "; run `zeinfo --why` to see why each driver is not used");
    }
    return count && written ? 0 : 1;
}
