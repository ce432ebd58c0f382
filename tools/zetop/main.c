/* zetop: what the Level Zero devices of this machine do, on a terminal or for programs. Uses the
 * public API only, so it works with any loader and driver.
 *
 *   options     the command line
 *   sampler     finds devices and fills the structures of sample.h (class*.c: by class; process.c)
 *   emit_*      snapshots as text, CSV, JSON, for Prometheus; batch writes several
 *   view        what is shown: keys change it, layout_* draw it on a canvas
 *   screen      ncurses shows the canvas and reads keys */
#include "batch.h"
#include "event.h"
#include "options.h"
#include "sampler.h"
#include "screen.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static int zetop_run(struct sampler *sampler, struct options *options, enum screen_kind kind)
{
    if (options->mode != MODE_SCREEN) {
        return batch_run(sampler, options);
    }
    if (kind == SCREEN_PLAIN) {
        options->mode = MODE_BATCH;
        options->count = 0;
        return batch_run(sampler, options);
    }
    return screen_run(sampler, options->delay);
}

int main(int argc, char **argv)
{
    struct options options;
    struct sampler sampler;
    char why[512];
    int status = 0;
    if (!options_read(&options, argc, argv, &status)) {
        return status;
    }
    setlocale(LC_CTYPE, ""); /* numbers are written as everywhere */
    const enum screen_kind kind = options.mode == MODE_SCREEN ? screen_kind() : SCREEN_PLAIN;
    if (kind == SCREEN_NONE) {
        return 2;
    }
    if (!event_open()) {
        fprintf(stderr, "zetop: cannot create a pipe for signals: %s\n", strerror(errno));
        return 1;
    }
    if (!sampler_open(&sampler, why, sizeof(why))) {
        fprintf(stderr, "zetop: %s; run `zeinfo --why` to see why each driver is not used\n", why);
        status = 1;
    } else {
        status = zetop_run(&sampler, &options, kind);
    }
    sampler_close(&sampler);
    return status;
}
