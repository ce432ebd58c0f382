"""Every function of pyzes on every device, compared with a second source: the system's files, or the description of simulated devices.

usage: pyzes_walk.py cpu | simulated FILE

Runs in the environment that run_pyzes.py makes. Prints what differs, and the number of comparisons; exit status 1 when something does.
"""
import ctypes
import sys

import pyzes

import description
from pyzes_calls import SUCCESS, call, called, compared, constant, flags, got, handle, listed, must, same, structure, wrong

TIMES = (4, 12, 61)  # in ramps, and before and behind steps


# ---- what every device has ----

def properties_of(device):
    properties = structure("zes_device_properties_t", "DEVICE_PROPERTIES")
    more = structure("zes_device_ext_properties_t", "DEVICE_EXT_PROPERTIES")
    properties.pNext = ctypes.cast(ctypes.pointer(more), ctypes.c_void_p)
    must("zesDeviceGetProperties", device, ctypes.byref(properties))
    same("uuid", bytes(more.uuid.id), bytes(properties.core.uuid.id))
    return properties


def find_by_uuid(driver, uuid):
    wanted = pyzes.zes_uuid_t()
    wanted.id[:] = bytes(uuid)
    device, on_tile, tile = pyzes.zes_device_handle_t(), pyzes.ze_bool_t(), ctypes.c_uint32()
    must("zesDriverGetDeviceByUuidExp", driver, wanted, ctypes.byref(device), ctypes.byref(on_tile), ctypes.byref(tile))
    return device.value, on_tile.value, tile.value


def uuids_lead_back(driver, device, properties):
    same("by uuid", find_by_uuid(driver, properties.core.uuid.id)[:2], (handle(device), 0))
    tiles = listed("zesDeviceGetSubDevicePropertiesExp", (device,), "zes_subdevice_exp_properties_t", "SUBDEVICE_EXP_PROPERTIES")
    same("tiles", len(tiles), properties.numSubdevices)
    for tile in tiles:
        same("tile by uuid", find_by_uuid(driver, tile.uuid.id), (handle(device), 1, tile.subdeviceId))


ENUMERATIONS = (("zesDeviceEnumMemoryModules", "zes_mem_handle_t"), ("zesDeviceEnumPowerDomains", "zes_pwr_handle_t"),
                ("zesDeviceEnumFrequencyDomains", "zes_freq_handle_t"), ("zesDeviceEnumTemperatureSensors", "zes_temp_handle_t"),
                ("zesDeviceEnumEngineGroups", "zes_engine_handle_t"))


def parts_of(device):
    return [listed(name, (device,), kind) for name, kind in ENUMERATIONS]


def read_all(device):
    """Every question once; what is compared is up to who asks. Nothing is set."""
    pci, ecc = structure("zes_pci_properties_t", "PCI_PROPERTIES"), pyzes.ze_bool_t()
    call("zesDevicePciGetProperties", device, ctypes.byref(pci))
    got("zesDevicePciGetState", device, "zes_pci_state_t", "PCI_STATE")
    got("zesDevicePciGetStats", device, "zes_pci_stats_t")
    must("zesDeviceEccAvailable", device, ctypes.byref(ecc))
    must("zesDeviceEccConfigurable", device, ctypes.byref(ecc))
    got("zesDeviceGetEccState", device, "zes_device_ecc_properties_t", "DEVICE_ECC_PROPERTIES")
    memories, powers, frequencies, sensors, engines = parts_of(device)
    for part in memories:
        got("zesMemoryGetBandwidth", part, "zes_mem_bandwidth_t")
    for part in powers:
        got("zesPowerGetProperties", part, "zes_power_properties_t", "POWER_PROPERTIES")
        got("zesPowerGetEnergyCounter", part, "zes_power_energy_counter_t")
        listed("zesPowerGetLimitsExt", (part,), "zes_power_limit_ext_desc_t", "POWER_LIMIT_EXT_DESC")
    for part in frequencies:
        got("zesFrequencyGetProperties", part, "zes_freq_properties_t", "FREQ_PROPERTIES")
        got("zesFrequencyGetState", part, "zes_freq_state_t", "FREQ_STATE")
        got("zesFrequencyGetRange", part, "zes_freq_range_t")
        got("zesFrequencyGetThrottleTime", part, "zes_freq_throttle_time_t")
        call("zesFrequencyGetAvailableClocks", part, ctypes.byref(ctypes.c_uint32()), None)
    for part in sensors:
        got("zesTemperatureGetProperties", part, "zes_temp_properties_t", "TEMP_PROPERTIES")
        got("zesTemperatureGetConfig", part, "zes_temp_config_t", "TEMP_CONFIG")
        must("zesTemperatureGetState", part, ctypes.byref(ctypes.c_double()))
    for part in engines:
        got("zesEngineGetProperties", part, "zes_engine_properties_t", "ENGINE_PROPERTIES")
        got("zesEngineGetActivity", part, "zes_engine_stats_t")
    return memories


