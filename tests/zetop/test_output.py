"""What zetop writes for programs, against values that script.c gives: JSON, CSV, Prometheus' format, text, errors.

Usage: test_output.py BUILD
"""
import csv
import io
import json
import os
import re
import resource
import stat
import subprocess
import tempfile
import time
import unittest

from terminal import ENDING, heed_signals
from zetop import MISSING_PID, UUID, ZETOP, environment, run

GIB = 1 << 30
LIMITS = {"sustained": 300.0, "burst": 350.5}
FREQUENCY = {"frequency_hertz": 1200500000.0, "frequency_request_hertz": 1300000000.0, "frequency_efficient_hertz": 600000000.0,
             "frequency_min_hertz": 400000000.0, "frequency_max_hertz": 1400000000.0}
THROTTLED = {"voltage_volts": 0.85, "frequency_throttle_reason": ["current_limit", "thermal_limit"],
             "frequency_throttled_seconds_total": 2.500001}
MEMORY = {"memory_used_bytes": 16 * GIB, "memory_free_bytes": 48 * GIB, "memory_size_bytes": 64 * GIB}
COUNTERS = {"memory_max_bytes_per_second": 8192, "memory_read_bytes_total": 3056, "memory_written_bytes_total": 2048, "memory_health": "ok"}
FAN = {"fan_speed_rpm": 1500, "fan_mode": "fixed"}


def components(device):
    """All that a device of the described backend has in the first snapshot, as JSON has it: class, number, sub-device, type, values.

    Engines take turns with a quarter, half ... of the time, each reading of energy adds 60 J, and there are four domains."""
    busy = [0.25 * (1 + 2 * device), 0.25 * (2 + 2 * device)]
    active = [round(0.000001 + 2 * share, 6) for share in busy]
    energy = [round(1000.000001 + 60 * (5 + 2 * device + domain), 6) for domain in (0, 1)]
    errors = {"compute_errors": 1, "non_compute_errors": 2, "cache_errors": 3, "memory_errors": 0, "reset": 5}
    rates = {"memory_read_bytes_per_second": 3072.0, "memory_written_bytes_per_second": 1024.0, "memory_bandwidth_ratio": 0.5}
    return [
        ("engine", 0, None, "all", {"engine_utilization_ratio": busy[0], "engine_active_seconds_total": active[0]}),
        ("engine", 1, 1, "compute_single", {"engine_utilization_ratio": busy[1], "engine_active_seconds_total": active[1]}),
        ("memory", 0, 0, "hbm2e", {**MEMORY, **rates, **COUNTERS}),
        ("memory", 1, None, "ddr5", {**MEMORY, **COUNTERS}),  # 64 bits: counters that become less were set back
        ("power", 0, None, "card", {"power_watts": 60.0, "energy_joules_total": energy[0], "power_limit_watts": LIMITS}),
        ("power", 1, 1, "package", {"power_watts": 60.0, "energy_joules_total": energy[1], "power_limit_watts": LIMITS}),
        ("frequency", 0, 0, "gpu",
         {**FREQUENCY, "frequency_hardware_min_hertz": 300000000.0, "frequency_hardware_max_hertz": 1500000000.0, **THROTTLED}),
        ("frequency", 1, 1, "memory",
         {**FREQUENCY, "frequency_hardware_min_hertz": 1000000000.0, "frequency_hardware_max_hertz": 2000000000.0, **THROTTLED}),
        ("temperature", 0, None, "global", {"temperature_celsius": 65.5, "temperature_max_celsius": 105.0}),
        ("temperature", 1, 1, "memory", {"temperature_celsius": 65.5, "temperature_max_celsius": 95.0}),
        ("temperature", 2, 0, "gpu", {"temperature_celsius": 65.5, "temperature_max_celsius": 100.0}),
        ("fan", 0, None, "fan", {**FAN, "fan_max_speed_rpm": 3000, "fan_speed_ratio": 0.5}),
        ("fan", 1, None, "fan", FAN),
        ("fan", 2, 1, "fan", FAN),
        ("errors", 0, 0, "correctable", {"errors_total": errors}),
        ("errors", 1, 0, "uncorrectable", {"errors_total": {"reset": 0, "compute_errors": 7, "pcie_errors": 0}}),
        ("pci", 0, None, "pci", {"pci_link_status": "good", "pci_link_generation": 4, "pci_link_lanes": 16, "pci_received_bytes_total": 1000,
                                 "pci_sent_bytes_total": 2000, "pci_replays_total": 3}),
        ("psu", 0, None, "psu", {"psu_voltage_status": "normal", "psu_current_amperes": 12.5}),
        ("fabric_port", 0, 0, "fabric_port", {"fabric_port_status": "healthy", "fabric_port_received_bytes_total": 100,
                                              "fabric_port_sent_bytes_total": 200}),
        ("fabric_port", 1, 1, "fabric_port", {"fabric_port_status": "healthy", "fabric_port_received_bytes_total": 0,
                                              "fabric_port_sent_bytes_total": 0}),
    ]


