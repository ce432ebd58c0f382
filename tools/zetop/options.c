/* The command line. See options.h. */
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
    "usage: zetop [-d SECONDS]\n"
    "       zetop --batch [--format text|csv|json] [-n COUNT] [-d SECONDS]\n"
    "       zetop --prometheus [--output FILE] [-n COUNT] [-d SECONDS]\n";

static const char help[] =
    "Shows what the devices of Level Zero do: engines, memory, power, frequencies,\n"
    "temperatures, fans, errors, and the processes that use them. Values come from\n"
    "sysman, the API's part for administrators, of any driver. What a driver does not\n"
    "know is \"-\" or left out; what it simulates is marked (sim).\n"
    "\n"
    "  -d, --delay SECONDS  time between snapshots, 0.1 to 3600 (1); 0 for --batch\n"
    "                       and --prometheus: as fast as can be\n"
    "  -b, --batch          writes snapshots to standard output, without a screen\n"
    "  -f, --format FORMAT  of --batch: text, csv (a line for each value) or json (an\n"
    "                       object for each snapshot, on one line)\n"
    "  -p, --prometheus     writes a snapshot in Prometheus' text format\n"
    "  -o, --output FILE    of --prometheus: replaces the file, whole at any time, for\n"
    "                       the textfile collector of node_exporter\n"
    "  -n, --count COUNT    of snapshots to write (1); 0: until it is ended\n"
    "  -V, --version        print the version\n"
    "  -h, --help           print this help\n"
    "\n"
    "Utilisation, power and rates are differences between two snapshots: before the\n"
    "first that is written, one is taken and a delay waited.\n"
    "\n"
    "Keys: h shows them. q, or the signals INT, TERM and HUP, end zetop.\n"
    "NO_COLOR in the environment, or a terminal without colours: none are used.\n"
    "A terminal that cannot place its cursor (TERM=dumb) gets the text of --batch.\n"
    "\n"
    "Exit status: 0, 1 when there is no device or output fails, 2 for wrong usage.\n"
    "What was refused, for instance for want of rights, is told on standard error in\n"
    "the driver's words, and does not change the exit status.\n";

static bool ends(int *status, int with)
{
    *status = with;
    return false;
}

static bool wrong(const char *what, const char *value, int *status)
{
    fprintf(stderr, "zetop: %s: %s\n%s", what, value, usage);
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

/* What only some of the modes have. */
struct given {
    bool batch, prometheus, format, count;
};

static bool option_take(struct options *options, struct given *given, int option, int *status)
{
    switch (option) {
    case 'd':
        return delay_read(optarg, &options->delay) || wrong("delay", optarg, status);
    case 'b':
        given->batch = true;
        options->mode = MODE_BATCH;
        return true;
    case 'f':
        given->format = true;
        return format_read(optarg, &options->format) || wrong("format", optarg, status);
    case 'p':
        given->prometheus = true;
        options->mode = MODE_PROMETHEUS;
        return true;
    case 'o':
        options->output = optarg;
        return true;
    case 'n':
        given->count = true;
        return count_read(optarg, &options->count) || wrong("count", optarg, status);
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
        return wrong("what is this", argv[optind], status);
    }
    if ((given.batch && given.prometheus) || (given.format && !given.batch) ||
        (options->output && !given.prometheus) || (given.count && options->mode == MODE_SCREEN)) {
        fputs("zetop: these options do not go together\n", stderr);
        fputs(usage, stderr);
        return ends(status, 2);
    }
    if (options->mode == MODE_SCREEN && options->delay < 0.1) {
        return wrong("delay", "at least 0.1 seconds for a screen", status);
    }
    return true;
}