# ---- the CPU, beside the system's files ----

def fields(path, separator=":"):
    """{name: value} of the first of each name."""
    found = {}
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            name, _, value = line.partition(separator)
            found.setdefault(name.strip(), value.strip())
    return found


def cpu_check(driver, device):
    properties = properties_of(device)
    uuids_lead_back(driver, device, properties)
    processor = fields("/proc/cpuinfo")
    if "model name" in processor:  # of x86-64
        same("model", properties.modelName.decode(), processor["model name"][:63])
        same("vendor", properties.vendorName.decode(), processor["vendor_id"])
    memories = read_all(device)
    total = 0
    for memory in memories:
        state = got("zesMemoryGetState", memory, "zes_mem_state_t", "MEM_STATE")
        total += got("zesMemoryGetProperties", memory, "zes_mem_properties_t", "MEM_PROPERTIES").physicalSize
        same("free memory", state.free, (1, state.size))
    with open("/proc/meminfo", encoding="utf-8") as file:
        machine = int(file.readline().split()[1]) * 1024
    same("memory", total, (machine * 0.99, machine * 1.01))  # the nodes' sum has what the kernel keeps for itself
    processes = listed("zesDeviceProcessesGetState", (device,), "zes_process_state_t", "PROCESS_STATE")
    same("processes are there", all(process.processId > 0 for process in processes), True)


# ---- simulated devices, beside their description ----

# zes_engine_type_flag_t, which pyzes has no names for.
ENGINE_FLAGS = {"other": 1, "compute": 2, "3d": 4, "media": 8, "dma": 16, "render": 32}


class Described:
    """A part of a device, or the device, and what the description says of it."""

    def __init__(self, device, entry, index, seconds, what=""):
        self.device, self.entry, self.index, self.seconds, self.what = device, entry, index, seconds, what

    def part(self, entry, what):
        return Described(self.device, entry, self.index, self.seconds, what + " ")

    def number(self, key, default):
        return description.number(self.entry.get(key, default), self.index)

    def at(self, key, default=0):
        return description.at(self.entry.get(key, default), self.seconds, self.index)

    def integral(self, key, factor=1):
        return description.times(description.integral(self.entry.get(key, 0), self.seconds, self.index), factor)

    def word(self, key, default):
        return description.word_at(self.entry.get(key, default), self.seconds)

    def same(self, name, actual, expected):
        same(f"{self.seconds} s, device {self.index} {self.what}{name}", actual, expected)

    def same_time(self, actual_us):
        self.same("time", actual_us, self.seconds * 1000000)

    def place(self, properties):
        tile = self.entry.get("tile", -1)
        self.same("tile", (properties.onSubdevice, properties.subdeviceId if tile >= 0 else 0), (int(tile >= 0), max(tile, 0)))


def identity_check(it, properties):
    for key, field in (("serial", "serialNumber"), ("board", "boardNumber"), ("brand", "brandName"), ("vendor", "vendorName"),
                       ("driver_version", "driverVersion")):
        it.same(key, getattr(properties, field).decode(), description.text(it.entry.get(key, "unknown"), it.index))
    model = description.text(it.entry.get("model", it.entry["name"]), it.index)
    it.same("model", properties.modelName.decode(), model + " (simulated)")
    it.same("name", properties.core.name.decode(), description.text(it.entry["name"], it.index))
    it.same("ids", (properties.core.vendorId, properties.core.deviceId), (it.number("vendor_id", 0), it.number("device_id", 0)))
    it.same("memory", properties.core.maxMemAllocSize, it.number("memory_bytes", 0))
    it.same("clock", properties.core.coreClockRate, it.number("core_clock_mhz", 1000))
    it.same("tiles", properties.numSubdevices, it.entry.get("tiles", 0))


