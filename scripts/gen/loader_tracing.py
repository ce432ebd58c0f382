"""Build-time C for the loader: the functions that register tracing callbacks, one per traced function, while there is no
tracing layer: every one is an alias of a function that answers "unsupported"."""

from . import ctext
from .registry import short_name


def generate(registry):
    names = [f"zelTracer{short_name(name)}RegisterCallback" for name in registry.traced]
    names.append("zelTracerResetAllCallbacks")
    lines = [ctext.banner("loader_tracing.c", "").rstrip(), "#include <level_zero/ze_api.h>", "",
             "static ze_result_t ZE_APICALL tracing_absent(void)", "{",
             "    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;", "}", ""]
    for name in names:
        lines.append(f"ZE_APIEXPORT ze_result_t ZE_APICALL {name}(void)\n"
                     '    __attribute__((alias("tracing_absent")));')
    return {"ddi/loader_tracing.c": "\n".join(lines) + "\n"}
