/* The table of metrics: for each kernel, or each device that was sampled, one line for each metric. */
#include "trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct line {
    const char *of, *metric; /* texts that are the same have the same address */
    uint64_t count, ns;
    double total, weighted, weight, least, most;
};

struct trace_metrics {
    struct line *lines;
    size_t count, room;
    size_t next; /* where the next value is likely to belong */
    uint64_t unmeasured, lost;
    bool samples;
    bool failed; /* memory */
};

struct trace_metrics *trace_metrics_create(void)
{
    return calloc(1, sizeof(struct trace_metrics));
}

void trace_metrics_destroy(struct trace_metrics *metrics)
{
    if (metrics) {
        free(metrics->lines);
        free(metrics);
    }
}

static bool line_is(const struct line *line, const char *of, const char *metric)
{
    return line->of == of && line->metric == metric;
}

/* Values come in the order of their metrics, so the line behind the last one is tried first. */
static struct line *line_find(struct trace_metrics *metrics, const char *of, const char *metric)
{
    size_t i = metrics->next;
    if (i >= metrics->count || !line_is(&metrics->lines[i], of, metric)) {
        for (i = 0; i < metrics->count && !line_is(&metrics->lines[i], of, metric);) {
            i++;
        }
    }
    if (i == metrics->room) {
        const size_t room = metrics->room ? 2 * metrics->room : 64;
        struct line *larger = realloc(metrics->lines, room * sizeof(*larger));
        if (!larger) {
            metrics->failed = true;
            return NULL;
        }
        metrics->lines = larger;
        metrics->room = room;
    }
    if (i == metrics->count) {
        metrics->lines[metrics->count++] =
            (struct line){.of = of, .metric = metric, .least = INFINITY, .most = -INFINITY};
    }
    metrics->next = i + 1;
    return &metrics->lines[i];
}

void trace_metrics_value(struct trace_metrics *metrics, const struct trace_value *value)
{
    const uint64_t ns = value->end - value->begin;
    const double weight = ns > 0 ? (double)ns : 1;
    struct line *line =
        line_find(metrics, value->kernel ? value->kernel : value->device, value->metric);
    if (line) {
        line->count++;
        line->ns += ns;
        line->total += value->value;
        line->weighted += weight * value->value;
        line->weight += weight;
        line->least = fmin(line->least, value->value);
        line->most = fmax(line->most, value->value);
    }
    metrics->samples |= !value->kernel;
}

void trace_metrics_incomplete(struct trace_metrics *metrics, uint32_t unmeasured, uint32_t lost)
{
    metrics->unmeasured += unmeasured;
    metrics->lost += lost;
}

/* Brings the lines of one kernel or device together, in the order of their first values. */
static void lines_order(struct trace_metrics *metrics)
{
    for (size_t i = 0, end; i < metrics->count; i = end) {
        const char *of = metrics->lines[i].of;
        end = i + 1;
        for (size_t j = i + 1; j < metrics->count; j++) {
            if (metrics->lines[j].of == of) {
                const struct line line = metrics->lines[j];
                memmove(&metrics->lines[end + 1], &metrics->lines[end], (j - end) * sizeof(line));
                metrics->lines[end++] = line;
            }
        }
    }
}

void trace_metrics_visit(struct trace_metrics *metrics,
                         void (*visit)(void *user, const struct trace_metric *metric), void *user)
{
    lines_order(metrics);
    for (size_t i = 0; i < metrics->count; i++) {
        const struct line *line = &metrics->lines[i];
        const char *tab = strchr(line->metric, '\t');
        char unit[400];
        snprintf(unit, sizeof(unit), "%.*s", tab ? (int)(tab - line->metric - 1) : 0,
                 line->metric + (tab ? 1 : 0));
        const bool sums = *line->metric == ZETRACE_SUM;
        visit(user, &(struct trace_metric){.name = tab ? tab + 1 : line->metric,
                                           .unit = unit,
                                           .of = line->of,
                                           .sums = sums,
                                           .count = line->count,
                                           .total = line->total,
                                           .mean = sums ? line->total / (double)line->count
                                                        : line->weighted / line->weight,
                                           .least = line->least,
                                           .most = line->most,
                                           .ns = line->ns});
    }
}

/* --- the table --- */

struct table {
    FILE *to;
    const char *of; /* whose lines were written last */
};

/* Writes a number so that counts are exact. */
static void number_write(FILE *to, double number)
{
    if (number == floor(number) && fabs(number) < 1e15) {
        fprintf(to, " %15.0f", number);
    } else {
        fprintf(to, fabs(number) < 1e9 ? " %15.3f" : " %15.6g", number);
    }
}

static void metric_write(void *user, const struct trace_metric *metric)
{
    struct table *table = user;
    if (metric->of != table->of) {
        fprintf(table->to, "%s (%llu, %.1f us)\n", metric->of, (unsigned long long)metric->count,
                (double)metric->ns / 1000);
        table->of = metric->of;
    }
    fprintf(table->to, "  %-28s", metric->name);
    if (metric->sums) {
        number_write(table->to, metric->total);
    } else {
        fprintf(table->to, " %15s", "");
    }
    number_write(table->to, metric->mean);
    number_write(table->to, metric->least);
    number_write(table->to, metric->most);
    fprintf(table->to, "  %s\n", metric->unit);
}

bool trace_metrics_write(struct trace_metrics *metrics, FILE *to)
{
    struct table table = {.to = to};
    if (metrics->count > 0) {
        fprintf(to, "\n%-30s %15s %15s %15s %15s  unit\n",
                metrics->samples ? "metrics of devices" : "metrics of kernels", "total", "mean",
                "min", "max");
        trace_metrics_visit(metrics, metric_write, &table);
    }
    if (metrics->unmeasured > 0) {
        fprintf(to, "\n%llu kernels without metrics\n", (unsigned long long)metrics->unmeasured);
    }
    if (metrics->lost > 0) {
        fprintf(
            to,
            "\nthe memory for samples was full %llu times: samples are missing or cover several "
            "intervals; --metrics-interval with a longer time helps\n",
            (unsigned long long)metrics->lost);
    }
    if (metrics->failed) {
        fprintf(stderr, "zetrace: out of memory: the table of metrics is incomplete\n");
    }
    return !metrics->failed && !ferror(to);
}