def pci_check(it):
    card = it.part(it.entry["pci"], "pci")
    properties = got("zesDevicePciGetProperties", it.device, "zes_pci_properties_t", "PCI_PROPERTIES")
    address = properties.address
    card.same("address", (address.domain, address.bus, address.device, address.function),
              tuple(card.number(key, 0) for key in ("domain", "bus", "device", "function")))
    speed = tuple(card.number(key, -1) for key in ("max_gen", "max_width", "max_bytes_per_s"))
    state = got("zesDevicePciGetState", it.device, "zes_pci_state_t", "PCI_STATE")
    for what in (properties.maxSpeed, state.speed):
        card.same("speed", (what.gen, what.width, what.maxBandwidth), speed)
    status = card.word("status", "good")
    card.same("status", state.status, constant("PCI_LINK_STATUS", status))
    issues = card.word("quality_issues", []) if status == "quality_issues" else []
    card.same("issues", state.qualityIssues, flags("PCI_LINK_QUAL_ISSUE", issues))
    stats = got("zesDevicePciGetStats", it.device, "zes_pci_stats_t")
    card.same("rx", stats.rxCounter, card.integral("rx_bytes_per_s"))
    card.same("tx", stats.txCounter, card.integral("tx_bytes_per_s"))
    card.same("packets", stats.packetCounter, card.integral("packets_per_s"))
    card.same("replays", stats.replayCounter, card.at("replays"))
    card.same_time(stats.timestamp)


def ecc_check(it):
    available, configurable = pyzes.ze_bool_t(), pyzes.ze_bool_t()
    must("zesDeviceEccAvailable", it.device, ctypes.byref(available))
    must("zesDeviceEccConfigurable", it.device, ctypes.byref(configurable))
    ecc = it.entry["ecc"]
    it.same("ecc", (available.value, configurable.value), (1, int(ecc.get("configurable", False))))
    before = got("zesDeviceGetEccState", it.device, "zes_device_ecc_properties_t", "DEVICE_ECC_PROPERTIES")
    it.same("ecc state", before.currentState, constant("DEVICE_ECC_STATE", ecc["state"]))
    for state in (pyzes.ZES_DEVICE_ECC_STATE_DISABLED, before.currentState):
        wanted = structure("zes_device_ecc_desc_t", "DEVICE_ECC_DESC")
        after = structure("zes_device_ecc_properties_t", "DEVICE_ECC_PROPERTIES")
        wanted.state = state
        result = call("zesDeviceSetEccState", it.device, ctypes.byref(wanted), ctypes.byref(after))
        waits = state != before.currentState
        it.same("ecc waits for a reset", result, pyzes.ZE_RESULT_WARNING_ACTION_REQUIRED if waits else SUCCESS)
        it.same("ecc set", (after.currentState, after.pendingState), (before.currentState, state))


def processes_check(it):
    found = listed("zesDeviceProcessesGetState", (it.device,), "zes_process_state_t", "PROCESS_STATE")
    there = [process for process in it.entry.get("processes", [])
             if process.get("from_s", 0) <= it.seconds < (process.get("until_s", 0) or description.FOREVER)]
    it.same("processes", [state.processId for state in found], [process["process_id"] for process in there])
    for state, process in zip(found, there):
        used = it.part(process, "process")
        used.same("engines", state.engines, sum(ENGINE_FLAGS[word] for word in process.get("engines", [])))
        used.same("memory", state.memSize, used.at("memory_bytes"))
        used.same("shared", state.sharedSize, used.at("shared_bytes"))


def memory_check(part, memory):
    properties = got("zesMemoryGetProperties", memory, "zes_mem_properties_t", "MEM_PROPERTIES")
    known = constant("MEM_TYPE", part.entry.get("type", "hbm"))
    if known is not None:
        part.same("type", properties.type, known)
    part.place(properties)
    part.same("size", properties.physicalSize, part.number("size_bytes", None))
    part.same("shape", (properties.busWidth, properties.numChannels), (part.number("bus_width_bits", -1), part.number("channels", -1)))
    state = got("zesMemoryGetState", memory, "zes_mem_state_t", "MEM_STATE")
    used = tuple(min(value, state.size) for value in part.at("used_bytes"))
    part.same("used", state.size - state.free, used)
    part.same("health", state.health, constant("MEM_HEALTH", part.word("health", "ok")))
    traffic = got("zesMemoryGetBandwidth", memory, "zes_mem_bandwidth_t")
    wrap = 2 ** part.entry.get("counter_bits", 64)
    for actual, key in ((traffic.readCounter, "read_bytes_per_s"), (traffic.writeCounter, "write_bytes_per_s")):
        part.same(key, actual, tuple(value % wrap for value in part.integral(key)))
    part.same("most", traffic.maxBandwidth, part.number("max_bytes_per_s", 0))
    part.same_time(traffic.timestamp)


