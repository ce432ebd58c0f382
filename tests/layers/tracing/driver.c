/* The driver below the layer, and tracers of its function. See driver.h. */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver.h"

#include <level_zero/ze_ddi.h>

#include <setjmp.h>

#include <cmocka.h>

ze_result_t (*driver_free)(ze_context_handle_t context, void *ptr);
_Atomic unsigned driver_calls;

static ze_mem_dditable_t mem;
static ze_context_dditable_t context_table;

static ze_result_t ZE_APICALL mem_free(ze_context_handle_t context, void *ptr)
{
    driver_calls++;
    return driver_free ? driver_free(context, ptr) : ZE_RESULT_SUCCESS;
}

static ze_result_t ZE_APICALL context_status(ze_context_handle_t context)
{
    (void)context;
    return ZE_RESULT_SUCCESS;
}

int driver_wrap(void **state)
{
    (void)state;
    mem.pfnFree = mem_free;
    context_table.pfnGetStatus = context_status;
    return zeGetMemProcAddrTable(ZE_API_VERSION_CURRENT, &mem) != ZE_RESULT_SUCCESS ||
           zeGetContextProcAddrTable(ZE_API_VERSION_CURRENT, &context_table) != ZE_RESULT_SUCCESS;
}

ze_result_t traced_free(void *ptr)
{
    return mem.pfnFree(NULL, ptr);
}

ze_result_t traced_status(void)
{
    return context_table.pfnGetStatus(NULL);
}

zel_tracer_handle_t tracer_create(void *user, ze_pfnMemFreeCb_t prologue,
                                  ze_pfnMemFreeCb_t epilogue)
{
    const zel_tracer_desc_t desc = {.stype = ZEL_STRUCTURE_TYPE_TRACER_DESC, .pUserData = user};
    zel_tracer_handle_t tracer = NULL;
    assert_int_equal(zelTracerCreate(&desc, &tracer), ZE_RESULT_SUCCESS);
    assert_int_equal(zelTracerMemFreeRegisterCallback(tracer, ZEL_REGISTER_PROLOGUE, prologue),
                     ZE_RESULT_SUCCESS);
    assert_int_equal(zelTracerMemFreeRegisterCallback(tracer, ZEL_REGISTER_EPILOGUE, epilogue),
                     ZE_RESULT_SUCCESS);
    return tracer;
}

void tracer_enable(zel_tracer_handle_t tracer, bool enable)
{
    assert_int_equal(zelTracerSetEnabled(tracer, enable), ZE_RESULT_SUCCESS);
}

void tracer_end(zel_tracer_handle_t tracer)
{
    tracer_enable(tracer, false);
    assert_int_equal(zelTracerDestroy(tracer), ZE_RESULT_SUCCESS);
}
