"""A terminal for tests: a pseudo-terminal, and the screen that a program makes in it. What xterm's description lets ncurses write is
understood; anything else is an error."""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

PATIENCE = int(os.environ.get("ZETOP_PATIENCE", "300"))  # seconds, for a machine that does other things
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SEQUENCE = re.compile(r"\x1b(?:\[([?>]?)([0-9;]*)([A-Za-z@`])|[()][0AB]|[78=>M]|\][^\x07]*\x07)")


class Screen:
    """Rows of characters, each with the parameters of the style (SGR) it was written with."""

    def __init__(self, width, height):
        self.other = False  # the alternate screen is shown
        self.cursor_shown = True
        self.styles = set()  # all parameters of SGR that were ever asked for
        self.resize(width, height)

    def resize(self, width, height):
        self.width, self.height = width, height
        self.cells = [[(" ", ())] * width for _ in range(height)]
        self.row = self.column = 0
        self.top, self.bottom = 0, height - 1
        self.style = ()
        self.wrap = self.inserts = False
        self.last = " "
        self.rest = ""

    def text(self):
        return ["".join(cell[0] for cell in row).rstrip() for row in self.cells]

    def row_of(self, words):
        """The number of the first row that has these words; None."""
        return next((number for number, row in enumerate(self.text()) if words in row), None)

    def is_reversed(self, row):
        return all(7 in style for _, style in self.cells[row])

    def feed(self, text):
        text = self.rest + text
        self.rest = ""
        at = 0
        while at < len(text):
            if text[at] != "\x1b":
                self.put(text[at])
                at += 1
                continue
            found = SEQUENCE.match(text, at)
            if not found:
                if len(text) - at > 40:
                    raise ValueError(f"unknown sequence {text[at:at + 40]!r}")
                self.rest = text[at:]
                return
            self.escape(found)
            at = found.end()

    def put(self, character):
        if character == "\r":
            self.column, self.wrap = 0, False
        elif character == "\n":
            if self.row == self.bottom:
                self.scroll(1)
            else:
                self.row = min(self.row + 1, self.height - 1)
        elif character == "\b":
            self.column, self.wrap = max(self.column - 1, 0), False
        elif character == "\t":
            self.column = min((self.column // 8 + 1) * 8, self.width - 1)
        elif character in "\x0e\x0f\x07\0":
            pass
        elif character < " ":
            raise ValueError(f"unknown control character {character!r}")
        else:
            if self.wrap:
                self.column, self.wrap = 0, False
                self.put("\n")
            if self.inserts:
                self.cells[self.row].insert(self.column, None)
                self.cells[self.row].pop()
            self.cells[self.row][self.column] = (character, self.style)
            self.last = character
            self.wrap = self.column == self.width - 1
            self.column = min(self.column + 1, self.width - 1)

    def scroll(self, count):
        blank = [(" ", ())] * self.width
        for _ in range(abs(count)):
            if count > 0:
                del self.cells[self.top]
                self.cells.insert(self.bottom, list(blank))
            else:
                del self.cells[self.bottom]
                self.cells.insert(self.top, list(blank))

    def blank(self, row, first, end):
        for column in range(first, min(end, self.width)):
            self.cells[row][column] = (" ", ())

    def move(self, row, column):
        self.row = min(max(row, 0), self.height - 1)
        self.column = min(max(column, 0), self.width - 1)
        self.wrap = False

    def escape(self, found):
        private, given, final = found.groups()
        if final is None:
            if found.group() == "\x1bM":
                if self.row == self.top:
                    self.scroll(-1)
                else:
                    self.row -= 1
            return
        numbers = [int(number or 0) for number in given.split(";")]
        first = max(numbers[0], 1)
        if private:
            if final in "hl" and 1049 in numbers:
                self.other = final == "h"
            if final in "hl" and 25 in numbers:
                self.cursor_shown = final == "h"
        elif final in "Hf":
            self.move(first - 1, max(numbers[1], 1) - 1 if len(numbers) > 1 else 0)
        elif final in "ABCDGd`":
            self.move(*{"A": (self.row - first, self.column), "B": (self.row + first, self.column), "C": (self.row, self.column + first),
                        "D": (self.row, self.column - first), "G": (self.row, first - 1), "`": (self.row, first - 1),
                        "d": (first - 1, self.column)}[final])
        elif final == "J":
            if numbers[0] == 0:
                self.blank(self.row, self.column, self.width)
            for row in range(0 if numbers[0] == 2 else self.row + 1, self.row if numbers[0] == 1 else self.height):
                self.blank(row, 0, self.width)
        elif final == "K":
            self.blank(self.row, 0 if numbers[0] else self.column, self.column + 1 if numbers[0] == 1 else self.width)
        elif final == "X":
            self.blank(self.row, self.column, self.column + first)
        elif final == "b":
            for _ in range(first):
                self.put(self.last)
        elif final == "P":
            row = self.cells[self.row]
            self.cells[self.row] = row[:self.column] + row[self.column + first:] + [(" ", ())] * first
        elif final == "@":
            row = self.cells[self.row]
            self.cells[self.row] = (row[:self.column] + [(" ", ())] * first + row[self.column:])[:self.width]
        elif final in "LM":
            top, self.top = self.top, self.row
            self.scroll(first if final == "M" else -first)
            self.top = top
        elif final in "ST":
            self.scroll(first if final == "S" else -first)
        elif final == "r":
            self.top, self.bottom = first - 1, (numbers[1] if len(numbers) > 1 and numbers[1] else self.height) - 1
            self.move(0, 0)
        elif final == "m":
            self.styles.update(numbers)
            self.style = () if numbers[0] == 0 else self.style
            self.style += tuple(number for number in numbers if number)
        elif final in "hl":
            self.inserts = final == "h" if 4 in numbers else self.inserts
        elif final not in "tc":
            raise ValueError(f"unknown sequence {found.group()!r}")


def heed_signals():
    """For a child: what this process was told to ignore (nohup, a shell's background) counts again."""
    for number in ENDING:
        signal.signal(number, signal.SIG_DFL)


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, arguments, environment, width=80, height=24):
        self.master, self.slave = pty.openpty()
        self.size(width, height)
        self.settings = termios.tcgetattr(self.slave)
        self.screen = Screen(width, height)
        self.decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self.bytes = b""

        def take_terminal():
            heed_signals()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        self.program = subprocess.Popen(arguments, stdin=self.slave, stdout=self.slave, stderr=self.slave, env=environment,
                                        start_new_session=True, preexec_fn=take_terminal)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.program.poll() is None:
            self.program.kill()
            self.program.wait()
        for descriptor in (self.master, self.slave):
            if descriptor >= 0:
                os.close(descriptor)

    def size(self, width, height):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def resize(self, width, height):
        self.read_all()
        self.screen.resize(width, height)
        self.size(width, height)  # the system sends the signal

    def take(self, seconds):
        """Reads what is there within that time; False: nothing."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        data = os.read(self.master, 65536)
        self.bytes += data
        self.screen.feed(self.decoder.decode(data))
        return True

    def read_all(self):
        while self.take(0):
            pass

    def wait(self, condition, what):
        """Until the screen is as the condition (a function of it) wants."""
        end = time.monotonic() + PATIENCE
        while not condition(self.screen):
            if time.monotonic() > end or (self.program.poll() is not None and not self.take(0)):
                raise AssertionError(f"{what} never came; the screen is\n" + "\n".join(self.screen.text()))
            self.take(0.1)

    def wait_for(self, words):
        self.wait(lambda screen: screen.row_of(words) is not None, words)

    def wait_gone(self, words):
        self.wait(lambda screen: screen.row_of(words) is None, "the end of " + words)

    def keys(self, text):
        os.write(self.master, text.encode())

    def end(self):
        """The exit status; what the program wrote is read."""
        end = time.monotonic() + PATIENCE
        while self.program.poll() is None and time.monotonic() < end:
            self.take(0.05)
        self.read_all()
        return self.program.wait(timeout=1)

    def hang_up(self):
        os.close(self.master)
        os.close(self.slave)
        self.master = self.slave = -1


UP, DOWN, RIGHT, LEFT = "\x1bOA", "\x1bOB", "\x1bOC", "\x1bOD"
HOME, END, PAGE_UP, PAGE_DOWN = "\x1bOH", "\x1bOF", "\x1b[5~", "\x1b[6~"
