/* Entry point of the compiler library. A request becomes an order, which is built with one effort
 * after the other, on a thread or in a child process. See compiler/compiler.h.
 *
 *     request -> order (message.h) -> thread (thread.c) | child (child.c, serve.c) -> job -> build
 *
 * GEOID_BUILD selects thread or process. The default is a thread, until a build was abandoned
 * inside LLVM, or a fork lost the threads of builds. From then on LLVM's locks and lists may be
 * inconsistent in this process, so child processes build. */
#include "compiler/compiler.h"

#include "base/build_id.h"
#include "base/fork.h"
#include "base/option.h"
#include "base/path.h"
#include "base/strbuf.h"
#include "compiler/codegen/codegen.h"
#include "compiler/facade/build.h"
#include "compiler/facade/message.h"
#include "compiler/facade/service.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic bool spoilt; /* LLVM is unusable in this process */

static void fork_child(void)
{
    if (geo_thread_builds()) {
        atomic_store(&spoilt, true);
    }
    geo_thread_after_fork();
    geo_children_after_fork();
    geo_children_unlock();
}

static struct geo_fork_handler fork_handler = {
    .order = GEO_FORK_BUILDS,
    .prepare = geo_children_lock,
    .parent = geo_children_unlock,
    .child = fork_child,
};
GEO_FORK_AT_LOAD(fork_handler)

static bool build_is_for(const char *where)
{
    const char *wanted = geo_option_string("GEOID_BUILD");
    return wanted && strcmp(wanted, where) == 0;
}

/* Builds with one effort. If no child process can be started, the build fails with
 * GEOID_BUILD=process; otherwise it uses a thread. */
static void order_build(struct geo_order *order, struct geo_answer *answer, struct geo_strbuf *log)
{
    bool child = build_is_for("process");
    if (child || (atomic_load(&spoilt) && !build_is_for("thread"))) {
        if (geo_children_build(order, answer, log)) {
            return;
        }
    }
    if (child) {
        geo_strbuf_printf(log, "error: GEOID_BUILD=process, but no child process can be started\n");
        *answer = (struct geo_answer){.result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE};
    } else if (!geo_thread_build(order, answer)) {
        atomic_store(&spoilt, true);
    }
}

/* Tries the efforts in turn while LLVM gives up. Returns whether the first effort succeeded without
 * a note about where it was built, so that the result may be cached. */
static bool efforts_build(struct geo_order *order, struct geo_answer *answer,
                          struct geo_strbuf *log)
{
    for (uint64_t attempt = 0; attempt < GEO_BUILD_ATTEMPTS; attempt++) {
        geo_answer_finish(answer);
        geo_order_set_attempt(order, attempt);
        order_build(order, answer, log);
        bool plain = attempt == 0 && log->length == 0;
        if (answer->log) {
            geo_strbuf_add(log, answer->log, strlen(answer->log));
        }
        if (!answer->gave_up) {
            return plain && answer->result == ZE_RESULT_SUCCESS && answer->log && !log->truncated;
        }
    }
    geo_strbuf_printf(log, "error: code generation: LLVM failed with every effort\n");
    return false;
}

static ze_result_t compiler_build(const struct geo_compiler_request *request,
                                  struct geo_compiler_output *output)
{
    struct geo_answer answer = {.result = ZE_RESULT_ERROR_INVALID_ARGUMENT};
    struct geo_strbuf log;
    size_t length;
    memset(output, 0, sizeof(*output));
    geo_strbuf_init(&log, GEO_BUILD_LOG_BYTES);
    log.shown = true;
    if (request->source_count != 0 && request->sources) {
        struct geo_order *order = geo_order_create(request);
        answer.result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        if (order) {
            output->repeatable = efforts_build(order, &answer, &log);
        }
        geo_order_unref(order);
    }
    output->binary = answer.binary;
    output->binary_bytes = answer.binary_bytes;
    output->texts = geo_answer_texts_read(&answer.texts, &output->text_count);
    output->text_memory = answer.texts.bytes;
    output->log = geo_strbuf_take(&log, &length);
    free(answer.log);
    geo_strbuf_finish(&log);
    return answer.result;
}

static void compiler_release(struct geo_compiler_output *output)
{
    free(output->binary);
    free(output->log);
    free(output->texts);
    free(output->text_memory);
    memset(output, 0, sizeof(*output));
}

static ze_result_t compiler_disassemble(const void *binary, size_t bytes,
                                        struct geo_compiler_output *output)
{
    struct geo_strbuf text, log;
    size_t length;
    memset(output, 0, sizeof(*output));
    geo_strbuf_init(&text, 0);
    geo_strbuf_init(&log, GEO_BUILD_LOG_BYTES);
    log.shown = true;
    ze_result_t result = geo_codegen_disassemble(binary, bytes, &text, &log);
    output->texts = calloc(1, sizeof(*output->texts));
    output->text_memory = geo_strbuf_take(&text, &length);
    output->log = geo_strbuf_take(&log, &length);
    if (result == ZE_RESULT_SUCCESS && output->texts && output->text_memory) {
        const char *made = output->text_memory;
        output->texts[0] = (struct geo_compiler_text){0, "assembly", made, strlen(made)};
        output->text_count = 1;
    } else if (result == ZE_RESULT_SUCCESS) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    geo_strbuf_finish(&text);
    geo_strbuf_finish(&log);
    return result;
}

/* Build id of this library, and LLVM's if it is a separate library. */
static pthread_once_t build_id_once = PTHREAD_ONCE_INIT;
static char build_id[GEO_COMPILER_BUILD_ID];

static void build_id_make(void)
{
    char own[GEO_BUILD_ID_TEXT], llvm[GEO_BUILD_ID_TEXT];
    if (geo_build_id_of_address((const void *)build_id_make, own) &&
        geo_build_id_of_address((const void *)LLVMContextCreate, llvm)) {
        bool one = strcmp(own, llvm) == 0;
        snprintf(build_id, sizeof(build_id), "%s%s%s", own, one ? "" : "+", one ? "" : llvm);
    }
}

__attribute__((visibility("default"))) const struct geo_compiler_ops *
geo_compiler_open(uint32_t interface_version)
{
    pthread_once(&build_id_once, build_id_make);
    static const struct geo_compiler_ops ops = {
        .identity = GEO_CODEGEN_IDENTITY,
        .build_id = build_id,
        .build = compiler_build,
        .release = compiler_release,
        .set_folder = geo_path_set_folder,
        .disassemble = compiler_disassemble,
    };
    return interface_version == GEO_COMPILER_INTERFACE ? &ops : NULL;
}
