"""Tests of amuse_kyoho: AMUSE's tests of gravity codes, a field for Bridge, errors."""
from amuse_kyoho.interface import Kyoho, KyohoField, KyohoInterface
from codes_tests.gd_tests import _TestGravitationalDynamicsInterface, _TestGravityCodes

from amuse.ic.plummer import new_plummer_model
from amuse.support.exceptions import AmuseException
from amuse.support.testing.amusetest import TestWithMPI
from amuse.units import nbody_system


class TestKyohoInterface(_TestGravitationalDynamicsInterface, TestWithMPI):
    def gravity_code_interface(self):
        return KyohoInterface

    def reference_includes(self):
        return "Nakasato"


class TestKyoho(_TestGravityCodes, TestWithMPI):
    def gravity_code_factory(self):
        return Kyoho

    def test_field(self):
        stars = new_plummer_model(100)
        field = KyohoField()
        field.parameters.precision = "double"
        field.particles.add_particles(stars)
        zero = 0 | nbody_system.length
        potential = field.get_potential_at_point(zero, 3 | nbody_system.length, zero, zero)
        exact = -(stars.mass / (stars.position - ([3, 0, 0] | nbody_system.length)).lengths()).sum() * nbody_system.G
        self.assertAlmostRelativeEqual(potential, exact, 12)
        self.assertTrue("theta" in field.parameters.names() and "integrator" not in field.parameters.names())
        field.stop()

    def test_engine(self):
        gravity = Kyoho()
        gravity.parameters.engine = "nonsense"
        gravity.particles.add_particles(new_plummer_model(10))
        try:
            gravity.commit_particles()
            said = ""
        except AmuseException as why:
            said = str(why)
        self.assertTrue("nonsense" in said)
        gravity.stop()
