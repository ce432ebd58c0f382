"""The screen of zetop, in a pseudo-terminal: what it shows at several sizes, what keys do, how it ends.

Snapshots are taken when the test asks (a blank), but for the first two: the second comes by itself, for the rates.
Usage: test_screen.py BUILD
"""
import os
import re
import signal
import subprocess
import tempfile
import termios
import unittest

from terminal import DOWN, END, ENDING, HOME, PAGE_DOWN, PAGE_UP, RIGHT, UP, Terminal
from zetop import UUID, ZETOP, environment, run

ALT_OFF = b"\x1b[?1049l"
PROCESSES = "real process:4194304:1048576:2048:2 process:4194305:3145728:1024:16 process:4194306:2097152:0:0 process:1:5:7:1"
COLOURS = set(range(30, 38)) | set(range(90, 98))


def start(script="", width=80, height=24, arguments=("-d", "3600"), devices="1x2", **more):
    given = {"TERM": "xterm-256color", "GEOID_DEVICES": devices, **more}
    return Terminal([ZETOP, *arguments], environment(script, **given), width, height)


def columns(text):
    return re.split(r"\s{2,}", text.strip())


class Shown(unittest.TestCase):
    """What is on the screen."""

    def wait_row(self, terminal, words, cells):
        """Until the row with the words has these columns; they may go on."""
        def is_there(screen):
            number = screen.row_of(words)
            shown = columns(screen.text()[number]) if number is not None else []
            return len(shown) == len(cells) and all(one.startswith(cell) for one, cell in zip(shown, cells))
        terminal.wait(is_there, f"{words}: {cells}")

    def test_a_device_has_its_parts(self):
        with start(width=100, height=36) as terminal:
            terminal.wait_for("25.0%")
            self.wait_row(terminal, "zetop:", ["zetop: device 1/1 Model (sim)", "every 3600 s"])
            self.wait_row(terminal, UUID[0], [UUID[0], "Vendor", "driver 1.2.3"])
            expected = {
                "engine 0 all": ["engine 0 all", "25.0%", "▃", "active 0.5 s"],
                "engine 1 compute": ["engine 1 compute single.1", "50.0%", "▅", "active 1.0 s"],
                "mem 0": ["mem 0 hbm2e.0", "16.0 GiB", "▃▃", "size 64.0 GiB, bandwidth 50.0%, rea"],
                "power 0": ["power 0 card", "60.0 W", "▂", "limit sustained 300.0 W, limit bur"],
                "freq 0": ["freq 0 gpu.0", "1200 MHz", "▇▇", "throttle reason current limit, thr"],
                "temp 0": ["temp 0 global", "65.5 C", "▅▅", "max 105.0 C"],
                "fan 0": ["fan 0", "1500 rpm", "▅▅", "speed 50.0%, max speed 3000 rpm, m"],
                "errors 0": ["errors 0 correctable.0", "11", "compute errors 1, non compute erro"],
                "pci 0": ["pci 0", "-", "link generation 4, link lanes 16,"],
            }
            for words, cells in expected.items():
                self.wait_row(terminal, words, [*cells[:-1], cells[-1][:34]])

    def test_snapshots_make_graphs(self):
        with start(height=36) as terminal:
            terminal.wait_for("25.0%")
            for count in range(2, 8):
                terminal.keys(" ")
                terminal.wait_for(" " + "▃" * count + "  active ")

    def test_the_smallest_screen_has_the_same(self):
        with start(PROCESSES, width=40, height=10) as terminal:
            terminal.wait_for("25.0%")
            self.wait_row(terminal, "engine 0", ["engine 0 all", "25.0%", "▃"])
            self.wait_row(terminal, "processes", ["processes by memory", "1-4 of 20"])
            self.wait_row(terminal, "PID", ["PID NAME", "MEMORY"])
            self.wait_row(terminal, "4194305", ["4194305 -", "3.0 MiB"])
            terminal.wait_for("q quit")
            self.assertEqual([terminal.screen.row_of(words) for words in ("engine 0", "processes by", "PID", "4194305", "q quit")], [1, 5, 6, 7, 9])
            terminal.keys(PAGE_DOWN)
            terminal.wait(lambda screen: screen.text()[1].startswith(" power 0 card"), "the fifth part")
            terminal.wait_for(" 5-8 of 20")
            for _ in range(9):
                terminal.keys(PAGE_DOWN)
            terminal.wait_for(" 17-20 of 20")
            terminal.keys(PAGE_UP)
            terminal.wait_for(" 13-16 of 20")

    def test_what_is_unknown_is_a_dash_or_nothing(self):
        absent = " ".join("fail:absent:" + name for name in ("engine.activity", "power.energy", "power.limits", "device.processes", "memory.state"))
        with start(absent, height=36) as terminal:
            terminal.wait_for("mem 0 hbm2e.0")
            terminal.wait_for("bandwidth 50.0%")
            self.wait_row(terminal, "mem 0", ["mem 0 hbm2e.0", "-", "bandwidth 50.0%"])
            self.assertIsNone(terminal.screen.row_of("engine"))
            self.assertIsNone(terminal.screen.row_of("power"))
            terminal.wait_for("processes: -")

    def test_what_is_refused_is_at_the_foot(self):
        with start("fail:70010000:power.energy") as terminal:
            terminal.wait_for("refused: power: error_insufficient_permissions: ")
            self.assertEqual(terminal.screen.row_of("refused"), 23)

    def test_a_lost_device_says_so(self):
        with start("fail:70000001:temperature.state") as terminal:
            terminal.wait_for("Model (sim) (lost)")

    def test_a_driver_without_sysman_has_little_to_say(self):
        path = os.path.join(os.path.dirname(os.path.dirname(ZETOP)), "lib", "libze_null.so.1")
        with start(ZE_ENABLE_ALT_DRIVERS=path) as terminal:
            terminal.wait_for("this device has no known values")
            self.assertIsNone(terminal.screen.row_of("(sim)"))

    def test_the_overview_has_a_row_for_each_device(self):
        with start(width=120, devices="2x2") as terminal:
            terminal.wait_for("75.0%")
            self.wait_row(terminal, "zetop:", ["zetop: 2 devices", "every 3600 s"])
            self.wait_row(terminal, "NAME", ["# NAME", "UTIL", "MEM", "POWER", "TEMP", "FREQ", "FAN", "PROC"])
            self.wait_row(terminal, "0 (sim)", ["0 (sim) Model", "25.0%", "25.0%", "60.0 W", "66 C 1200 MHz", "50%", "0", "▃"])
            self.wait_row(terminal, "1 (sim)", ["1 (sim) Model", "75.0%", "25.0%", "60.0 W", "66 C 1200 MHz", "50%", "0", "▇"])
            self.assertEqual(terminal.screen.text()[4:23], [""] * 19)

    def test_narrow_overviews_leave_columns_out(self):
        with start(width=40, height=10, devices="2x2") as terminal:
            terminal.wait_for("75.0%")
            self.wait_row(terminal, "NAME", ["# NAME", "UTIL", "MEM"])

    def test_a_resize_is_followed(self):
        with start(PROCESSES) as terminal:
            terminal.wait_for("25.0%")
            terminal.resize(40, 10)
            terminal.wait(lambda screen: "h help  Tab" in screen.text()[9], "the small screen")
            self.wait_row(terminal, "engine 0", ["engine 0 all", "25.0%", "▃"])
            terminal.resize(30, 5)
            terminal.wait_for("zetop needs 40x10")
            terminal.resize(100, 40)
            terminal.wait(lambda screen: "h help  Tab" in screen.text()[39], "the large screen")
            terminal.wait_for("port 1.1")
            terminal.resize(5, 2)
            terminal.wait_for("zetop")
            terminal.keys("q")
            self.assertEqual(terminal.end(), 0)

    def test_a_terminal_that_is_too_large_ends_it(self):
        for width, height in ((65535, 24), (80, 65535), (3000, 2000)):
            with start() as terminal:
                terminal.wait_for("25.0%")
                terminal.size(width, height)
                self.assertEqual(terminal.end(), 1)
                self.assertIn(f"the terminal has {height} rows and {width} columns".encode(), terminal.bytes)

    def test_colours_are_left_out_where_they_are_not_wanted(self):
        for more, coloured in (({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "vt100"}, False)):
            with start(**more) as terminal:
                terminal.wait_for("25.0%")
                self.assertEqual(bool(terminal.screen.styles & COLOURS), coloured, more)

    def test_other_locales_get_ascii(self):
        with start(height=36, LC_ALL="C") as terminal:
            terminal.wait_for("25.0%")
            self.wait_row(terminal, "engine 1", ["engine 1 compute single.1", "50.0%", "=", "active"])
            self.assertFalse([byte for byte in terminal.bytes if byte >= 0x80])

    def test_numbers_have_points_in_every_locale(self):
        for locale in ("de_DE.UTF-8", "C.UTF-8"):
            self.assertIn('"temperature_celsius":65.5,', run("-b", "-f", "json", "-d", "0", LC_ALL=locale).stdout)

    def test_names_of_processes_cannot_command_the_terminal(self):
        with subprocess.Popen(["sh", "-c", r"printf '\033[5mX\302\2332J' >/proc/$$/comm; echo; read end"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as strange:
            strange.stdout.readline()
            with start(f"real process:{strange.pid}:1:1:1", height=36) as terminal:
                terminal.wait_for("?[5mX??2J")
                self.assertNotIn(5, terminal.screen.styles)
            strange.communicate(b"\n")


class Keys(unittest.TestCase):
    def pids(self, screen):
        number = screen.row_of("PID")
        rows = screen.text()[number + 1:-1] if number is not None else []
        return [int(row.split()[0]) for row in rows if row.strip()]

    def wait_pids(self, terminal, pids, words):
        terminal.wait(lambda screen: self.pids(screen) == pids and screen.row_of(words) is not None, f"{words}: {pids}")

    def test_processes_are_sorted(self):
        first = 4194304
        with start(PROCESSES, height=36) as terminal:
            self.wait_pids(terminal, [first + 1, first + 2, first, 1], "by memory")
            terminal.keys("r")
            self.wait_pids(terminal, [1, first, first + 2, first + 1], "by memory, reversed")
            terminal.keys("rs")
            self.wait_pids(terminal, [first, first + 1, 1, first + 2], "by shared")
            terminal.keys("s")
            self.wait_pids(terminal, [1, first, first + 1, first + 2], "by pid")
            terminal.keys("s")
            self.wait_pids(terminal, [first, first + 1, first + 2, 1], "by name")
            terminal.keys("s")
            self.wait_pids(terminal, [first + 1, first + 2, first, 1], "by memory")

    def test_processes_are_filtered(self):
        with start(PROCESSES, height=36) as terminal:
            terminal.wait_for("by memory")
            terminal.keys("/30")
            terminal.wait_for("filter: 30_")
            self.wait_pids(terminal, [4194305, 4194306, 4194304], "with 30")
            terminal.keys("5q")  # a letter as others
            self.wait_pids(terminal, [], "with 305q")
            terminal.keys("\x7f\r")
            self.wait_pids(terminal, [4194305], "with 305")
            terminal.wait_for("q quit")
            terminal.keys("\x1b")
            self.wait_pids(terminal, [4194305, 4194306, 4194304, 1], "by memory")

    def test_processes_scroll(self):
        many = " ".join(f"process:{4194304 + i}:{1000 - i}:1:1" for i in range(40))
        with start(many) as terminal:
            terminal.wait_for("by memory")
            shown = len(self.pids(terminal.screen))
            self.wait_pids(terminal, [4194304 + i for i in range(shown)], "by memory")
            terminal.keys(DOWN)
            self.wait_pids(terminal, [4194305 + i for i in range(shown)], "by memory")
            terminal.keys(END)
            self.wait_pids(terminal, [4194344 - shown + i for i in range(shown)], "by memory")
            terminal.keys(UP)
            self.wait_pids(terminal, [4194343 - shown + i for i in range(shown)], "by memory")
            terminal.keys(HOME)
            self.wait_pids(terminal, [4194304 + i for i in range(shown)], "by memory")

    def test_devices_are_chosen(self):
        with start(devices="2x2") as terminal:
            terminal.wait_for("75.0%")
            terminal.wait(lambda screen: screen.is_reversed(2) and not screen.is_reversed(3), "the first row chosen")
            terminal.keys(DOWN)
            terminal.wait(lambda screen: screen.is_reversed(3) and not screen.is_reversed(2), "the second row chosen")
            terminal.keys("\r")
            terminal.wait_for(UUID[1])
            terminal.wait_for("device 2/2")
            terminal.keys("p")
            terminal.wait_for(UUID[0])
            terminal.keys(RIGHT)
            terminal.wait_for(UUID[1])
            terminal.keys("\t")
            terminal.wait_for("zetop: 2 devices")

    def test_help_comes_and_goes(self):
        with start(width=40, height=16) as terminal:
            terminal.wait_for("25.0%")
            terminal.keys("h")
            terminal.wait_for("any key goes back")
            terminal.wait_for("filter by name or number")
            terminal.keys("x")
            terminal.wait_for("25.0%")
            terminal.wait_gone("any key goes back")

    def test_the_delay_changes(self):
        with start() as terminal:
            terminal.wait_for("25.0%")
            terminal.keys("-")
            terminal.wait_for("every 60 s")
            terminal.keys("--")
            terminal.wait_for("every 10 s")
            terminal.keys("+")
            terminal.wait_for("every 30 s")

    def test_a_thousand_devices_are_shown(self):
        with start("devices:1000", devices="2x2") as terminal:
            terminal.wait_for("zetop: 1000 devices")
            terminal.keys(END)
            terminal.wait(lambda screen: screen.is_reversed(22) and screen.text()[22].split()[:1] == ["999"], "the last device")
            terminal.wait(lambda screen: screen.text()[2].split()[:1] == ["979"], "a page of devices")
            terminal.keys(PAGE_UP)
            terminal.wait(lambda screen: screen.is_reversed(2) and screen.text()[2].split()[:1] == ["978"], "a page before")
            terminal.keys("\r")
            terminal.wait_for("device 979/1000")
            terminal.keys("q")
            self.assertEqual(terminal.end(), 0)


class Ends(unittest.TestCase):
    def as_before(self, terminal):
        self.assertEqual(termios.tcgetattr(terminal.slave), terminal.settings)
        self.assertIn(ALT_OFF, terminal.bytes)
        self.assertFalse(terminal.screen.other)
        self.assertTrue(terminal.screen.cursor_shown)
        self.assertEqual(terminal.screen.style, ())

    def shown(self, terminal):
        terminal.wait_for("25.0%")
        self.assertNotEqual(termios.tcgetattr(terminal.slave), terminal.settings)
        self.assertTrue(terminal.screen.other)
        self.assertFalse(terminal.screen.cursor_shown)

    def test_q_gives_the_terminal_back(self):
        for text in ("q", "hq", "\x03"):  # the last: the terminal makes SIGINT of it
            with start() as terminal:
                self.shown(terminal)
                terminal.keys(text)
                self.assertEqual(terminal.end(), 0)
                self.as_before(terminal)

    def test_signals_give_the_terminal_back(self):
        for number in ENDING:
            with start() as terminal:
                self.shown(terminal)
                terminal.program.send_signal(number)
                self.assertEqual(terminal.end(), 0)
                self.as_before(terminal)

    def test_a_second_signal_ends_what_hangs_in_a_driver(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "hangs")
            with start(f"hang:5:{path}") as terminal:  # two engines, the third snapshot
                self.shown(terminal)
                terminal.keys(" ")
                terminal.wait(lambda _: os.path.exists(path), "a driver that hangs")
                terminal.program.send_signal(signal.SIGTERM)
                while self.pending(terminal.program.pid):
                    pass
                terminal.program.send_signal(signal.SIGTERM)
                self.assertEqual(terminal.end(), -signal.SIGTERM)
                self.as_before(terminal)

    def pending(self, pid):
        with open(f"/proc/{pid}/status", encoding="utf-8") as stream:
            return int(re.search(r"ShdPnd:\s*(\w+)", stream.read()).group(1), 16)

    def test_a_terminal_that_goes_away_ends_it(self):
        terminal = start()
        with terminal:
            self.shown(terminal)
            terminal.hang_up()
            self.assertIn(terminal.program.wait(timeout=600), (0, 1))

    def test_a_terminal_without_a_cursor_gets_text(self):
        with start(arguments=("-d", "0.1"), TERM="dumb") as terminal:
            terminal.wait_for("device 0: Model (sim), " + UUID[0])
            self.assertNotIn(b"\x1b", terminal.bytes)
            terminal.keys("\x03")
            self.assertEqual(terminal.end(), 0)
            self.assertEqual(termios.tcgetattr(terminal.slave), terminal.settings)

    def test_unknown_terminals_are_told(self):
        with start(TERM="no-such-terminal") as terminal:
            self.assertEqual(terminal.end(), 2)
            self.assertIn(b'the terminal type "no-such-terminal" is unknown; set TERM or use --batch', terminal.bytes)
        done = run()
        self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", "zetop: standard input and output must be a terminal; use --batch for other output\n"))

    def test_without_a_driver_the_terminal_is_not_touched(self):
        with start("nodriver") as terminal:
            self.assertEqual(terminal.end(), 1)
            self.assertRegex(terminal.bytes.decode(), "^zetop: no driver: error_uninitialized")
            self.assertEqual(termios.tcgetattr(terminal.slave), terminal.settings)


if __name__ == "__main__":
    unittest.main()
