/* Diagnostics: tests that find broken hardware. They run on the calling thread.
 *
 * memory   writes fresh pages of the device's node and reads them back: each bit alone, each bit
 *          cleared, every word its own address, and its complement
 * compute  runs arithmetic with known results on each of the device's CPUs: integers, floating
 *          point, vectors
 *
 * A fault is not repaired: FAIL_CANT_REPAIR. A CPU that may not be used, or a lack of memory, ends
 * the suite: ABORT. */
#include "backend/cpu/sysman/diagnostics.h"

#include "backend/cpu/sysman/classes.h"
#include "backend/cpu/sysman/finding.h"
#include "backend/host/node.h"
#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define MEMORY_BYTES (64u << 20) /* more than the caches of most processors */

/* ---- the suites ---- */

static const char *const memory_names[] = {"walking-ones", "walking-zeros", "address",
                                           "address-complement"};
static const char *const compute_names[] = {"integer", "floating-point", "vector"};

struct suite {
    struct geo_sysman_diagnostics diagnostics; /* first */
    /* Runs one test and describes a fault in `found`. */
    zes_diag_result_t (*run)(const struct geo_sysman *sysman, uint32_t test,
                             struct geo_strbuf *found);
};

static zes_diag_result_t memory_run(const struct geo_sysman *sysman, uint32_t test,
                                    struct geo_strbuf *why)
{
    uint64_t *words =
        mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (words == MAP_FAILED) {
        geo_strbuf_printf(why, "the memory test cannot allocate %u bytes: %s", MEMORY_BYTES,
                          strerror(errno));
        return ZES_DIAG_RESULT_ABORT;
    }
    if (sysman->whole.node >= 0) {
        (void)geo_node_prefer(words, MEMORY_BYTES, sysman->whole.node);
    }
    uint64_t count = MEMORY_BYTES / sizeof(words[0]), wrong;
    geo_diag_memory_fill(words, count, test);
    wrong = geo_diag_memory_check(words, count, test);
    munmap(words, MEMORY_BYTES);
    if (wrong != 0) {
        geo_strbuf_printf(why, "%s: %llu of %llu words were read back wrongly", memory_names[test],
                          (unsigned long long)wrong, (unsigned long long)count);
        return ZES_DIAG_RESULT_FAIL_CANT_REPAIR;
    }
    return ZES_DIAG_RESULT_NO_ERRORS;
}

static zes_diag_result_t compute_cpu(size_t cpu, uint32_t test, struct geo_strbuf *why)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof(one), &one) != 0) {
        geo_strbuf_printf(why, "CPU %zu cannot be tested: moving the test to it failed: %s", cpu,
                          strerror(errno));
        return ZES_DIAG_RESULT_ABORT;
    }
    if (!geo_diag_compute_right(test)) {
        geo_strbuf_printf(why, "%s: CPU %zu computes wrongly", compute_names[test], cpu);
        return ZES_DIAG_RESULT_FAIL_CANT_REPAIR;
    }
    return ZES_DIAG_RESULT_NO_ERRORS;
}

static zes_diag_result_t compute_run(const struct geo_sysman *sysman, uint32_t test,
                                     struct geo_strbuf *why)
{
    zes_diag_result_t result = ZES_DIAG_RESULT_NO_ERRORS;
    cpu_set_t before;
    if (sched_getaffinity(0, sizeof(before), &before) != 0) {
        geo_strbuf_printf(why, "the thread's CPUs are unknown: %s", strerror(errno));
        return ZES_DIAG_RESULT_ABORT;
    }
    for (size_t cpu = 0; cpu < GEO_SYSMAN_CPUS && result == ZES_DIAG_RESULT_NO_ERRORS; cpu++) {
        if (CPU_ISSET(cpu, &sysman->whole.cpus)) {
            result = compute_cpu(cpu, test, why);
        }
    }
    sched_setaffinity(0, sizeof(before), &before);
    return result;
}

/* ---- operations ---- */

static ze_result_t diagnostics_run(const struct geo_sysman_diagnostics *object, uint32_t first,
                                   uint32_t last, zes_diag_result_t *result, struct geo_strbuf *why)
{
    const struct suite *suite = object->base.opaque;
    zes_diag_result_t all = ZES_DIAG_RESULT_NO_ERRORS;
    struct geo_strbuf found;
    (void)why; /* the call itself succeeds, whatever the tests find */
    geo_strbuf_init(&found, 0);
    for (uint32_t i = 0; i < object->test_count && all == ZES_DIAG_RESULT_NO_ERRORS; i++) {
        if (object->tests[i].index >= first && object->tests[i].index <= last) {
            all = suite->run(object->base.sysman, object->tests[i].index, &found);
        }
    }
    if (all != ZES_DIAG_RESULT_NO_ERRORS) {
        geo_log("cpu", GEO_LOG_WARN, "diagnostics: %s", geo_strbuf_text(&found));
    }
    geo_strbuf_finish(&found);
    *result = all;
    return ZE_RESULT_SUCCESS;
}

static const struct geo_sysman_diagnostics_ops diagnostics_ops = {.run = diagnostics_run};

static void suite_add(struct geo_finding *finding, const char *name, const char *const *tests,
                      uint32_t count,
                      zes_diag_result_t (*run)(const struct geo_sysman *sysman, uint32_t test,
                                               struct geo_strbuf *why))
{
    zes_diag_test_t *list = geo_finding_memory(finding, count * sizeof(*list));
    struct suite *suite = list ? geo_finding_add(finding, sizeof(*suite), -1, NULL, name) : NULL;
    if (!suite) {
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        list[i].index = i;
        snprintf(list[i].name, sizeof(list[i].name), "%s", tests[i]);
    }
    suite->diagnostics.base.opaque = suite;
    suite->diagnostics.ops = &diagnostics_ops;
    suite->diagnostics.tests = list;
    suite->diagnostics.test_count = count;
    suite->diagnostics.properties.haveTests = true;
    snprintf(suite->diagnostics.properties.name, ZES_STRING_PROPERTY_SIZE, "%s", name);
    suite->run = run;
}

void geo_cpu_sysman_find_diagnostics(struct geo_finding *finding)
{
    suite_add(finding, "memory", memory_names, GEO_DIAG_MEMORY_TESTS, memory_run);
    suite_add(finding, "compute", compute_names, GEO_DIAG_COMPUTE_TESTS, compute_run);
}
