/* Numbers of kernels, and SVG. See roofline.h.
 *
 *     operations
 *     per second   ____________________________  peak of single, double
 *          |      /  .  /   .   /
 *          |     / L1  / L2    / memory             . a kernel
 *          |    /     /       /
 *          +----------------------------------- operations per byte
 *
 * Both axes are logarithmic. Bytes are those that work-items ask for, whatever cache they come
 * from, so each line is a limit for kernels whose data is there. */
#include "roofline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The picture in pixels. */
enum { WIDTH = 900, HEIGHT = 560, LEFT = 80, RIGHT = 190, TOP = 60, BOTTOM = 70 };
enum { LABEL_WIDTH = 110, LABEL_HEIGHT = 13 };

struct kernel {
    char *name;
    uint64_t runs, ns;   /* of the run that was not measured */
    uint64_t measured;   /* launches of the other run */
    double flops, bytes; /* of these */
    double label_x, label_y;
};

struct roofline {
    struct kernel *kernels;
    size_t count;
    bool failed; /* memory */
};

struct roofline *roofline_create(void)
{
    return calloc(1, sizeof(struct roofline));
}

void roofline_destroy(struct roofline *roofline)
{
    for (size_t i = 0; roofline && i < roofline->count; i++) {
        free(roofline->kernels[i].name);
    }
    if (roofline) {
        free(roofline->kernels);
        free(roofline);
    }
}

/* Returns the kernel of a name, which may be new. */
static struct kernel *kernel_get(struct roofline *roofline, const char *name)
{
    size_t i = 0;
    while (i < roofline->count && strcmp(roofline->kernels[i].name, name) != 0) {
        i++;
    }
    if (i < roofline->count) {
        return &roofline->kernels[i];
    }
    struct kernel *larger = realloc(roofline->kernels, (i + 1) * sizeof(*larger));
    char *copy = strdup(name);
    roofline->kernels = larger ? larger : roofline->kernels;
    if (!larger || !copy) {
        free(copy);
        roofline->failed = true;
        return NULL;
    }
    larger[i] = (struct kernel){.name = copy};
    roofline->count++;
    return &larger[i];
}

static void time_take(void *user, const char *name, uint64_t count, uint64_t ns)
{
    struct kernel *kernel = kernel_get(user, name);
    if (kernel) {
        kernel->runs += count;
        kernel->ns += ns;
    }
}

void roofline_time(struct roofline *roofline, const struct trace_summary *summary)
{
    trace_summary_kernels(summary, time_take, roofline);
}

static void operations_take(void *user, const struct trace_metric *metric)
{
    struct kernel *kernel = kernel_get(user, metric->of);
    if (!kernel) {
        return;
    }
    if (strcmp(metric->name, "FloatOperations") == 0) {
        kernel->flops += metric->total;
    } else if (strcmp(metric->name, "ReadBytes") == 0 ||
               strcmp(metric->name, "WrittenBytes") == 0 ||
               strcmp(metric->name, "LocalBytes") == 0) {
        kernel->bytes += metric->total;
    } else if (strcmp(metric->name, "CountedKernels") == 0) {
        kernel->measured += (uint64_t)metric->total;
    }
}

void roofline_operations(struct roofline *roofline, struct trace_metrics *metrics)
{
    trace_metrics_visit(metrics, operations_take, roofline);
}

/* --- numbers --- */

static bool kernel_is_shown(const struct kernel *kernel)
{
    return kernel->flops > 0 && kernel->bytes > 0 && kernel->ns > 0 && kernel->measured > 0;
}

/* Operations per byte. */
static double intensity(const struct kernel *kernel)
{
    return kernel->flops / kernel->bytes;
}

/* Operations per second, with the times of the run that was not measured. */
static double rate(const struct kernel *kernel)
{
    return kernel->flops / (double)kernel->measured * (double)kernel->runs * 1e9 /
           (double)kernel->ns;
}

/* --- the picture --- */

struct picture {
    FILE *to;
    double least_x, most_x, least_y, most_y;
};

