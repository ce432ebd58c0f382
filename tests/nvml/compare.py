#!/usr/bin/env python3
"""Compares what sysman tells of NVIDIA's GPUs with nvidia-smi, value by value.

    compare.py PROGRAM [--load]     PROGRAM: values.c, built

nvidia-smi is asked before and after; a value that moves agrees when it lies between the two, give or take its tolerance. --load runs
a kernel on each GPU meanwhile (load.py). The last line has the counts; the exit status is 1 where a value differs.
"""

import os
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

MIB = 1 << 20
FIELDS = """name uuid serial pci.bus_id pci.device_id pcie.link.gen.max pcie.link.gen.current pcie.link.width.max
pcie.link.width.current driver_version vbios_version inforom.img inforom.oem inforom.ecc fan.speed memory.total memory.free
utilization.gpu utilization.encoder utilization.decoder ecc.mode.current ecc.mode.pending ecc.errors.corrected.volatile.dram
ecc.errors.corrected.volatile.sram ecc.errors.uncorrected.volatile.dram ecc.errors.uncorrected.volatile.sram temperature.gpu
temperature.memory power.draw.instant power.draw.average power.draw power.limit power.default_limit power.min_limit power.max_limit
clocks.current.graphics clocks.current.memory clocks.current.video clocks.max.graphics clocks.max.memory clocks.max.sm
clocks.applications.graphics clocks.applications.memory clocks_event_reasons.active
clocks_event_reasons_counters.sw_power_cap clocks_event_reasons_counters.sw_thermal_slowdown
clocks_event_reasons_counters.hw_thermal_slowdown clocks_event_reasons_counters.hw_power_brake mig.mode.current
remapped_rows.pending remapped_rows.failure remapped_rows.uncorrectable""".split()


