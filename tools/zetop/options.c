/* Reads the command line. See options.h. */
#include "options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef GEOID_VERSION
#define GEOID_VERSION "unknown"
#endif

static const char usage[] =
    "usage: zetop [--delay SECONDS]\n"
    "       zetop --batch [--format text|csv|json] [--count COUNT] [--delay SECONDS]\n"
    "       zetop --prometheus [--output FILE] [--count COUNT] [--delay SECONDS]\n";

static const char help[] =
    "Shows what Level Zero devices do: engines, memory, power, frequencies,\n"
    "temperatures, fans, errors, and the processes that use the devices. The values\n"
    "come from sysman, the part of the API for managing devices. Any driver works. A\n"
    "value that a driver does not know is \"-\" or left out. Simulated devices are\n"
    "marked (sim).\n"
    "\n"
    "  -d, --delay SECONDS  time between snapshots, 0.1 to 3600; default 1. With\n"
    "                       --batch and --prometheus, 0 means as fast as possible\n"
    "  -b, --batch          write snapshots to standard output, without a screen\n"
    "  -f, --format FORMAT  form of --batch: text, csv (one line per value) or json\n"
    "                       (one object per snapshot, on one line); default text\n"
    "  -p, --prometheus     write a snapshot in the text format of Prometheus\n"
    "  -o, --output FILE    with --prometheus: replace FILE by each snapshot, for the\n"
    "                       textfile collector of node_exporter. Readers always find\n"
    "                       a complete file\n"
    "  -n, --count COUNT    number of snapshots; default 1; 0: until zetop is stopped\n"
    "  -V, --version        print the version\n"
    "  -h, --help           print this help\n"
    "\n"
    "Utilisation, power and rates are differences between two snapshots. Therefore\n"
    "zetop reads all values once and waits one delay before the first snapshot.\n"
    "\n"
    "The key h shows all keys. The key q and the signals INT, TERM and HUP end zetop.\n"
    "The screen has no colours if NO_COLOR is set or the terminal lacks colours. A\n"
    "terminal that cannot place its cursor (TERM=dumb) gets the text of --batch.\n"
    "\n"
    "Exit status: 0, 1 if no device is found or the output fails, 2 for wrong usage.\n"
    "If a driver refuses a value, for example because of missing rights, its text is\n"
    "printed to standard error. The exit status stays 0.\n";

static bool ends(int *status, int with)
{
    *status = with;
    return false;
}

/* Reports an option, its value and the rule that it breaks. */
static bool wrong(const char *option, const char *value, const char *rule, int *status)
{
    fprintf(stderr, "zetop: %s '%s': %s\n%s", option, value, rule, usage);
    return ends(status, 2);
}

static bool unfit(const char *problem, int *status)
{
    fprintf(stderr, "zetop: %s\n%s", problem, usage);
    return ends(status, 2);
}

static bool count_read(const char *text, uint64_t *count)
{
    char *end;
    *count = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && *count <= UINT32_MAX;
}

static bool delay_read(const char *text, double *delay)
{
    char *end;
    *delay = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*delay) && *delay >= 0 && *delay <= 3600;
}

static bool format_read(const char *text, enum format *format)
{
    static const char *const names[] = {
        [FORMAT_OF_TEXT] = "text", [FORMAT_OF_CSV] = "csv", [FORMAT_OF_JSON] = "json"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(text, names[i]) == 0) {
            *format = (enum format)i;
            return true;
        }
    }
    return false;
}

/* Options that are given and that only some modes permit. */
struct given {
    bool batch, prometheus, format, count;
};

static bool option_take(struct options *options, struct given *given, int option, int *status)
{
    switch (option) {
    case 'd':
        return delay_read(optarg, &options->delay) ||
               wrong("--delay", optarg, "must be a number of seconds from 0 to 3600", status);
    case 'b':
        given->batch = true;
        options->mode = MODE_BATCH;
        return true;
    case 'f':
        given->format = true;
        return format_read(optarg, &options->format) ||
               wrong("--format", optarg, "must be text, csv or json", status);
    case 'p':
        given->prometheus = true;
        options->mode = MODE_PROMETHEUS;
        return true;
    case 'o':
        options->output = optarg;
        return true;
    case 'n':
        given->count = true;
        return count_read(optarg, &options->count) ||
               wrong("--count", optarg, "must be a whole number from 0 to 4294967295", status);
    case 'V':
        printf("zetop (Geoid) %s\n", GEOID_VERSION);
        return ends(status, 0);
    case 'h':
        printf("%s\n%s", usage, help);
        return ends(status, 0);
    default:
        fputs(usage, stderr);
        return ends(status, 2);
    }
}

static bool combination_check(const struct options *options, const struct given *given, int *status)
{
    if (given->batch && given->prometheus) {
        return unfit("--batch and --prometheus cannot be combined", status);
    }
    if (given->format && !given->batch) {
        return unfit("--format requires --batch", status);
    }
    if (options->output && !given->prometheus) {
        return unfit("--output requires --prometheus", status);
    }
    if (given->count && options->mode == MODE_SCREEN) {
        return unfit("--count requires --batch or --prometheus", status);
    }
    if (options->mode == MODE_SCREEN && options->delay < 0.1) {
        return unfit("--delay must be at least 0.1 seconds for the screen", status);
    }
    return true;
}

bool options_read(struct options *options, int argc, char **argv, int *status)
{
    static const struct option names[] = {
        {"delay", required_argument, NULL, 'd'},
        {"batch", no_argument, NULL, 'b'},
        {"format", required_argument, NULL, 'f'},
        {"prometheus", no_argument, NULL, 'p'},
        {"output", required_argument, NULL, 'o'},
        {"count", required_argument, NULL, 'n'},
        {"version", no_argument, NULL, 'V'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct given given = {false};
    int option;
    *options = (struct options){.count = 1, .delay = 1};
    while ((option = getopt_long(argc, argv, "d:bf:po:n:Vh", names, NULL)) != -1) {
        if (!option_take(options, &given, option, status)) {
            return false;
        }
    }
    if (optind < argc) {
        return wrong("argument", argv[optind], "zetop takes options only", status);
    }
    return combination_check(options, &given, status);
}
