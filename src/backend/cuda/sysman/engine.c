/* Engines: the multiprocessors as one group, and the video encoders and decoders.
 *
 * NVML has no counters of active time, but a history of samples. Each sample is the share of the
 * time since the previous sample in which the engines were busy. The counters are computed from the
 * samples at each query:
 *
 *     samples      |--20 %--|--50 %--|--50 %--|        (gap)        |--10 %--|
 *     active time    + 0.2 t  + 0.5 t  + 0.5 t                        + 0.1 t
 *     timestamp      + t      + t      + t                            + t
 *
 * The history covers some seconds. Nothing is known about a longer gap between two queries, so the
 * timestamp, which is only compared with itself, does not advance in a gap. Active time divided by
 * timestamp is the share of the observed time. Both stand still until NVML has a new sample. */
#include "backend/cuda/sysman/sysman.h"
#include "base/fork.h"

#include <pthread.h>
#include <stdlib.h>

enum { MOST_SAMPLES = 4096 };

struct engine {
    struct geo_sysman_engine engine; /* first */
    int samples;
    /* protected by counts_lock */
    uint64_t last_us;                /* time of the last counted sample; 0: none */
    uint64_t period_us;              /* last seen time between samples */
    uint64_t seen_us, active_100_us; /* counted time, and active time in hundredths */
};

/* protects the counts of all engines */
static pthread_mutex_t counts_lock = PTHREAD_MUTEX_INITIALIZER;

static void fork_prepare(void)
{
    pthread_mutex_lock(&counts_lock);
}

static void fork_release(void)
{
    pthread_mutex_unlock(&counts_lock);
}

static struct geo_fork_handler counts_fork = {
    .order = GEO_FORK_NVML_COUNTS,
    .prepare = fork_prepare,
    .parent = fork_release,
    .child = fork_release,
};
GEO_FORK_AT_LOAD(counts_fork)

/* ---- counting ---- */

static int sample_compare(const void *a, const void *b)
{
    const geo_nvml_sample *left = a, *right = b;
    return (left->time_us > right->time_us) - (left->time_us < right->time_us);
}

static void sample_count(struct engine *engine, const geo_nvml_sample *sample, bool follows)
{
    const uint64_t percent = sample->value.ui < 100 ? sample->value.ui : 100;
    uint64_t span = sample->time_us - engine->last_us;
    if (!follows && span > engine->period_us) {
        span = engine->period_us; /* the time before it was not observed */
    }
    engine->seen_us += span;
    engine->active_100_us += span * percent;
    engine->last_us = sample->time_us;
}

/* Counts the samples that are newer than the last counted one. `samples` is the whole history, in
 * order. */
static void samples_count(struct engine *engine, const geo_nvml_sample *samples, unsigned count)
{
    bool follows = count == 0 || samples[0].time_us <= engine->last_us;
    for (unsigned i = 0; i < count; i++) {
        if (i > 0 && samples[i - 1].time_us > 0) {
            engine->period_us = samples[i].time_us - samples[i - 1].time_us;
        } else if (count > 1) {
            engine->period_us = samples[1].time_us - samples[0].time_us;
        }
        if (samples[i].time_us > engine->last_us) {
            sample_count(engine, &samples[i], follows);
            follows = true;
        }
    }
}

/* Reads and counts the history. At the first query, counting starts with the newest sample. */
static ze_result_t history_count(struct engine *engine, geo_nvml_sample *samples,
                                 struct geo_strbuf *why)
{
    const struct geo_sysman *sysman = engine->engine.base.sysman;
    unsigned count = MOST_SAMPLES;
    int type = GEO_NVML_VALUE_UINT;
    int code = GEO_NVML(sysman->nvml, DeviceGetSamples, sysman->device->handle, engine->samples, 0,
                        &type, &count, samples);
    if (code == GEO_NVML_NOT_FOUND) { /* no samples yet */
        return ZE_RESULT_SUCCESS;
    }
    if (code == GEO_NVML_SUCCESS && count > 0 && count <= MOST_SAMPLES) {
        qsort(samples, count, sizeof(*samples), sample_compare);
        if (engine->last_us == 0) {
            engine->last_us = samples[count - 1].time_us;
        } else {
            samples_count(engine, samples, count);
        }
    }
    return geo_nvml_answer(sysman->nvml, code, "DeviceGetSamples", why);
}

static ze_result_t engine_activity(const struct geo_sysman_engine *object, uint32_t count,
                                   zes_engine_stats_t *stats, struct geo_strbuf *why)
{
    struct engine *engine = object->base.opaque;
    if (count == 0) {
        return ZE_RESULT_SUCCESS;
    }
    geo_nvml_sample *samples = calloc(MOST_SAMPLES, sizeof(*samples));
    if (!samples) {
        geo_strbuf_printf(why, "no memory for samples");
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_lock(&counts_lock);
    ze_result_t result = history_count(engine, samples, why);
    stats[0].activeTime = engine->active_100_us / 100u;
    stats[0].timestamp = engine->seen_us;
    pthread_mutex_unlock(&counts_lock);
    free(samples);
    return result;
}

static const struct geo_sysman_engine_ops engine_ops = {.activity = engine_activity};

/* ---- finding ---- */

/* Adds the engines. A GPU with MIG devices has none, because NVML does not sample their work. */
void geo_gpu_find_engine(struct geo_component_list *list)
{
    static const struct {
        int samples;
        zes_engine_group_t type;
        const char *name;
    } kinds[] = {
        {GEO_NVML_SAMPLES_GPU, ZES_ENGINE_GROUP_COMPUTE_ALL, "multiprocessors"},
        {GEO_NVML_SAMPLES_ENCODER, ZES_ENGINE_GROUP_MEDIA_ENCODE_SINGLE, "encoder"},
        {GEO_NVML_SAMPLES_DECODER, ZES_ENGINE_GROUP_MEDIA_DECODE_SINGLE, "decoder"},
    };
    const struct geo_sysman *sysman = list->sysman;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        unsigned count = 0;
        int type = GEO_NVML_VALUE_UINT;
        if (!geo_gpu_has(GEO_NVML(sysman->nvml, DeviceGetSamples, sysman->device->handle,
                                  kinds[i].samples, 0, &type, &count, NULL))) {
            continue;
        }
        struct engine *engine = geo_gpu_list_add(list, sizeof(*engine), -1, kinds[i].name);
        if (engine) {
            engine->samples = kinds[i].samples;
            engine->engine.properties.type = kinds[i].type;
            engine->engine.ops = &engine_ops;
        }
    }
}