def flat(device):
    """{(class, number, metric, label or word): value} of the same, as CSV and Prometheus have it; a state's value is None."""
    found = {}
    for kind, number, _, _, values in components(device):
        for metric, value in values.items():
            if isinstance(value, dict):
                found.update({(kind, number, metric, label): float(one) for label, one in value.items()})
            elif isinstance(value, (list, str)):
                found.update({(kind, number, metric, word): None for word in ([value] if isinstance(value, str) else value)})
            else:
                found[kind, number, metric, ""] = float(value)
    return found


class Exposition:
    """A strict reader of Prometheus' text format 0.0.4: {(name, labels): value}, types by name; raises ValueError."""

    NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
    LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
    SAMPLE = re.compile(rf"({NAME})(?:\{{({LABEL}(?:,{LABEL})*)?\}})? (\S+)")

    def __init__(self, text):
        self.samples, self.types, self.help = {}, {}, {}
        current = None
        if not text.endswith("\n"):
            raise ValueError("the last line has no end")
        for line in text[:-1].split("\n"):
            if line.startswith("# HELP "):
                _, _, name, words = line.split(" ", 3)
                if name in self.help or not words or re.search(r"\\(?![\\n])", words):
                    raise ValueError(line)
                self.help[name] = words
                current = name
            elif line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                if name in self.types or name != current or kind not in ("counter", "gauge"):
                    raise ValueError(line)
                self.types[name] = kind
            else:
                self.sample(line, current)

    def sample(self, line, current):
        found = self.SAMPLE.fullmatch(line)
        if not found or found.group(1) != current or current not in self.types:
            raise ValueError(f"not a sample of {current}: {line}")
        pairs = re.findall(self.LABEL, found.group(2) or "")
        labels = {name: re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m.group(1), m.group(1)), value) for name, value in pairs}
        key = (found.group(1), frozenset(labels.items()))
        if len(labels) != len(pairs) or key in self.samples or any(name.startswith("__") for name in labels):
            raise ValueError("labels: " + line)
        self.samples[key] = float(found.groups()[-1])

    def of(self, name, /, **labels):
        """The values of all samples of that name that have these labels."""
        return [value for (of, has), value in self.samples.items() if of == name and set(labels.items()) <= has]


