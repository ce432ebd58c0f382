/* Fixture of the tests of the CPU's metrics: a device with four workers, kernels whose work is
 * known, queries, and streamers whose reports are added up. */
#ifndef METRIC_FIXTURE_H
#define METRIC_FIXTURE_H

#include "support.h"

#include "backend/cpu/metric/report.h"
#include "backend/metric.h"

#define ITEMS          20u
#define WIDTH          8u
#define PAGES          64u
#define EXECUTOR_BYTES (sizeof(struct geo_cpu_metric_report) + GEO_COUNT_THREAD * 8)

#define QUERY  ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED
#define TIMED  ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED
#define TRACER ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EXP_TRACER_BASED

extern struct fixture cpu;
extern const struct geo_metric_ops *metric;
extern struct test_kernel kernel; /* each group takes some time */

/* Opens the device. */
int metric_setup(void **state);

/* ---- groups ---- */

/* Finds a group by its name and sampling type. */
const struct geo_metric_group *group_get(const char *name, uint32_t sampling);
/* Makes a group the active one; NULL: none. */
void activate(const struct geo_metric_group *group);
/* Returns the value of a metric of the first of some reports. */
double value_of(const struct geo_metric_group *group, const char *name, const void *data,
                size_t bytes);

/* ---- records and queries ---- */

struct query {
    struct geo_metric_slot *slot;
    const struct geo_metric_group *group;
};

struct query query_make(const struct geo_metric_group *group);
void record_add(struct test_batch *batch, const struct query *query, uint32_t what);
void mark_add(struct test_batch *batch, const struct geo_metric_group *group,
              struct geo_metric_collection *collection, uint32_t value);
void launch_add(struct test_batch *batch, uint32_t groups);
/* Runs launches of 50 groups, one after the other. */
void work_run(struct geo_backend_stream *stream, uint32_t launches);
double query_value(const struct query *query, const char *name);
/* Runs a query around `groups` groups, with other launches before and behind. */
void query_run(struct geo_backend_stream *stream, const struct query *query, uint32_t groups);

/* ---- streamers ---- */

/* Opens and starts. */
struct geo_metric_collection *collection_open(struct geo_metric_collection_desc *desc);
struct geo_metric_collection *streamer_open(const struct geo_metric_group *group,
                                            uint32_t period_ns);

/* Sums of the values in the reports of a streamer. */
struct sums {
    uint64_t reports, kernels, items, missed, first_begin, last_end;
    uint32_t marker; /* the last one */
};

/* Reads all reports, and checks that each begins where the one before has ended. */
ze_result_t reports_read(struct geo_metric_collection *streamer, struct sums *sums);
/* Reads until the reports cover all work so far. */
void reports_read_all(const struct geo_metric_group *group, struct geo_metric_collection *streamer,
                      struct sums *sums);

#endif
