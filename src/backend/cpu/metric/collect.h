/* Collections: open streamers and tracers. See backend/metric.h.
 *
 * A streamer's reports are the differences of the device's totals between two times. Totals grow
 * only when work is counted. So whoever comes first takes a report that is due: a thread that is
 * about to count work (geo_meter_turn), a read, or the collector. The collector is a thread that
 * runs while a streamer is started. It wakes for notifications, and rarely besides, because a
 * thread that sleeps for each report costs more than the report. A tracer's events are written by
 * the threads that run the work.
 *
 * One lock protects the list of collections and their rings. A full ring loses nothing of a
 * streamer's sums: the next report covers the missed periods too. */
#ifndef GEO_BACKEND_CPU_METRIC_COLLECT_H
#define GEO_BACKEND_CPU_METRIC_COLLECT_H

#include "backend/cpu/metric/group.h"

struct geo_runner;

/* Reports of a streamer's ring. It has room for twice the reports of one notification. */
#define GEO_CPU_METRIC_REPORTS      4096u
#define GEO_CPU_METRIC_REPORTS_MOST 65536u
#define GEO_CPU_METRIC_EVENTS       65536u
#define GEO_CPU_METRIC_PERIOD_NS    10000u /* shortest period */

/* Implement the operations of struct geo_metric_ops. */
ze_result_t geo_cpu_metric_collect_open(struct geo_backend_device *device,
                                        struct geo_metric_collection_desc *desc,
                                        struct geo_metric_collection **out, struct geo_strbuf *why);
ze_result_t geo_cpu_metric_collect_start(struct geo_metric_collection *collection, bool wait);
ze_result_t geo_cpu_metric_collect_stop(struct geo_metric_collection *collection, bool wait);
ze_result_t geo_cpu_metric_collect_read(struct geo_metric_collection *collection,
                                        uint32_t max_reports, size_t *bytes, uint8_t *data);
void geo_cpu_metric_collect_close(struct geo_metric_collection *collection);

/* (any thread) Ends the current report of a streamer with a marker, or adds an event to a tracer.
 * The collection may be closed already. NULL: marks all collections of the group on the runner's
 * device. */
void geo_cpu_metric_collect_mark(struct geo_metric_collection *collection,
                                 const struct geo_cpu_metric_group *group,
                                 const struct geo_runner *runner, uint32_t value);

/* Hold the lock around fork. In the child nothing is started. */
void geo_cpu_metric_collect_before_fork(void);
void geo_cpu_metric_collect_after_fork(bool child);

#endif
