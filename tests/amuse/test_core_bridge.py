# AMUSE's tests of Bridge with two codes, core_tests/test_bridge.py, with Kyoho in place of their example code.
import aliases
from core_tests import test_bridge

test_bridge.ExampleGravityCodeInterface = aliases.Example


class TestKyohoBridge(test_bridge.TestBridge):
    pass
