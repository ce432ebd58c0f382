/* Calls at the end of a process, through pointers: every answer is fine, but it must be one. */
#ifndef TESTS_LOADER_LATE_H
#define TESTS_LOADER_LATE_H

#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>

#include <stdbool.h>
#include <stdio.h>

struct late_calls {
    ze_result_t (*init)(ze_init_flags_t);
    ze_result_t (*sysman_init)(zes_init_flags_t);
    ze_result_t (*driver_get)(uint32_t *, ze_driver_handle_t *);
    ze_result_t (*context_create)(ze_driver_handle_t, const ze_context_desc_t *,
                                  ze_context_handle_t *);
    ze_result_t (*context_destroy)(ze_context_handle_t);
    ze_result_t (*context_status)(ze_context_handle_t);
    ze_driver_handle_t driver;
    ze_context_handle_t context;
};

/* "working" when everything works, "refused" when everything says that the loader is at its end;
 * anything else is "confused". */
static inline const char *late_state(const struct late_calls *calls)
{
    uint32_t count = 0;
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_context_handle_t made = NULL;
    const ze_result_t results[] = {
        calls->driver_get(&count, NULL),
        calls->context_status(calls->context),
        calls->init(0),
        calls->sysman_init(0),
        calls->context_create(calls->driver, &desc, &made),
        made ? calls->context_destroy(made) : ZE_RESULT_ERROR_UNINITIALIZED,
    };
    size_t working = 0, refused = 0;
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        working += results[i] == ZE_RESULT_SUCCESS;
        refused += results[i] == ZE_RESULT_ERROR_UNINITIALIZED;
    }
    return working == 6 ? "working" : refused == 6 ? "refused" : "confused";
}

/* What a library of late.c exports: from now on its destructor calls. */
typedef void late_arm_fn(const struct late_calls *calls, const char *when);

#endif
