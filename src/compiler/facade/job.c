/* Runs one build on a thread, from order to answer. See job.h. */
#include "compiler/facade/job.h"

#include "compiler/codegen/codegen.h"
#include "compiler/facade/build.h"

#include <stdlib.h>
#include <string.h>

_Thread_local __attribute__((tls_model("initial-exec"))) struct geo_job *geo_job_current;

void geo_job_init(struct geo_job *job, struct geo_order *order, void (*leave)(struct geo_job *job))
{
    *job = (struct geo_job){.order = geo_order_ref(order), .leave = leave};
    geo_strbuf_init(&job->log, GEO_BUILD_LOG_BYTES);
    job->log.shown = true;
    geo_budget_init(&job->budget, order->seconds);
    geo_remarks_init(&job->remarks, order->request.forms);
}

void geo_job_finish(struct geo_job *job)
{
    geo_strbuf_finish(&job->log);
    geo_budget_finish(&job->budget);
    geo_remarks_finish(&job->remarks);
    geo_order_unref(job->order);
}

static void job_answer(struct geo_job *job, ze_result_t result)
{
    size_t length;
    job->answer.result = result;
    job->answer.log = geo_strbuf_take(&job->log, &length);
}

void geo_job_explain_end(struct geo_job *job, bool by_clock, struct geo_strbuf *log)
{
    char place[128];
    unsigned long long seconds = job->order->seconds;
    geo_strbuf_printf(log, "error: the build was stopped %s: ",
                      geo_budget_place(&job->budget, place, sizeof(place)));
    if (by_clock) {
        geo_strbuf_printf(log, GEO_JOB_TOO_LATE, seconds * GEO_JOB_WALL_FACTOR,
                          GEO_JOB_WALL_FACTOR);
    } else if (job->budget.end == GEO_BUDGET_WORK) {
        geo_strbuf_printf(log,
                          "it is too much work: more than %llu steps, the limit that goes with "
                          "GEOID_BUILD_TIME=%llu (0: no limit)",
                          (unsigned long long)job->budget.work_limit, seconds);
    } else {
        geo_strbuf_printf(log, GEO_JOB_TOO_LONG, seconds);
    }
    geo_strbuf_printf(log, "\n");
}

static void explain_memory(struct geo_job *job)
{
    char place[128];
    geo_strbuf_printf(&job->log,
                      "error: the build was stopped %s: it needs more memory than "
                      "GEOID_BUILD_MEMORY allows, %llu MiB (0: no limit)\n",
                      geo_budget_place(&job->budget, place, sizeof(place)),
                      (unsigned long long)(job->order->memory_bytes >> 20));
}

static void llvm_gave_up(const char *reason)
{
    geo_job_leave(GEO_JOB_GAVE_UP, reason);
}

void geo_job_run(struct geo_job *job)
{
    geo_job_current = job;
    geo_codegen_guard_fatal_error(llvm_gave_up);
    geo_budget_begin(&job->budget);
    geo_remarks_current = job->remarks.wanted ? &job->remarks : NULL;
    ze_result_t result =
        geo_facade_build(job->order, &job->log, &job->answer.binary, &job->answer.binary_bytes);
    if (geo_remarks_current && !geo_answer_texts_write(&job->answer, &job->remarks) &&
        result == ZE_RESULT_SUCCESS) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        free(job->answer.binary);
        job->answer.binary = NULL;
        job->answer.binary_bytes = 0;
    }
    geo_remarks_current = NULL;
    if (result != ZE_RESULT_SUCCESS && job->budget.end != GEO_BUDGET_LEFT) {
        geo_job_explain_end(job, false, &job->log);
        result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    } else if (result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY && job->bounded) {
        explain_memory(job);
        result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    geo_budget_end();
    geo_job_current = NULL;
    job_answer(job, result);
}

void geo_job_leave(enum geo_job_end end, const char *detail)
{
    struct geo_job *job = geo_job_current;
    if (!job) {
        return;
    }
    geo_job_current = NULL; /* a failure from here on must not come back here */
    geo_remarks_current = NULL;
    geo_budget_end();
    end = end == GEO_JOB_NO_MEMORY && job->bounded ? GEO_JOB_BIG : end;
    if (end == GEO_JOB_GAVE_UP) {
        geo_strbuf_printf(&job->log, "note: code generation: LLVM gave up: %.*s\n",
                          (int)strcspn(detail, "\n"), detail);
    } else if (end == GEO_JOB_BIG) {
        explain_memory(job);
    } else {
        geo_strbuf_printf(&job->log, "error: out of memory\n");
    }
    job->answer.gave_up = end == GEO_JOB_GAVE_UP;
    job_answer(job, end == GEO_JOB_NO_MEMORY ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY
                                             : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    job->leave(job);
}