def smi(*arguments):
    done = subprocess.run(["nvidia-smi", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def fields_known():
    """Those that this nvidia-smi has."""
    if smi("--query-gpu=" + ",".join(FIELDS), "--format=csv,noheader,nounits") is not None:
        return FIELDS
    return [f for f in FIELDS if smi("--query-gpu=" + f, "--format=csv,noheader,nounits") is not None]


def number(text):
    match = re.search(r"-?\d+(\.\d+)?", text or "")
    return float(match.group()) if match and "N/A" not in text and not text.startswith("error") else None


def smi_read(fields):
    """By uuid: field -> text; and values of the XML that the query has not."""
    gpus = {}
    for line in (smi("--query-gpu=" + ",".join(fields), "--format=csv,noheader,nounits") or "").splitlines():
        values = dict(zip(fields, (part.strip() for part in line.split(","))))
        gpus[values["uuid"].lower()] = values
    root = xml.etree.ElementTree.fromstring(smi("-q", "-x"))
    for gpu in root.iter("gpu"):
        values = gpus.get(gpu.findtext("uuid", "").lower(), {})
        for tag in ("product_brand", "board_part_number", "gsp_firmware_version", "replay_counter", "gpu_temp_max_gpu_threshold",
                    "gpu_temp_slow_threshold", "gpu_temp_max_threshold", "gpu_temp_max_mem_threshold", "gpu_temp_tlimit"):
            found = gpu.find(".//" + tag)
            values["xml." + tag] = found.text.strip() if found is not None and found.text else "N/A"
        limit = [number(values[k]) for k in ("temperature.gpu", "xml.gpu_temp_tlimit")]  # newer ones tell how far it is to the highest
        values["tlimit"] = f"{limit[0] + limit[1]:g}" if None not in limit else values["xml.gpu_temp_max_gpu_threshold"]
        values["xml.processes"] = {p.findtext("pid"): p.findtext("used_memory") for p in gpu.iter("process_info")}
        clocks = [int(c.text.split()[0]) for m in gpu.iter("supported_mem_clock") for c in m.findall("supported_graphics_clock")]
        memory = [int(m.findtext("value").split()[0]) for m in gpu.iter("supported_mem_clock")]
        values["xml.graphics_lowest"] = str(min(clocks)) if clocks else "N/A"
        values["xml.graphics_highest"] = str(max(clocks)) if clocks else "N/A"
        values["xml.memory_lowest"] = str(min(memory)) if memory else "N/A"
        values["xml.memory_clocks"] = str(len(set(memory))) if memory else "N/A"
    return gpus


def zes_read(program):
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=False)
    head, gpus = [], {}
    for line in done.stdout.splitlines():
        number, _, rest = line.partition(" ")
        name, _, text = rest.partition(" ")
        if number == "-":
            head.append(rest)
        else:
            gpus.setdefault(int(number), {})[name] = text
    if done.returncode != 0:
        print(f"{program} ended with {done.returncode}")
    return head, gpus, done.returncode == 0


SWITCH = {"Enabled": "1", "Disabled": "2"}
REASONS = {0x2: 0x20, 0x4: 0x1, 0x10: 0x20, 0x20: 0x8, 0x40: 0x8, 0x80: 0x10, 0x100: 0x20}


def reasons_map(text):
    """NVML's reasons as the specification's."""
    bits, flags = int(text, 16), 0
    for bit, flag in REASONS.items():
        flags |= flag if bits & bit else 0
    if bits & 0x8 and not bits & 0xc0:
        flags |= 0x2
    return hex(flags)


# what sysman calls it, what nvidia-smi does, how the latter becomes the former, tolerance (a share or, negative, a number)
TEXTS = [
    ("uuid", "uuid", str.lower), ("model", "name", None), ("core.name", "name", None), ("serial", "serial", None),
    ("board", "xml.board_part_number", None), ("brand", "xml.product_brand", None), ("driver", "driver_version", None),
    ("pci.address", "pci.bus_id", str.upper), ("core.device_id", "pci.device_id", lambda t: hex(int(t, 16) >> 16)),
    ("firmware.VBIOS", "vbios_version", None), ("firmware.InfoROM_image", "inforom.img", None),
    ("firmware.InfoROM_OEM", "inforom.oem", None), ("firmware.InfoROM_ECC", "inforom.ecc", None),
    ("firmware.GSP", "xml.gsp_firmware_version", None),
    ("ecc.current", "ecc.mode.current", SWITCH.get), ("ecc.pending", "ecc.mode.pending", SWITCH.get),
    ("clock.graphics.throttle", "clocks_event_reasons.active", reasons_map),
]
NUMBERS = [
    ("core.clock", "clocks.max.sm", 1, 0), ("pci.max_gen", "pcie.link.gen.max", 1, 0), ("pci.gen", "pcie.link.gen.current", 1, 0),
    ("pci.max_width", "pcie.link.width.max", 1, 0), ("pci.width", "pcie.link.width.current", 1, 0),
    ("pci.replays", "xml.replay_counter", 1, 0), ("power.limit", "power.limit", 1000, 0),
    ("power.limit_default", "power.default_limit", 1000, 0), ("power.limit_min", "power.min_limit", 1000, 0),
    ("power.limit_max", "power.max_limit", 1000, 0), ("power.mw", "power.draw.instant", 1000, 0.25),
    ("power.mw_average", "power.draw.average", 1000, 0.25), ("power.mw_by_energy", "power.draw.average", 1000, 0.25),
    ("clock.graphics.max", "clocks.max.graphics", 1, 0), ("clock.memory.max", "clocks.max.memory", 1, 0),
    ("clock.graphics.lowest", "xml.graphics_lowest", 1, 0), ("clock.graphics.highest", "xml.graphics_highest", 1, 0),
    ("clock.memory.lowest", "xml.memory_lowest", 1, 0), ("clock.memory.supported", "xml.memory_clocks", 1, 0),
    ("clock.graphics.actual", "clocks.current.graphics", 1, 0.1), ("clock.memory.actual", "clocks.current.memory", 1, 0.1),
    ("clock.video.actual", "clocks.current.video", 1, 0.1), ("clock.graphics.request", "clocks.applications.graphics", 1, 0),
    ("clock.memory.request", "clocks.applications.memory", 1, 0), ("memory0.size", "memory.total", MIB, -MIB),
    ("memory0.free", "memory.free", MIB, 0.05), ("temperature1", "temperature.gpu", 1, -2),
    ("temperature2", "temperature.memory", 1, -2), ("temperature1.max", "tlimit", 1, -1),
    ("temperature2.max", "xml.gpu_temp_max_mem_threshold", 1, 0), ("ras.corrected.7", "ecc.errors.corrected.volatile.dram", 1, 0),
    ("ras.corrected.5", "ecc.errors.corrected.volatile.sram", 1, 0), ("engine.1.percent", "utilization.gpu", 1, -12),
    ("ras.uncorrected.7", "ecc.errors.uncorrected.volatile.dram", 1, 0),
    ("ras.uncorrected.5", "ecc.errors.uncorrected.volatile.sram", 1, 0), ("engine.6.percent", "utilization.encoder", 1, -12),
    ("engine.7.percent", "utilization.decoder", 1, -12), ("fan0", "fan.speed", 1, -3),
]


def known(text):
    return text is not None and not any(word in text for word in ("N/A", "Not Supported", "Unknown Error", "Insufficient"))


class Report:
    def __init__(self):
        self.counts = {"agree": 0, "differ": 0, "both unknown": 0, "only nvidia-smi": 0, "only sysman": 0}

    def line(self, verdict, name, ours, theirs):
        self.counts[verdict] += 1
        print(f"  {verdict:15} {name:28} {ours!s:44.44} {theirs}")

    def unknown(self, name, ours, theirs):
        if known(theirs):
            self.line("only nvidia-smi", name, ours, theirs)
        elif ours is not None and not ours.startswith(("error", "-1", "unknown")):
            self.line("only sysman", name, ours, theirs)
        else:
            self.line("both unknown", name, ours, theirs)

    def text(self, ours, before, after, name, field, convert):
        mine, theirs = ours.get(name), [v.get(field) for v in (before, after)]
        if mine is None or mine.startswith(("error", "unknown")) or not known(theirs[0]):
            return self.unknown(name, mine, theirs[0])
        wanted = [convert(t) if convert else t for t in theirs]
        mine = convert(mine) if convert in (str.upper, str.lower) else mine
        return self.line("agree" if mine in wanted else "differ", name, mine, " .. ".join(dict.fromkeys(map(str, wanted))))

    def value(self, ours, before, after, name, field, scale, tolerance):
        mine, theirs = number(ours.get(name)), [number(v.get(field)) for v in (before, after)]
        if mine is None or mine == -1 or None in theirs:
            return self.unknown(name, ours.get(name), before.get(field))
        wanted = [t * scale for t in theirs]
        room = -tolerance if tolerance < 0 else tolerance * max(map(abs, wanted))
        fits = min(wanted) - room - 1e-6 * abs(mine) <= mine <= max(wanted) + room + 1e-6 * abs(mine)
        return self.line("agree" if fits else "differ", name, ours[name], " .. ".join(f"{w:g}" for w in dict.fromkeys(wanted)))


def compare(report, ours, before, after):
    for entry in TEXTS:
        report.text(ours, before, after, *entry)
    for entry in NUMBERS:
        report.value(ours, before, after, *entry)
    mine = {k.partition(".")[2] for k in ours if k.startswith("process.")}
    theirs = [set(v["xml.processes"]) for v in (before, after)]
    # numbers are those of the namespace that asks, which both are in
    report.line("agree" if mine in theirs or (theirs[0] & theirs[1]) <= mine <= (theirs[0] | theirs[1]) else "differ",
                "processes", sorted(mine), [sorted(t) for t in theirs])
    links = (smi("nvlink", "-s", "-i", ours["uuid"]) or "")
    speeds = re.findall(r"Link (\d+): ([\d.]+) GB/s", links)
    for link, speed in speeds:
        mine = number(ours.get(f"port{link}.speed"))
        report.line("agree" if mine is not None and abs(mine / 8e9 - float(speed)) < 0.01 else "differ", f"port{link}.speed",
                    ours.get(f"port{link}.speed"), f"{speed} GB/s")
    report.line("agree" if len(speeds) == sum(".state" in k and "status 1" in ours[k] for k in ours if k.startswith("port"))
                else "differ", "active ports", ours.get("port"), len(speeds))


def main():
    if "--load" in sys.argv:
        here = os.path.dirname(os.path.abspath(__file__))
        load = subprocess.Popen([sys.executable, os.path.join(here, "load.py"), "40"])
        time.sleep(8)
    fields = fields_known()
    print("fields that this nvidia-smi has not:", " ".join(f for f in FIELDS if f not in fields) or "none")
    before = smi_read(fields)
    head, gpus, complete = zes_read(sys.argv[1])
    after = smi_read(fields)
    report = Report()
    for line in head:
        print(line)
    for index, ours in sorted(gpus.items()):
        uuid = ours.get("uuid", "").lower()
        print(f"GPU {index} {uuid}: verdict, value, sysman, nvidia-smi")
        if uuid not in before:
            report.line("differ", "uuid", uuid, sorted(before))
            continue
        compare(report, ours, before[uuid], after[uuid])
        print("  everything that sysman tells:")
        for name, text in ours.items():
            print(f"    {name:28} {text}")
    report.line("agree" if len(gpus) == len(before) else "differ", "GPUs", len(gpus), len(before))
    if "--load" in sys.argv:
        load.terminate()
        load.wait()
    print(" ".join(f"{what}: {count}." for what, count in report.counts.items()))
    return 0 if complete and report.counts["differ"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
