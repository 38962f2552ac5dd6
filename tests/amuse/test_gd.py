# AMUSE's tests of gravity codes, gd_tests.py, for Kyoho.
from codes_tests.gd_tests import _TestGravitationalDynamicsInterface, _TestGravityCodes
from kyoho.amuse import Kyoho, KyohoInterface

from amuse.support.testing.amusetest import TestWithMPI


class TestKyohoInterface(_TestGravitationalDynamicsInterface, TestWithMPI):
    def gravity_code_interface(self):
        return KyohoInterface

    def reference_includes(self):
        return "Nakasato"


class TestKyoho(_TestGravityCodes, TestWithMPI):
    def gravity_code_factory(self):
        return Kyoho