static double x_of(const struct picture *picture, double value)
{
    return LEFT + log2(value / picture->least_x) / log2(picture->most_x / picture->least_x) *
                      (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct picture *picture, double value)
{
    return HEIGHT - BOTTOM -
           log2(value / picture->least_y) / log2(picture->most_y / picture->least_y) *
               (HEIGHT - TOP - BOTTOM);
}

/* Writes a text that is turned around its position by some degrees. */
static void text_turn(const struct picture *picture, double x, double y, const char *anchor,
                      double degrees, const char *text)
{
    fprintf(picture->to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, anchor);
    if (degrees != 0) {
        fprintf(picture->to, " transform=\"rotate(%.1f %.1f %.1f)\"", degrees, x, y);
    }
    putc('>', picture->to);
    for (const char *c = text; *c; c++) {
        fputs(*c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : "", picture->to);
        if (!strchr("<>&", *c) && (unsigned char)*c >= 0x20) {
            putc(*c, picture->to);
        }
    }
    fputs("</text>\n", picture->to);
}

static void text_write(const struct picture *picture, double x, double y, const char *anchor,
                       const char *text)
{
    text_turn(picture, x, y, anchor, 0, text);
}

static void line_write(const struct picture *picture, double x, double y, double end_x,
                       double end_y, const char *look)
{
    fprintf(picture->to, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x, y,
            end_x, end_y, look);
}

static void range_find(struct picture *picture, const struct roofline *roofline,
                       const struct peaks *peaks)
{
    *picture = (struct picture){.to = picture->to,
                                .least_x = 1.0 / 16,
                                .most_x = 64,
                                .least_y = peaks->memory_bytes / 16,
                                .most_y = peaks->single_flops * 2};
    for (size_t i = 0; i < roofline->count; i++) {
        const struct kernel *kernel = &roofline->kernels[i];
        if (kernel_is_shown(kernel)) {
            picture->least_x = fmin(picture->least_x, intensity(kernel) / 2);
            picture->most_x = fmax(picture->most_x, intensity(kernel) * 2);
            picture->least_y = fmin(picture->least_y, rate(kernel) / 2);
            picture->most_y = fmax(picture->most_y, rate(kernel) * 2);
        }
    }
    picture->least_x = exp2(floor(log2(picture->least_x)));
    picture->most_x = exp2(ceil(log2(picture->most_x)));
    picture->least_y = pow(10, floor(log10(picture->least_y)));
    picture->most_y = pow(10, ceil(log10(picture->most_y)));
}

static void axes_write(const struct picture *picture)
{
    char text[64];
    const int columns = (int)lround(log2(picture->most_x / picture->least_x));
    const int rows = (int)lround(log10(picture->most_y / picture->least_y));
    for (int i = 0; i <= columns; i++) {
        const double x = picture->least_x * exp2(i);
        const double at = x_of(picture, x);
        line_write(picture, at, TOP, at, HEIGHT - BOTTOM, "stroke=\"#ddd\"");
        if (x < 1) {
            snprintf(text, sizeof(text), "1/%.0f", 1 / x);
        } else {
            snprintf(text, sizeof(text), "%.0f", x);
        }
        text_write(picture, at, HEIGHT - BOTTOM + 18, "middle", text);
    }
    for (int i = 0; i <= rows; i++) {
        const double y = picture->least_y * pow(10, i);
        const double at = y_of(picture, y);
        line_write(picture, LEFT, at, WIDTH - RIGHT, at, "stroke=\"#ddd\"");
        snprintf(text, sizeof(text), "%g", y / 1e9);
        text_write(picture, LEFT - 8, at + 4, "end", text);
    }
    text_write(picture, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - BOTTOM + 44, "middle",
               "operations on floats per byte");
    text_write(picture, LEFT - 60, TOP - 14, "start", "10^9 operations on floats per second");
}

/* Draws a bandwidth up to where it meets the peak. */
static void slope_write(const struct picture *picture, const char *name, double bytes, double peak)
{
    char text[128];
    const double begin = fmax(picture->least_x, picture->least_y / bytes);
    const double end = fmin(picture->most_x, peak / bytes);
    if (begin < end) {
        const double x = x_of(picture, begin), y = y_of(picture, begin * bytes);
        const double dx = x_of(picture, end) - x, dy = y_of(picture, end * bytes) - y;
        line_write(picture, x, y, x + dx, y + dy, "stroke=\"#26a\"");
        snprintf(text, sizeof(text), "%s %.0f GB/s", name, bytes / 1e9);
        text_turn(picture, x + 0.98 * dx - 4, y + 0.98 * dy - 3, "end",
                  atan2(dy, dx) * 180 / 3.14159265, text);
    }
}

/* Draws a peak from where the fastest memory reaches it. */
static void peak_write(const struct picture *picture, const char *name, double flops, double bytes)
{
    char text[128];
    const double begin = fmax(picture->least_x, flops / bytes);
    line_write(picture, x_of(picture, begin), y_of(picture, flops), WIDTH - RIGHT,
               y_of(picture, flops), "stroke=\"#a22\"");
    snprintf(text, sizeof(text), "%s %.1f", name, flops / 1e9);
    text_write(picture, WIDTH - RIGHT + 6, y_of(picture, flops) + 4, "start", text);
}

/* Draws a kernel. Its name moves down while it would cover that of an earlier kernel. */
static void kernel_write(const struct picture *picture, struct roofline *roofline, size_t number)
{
    struct kernel *kernel = &roofline->kernels[number];
    const double x = x_of(picture, intensity(kernel)), y = y_of(picture, rate(kernel));
    kernel->label_x = x + 8;
    kernel->label_y = y + 4;
    for (size_t i = 0; i < number; i++) {
        const struct kernel *other = &roofline->kernels[i];
        if (kernel_is_shown(other) && fabs(other->label_x - kernel->label_x) < LABEL_WIDTH &&
            fabs(other->label_y - kernel->label_y) < LABEL_HEIGHT) {
            kernel->label_y = other->label_y + LABEL_HEIGHT;
            i = SIZE_MAX; /* compare with all again */
        }
    }
    fprintf(picture->to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#262\"/>\n", x, y);
    text_write(picture, kernel->label_x, kernel->label_y, "start", kernel->name);
}

static void picture_write(FILE *to, struct roofline *roofline, const struct peaks *peaks)
{
    struct picture picture = {.to = to};
    char text[256];
    range_find(&picture, roofline, peaks);
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    snprintf(text, sizeof(text), "Kernels below the limits of %u processors", peaks->threads);
    text_write(&picture, WIDTH / 2.0, 24, "middle", text);
    axes_write(&picture);
    slope_write(&picture, "first cache", peaks->first_bytes, peaks->single_flops);
    slope_write(&picture, "second cache", peaks->second_bytes, peaks->single_flops);
    slope_write(&picture, "memory", peaks->memory_bytes, peaks->single_flops);
    peak_write(&picture, "32 bits, fused:", peaks->single_flops, peaks->first_bytes);
    peak_write(&picture, "64 bits, fused:", peaks->double_flops, peaks->first_bytes);
    for (size_t i = 0; i < roofline->count; i++) {
        if (kernel_is_shown(&roofline->kernels[i])) {
            kernel_write(&picture, roofline, i);
        }
    }
    fputs("</svg>\n", to);
}

/* --- the table --- */

static void table_write(FILE *to, const struct roofline *roofline, const struct peaks *peaks)
{
    fprintf(to,
            "\nlimits of %u processors: %.1f (32 bits), %.1f (64 bits) 10^9 operations/s; first "
            "cache %.0f, second cache %.0f, memory %.1f GB/s\n",
            peaks->threads, peaks->single_flops / 1e9, peaks->double_flops / 1e9,
            peaks->first_bytes / 1e9, peaks->second_bytes / 1e9, peaks->memory_bytes / 1e9);
    fprintf(to, "%-44s %16s %16s %20s %20s\n", "roofline", "operations", "bytes", "operations/byte",
            "10^9 operations/s");
    for (size_t i = 0; i < roofline->count; i++) {
        const struct kernel *kernel = &roofline->kernels[i];
        if (kernel_is_shown(kernel)) {
            fprintf(to, "%-44s %16.0f %16.0f %20.3f %20.3f\n", kernel->name,
                    kernel->flops / (double)kernel->measured,
                    kernel->bytes / (double)kernel->measured, intensity(kernel),
                    rate(kernel) / 1e9);
        } else {
            fprintf(to, "%-44s %s\n", kernel->name,
                    kernel->measured == 0 ? "was not counted"
                    : kernel->ns == 0     ? "has no time"
                                          : "has no operations on floats, or no accesses");
        }
    }
}

bool roofline_write(struct roofline *roofline, const struct peaks *peaks, const char *path,
                    FILE *table)
{
    bool any = false;
    for (size_t i = 0; i < roofline->count; i++) {
        any |= kernel_is_shown(&roofline->kernels[i]);
    }
    if (table) {
        table_write(table, roofline, peaks);
    }
    if (roofline->failed || !any) {
        fprintf(stderr, "zetrace: no picture: %s\n",
                roofline->failed ? "out of memory" : "no kernel has operations on floats");
        return false;
    }
    FILE *to = fopen(path, "we");
    if (to) {
        picture_write(to, roofline, peaks);
    }
    if (!to || ferror(to) || fclose(to) != 0) {
        fprintf(stderr, "zetrace: cannot write %s: %s\n", path, strerror(errno));
        return false;
    }
    return true;
}
