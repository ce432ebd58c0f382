"""GEOID_VALIDATION_FORMAT=sarif: the file is always one whole document of SARIF 2.1.0, and says what the text says.

Usage: test_sarif.py BUILD
"""
import fcntl
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from urllib.parse import unquote, urlparse

BUILD = os.path.abspath(sys.argv.pop(1))
WRONG = ("lifetime", "event_after_its_end")  # reports destroyed-handle
LEAKING = ("lifetime", "list_left_behind")  # reports leak when the process ends


def read(path):
    with open(path, encoding="utf-8") as stream:
        return stream.read()


def command(test, program):
    return [os.path.join(BUILD, "tests", f"layers_validation_{test}"), "--program", program]


def environment(**variables):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GEOID_VALIDATION")}
    return {**kept, "ZE_ENABLE_VALIDATION_LAYER": "1", "GEOID_VALIDATION": "lifetime,leaks", **variables}


class Sarif(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="geoid-sarif-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = os.path.join(self.folder, "report.sarif")

    def run_program(self, program=WRONG, **variables):
        return subprocess.run(command(*program), capture_output=True, text=True, check=False,
                              env=environment(**{"GEOID_VALIDATION_FORMAT": "sarif", "GEOID_VALIDATION_FILE": self.file, **variables}))

    def document(self):
        """Reads the file, checks what the schema requires and forbids of what we write, and returns the run."""
        with open(self.file, encoding="utf-8") as stream:
            log = json.load(stream)
        self.assertEqual(set(log), {"$schema", "version", "runs"})
        self.assertEqual((log["version"], len(log["runs"])), ("2.1.0", 1))
        self.assertRegex(log["$schema"], r"^https://.*sarif.*2\.1\.0.*\.json$")
        run = log["runs"][0]
        self.assertEqual(set(run), {"tool", "results"})
        driver = run["tool"]["driver"]
        self.assertEqual(set(driver), {"name", "rules"})
        self.assertTrue(driver["name"])
        rules = [rule["id"] for rule in driver["rules"]]
        self.assertEqual(len(set(rules)), len(rules))
        self.assertGreater(len(rules), 40)
        for rule in driver["rules"]:
            self.assertTrue(rule["shortDescription"]["text"])
            self.assertIn(rule["defaultConfiguration"]["level"], ("error", "warning", "note"))
            self.assertTrue(all(rule["properties"]["tags"]))
        for result in run["results"]:
            self.assertEqual(set(result) - {"locations", "relatedLocations", "properties"}, {"ruleId", "ruleIndex", "level", "message"})
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
            self.assertEqual(result["level"], driver["rules"][result["ruleIndex"]]["defaultConfiguration"]["level"])
            self.assertTrue(result["message"]["text"])
            for location in (*result.get("locations", ()), *result.get("relatedLocations", ())):
                self.assertTrue(set(location) & {"physicalLocation", "logicalLocations"}, location)
                for place in location.get("logicalLocations", ()):
                    self.assertRegex(place["fullyQualifiedName"], r"^ze[rst]?[A-Z]\w+$")
                if "physicalLocation" in location:
                    self.assertGreater(location["physicalLocation"]["region"]["startLine"], 0)
        return run

    def test_a_message_is_a_result(self):
        done = self.run_program()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        results = self.document()["results"]
        self.assertEqual([result["ruleId"] for result in results], ["destroyed-handle"])
        result = results[0]
        self.assertRegex(result["message"]["text"], "^zeEventHostReset: hEvent: .* has been destroyed")
        self.assertEqual(result["locations"], [{"logicalLocations": [{"fullyQualifiedName": "zeEventHostReset", "kind": "function"}]}])
        made = result["relatedLocations"][0]
        self.assertEqual(made["logicalLocations"][0]["fullyQualifiedName"], "zeEventCreate")
        self.assertEqual(made["message"]["text"], "the object was created here")
        self.assertRegex(result["properties"]["object"], "^0x[0-9a-f]+$")

    def test_a_message_outside_calls_is_where_the_object_was_created(self):
        self.run_program(LEAKING)
        results = self.document()["results"]
        self.assertEqual({result["ruleId"] for result in results}, {"leak"})
        names = [place["fullyQualifiedName"] for result in results for place in result["locations"][0]["logicalLocations"]]
        self.assertIn("zeCommandListCreate", names)

    def test_stacks_give_source_lines(self):
        self.run_program(GEOID_VALIDATION_STACKS="1")
        result = self.document()["results"][0]
        if "physicalLocation" not in result["locations"][0]:
            self.skipTest("libdw is not installed, or the test has no debug information")
        places = [result[member][0]["physicalLocation"] for member in ("locations", "relatedLocations")]
        lines = []
        for place in places:
            uri = urlparse(place["artifactLocation"]["uri"])
            self.assertEqual(uri.scheme, "file")
            path = unquote(uri.path)
            self.assertTrue(path.startswith("/") and ".." not in path, path)
            with open(path, encoding="utf-8") as stream:
                lines.append(stream.read().splitlines()[place["region"]["startLine"] - 1])
        self.assertIn("zeEventHostReset", lines[0])
        self.assertIn("zeEventCreate", lines[1])

    def test_without_messages_there_is_an_empty_run(self):
        self.run_program(GEOID_VALIDATION="threads")
        self.assertEqual(self.document()["results"], [])

    def test_processes_share_a_file(self):
        running = [subprocess.Popen(command(*WRONG), stderr=subprocess.DEVNULL,
                                    env=environment(GEOID_VALIDATION_FORMAT="sarif", GEOID_VALIDATION_FILE=self.file)) for _ in range(6)]
        self.assertEqual([process.wait() for process in running], [0] * 6)
        self.run_program(GEOID_VALIDATION_HIDE="all")
        self.run_program(LEAKING)
        results = [result["ruleId"] for result in self.document()["results"]]
        self.assertEqual(results.count("destroyed-handle"), 6)
        self.assertIn("leak", results)

    def test_a_locked_file_is_waited_for(self):
        self.run_program()
        before = self.document()
        with open(self.file, "rb") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            process = subprocess.Popen(command(*WRONG), stderr=subprocess.DEVNULL,
                                       env=environment(GEOID_VALIDATION_FORMAT="sarif", GEOID_VALIDATION_FILE=self.file))
            waits = re.compile(rf"-> FLOCK .* {process.pid} ")
            while process.poll() is None and not waits.search(read("/proc/locks")):
                time.sleep(0.01)
            self.assertIsNone(process.poll())
            self.assertEqual(self.document(), before)
        self.assertEqual(process.wait(), 0)
        self.assertEqual(len(self.document()["results"]), 2)

    def test_a_document_that_cannot_grow_stays_whole(self):
        self.run_program()
        before = self.document()
        limit = os.path.getsize(self.file) + 40

        def restrict():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        done = subprocess.run(command(*WRONG), capture_output=True, text=True, check=False, preexec_fn=restrict,
                              env=environment(GEOID_VALIDATION_FORMAT="sarif", GEOID_VALIDATION_FILE=self.file))
        self.assertIn("validation: error: destroyed-handle: ", done.stderr)
        self.assertEqual(self.document(), before)

    def test_a_process_that_aborts_leaves_a_document(self):
        done = self.run_program(GEOID_VALIDATION_ABORT="destroyed-handle")
        self.assertEqual(done.returncode, -6)
        self.assertEqual([result["ruleId"] for result in self.document()["results"]], ["destroyed-handle"])

    def test_other_files_are_not_touched(self):
        for text in ("a\n", json.dumps({"version": "2.1.0", "runs": []}), "x" * 100):
            with open(self.file, "w", encoding="utf-8") as stream:
                stream.write(text)
            done = self.run_program()
            with open(self.file, encoding="utf-8") as stream:
                self.assertEqual(stream.read(), text)
            self.assertIn("another content", done.stderr)
            self.assertIn("validation: error: destroyed-handle: ", done.stderr)

    def test_what_cannot_be_a_document_is_refused(self):
        fifo = os.path.join(self.folder, "fifo")
        os.mkfifo(fifo)
        for path, reason in ((fifo, "Invalid argument"), (os.path.join(self.folder, "none", "x.sarif"), "No such file"),
                             ("", "set GEOID_VALIDATION_FILE"), ("/dev/full", "Invalid argument")):
            done = self.run_program(GEOID_VALIDATION_FILE=path)
            self.assertEqual(done.returncode, 0)
            self.assertIn(reason, done.stderr)
            self.assertIn("validation: error: destroyed-handle: ", done.stderr)

    def test_unknown_formats_are_reported(self):
        done = self.run_program(GEOID_VALIDATION_FORMAT="xml", GEOID_VALIDATION_FILE="")
        self.assertIn("GEOID_VALIDATION_FORMAT: xml is not text, json or sarif", done.stderr)
        self.assertIn("validation: error: destroyed-handle: ", done.stderr)

    def test_relative_paths_and_full_files(self):
        done = subprocess.run(command(*WRONG), capture_output=True, text=True, check=False, cwd=self.folder,
                              env=environment(GEOID_VALIDATION_FORMAT="sarif", GEOID_VALIDATION_FILE="report.sarif"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(len(self.document()["results"]), 1)

    def test_text_says_the_same(self):
        self.run_program()
        text = self.document()["results"][0]["message"]["text"]
        done = self.run_program(GEOID_VALIDATION_FORMAT="text", GEOID_VALIDATION_FILE="")
        said = re.search("destroyed-handle: (.*? destroyed)", done.stderr).group(1)
        self.assertEqual(re.sub("0x[0-9a-f]+", "0x", text.split(" destroyed")[0] + " destroyed"), re.sub("0x[0-9a-f]+", "0x", said))


if __name__ == "__main__":
    unittest.main()