def limits_check(part, power):
    limits = listed("zesPowerGetLimitsExt", (power,), "zes_power_limit_ext_desc_t", "POWER_LIMIT_EXT_DESC")
    described = part.entry.get("limits", [])
    part.same("limits", [(limit.limit, limit.level, limit.source, limit.interval, limit.limitValueLocked) for limit in limits],
              [(limit["limit"], constant("POWER_LEVEL", limit["level"]), constant("POWER_SOURCE", limit.get("source", "any")),
                limit.get("interval_ms", 0), int(limit.get("limit_locked", False))) for limit in described])
    if not limits or not part.entry.get("can_control"):
        return
    for value in (limits[0].limit - 1000, limits[0].limit):
        wanted = (pyzes.zes_power_limit_ext_desc_t * 1)(limits[0])
        wanted[0].limit = value
        must("zesPowerSetLimitsExt", power, ctypes.byref(ctypes.c_uint32(1)), wanted)
        now = listed("zesPowerGetLimitsExt", (power,), "zes_power_limit_ext_desc_t", "POWER_LIMIT_EXT_DESC")
        part.same("limit set", now[0].limit, value)


def power_check(part, power):
    properties = structure("zes_power_properties_t", "POWER_PROPERTIES")
    more = structure("zes_power_ext_properties_t", "POWER_EXT_PROPERTIES")
    properties.pNext = ctypes.cast(ctypes.pointer(more), ctypes.c_void_p)
    must("zesPowerGetProperties", power, ctypes.byref(properties))
    part.same("domain", more.domain, constant("POWER_DOMAIN", part.entry.get("domain", "card")))
    part.same("threshold", properties.isEnergyThresholdSupported, int(part.entry.get("energy_threshold", False)))
    part.place(properties)
    part.same("control", properties.canControl, int(part.entry.get("can_control", False)))
    part.same("range", (properties.minLimit, properties.maxLimit, properties.defaultLimit),
              tuple(part.number(key, -1) for key in ("min_limit_mw", "max_limit_mw", "default_limit_mw")))
    energy = got("zesPowerGetEnergyCounter", power, "zes_power_energy_counter_t")
    expected = part.at("energy_uj") if "energy_uj" in part.entry else part.integral("power_mw", 1000)
    part.same("energy", energy.energy, expected)
    part.same_time(energy.timestamp)
    limits_check(part, power)


def range_check(part, frequency, least, most):
    now = got("zesFrequencyGetRange", frequency, "zes_freq_range_t")
    part.same("range now", (now.min, now.max), (least, most))
    if part.entry.get("can_control"):
        for end in ((least + most) / 2, most):
            must("zesFrequencySetRange", frequency, ctypes.byref(pyzes.zes_freq_range_t(least, end)))
            now = got("zesFrequencyGetRange", frequency, "zes_freq_range_t")
            part.same("range set", (now.min, now.max), (least, end))


