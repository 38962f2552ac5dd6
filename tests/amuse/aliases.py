# A plugin of pytest (-p aliases) that puts Kyoho in the place of codes which AMUSE's own tests import, so that these run as they
# are. What stands here is what differs: names of functions and parameters, defaults, and the first index.
import sys
import types

from kyoho.amuse import Kyoho, KyohoField, KyohoFieldInterface, KyohoInterface

try:
    from amuse.support.testing import amusetest
except ImportError:  # before 2025
    from amuse.test import amusetest
from amuse.units import nbody_system, units

BODY = (1.0,) + 7 * (0.0,)


class Exact:
    """Interfaces whose pairs are double, and that have any number of workers."""

    def __init__(self, number_of_workers=1, **options):
        super().__init__(**options)
        self.set_option("precision", "double")


class FromOne(Exact):
    """Interfaces whose first index is 1: the index 0 is used up before."""

    def __init__(self, **options):
        super().__init__(**options)
        self.use_up()

    def use_up(self):
        self.delete_particle(self.new_particle(*BODY)["index_of_the_particle"])

    def cleanup_code(self):
        result = super().cleanup_code()
        self.use_up()
        return result


class BHTreeInterface(FromOne, KyohoInterface):
    """
    .. [#] Barnes, J., Hut, P., Nature, 324, 446 (1986)
    """
    set_epsilon_squared, get_epsilon_squared = KyohoInterface.set_eps2, KyohoInterface.get_eps2


class OctgravInterface(FromOne, KyohoInterface):
    pass


class HermiteInterface(Exact, KyohoInterface):
    """
    .. [#] Hut, P., Makino, J. & McMillan, S., ApJ, 443, L93 (1995)
    """

    def __init__(self, **options):
        super().__init__(**options)
        self.set_option("integrator", "hermite4")
        self.set_eps2(0.0)

    def set_dt_param(self, value):
        return self.set_option("eta", repr(value))

    def set_end_time_accuracy_factor(self, value):
        return -1 if value else 0


class Code(Kyoho):
    """Kyoho with other defaults of parameters, VALUES, and other names for some, NAMES. It stops at exactly the time that is
    asked for, which is an accuracy factor of 0."""
    NAMES, VALUES = {}, {}

    def initialize_code(self):
        self.overridden().initialize_code()
        self.checked("set_eps2", self.EPSILON_SQUARED)
        for option, value in self.VALUES.items():
            self.checked("set_option", option, value)

    def define_parameters(self, handler):
        Kyoho.define_parameters(self, handler)
        handler.add_interface_parameter("end_time_accuracy_factor", "only 0 here", default_value=0.0)
        for name, ours in self.NAMES.items():
            handler.add_alias_parameter(name, ours, "the same as " + ours)


class BHTree(Code):
    INTERFACE, EPSILON_SQUARED, NAMES = BHTreeInterface, 0.125, {"opening_angle": "theta"}


class Octgrav(Code):
    INTERFACE, EPSILON_SQUARED, NAMES, VALUES = OctgravInterface, 0.01, {"opening_angle": "theta"}, {"theta": "0.8"}


class Bonsai(Code):
    pass


class Hermite(Code):
    INTERFACE, EPSILON_SQUARED, NAMES = HermiteInterface, 0.0, {"dt_param": "eta"}
    VALUES = {"integrator": "hermite4", "precision": "double"}


class FastKickInterface(KyohoFieldInterface):
    def __init__(self, mode="cpu", number_of_workers=1, **options):
        KyohoFieldInterface.__init__(self, **options)


class FastKick(KyohoField):
    def __init__(self, unit_converter=None, mode="cpu", number_of_workers=1, **options):
        KyohoField.__init__(self, unit_converter, **options)


class Example(Code):
    """In place of the example code of test_bridge.py, which works in SI without a converter."""
    EPSILON_SQUARED = 0.0
    VALUES = {"engine": "cpu", "force": "direct", "precision": "double", "softening-kind": "symmetric"}

    def __init__(self):
        super().__init__(nbody_system.nbody_to_si(1.0e5 | units.MSun, 1.0 | units.parsec))


def put(name, **members):
    """Makes modules of these names, and of those above them that there are not."""
    parts = name.split(".")
    for k in range(1, len(parts) + 1):
        part = ".".join(parts[:k])
        if part not in sys.modules:
            try:
                __import__(part)
            except ImportError:
                sys.modules[part] = types.ModuleType(part)
                sys.modules[part].__path__ = []
    sys.modules[name].__dict__.update(members)


for there in ("amuse.test.amusetest", "amuse.support.testing.amusetest"):
    put(there, TestWithMPI=amusetest.TestWithMPI, TestCase=amusetest.TestCase)
put("amuse_bhtree.interface", BHTreeInterface=BHTreeInterface, BHTree=BHTree)
put("amuse.community.octgrav.interface", OctgravInterface=OctgravInterface, Octgrav=Octgrav)
put("amuse.community.bonsai.interface", BonsaiInterface=KyohoInterface, Bonsai=Bonsai)
put("amuse_hermite.interface", HermiteInterface=HermiteInterface, Hermite=Hermite)
put("amuse_fastkick.interface", FastKickInterface=FastKickInterface, FastKick=FastKick)