class Output(unittest.TestCase):
    def good(self, *arguments, **more):
        done = run(*arguments, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_json_has_every_value(self):
        lines = self.good("--batch", "--format", "json", "--delay", "0").splitlines()
        self.assertEqual(len(lines), 1)
        snapshot = json.loads(lines[0])
        self.assertAlmostEqual(snapshot["time"], time.time(), delta=600)
        self.assertEqual(len(snapshot["devices"]), 2)
        for number, device in enumerate(snapshot["devices"]):
            parts = device.pop("components")
            self.assertEqual(device, {"index": number, "uuid": UUID[number], "name": "Model", "vendor": "Vendor", "serial": "S-123",
                                      "driver_version": "1.2.3", "subdevices": 2, "simulated": True, "lost": False, "failure": None,
                                      "processes": []})
            self.assertEqual(len(parts), len(components(number)))
            for part, expected in zip(parts, components(number)):
                self.assertEqual((part["class"], part["component"], part["subdevice"], part["type"]), expected[:4])
                self.assertEqual(part["metrics"], expected[4])

    def test_csv_has_every_value(self):
        rows = list(csv.DictReader(io.StringIO(self.good("-b", "-f", "csv", "-d", "0")), strict=True))
        self.assertEqual(list(rows[0]), ["time", "device", "uuid", "name", "simulated", "subdevice", "class", "component", "type", "metric",
                                         "label", "value"])
        for number in (0, 1):
            found, places = {}, {}
            for row in rows:
                if row["device"] != str(number):
                    continue
                self.assertEqual((row["uuid"], row["name"], row["simulated"], None in row), (UUID[number], "Model", "yes", False))
                if row["class"] == "device":
                    self.assertEqual(row["value"], {"up": "1", "processes": "0"}[row["metric"]])
                    continue
                word = not re.fullmatch(r"[0-9.e+-]+", row["value"])
                key = (row["class"], int(row["component"]), row["metric"], row["value"] if word else row["label"])
                self.assertNotIn(key, found)
                found[key] = None if word else float(row["value"])
                places[row["class"], int(row["component"])] = (row["subdevice"], row["type"])
            self.assertEqual(found, flat(number))
            self.assertEqual(places, {(kind, at): ("" if sub is None else str(sub), of) for kind, at, sub, of, _ in components(number)})

    def test_counters_have_all_their_digits(self):
        rows = list(csv.DictReader(io.StringIO(self.good("-b", "-f", "csv", "-d", "0"))))
        self.assertEqual([row["value"] for row in rows if row["metric"] == "energy_joules_total"],
                         ["1300.000001", "1360.000001", "1420.000001", "1480.000001"])

    def test_engines_are_in_use_all_the_time_at_most(self):
        self.assertEqual(Exposition(self.good("-p", "-d", "0", script="ahead")).of("geoid_device_engine_utilization_ratio"), [1] * 4)

    def test_prometheus_has_every_value(self):
        exposition = Exposition(self.good("--prometheus", "-d", "0"))
        found = [{}, {}]
        for (name, labels), value in exposition.samples.items():
            labels = dict(labels)
            number = int(labels.pop("index"))
            self.assertEqual((labels.pop("uuid"), labels.pop("simulated")), (UUID[number], "true"))
            self.assertTrue(name.startswith("geoid_device_"), name)
            self.assertEqual(exposition.types[name] == "counter", name.endswith("_total"), name)
            name = name[len("geoid_device_"):]
            if "component" not in labels:
                self.assertIn(name, ("info", "up", "processes"))
                continue
            at = int(labels.pop("component"))
            own = {label: labels.pop(label) for label in ("limit", "category", "reason", "state", "mode") if label in labels}
            kind = next(c for c in components(number) if name in c[4] and c[1] == at)
            self.assertEqual(labels, {"type": kind[3], **({} if kind[2] is None else {"subdevice": str(kind[2])})})
            state = bool(set(own) & {"reason", "state", "mode"})
            self.assertTrue(not state or value == 1)
            found[number][kind[0], at, name, "".join(own.values())] = None if state else value
        self.assertEqual(found, [flat(0), flat(1)])
        self.assertEqual(exposition.of("geoid_device_info", name="Model", serial="S-123", vendor="Vendor", driver_version="1.2.3"), [1, 1])
        self.assertEqual(exposition.of("geoid_device_power_watts", type="card"), [60, 60])

    def test_text_marks_what_is_simulated(self):
        text = self.good("--batch", "-d", "0", script=f"process:{MISSING_PID}:1073741824:2048:18")
        self.assertIn(f"device 0: Model (sim), {UUID[0]}\n", text)
        rows = {line[2:28].rstrip(): line[28:].strip() for line in text.splitlines()}
        self.assertEqual(rows["engine 1 compute single.1"], "utilization 100.0%, active 2.0 s")  # of the second device
        self.assertEqual(rows["mem 0 hbm2e.0"], "used 16.0 GiB, free 48.0 GiB, size 64.0 GiB, health ok, read 3.0 KiB/s, written 1.0 KiB/s, "
                         "bandwidth 50.0%, max 8.0 KiB/s, read 3.0 KiB, written 2.0 KiB")
        self.assertEqual(rows["power 0 card"], "now 60.0 W, energy 1420.0 J, limit sustained 300.0 W, limit burst 350.5 W")
        self.assertEqual(rows["errors 1 uncorrectable.0"], "reset 0, compute errors 7, pcie errors 0")
        self.assertIn(f"{MISSING_PID} -                memory 1.0 GiB, shared 2.0 KiB, engines compute,dma\n", text)

    def test_processes_have_the_system_s_names(self):
        with subprocess.Popen(["sh", "-c", r"printf '\033[31mred' >/proc/$$/comm; echo; read end"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as strange:
            strange.stdout.readline()
            script = f"process:{os.getpid()}:100:20:2 process:{strange.pid}:7:0:0 process:{MISSING_PID}:1:2:63"
            device = json.loads(self.good("-b", "-f", "json", "-d", "0", script="real " + script))["devices"][0]
            rows = csv.DictReader(io.StringIO(self.good("-b", "-f", "csv", "-d", "0", script="real " + script)))
            simulated = json.loads(self.good("-b", "-f", "json", "-d", "0", script=script))["devices"][0]
            rows = [(row["component"], row["type"], row["metric"], row["value"]) for row in rows
                    if row["class"] == "process" and row["device"] == "1"]
            strange.communicate(b"\n")
        with open("/proc/self/comm", encoding="utf-8") as stream:
            own = stream.read().rstrip("\n")
        self.assertEqual([(process["pid"], process["name"]) for process in simulated["processes"]],
                         [(os.getpid(), "-"), (strange.pid, "-"), (MISSING_PID, "-")])
        everything = ["other", "compute", "3d", "media", "dma", "render"]
        self.assertEqual(device["processes"], [
            {"pid": os.getpid(), "name": own, "memory_bytes": 100, "shared_bytes": 20, "engines": ["compute"]},
            {"pid": strange.pid, "name": "?[31mred", "memory_bytes": 7, "shared_bytes": 0, "engines": []},
            {"pid": MISSING_PID, "name": "-", "memory_bytes": 1, "shared_bytes": 2, "engines": everything}])
        self.assertEqual(rows[:3], [(str(os.getpid()), own, "process_memory_bytes", "100"),
                                    (str(os.getpid()), own, "process_shared_bytes", "20"),
                                    (str(os.getpid()), own, "process_engines", "compute")])
        self.assertEqual(rows[-1], (str(MISSING_PID), "-", "process_engines", ",".join(everything)))

    def test_what_is_not_supported_is_left_out(self):
        absent = ("power.energy", "engine.activity", "temperature.state", "fan.speed", "ras.counters", "device.processes", "memory.state")
        script = " ".join("fail:absent:" + operation for operation in absent)
        snapshot = json.loads(self.good("-b", "-f", "json", "-d", "0", script=script))
        device = snapshot["devices"][0]
        self.assertNotIn("processes", device)
        metrics = {}
        for part in device["components"]:
            metrics.setdefault(part["class"], []).append(set(part["metrics"]))
        self.assertEqual(metrics["power"], [{"power_limit_watts"}] * 2)
        self.assertEqual(metrics["engine"], [set(), set()])
        self.assertEqual(metrics["temperature"], [{"temperature_max_celsius"}] * 3)
        self.assertEqual(metrics["fan"], [{"fan_max_speed_rpm", "fan_mode"}, {"fan_mode"}, {"fan_mode"}])
        self.assertEqual(metrics["errors"], [set(), set()])
        self.assertFalse(metrics["memory"][0] & set(MEMORY))
        exposition = Exposition(self.good("-p", "-d", "0", script=script))
        self.assertFalse({name for name in exposition.types if re.search("_(joules|watts|utilization|errors|processes)", name)}
                         - {"geoid_device_power_limit_watts"})

    def test_what_is_refused_is_told(self):
        done = run("-b", "-f", "json", "-d", "0", "-n", "3", script="fail:70010000:power.energy fail:70010000:device.processes")
        self.assertEqual(done.returncode, 0)
        told = done.stderr.splitlines()  # once, not with each snapshot
        self.assertEqual(len(told), 2)
        self.assertRegex(told[0], r"^zetop: device 0: power: error_insufficient_permissions: .*the test says no")
        device = json.loads(done.stdout.splitlines()[-1])["devices"][1]
        self.assertRegex(device["failure"], "^power: error_insufficient_permissions")
        self.assertNotIn("processes", device)

    def test_a_lost_device_is_told(self):
        script = "fail:70000001:temperature.state"
        device = json.loads(run("-b", "-f", "json", "-d", "0", script=script).stdout)["devices"][0]
        self.assertTrue(device["lost"])
        self.assertEqual(Exposition(run("-p", "-d", "0", script=script).stdout).of("geoid_device_up"), [0, 0])

    def test_snapshots_are_counted_and_have_one_header(self):
        text = self.good("-b", "-f", "csv", "-d", "0", "-n", "3")
        self.assertEqual(text.count("time,device"), 1)
        self.assertEqual(text.count(f"{UUID[0]},Model,yes,,device,,,up,,1\n"), 3)
        self.assertEqual(len(self.good("-b", "-f", "json", "-d", "0", "-n", "4").splitlines()), 4)

    def test_a_file_is_replaced_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "geoid.prom")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("what was there")
            with open(path, encoding="utf-8") as before:
                self.assertEqual(self.good("--prometheus", "--output", path, "-d", "0", "-n", "2"), "")
                self.assertEqual(before.read(), "what was there")  # another file has taken its name
            with open(path, encoding="utf-8") as stream:
                self.assertEqual(Exposition(stream.read()).of("geoid_device_up"), [1, 1])
            self.assertEqual(os.listdir(folder), ["geoid.prom"])
            mask = os.umask(0)
            os.umask(mask)
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o666 & ~mask)
            done = run("-p", "-o", os.path.join(folder, "none", "geoid.prom"), "-d", "0")
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "^zetop: .*none/geoid.prom: No such file or directory\n$")

    def test_only_regular_files_are_replaced(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe, file, link, device = (os.path.join(folder, name) for name in ("pipe", "file", "link", "device"))
            os.mkfifo(pipe)
            with open(file, "w", encoding="utf-8"):
                pass
            os.symlink(file, link)
            os.symlink("/dev/null", device)
            with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
                self.good("-p", "-o", pipe, "-d", "0", "-n", "1")
                self.assertEqual(Exposition(reader.communicate(timeout=600)[0]).of("geoid_device_up"), [1, 1])
            self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
            self.good("-p", "-o", link, "-d", "0", "-n", "1")
            self.assertTrue(os.path.islink(link))
            with open(file, encoding="utf-8") as stream:
                self.assertEqual(Exposition(stream.read()).of("geoid_device_up"), [1, 1])
            self.good("-p", "-o", device, "-d", "0", "-n", "2")
            self.assertEqual(os.readlink(device), "/dev/null")
            self.assertEqual(sorted(os.listdir(folder)), ["device", "file", "link", "pipe"])

    def test_a_limit_on_files_leaves_nothing_behind(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "geoid.prom")
            done = subprocess.run([ZETOP, "-p", "-o", path, "-d", "0", "-n", "1"], capture_output=True, env=environment(), text=True, timeout=600,
                                  check=False, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16)))
            self.assertEqual((done.returncode, done.stderr), (1, f"zetop: cannot write to {path}: File too large\n"))
            self.assertEqual(os.listdir(folder), [])

    def test_full_disks_are_told(self):
        for arguments in (["-b"], ["-b", "-f", "csv"], ["-b", "-f", "json"], ["-p"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([ZETOP, *arguments, "-d", "0"], stdout=full, stderr=subprocess.PIPE, env=environment(), text=True,
                                      timeout=600, check=False)
            self.assertEqual((done.returncode, done.stderr), (1, "zetop: cannot write to standard output: No space left on device\n"))

    def test_signals_end_the_wait(self):
        for number in ENDING:
            with subprocess.Popen([ZETOP, "-b", "-n", "0", "-d", "0.01"], stdout=subprocess.PIPE, env=environment(),
                                  preexec_fn=heed_signals) as program:
                program.stdout.readline()
                program.send_signal(number)
                program.communicate(timeout=600)
                self.assertEqual(program.returncode, 0)

    def test_without_a_driver_or_device_it_says_so(self):
        done = run("-b", script="nodriver")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "zetop: no driver: error_uninitialized; run `zeinfo --why` to see why each driver is not used\n")
        done = run("-p", preload=False, ZE_ENABLE_ALT_DRIVERS="/no/such/driver.so")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "^zetop: no driver: error_")

    def test_a_driver_without_sysman_has_devices_without_values(self):
        path = os.path.join(os.path.dirname(os.path.dirname(ZETOP)), "lib", "libze_null.so.1")
        snapshot = json.loads(self.good("-b", "-f", "json", "-d", "0", preload=False, ZE_ENABLE_ALT_DRIVERS=path))
        self.assertEqual([(d["simulated"], d["components"]) for d in snapshot["devices"]], [(False, [])] * 2)

    def test_wrong_uses_are_told(self):
        for arguments in (["--unknown"], ["more"], ["-d", "x"], ["-d", "-1"], ["-d", "nan"], ["-d", "3601"], ["-d", "0.01"], ["-b", "-n", "-1"],
                          ["-b", "-n", ""], ["-b", "-f", "xml"], ["-b", "-p"], ["-p", "-f", "csv"], ["-b", "-o", "x"], ["-n", "2"], ["-f", "csv"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn("usage: zetop", done.stderr)
        for arguments, problem in ((["more"], "argument 'more': zetop takes options only"),
                                   (["-d", "x"], "--delay 'x': must be a number of seconds from 0 to 3600"),
                                   (["-b", "-n", "-1"], "--count '-1': must be a whole number from 0 to 4294967295"),
                                   (["-b", "-f", "xml"], "--format 'xml': must be text, csv or json"),
                                   (["-d", "0.01"], "--delay must be at least 0.1 seconds for the screen"),
                                   (["-b", "-p"], "--batch and --prometheus cannot be combined"),
                                   (["-b", "-o", "x"], "--output requires --prometheus"),
                                   (["-p", "-f", "csv"], "--format requires --batch"),
                                   (["-n", "2"], "--count requires --batch or --prometheus")):
            self.assertTrue(run(*arguments).stderr.startswith(f"zetop: {problem}\nusage: zetop"), problem)
        done = run("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in ("--delay", "--batch", "--format", "--prometheus", "--output", "--count", "--version", "NO_COLOR"):
            self.assertIn(option, done.stdout)
        self.assertRegex(run("--version").stdout, r"^zetop \(Geoid\) \d")


if __name__ == "__main__":
    unittest.main()