def frequency_check(part, frequency):
    properties = got("zesFrequencyGetProperties", frequency, "zes_freq_properties_t", "FREQ_PROPERTIES")
    least, most = part.number("min_mhz", None), part.number("max_mhz", None)
    part.place(properties)
    part.same("kind", properties.type, constant("FREQ_DOMAIN", part.entry.get("domain", "gpu")))
    part.same("range", (properties.min, properties.max), (least, most))
    part.same("event", properties.isThrottleEventSupported, int(part.entry.get("throttle_event", False)))
    part.same("clocks", listed("zesFrequencyGetAvailableClocks", (frequency,), "c_double"),
              part.entry.get("clocks_mhz") or sorted({least, most}))
    state = got("zesFrequencyGetState", frequency, "zes_freq_state_t", "FREQ_STATE")
    part.same("state is there", state is not None, "actual_mhz" in part.entry)
    if state:
        part.same("actual", state.actual, part.at("actual_mhz"))
        part.same("request", state.request, part.at("request_mhz" if "request_mhz" in part.entry else "actual_mhz"))
        part.same("reasons", state.throttleReasons, flags("FREQ_THROTTLE_REASON", part.word("throttle_reasons", [])))
        for actual, key in ((state.tdp, "tdp_mhz"), (state.efficient, "efficient_mhz"), (state.currentVoltage, "voltage_v")):
            part.same(key, actual, part.at(key, -1))
    throttled = got("zesFrequencyGetThrottleTime", frequency, "zes_freq_throttle_time_t")
    if throttled:
        part.same("throttled", throttled.throttleTime, part.integral("throttled_percent", 10000))
    range_check(part, frequency, least, most)


def sensor_check(part, sensor):
    properties = got("zesTemperatureGetProperties", sensor, "zes_temp_properties_t", "TEMP_PROPERTIES")
    part.same("kind", properties.type, constant("TEMP_SENSORS", part.entry.get("sensor", "global")))
    part.same("most", properties.maxTemperature, float(part.number("max_celsius", -1)))
    celsius = ctypes.c_double()
    must("zesTemperatureGetState", sensor, ctypes.byref(celsius))
    part.same("celsius", celsius.value, part.at("celsius"))
    config = got("zesTemperatureGetConfig", sensor, "zes_temp_config_t", "TEMP_CONFIG")
    events = any(part.entry.get(key) for key in ("critical_event", "threshold1_event", "threshold2_event"))
    part.same("thresholds", config is not None, events)


def engine_check(part, engine):
    properties = got("zesEngineGetProperties", engine, "zes_engine_properties_t", "ENGINE_PROPERTIES")
    part.place(properties)
    part.same("kind", properties.type, constant("ENGINE_GROUP", part.entry.get("group", "all")))
    stats = got("zesEngineGetActivity", engine, "zes_engine_stats_t")
    part.same("active", stats.activeTime, part.integral("busy_percent", 10000))
    part.same_time(stats.timestamp)


CHECKS = (("memory", memory_check), ("power", power_check), ("frequency", frequency_check), ("temperature", sensor_check),
          ("engine", engine_check))


def simulated_check(driver, device, it):
    properties = properties_of(device)
    identity_check(it, properties)
    uuids_lead_back(driver, device, properties)
    pci_check(it)
    ecc_check(it)
    processes_check(it)
    for (key, check), handles in zip(CHECKS, parts_of(device)):
        described = it.entry.get(key, [])
        it.same(f"number of {key}", len(handles), len(described))
        for i, (part, of) in enumerate(zip(handles, described)):
            check(it.part(of, f"{key} {i}"), part)


def clock_set(driver, seconds):
    """The clock of the description is by hand; setting it is not of pyzes."""
    function = ctypes.c_void_p()
    if pyzes.gpuLib.zesDriverGetExtensionFunctionAddress(driver, b"geoidSimulatedSetTime", ctypes.byref(function)):
        raise RuntimeError("no simulated devices")
    if ctypes.CFUNCTYPE(ctypes.c_uint32, ctypes.c_uint64)(function.value)(seconds * 1000000000):
        raise RuntimeError("the clock cannot be set")


def main():
    must("zesInit", 0)
    driver = pyzes.zes_driver_handle_t(handle(listed("zesDriverGet", (), "zes_driver_handle_t")[0]))
    devices = [pyzes.zes_device_handle_t(handle(device)) for device in listed("zesDeviceGet", (driver,), "zes_device_handle_t")]
    if sys.argv[1] == "cpu":
        for device in devices:
            cpu_check(driver, device)
    else:
        described = description.load(sys.argv[2])
        same("devices", len(devices), len(described))
        for seconds in TIMES:
            clock_set(driver, seconds)
            for device, (entry, index) in zip(devices, described):
                simulated_check(driver, device, Described(device, entry, index, seconds))
        functions = {name for name in dir(pyzes) if name.startswith("zes") and callable(getattr(pyzes, name)) and not name.endswith("_t")}
        same("functions that were not called", sorted(functions - called), [])
    print(f"{len(devices)} devices, {len(compared)} comparisons, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
