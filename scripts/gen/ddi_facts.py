"""Generates the build-time header geo_ddi_facts.h: facts of the registry as macros.

    GEO_DDI_FLAGS_ze_init_flags_t              all known bits
    GEO_DDI_IS_ze_module_format_t(v)           whether the enumeration has the value
    GEO_DDI_STYPE_ze_eu_count_ext_t            the structure's type, or the first of several
    GEO_DDI_HAS_STYPE_ze_device_properties_t(v)  whether v is one of its types
    GEO_DDI_LINK_<base>__<structure>           the structure's type; defined only if the structure
                                               is allowed in the pNext chain of <base>, which is a
                                               structure or a function

src/ddi/geo_ddi_chain.h and the driver's check.h have readable forms of these macros.
"""

from . import ctext


def runs_of(enum):
    """Returns [(first, last)]: runs of consecutive values, without the one that sets the width."""
    runs = []
    numbers = sorted({v.number for v in enum.values if v.form != "force"})
    if enum.open:
        return [(numbers[0], numbers[-1])]
    for number in numbers:
        if runs and runs[-1][1] + 1 == number:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def run_test(first, last):
    if first == last:
        return f"(v) == 0x{first:x}u"
    if first == 0:
        return f"(v) <= 0x{last:x}u"
    return f"((v) >= 0x{first:x}u && (v) <= 0x{last:x}u)"


def flags_lines(registry):
    lines = ["/* --- known bits --- */"]
    for enum in registry.kind("enum"):
        if enum.flags:
            mask = 0
            for value in enum.values:
                mask |= value.number if value.form == "bit" else 0
            lines.append(f"#define GEO_DDI_FLAGS_{enum.flags} 0x{mask:x}u")
    return lines


def enum_lines(registry):
    lines = ["", "/* --- enumerators --- */"]
    for enum in registry.kind("enum"):
        if not enum.flags:
            tests = " || ".join(run_test(*run) for run in runs_of(enum))
            lines += [f"#define GEO_DDI_IS_{enum.name}(v) \\", f"    ({tests})"]
    return lines


def struct_lines(registry):
    lines = ["", "/* --- structure types --- */"]
    for struct in registry.kind("struct"):
        if struct.stypes:
            tests = " || ".join(f"(v) == {stype}" for stype in struct.stypes)
            lines += [f"#define GEO_DDI_STYPE_{struct.name} {struct.stypes[0]}",
                      f"#define GEO_DDI_HAS_STYPE_{struct.name}(v) \\", f"    ({tests})"]
    lines += ["", "/* --- structures allowed in chains --- */"]
    for struct in registry.kind("struct"):
        for base in struct.extends:
            lines.append(f"#define GEO_DDI_LINK_{base}__{struct.name} {struct.stypes[0]}")
    return lines


def generate(registry):
    lines = [ctext.banner("geo_ddi_facts.h", "").rstrip(), "#ifndef GEO_DDI_FACTS_H",
             "#define GEO_DDI_FACTS_H", "",
             f"#define GEO_DDI_SPEC \"{registry.spec}\" /* version of the specification */", ""]
    lines += flags_lines(registry) + enum_lines(registry) + struct_lines(registry)
    return {"ddi/geo_ddi_facts.h": "\n".join(lines + ["", "#endif"]) + "\n"}
