#!/usr/bin/env python3
"""AMUSE's own tests of gravity codes, unchanged, with Kyoho in the place of the codes (tests/amuse/aliases.py).

KYOHO_AMUSE_SOURCE is a folder with AMUSE's source, whose tests these are. KYOHO_AMUSE_PYTHON is a Python with AMUSE's framework,
pytest and cffi, in which the wheel of this tree is installed for the test; without it the framework comes from pip.
"""
import os
import re
import sys
import xml.etree.ElementTree

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import amuse_environment  # noqa: E402
import environment  # noqa: E402
from tap import check, finish, folder, skip  # noqa: E402

OURS = os.path.join(environment.TOP, "tests", "amuse")
# What fails in each file, and why: names, defaults and texts of the other code. All else passes, and nothing is skipped.
EXPECTED = {
    f"{OURS}/test_gd.py": {},
    f"{OURS}/test_core_bridge.py": {
        "TestKyohoBridge.test2": "softens bodies by their radii, which Kyoho does not",
        "TestKyohoBridge.test4": "asks for next_timestep, which codes of AMUSE do not have",
    },
    "src/amuse_bhtree/tests/test_bhtree.py": {
        "TestBHTreeInterface.test2": "BHTree moves the last body to the place of a deleted one",
        "TestBHTree.test6": "the text of an error",
        "TestBHTree.test14": "names of BHTree's parameters",
    },
    "src/tests/codes_tests/test_octgrav.py": {
        "TestMPIInterface.test2": "Octgrav moves the last body to the place of a deleted one",
    },
    "src/tests/codes_tests/test_bonsai.py": {
        "TestBonsai.test7": "Bonsai passes the time that it is asked for, and has no total radius",
        "TestBonsai.test9": "Bonsai has no set_begin_time",
    },
    "src/amuse_hermite/tests/test_hermite.py": {
        "TestHermiteInterface.test6": "asks for a potential with a softening and expects it without",
        "TestHermite.test6": "names of Hermite's parameters",
        "TestHermite.test18": "end_time_accuracy_factor other than 0",
        "TestHermite.test20": "wants 4 digits of half an orbit that are not those of the exact one, whose half is 3.5e-4 longer",
        "TestHermite.test21": "pickles the channel, which AMUSE cannot with sockets",
    },
    "src/amuse_fastkick/tests/test_fastkick.py": {},
}


def results(report):
    """{class.test: "passed", "skipped" or what failed} of pytest's report."""
    told = {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        bad = [child for child in case if child.tag in ("failure", "error", "skipped")]
        name = case.get("classname", "pytest").split(".")[-1] + "." + case.get("name", "itself")
        told[name] = "passed" if not bad else "skipped" if bad[0].tag == "skipped" else bad[0].get("message", "") + (bad[0].text or "")
    return told


def run_file(python, source, name, expected):
    with folder() as place:
        report = os.path.join(place, "report.xml")
        values = dict(os.environ, PYTHONPATH=os.pathsep.join([OURS, os.path.join(source, "src", "tests")]))
        done = environment.run(python, "-m", "pytest", "-q", "-p", "aliases", "-p", "no:cacheprovider", "-k", "not GPU", "--tb=short",
                               "--rootdir", place, "--junitxml", report, os.path.join(source, name), env=values, within=place)
        if not os.path.exists(report):
            check(False, f"{name} runs", done.stdout)
            return
        told = results(report)
    short = os.path.basename(name)
    passed = [test for test, what in told.items() if what == "passed"]
    for test, what in told.items():
        if test not in expected and what != "passed":
            check(False, f"{short}: {test} passes", what)
    for test, why in expected.items():
        check(told.get(test, "passed") not in ("passed", "skipped"), f"{short}: {test} fails as is known: {why}", told.get(test, "is not there"))
    check(len(passed) == len(told) - len(expected) > 0, f"{short}: {len(passed)} of {len(told)} pass", done.stdout)


def workers():
    """Numbers of the processes of workers that run here."""
    found = set()
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            if re.search("/kyoho_sockets_worker$", os.readlink(f"/proc/{number}/exe")):
                found.add(int(number))
        except OSError:
            continue
    return found


source = os.environ.get("KYOHO_AMUSE_SOURCE")
if not source:
    skip("AMUSE's own tests", "KYOHO_AMUSE_SOURCE does not name a folder with AMUSE's source")
    finish()
try:
    python = amuse_environment.made(["pytest"])
except environment.Missing as why:
    skip("AMUSE's own tests", str(why))
    finish()
before = workers()
for name, expected in EXPECTED.items():
    run_file(python, source, name, expected)
check(not workers() - before, "no worker is left", workers() - before)
finish()
