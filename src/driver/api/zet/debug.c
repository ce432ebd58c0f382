/* API functions of debugging. */
#include "ddi/geo_api.h"
#include "driver/tools/debug/session.h"

ze_result_t geo_zetDeviceGetDebugProperties(zet_device_handle_t hDevice,
                                            zet_device_debug_properties_t *pDebugProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_device_from((ze_device_handle_t)hDevice, &device));
    pDebugProperties->flags =
        geo_debug_session_attachable(device) ? ZET_DEVICE_DEBUG_PROPERTY_FLAG_ATTACH : 0;
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetDebugAttach(zet_device_handle_t hDevice, const zet_debug_config_t *config,
                               zet_debug_session_handle_t *phDebug)
{
    struct geo_device *device;
    struct geo_debug_session_object *session;
    GEO_CHECK(geo_device_from((ze_device_handle_t)hDevice, &device));
    GEO_CHECK(geo_debug_session_attach(device, config->pid, &session));
    *phDebug = geo_debug_session_object_handle(session);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetDebugDetach(zet_debug_session_handle_t hDebug)
{
    struct geo_debug_session_object *session;
    GEO_CHECK(geo_debug_session_object_from(hDebug, &session));
    geo_object_close(&session->base);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetDebugReadEvent(zet_debug_session_handle_t hDebug, uint64_t timeout,
                                  zet_debug_event_t *event)
{
    struct geo_debug_session_object *session;
    GEO_CHECK(geo_debug_session_object_from(hDebug, &session));
    return geo_debug_session_read_event(session, timeout, event);
}

ze_result_t geo_zetDebugAcknowledgeEvent(zet_debug_session_handle_t hDebug,
                                         const zet_debug_event_t *event)
{
    struct geo_debug_session_object *session;
    GEO_CHECK(geo_debug_session_object_from(hDebug, &session));
    return geo_debug_session_acknowledge(session, event);
}

ze_result_t geo_zetDebugInterrupt(zet_debug_session_handle_t hDebug, ze_device_thread_t thread)
{
    struct geo_debug_session_object *session;
    GEO_CHECK(geo_debug_session_object_from(hDebug, &session));
    return geo_debug_session_interrupt(session, thread);
}

ze_result_t geo_zetDebugResume(zet_debug_session_handle_t hDebug, ze_device_thread_t thread)
{
    struct geo_debug_session_object *session;
    GEO_CHECK(geo_debug_session_object_from(hDebug, &session));
    return geo_debug_session_resume(session, thread);
}

ze_result_t geo_zetDebugReadMemory(zet_debug_session_handle_t hDebug, ze_device_thread_t thread,
                                   const zet_debug_memory_space_desc_t *desc, size_t size,
                                   void *buffer)
{
    struct geo_debug_session_object *session;
    GEO_CHECK(geo_debug_session_object_from(hDebug, &session));
    return geo_debug_session_read_memory(session, thread, desc, size, buffer);
}

ze_result_t geo_zetDebugWriteMemory(zet_debug_session_handle_t hDebug, ze_device_thread_t thread,
                                    const zet_debug_memory_space_desc_t *desc, size_t size,
                                    const void *buffer)
{
    struct geo_debug_session_object *session;
    GEO_CHECK(geo_debug_session_object_from(hDebug, &session));
    return geo_debug_session_write_memory(session, thread, desc, size, buffer);
}

ze_result_t
geo_zetDebugGetRegisterSetProperties(zet_device_handle_t hDevice, uint32_t *pCount,
                                     zet_debug_regset_properties_t *pRegisterSetProperties)
{
    struct geo_device *device;
    GEO_CHECK(geo_device_from((ze_device_handle_t)hDevice, &device));
    const struct geo_debug_info *info = geo_debug_session_info(device);
    geo_debug_session_list_sets(info ? info->register_sets : NULL,
                                info ? info->register_set_count : 0, pCount,
                                pRegisterSetProperties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t
geo_zetDebugGetThreadRegisterSetProperties(zet_debug_session_handle_t hDebug,
                                           ze_device_thread_t thread, uint32_t *pCount,
                                           zet_debug_regset_properties_t *pRegisterSetProperties)
{
    struct geo_debug_session_object *session;
    const zet_debug_regset_properties_t *sets;
    uint32_t available;
    GEO_CHECK(geo_debug_session_object_from(hDebug, &session));
    GEO_CHECK(geo_debug_session_thread_sets(session, thread, &sets, &available));
    geo_debug_session_list_sets(sets, available, pCount, pRegisterSetProperties);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_zetDebugReadRegisters(zet_debug_session_handle_t hDebug, ze_device_thread_t thread,
                                      uint32_t type, uint32_t start, uint32_t count,
                                      void *pRegisterValues)
{
    struct geo_debug_session_object *session;
    GEO_CHECK(geo_debug_session_object_from(hDebug, &session));
    return geo_debug_session_read_registers(session, thread, type, start, count, pRegisterValues);
}

ze_result_t geo_zetDebugWriteRegisters(zet_debug_session_handle_t hDebug, ze_device_thread_t thread,
                                       uint32_t type, uint32_t start, uint32_t count,
                                       void *pRegisterValues)
{
    struct geo_debug_session_object *session;
    GEO_CHECK(geo_debug_session_object_from(hDebug, &session));
    return geo_debug_session_write_registers(session, thread, type, start, count, pRegisterValues);
}
