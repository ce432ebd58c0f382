"""Generates build-time C: the functions that register tracing callbacks, one per traced function.

The loader's functions call the tracing layer's functions of the same name. The layer identifies
the traced function by its index."""

from . import ctext
from .registry import short_name
from .tracing import callback_type


def registrations(registry, include, call):
    lines = [include, "", "#include <level_zero/layers/zel_tracing_register_cb.h>", ""]
    for name in registry.traced:
        register = f"zelTracer{short_name(name)}RegisterCallback"
        lines += [f"ZE_APIEXPORT ze_result_t ZE_APICALL {register}(zel_tracer_handle_t hTracer,",
                  f"    zel_tracer_reg_t callback_type, {callback_type(name)} pfnCb)", "{",
                  f"    return {call(name, register)};", "}", ""]
    return lines


def generate(registry):
    loader = [ctext.banner("loader_tracing.c", "").rstrip()]
    loader += registrations(
        registry, '#include "loader/layers/tracing.h"', lambda name, register:
        f'geo_loader_register_callback("{register}", hTracer, callback_type, (geo_loader_callback)pfnCb)')
    layer = [ctext.banner("layer_tracing.c", "").rstrip()]
    layer += registrations(
        registry, '#include "layers/tracing/tracer.h"', lambda name, register:
        f"geo_tracer_register(hTracer, callback_type, GEO_DDI_FN_{name}, (geo_layer_fn)pfnCb)")
    return {"ddi/loader_tracing.c": "\n".join(loader), "ddi/layer_tracing.c": "\n".join(layer)}
