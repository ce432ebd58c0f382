/* Surviving LLVM's fatal errors.
 *
 * LLVM's back end ends the process when it finds no instruction for an operation. The handler jumps
 * out instead. Whatever LLVM had in hand is lost: memory stays allocated, and what belongs to the
 * module must not be touched any more, so callers leave module, context and target machine alone.
 */
#include "compiler/codegen/internal.h"

#include <llvm-c/ErrorHandling.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

struct escape {
    jmp_buf jump;
    char reason[160];
};

static _Thread_local struct escape *current;
static pthread_once_t install_once = PTHREAD_ONCE_INIT;

static void fatal_handle(const char *reason)
{
    struct escape *escape = current;
    if (escape) { /* otherwise LLVM goes on and ends the process */
        snprintf(escape->reason, sizeof(escape->reason), "%.*s", (int)strcspn(reason, "\n"),
                 reason);
        current = NULL;
        longjmp(escape->jump, 1);
    }
}

static void handler_install(void)
{
    LLVMInstallFatalErrorHandler(fatal_handle);
}

bool geo_codegen_guard(void (*run)(void *), void *data, struct geo_strbuf *log)
{
    struct escape escape;
    pthread_once(&install_once, handler_install);
    if (setjmp(escape.jump)) {
        geo_strbuf_printf(log, "note: code generation: LLVM gave up: %s\n", escape.reason);
        return false;
    }
    current = &escape;
    run(data);
    current = NULL;
    return true;
}
