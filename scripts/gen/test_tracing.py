"""Generates build-time C for tests/layers/tracing/test_functions.c.

It lists for every function the one that registers a tracer's callback."""

from . import ctext
from .ddi_data import Layout
from .registry import short_name


def generate(registry):
    layout = Layout(registry)
    traced = set(registry.traced)
    lines = [ctext.banner("tracing.inc", "").rstrip(), "",
             "static const any_fn registrations[GEO_DDI_FUNCTION_COUNT] = {"]
    for function, _, _ in layout.functions:
        register = (f"(any_fn)zelTracer{short_name(function.name)}RegisterCallback" if function.name in traced
                    else "NULL")
        lines.append(f"    {register},")
    lines += ["};", "", "static const table_getter getters[GEO_DDI_TABLE_COUNT] = {"]
    lines += [f"    (table_getter){table.getter}," for _, _, table in layout.tables]
    return {"tests/tracing.inc": "\n".join(lines + ["};", ""])}
