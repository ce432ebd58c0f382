/* Writing snapshots to standard output, or to a file that is whole at any time. See batch.h. */
#include "batch.h"

#include "emit.h"
#include "event.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool snapshot_write(FILE *to, const struct options *options, const struct snapshot *snapshot)
{
    static bool (*const formats[])(FILE *, const struct snapshot *) = {
        [FORMAT_OF_TEXT] = emit_text, [FORMAT_OF_CSV] = emit_csv, [FORMAT_OF_JSON] = emit_json};
    return options->mode == MODE_PROMETHEUS ? emit_prometheus(to, snapshot)
                                            : formats[options->format](to, snapshot);
}

static bool fails(const char *path)
{
    fprintf(stderr, "zetop: cannot write to %s: %s\n", path,
            errno ? strerror(errno) : "unknown error");
    return false;
}

/* Writes into what is at the path: a device, a pipe, or the file that a link is to name. */
static bool file_fill(const struct options *options, const struct snapshot *snapshot)
{
    FILE *to = fopen(options->output, "we");
    if (!to) {
        return fails(options->output);
    }
    errno = 0;
    bool good = snapshot_write(to, options, snapshot);
    good = fclose(to) == 0 && good;
    return good || fails(options->output);
}

/* Writes beside the file `target` and moves the new file into its place: readers see the snapshot
 * before or this one. It has the rights of a new file, and a name that the collector of
 * node_exporter does not read. */
static bool file_replace(const char *target, const struct options *options,
                         const struct snapshot *snapshot)
{
    char path[PATH_MAX];
    const mode_t mask = umask(0);
    umask(mask);
    if (snprintf(path, sizeof(path), "%s.XXXXXX", target) >= (int)sizeof(path)) {
        errno = ENAMETOOLONG;
        return fails(options->output);
    }
    const int descriptor = mkstemp(path);
    FILE *to = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!to) {
        fails(options->output);
        if (descriptor >= 0) {
            close(descriptor);
            unlink(path);
        }
        return false;
    }
    errno = 0;
    bool good = snapshot_write(to, options, snapshot) && fchmod(descriptor, 0666 & ~mask) == 0;
    good = fclose(to) == 0 && good;
    if (!good || rename(path, target) != 0) {
        fails(options->output);
        unlink(path);
        return false;
    }
    return true;
}

/* Only a regular file is replaced, or a name that nothing has yet; a link to one stays. */
static bool file_write(const struct options *options, const struct snapshot *snapshot)
{
    char target[PATH_MAX];
    struct stat status;
    if (lstat(options->output, &status) != 0) {
        return file_replace(options->output, options, snapshot);
    }
    if (!realpath(options->output, target) || stat(target, &status) != 0 ||
        !S_ISREG(status.st_mode)) {
        return file_fill(options, snapshot);
    }
    return file_replace(target, options, snapshot);
}

/* Prints the errors of drivers, each when it changes and not with each snapshot. */
static void failures_tell(const struct sampler *sampler, char (*told)[DEVICE_FAILURE])
{
    for (size_t i = 0; i < sampler->device_count; i++) {
        const struct device *device = &sampler->devices[i];
        if (*device->failure && strcmp(told[i], device->failure) != 0) {
            fprintf(stderr, "zetop: device %u: %s\n", device->index, device->failure);
        }
        memcpy(told[i], device->failure, DEVICE_FAILURE);
    }
}

static bool snapshots_write(struct sampler *sampler, const struct options *options,
                            char (*told)[DEVICE_FAILURE])
{
    const uint64_t delay = (uint64_t)(options->delay * 1e9);
    uint64_t until = event_now_ns();
    bool good = sampler_take_all(sampler);
    for (uint64_t i = 0; good && (options->count == 0 || i < options->count); i++) {
        until += delay;
        if (event_wait(-1, until) == EVENT_STOP) {
            return true;
        }
        good = sampler_take_all(sampler);
        if (!good) {
            break;
        }
        const struct snapshot snapshot = {sampler->devices, sampler->device_count, event_date_ms(),
                                          i};
        failures_tell(sampler, told);
        errno = 0;
        if (options->output
                ? !file_write(options, &snapshot)
                : !snapshot_write(stdout, options, &snapshot) && !fails("standard output")) {
            return false;
        }
    }
    if (!good) {
        fputs("zetop: out of memory\n", stderr);
    }
    return good;
}

int batch_run(struct sampler *sampler, const struct options *options)
{
    char (*told)[DEVICE_FAILURE] = calloc(sampler->device_count, sizeof(*told));
    if (!told) {
        fputs("zetop: out of memory\n", stderr);
        return 1;
    }
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error, which removes what was begun */
    const bool good = snapshots_write(sampler, options, told);
    free(told);
    return good ? 0 : 1;
}
