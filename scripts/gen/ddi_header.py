"""Generates include/level_zero/{ze,zes,zet,zer}_ddi.h and ze_ddi_common.h: the dispatch tables.

Drivers, layers and the loader exchange these tables. The order of the slots is part of the ABI: a
later version only appends slots, so a table of an older version is a prefix.
"""

from . import api_header, ctext
from .registry import pfn_type

APIS = (("core", "ze"), ("sysman", "zes"), ("tools", "zet"), ("runtime", "zer"))


def pfn_lines(function):
    params = ", ".join(m.ctype for m in function.members) or "void"
    head = f"typedef {ctext.pointer(function.returns)}(ZE_APICALL *{pfn_type(function.name)})("
    text = head + params + ");"
    if len(text) > ctext.WIDTH:
        text = head + "\n" + "\n".join(ctext.wrap(params + ");", "    "))
    return [text]


def table_lines(registry, table, api):
    lines = []
    for _, _, name in table.slots:
        lines += pfn_lines(registry.get(name))
    lines += ["", f"/// The {table.field} functions. Since {ctext.version_text(table.since)}.",
              f"typedef struct _{table.name} {{"]
    since = table.since
    for version, slot, name in table.slots:
        if version != since:
            lines.append(f"    // since {ctext.version_text(version)}")
            since = version
        lines.append(f"    {pfn_type(name)} {slot};")
    lines += [f"}} {table.name};", "",
              f"/// Fills the {table.field} table with the functions of the library that exports it.",
              "/// ZE_RESULT_ERROR_INVALID_NULL_POINTER when nullptr == pDdiTable;",
              "/// ZE_RESULT_ERROR_UNSUPPORTED_VERSION when the major version is another one.",
              f"ZE_DLLEXPORT ze_result_t ZE_APICALL {table.getter}(",
              "    ze_api_version_t version, ///< [in] version whose table the caller holds",
              f"    {table.name} *pDdiTable ///< [in,out] the table to fill",
              ");",
              f"typedef ze_result_t (ZE_APICALL *{pfn_type(table.getter)})(ze_api_version_t, "
              f"{table.name} *);", ""]
    return lines


def header(registry, area, api):
    name = f"{api}_ddi.h"
    lines = [ctext.banner(name, area).rstrip(),
             f"/* Level Zero {registry.spec}, dispatch tables of the {area} functions. */"]
    lines += ctext.guard_begin(f"_{api.upper()}_DDI_H")
    lines += [f'#include "{api}_api.h"', ""] + ctext.cpp_begin()
    tables = registry.kind("table", area)
    for table in tables:
        lines += table_lines(registry, table, api)
    lines += ["/// All tables, by value.", f"typedef struct _{api}_dditable_t {{"]
    lines += [f"    {t.name} {t.field};" for t in tables]
    lines += [f"}} {api}_dditable_t;", "",
              "/// All tables, by reference: what a handle points to.",
              f"typedef struct _{api}_dditable_driver_t {{",
              "    ze_api_version_t version; ///< version of the tables below",
              "    uint8_t isValidFlag; ///< not 0 while the tables may be used"]
    lines += [f"    {t.name} *{t.field};" for t in tables]
    lines += [f"}} {api}_dditable_driver_t;", ""]
    lines += ctext.cpp_end() + ["", f"#endif // _{api.upper()}_DDI_H"]
    return "\n".join(lines) + "\n"


def common_header(registry):
    lines = [ctext.banner("ze_ddi_common.h", "loader/handle.txt").rstrip()]
    lines += ctext.guard_begin("_ZE_DDI_COMMON_H")
    lines += [f'#include "{api}_ddi.h"' for _, api in APIS] + [""] + ctext.cpp_begin()
    lines += api_header.body_lines(registry, "handle")
    lines += ctext.cpp_end() + ["", "#endif // _ZE_DDI_COMMON_H"]
    return "\n".join(lines) + "\n"


def tracing_header(registry):
    table = registry.kind("table", "tracing")[0]
    lines = [ctext.banner("zel_tracing_ddi.h", "loader/tracing.txt").rstrip()]
    lines += ctext.guard_begin("_ZEL_TRACING_DDI_H")
    lines += ['#include "zel_tracing_api.h"', ""] + ctext.cpp_begin()
    lines += table_lines(registry, table, "zel")
    lines += ["/// All tables of the tracing layer.", "typedef struct _zel_tracing_dditable_t {",
              f"    {table.name} {table.field};", "} zel_tracing_dditable_t;", ""]
    lines += ctext.cpp_end() + ["", "#endif // _ZEL_TRACING_DDI_H"]
    return "\n".join(lines) + "\n"


def generate(registry):
    outputs = {f"include/level_zero/{api}_ddi.h": header(registry, area, api) for area, api in APIS}
    outputs["include/level_zero/ze_ddi_common.h"] = common_header(registry)
    outputs["include/level_zero/layers/zel_tracing_ddi.h"] = tracing_header(registry)
    return outputs
