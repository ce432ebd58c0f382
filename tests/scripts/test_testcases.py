"""scripts/testcases.py finds each kind of test case, and the requirements that its comment names."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts"))
import testcases  # noqa: E402

C = """/* MEM-2, MEM-4..5 */
static void memory_is_freed(void **state)
{
}

static void helper(int **state)
{
}

#define CASE(name, size)                                                                           \\
    static void name(void **state)                                                                 \\
    {                                                                                              \\
        check(size);                                                                               \\
    }
#define ENTRY(name) cmocka_unit_test(name)

// SYN-1
CASE(small_ones_are_fast, 2)
CASE(large_ones_are_refused,
     20000)
ENTRY(nothing)
"""
PYTHON = """class Case:
    # GEN-18
    def test_a_file_is_made(self):
        pass
"""


class Cases(unittest.TestCase):
    def cases(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as stream:
                stream.write(text)
            return testcases.cases(path)

    def test_functions_and_macros_of_c_are_cases(self):
        self.assertEqual(self.cases("test_x.c", C), {
            "memory_is_freed": ["MEM-2", "MEM-4", "MEM-5"], "small_ones_are_fast": ["SYN-1"], "large_ones_are_refused": []})

    def test_methods_of_python_are_cases(self):
        self.assertEqual(self.cases("test_x.py", PYTHON), {"test_a_file_is_made": ["GEN-18"]})


if __name__ == "__main__":
    unittest.main()
