"""Kyoho in AMUSE: Kyoho is a code of gravitational dynamics, KyohoField a field of bodies that do not move.

    from kyoho.amuse import Kyoho
    gravity = Kyoho(converter)
    gravity.parameters.engine = "cuda"
    gravity.particles.add_particles(stars)
    gravity.evolve_model(1 | units.Myr)

docs/amuse.md is the manual.
"""
import os

from amuse.community.interface.gd import (GravitationalDynamics, GravitationalDynamicsInterface, GravityFieldCode,
                                          GravityFieldInterface)
from amuse.community.interface.stopping_conditions import StoppingConditionInterface, StoppingConditions
from amuse.rfi.core import CodeInterface, LegacyFunctionSpecification, legacy_function
from amuse.support.exceptions import AmuseException
from amuse.support.literature import LiteratureReferencesMixIn
from amuse.units import nbody_system

from kyoho import __version__

UNITS = {"length": nbody_system.length, "time": nbody_system.time}
KINDS = ("flag", "integer", "real", "choice", "text")


def worker(options):
    """The program to start, and the options of AMUSE's channel that it needs."""
    if options.pop("mode", None) is not None:
        raise AmuseException("Kyoho has no modes: leave mode out, and set parameters.engine (cpu, cuda, opencl)")
    if int(options.get("number_of_workers", 1)) != 1:
        raise AmuseException("Kyoho is one worker with several threads: leave number_of_workers out, and set "
                             "parameters.threads")
    if options.get("channel_type", "sockets") != "sockets" or options.get("initialize_mpi", False):
        raise AmuseException("the worker of Kyoho speaks through sockets without MPI: leave channel_type and "
                             "initialize_mpi out")
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kyoho_sockets_worker")
    return program, dict(options, channel_type="sockets", initialize_mpi=False)


def function(*parameters, arrays=True, name=None):
    """A function of the worker, from (name, type, "IN" or "OUT") of its parameters. `arrays`: it can be called with arrays."""
    def specification():
        made = LegacyFunctionSpecification()
        for parameter, kind, direction in parameters:
            made.addParameter(parameter, dtype=kind, direction=getattr(made, direction))
        made.can_handle_array = arrays
        made.result_type = "int32"
        made.name = name
        return made
    specification.__name__ = name
    return legacy_function(specification)


class KyohoInterface(CodeInterface, LiteratureReferencesMixIn, GravitationalDynamicsInterface, GravityFieldInterface,
                     StoppingConditionInterface):
    __doc__ = f"""
    Kyoho {__version__} computes gravity of bodies by an octree, by expansions or exactly, on CPUs and GPUs.

    .. [#] The Kyoho authors, Kyoho {__version__}: gravitational N-body simulation on CPUs and GPUs
    .. [#] Bedorf, J., Gaburov, E. & Portegies Zwart, S., Journal of Computational Physics, 231, 2825 (2012), arXiv:1106.1900 (force tree)
    .. [#] Nakasato, N., Journal of Computational Science, 3, 132 (2012), arXiv:1112.4539 (order of bodies along a curve, force list)
    .. [#] Nakasato, N., arXiv:0909.0541 (2009) (force walk)
    .. [#] Fujiwara, K. & Nakasato, N., arXiv:0904.3659 (2009) (force direct)
    .. [#] Gaburov, E., Harfst, S. & Portegies Zwart, S., New Astronomy, 14, 630 (2009), arXiv:0902.4463 (precision extended)
    """

    def __init__(self, **options):
        program, options = worker(dict(options))
        CodeInterface.__init__(self, name_of_the_worker=program, **options)
        LiteratureReferencesMixIn.__init__(self)

    @classmethod
    def version(cls):
        """For AMUSE's list of references."""
        return __version__

    new_source = function(("index_of_the_particle", "int32", "OUT"), ("mass", "float64", "IN"), ("x", "float64", "IN"),
                          ("y", "float64", "IN"), ("z", "float64", "IN"), name="new_source")
    set_time_step = function(("timestep", "float64", "IN"), arrays=False, name="set_time_step")
    get_is_time_reversed_allowed = function(("value", "int32", "OUT"), arrays=False, name="get_is_time_reversed_allowed")
    set_is_time_reversed_allowed = function(("value", "int32", "IN"), arrays=False, name="set_is_time_reversed_allowed")
    get_error_text = function(("text", "string", "OUT"), arrays=False, name="get_error_text")
    get_number_of_options = function(("count", "int32", "OUT"), arrays=False, name="get_number_of_options")
    get_option_about = function(("index", "int32", "IN"), ("name", "string", "OUT"), ("kind", "int32", "OUT"),
                                ("initial", "string", "OUT"), ("choices", "string", "OUT"), ("unit", "string", "OUT"),
                                ("section", "string", "OUT"), ("help", "string", "OUT"), name="get_option_about")
    get_option = function(("name", "string", "IN"), ("value", "string", "OUT"), arrays=False, name="get_option")
    set_option = function(("name", "string", "IN"), ("value", "string", "IN"), arrays=False, name="set_option")


class KyohoFieldInterface(KyohoInterface):
    """The worker of Kyoho for bodies without velocities and radii."""
    new_particle = KyohoInterface.new_source


class Sentence:
    """What the worker says about the error that it has just reported, asked for when the text is needed."""

    def __init__(self, code):
        self.code = code

    def __str__(self):
        return self.code.legacy_interface.get_error_text()["text"]


class Option:
    """An option of Kyoho as a parameter of AMUSE: None stands for a value that Kyoho chooses."""

    def __init__(self, name, kind, initial, choices, unit, section, text):
        self.name, self.kind, self.unit, self.section = name, KINDS[kind], UNITS.get(unit), section
        self.keyword = name.replace("-", "_")
        self.default = self.value(initial)
        self.text = text + (f" ({choices.replace('|', ', ')})" if choices else "")

    def value(self, text):
        """The value that the text of the worker stands for."""
        if not text:
            return None
        if self.kind == "real":
            return float(text) if self.unit is None else float(text) | self.unit
        return {"flag": lambda: text == "yes", "integer": lambda: int(text)}.get(self.kind, lambda: text)()

    def told(self, value):
        """The text of a value for the worker."""
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        if self.kind == "flag":
            return "yes" if value else "no"
        if self.unit is not None:
            value = value.value_in(self.unit)
        return repr(float(value)) if self.kind == "real" else str(value)


class Options:
    """What Kyoho and KyohoField share: the library's options as parameters, and errors with Kyoho's sentence."""

    def ask_options(self):
        """The options, as the worker knows them."""
        known = self.legacy_interface
        count = known.get_number_of_options()["count"]
        about = known.get_option_about(list(range(count)))
        columns = [about[name] for name in ("name", "kind", "initial", "choices", "unit", "section", "help")]
        return [Option(*(str(value) if k != 1 else int(value) for k, value in enumerate(row))) for row in zip(*columns)]

    def define_parameters(self, handler):
        for option in self.ask_options():
            setattr(type(self), "get_" + option.keyword, lambda self, option=option: self.value_of(option))
            setattr(type(self), "set_" + option.keyword, lambda self, value, option=option: self.give(option, value))
            handler.add_method_parameter("get_" + option.keyword, "set_" + option.keyword, option.keyword, option.text,
                                         default_value=option.default)
        handler.add_method_parameter("get_eps2", "set_eps2", "epsilon_squared", "square of the softening length",
                                     default_value=self.EPSILON_SQUARED | nbody_system.length**2)

    def value_of(self, option):
        return option.value(self.checked("get_option", option.name))

    def give(self, option, value):
        self.checked("set_option", option.name, option.told(value))

    def checked(self, name, *arguments):
        """Calls a function of the worker. Returns the value that it gives, if any; AmuseException with its sentence."""
        answer = getattr(self.legacy_interface, name)(*arguments)
        result = answer["__result"] if hasattr(answer, "keys") else answer
        if result:
            raise AmuseException(str(Sentence(self)), result)
        return answer["value"] if hasattr(answer, "keys") else None

    def define_methods(self, handler):
        GravitationalDynamics.define_methods(self, handler)
        area = nbody_system.length**2
        handler.add_method("get_eps2", (), (area, handler.ERROR_CODE))
        handler.add_method("set_eps2", (area,), (handler.ERROR_CODE,))

    def define_state(self, handler):
        GravitationalDynamics.define_state(self, handler)
        GravityFieldCode.define_state(self, handler)
        handler.add_transition("RUN", "UPDATE", "set_state", False)
        handler.add_method("UPDATE", "set_state")
        handler.add_method("RUN", "get_radius")
        handler.add_method("RUN", "get_acceleration")

    def define_errorcodes(self, handler):
        handler.add_errorcode(-1, Sentence(self))
        handler.add_errorcode(-3, Sentence(self))


class Kyoho(Options, GravitationalDynamics, GravityFieldCode):
    """Gravitational dynamics by Kyoho, on CPUs and GPUs. `parameters` has its options by name, with _ for -."""
    EPSILON_SQUARED = 0.0025
    INTERFACE = KyohoInterface

    def __init__(self, convert_nbody=None, **options):
        self.stopping_conditions = StoppingConditions(self)
        GravitationalDynamics.__init__(self, self.INTERFACE(**options), convert_nbody, **options)

    def define_parameters(self, handler):
        Options.define_parameters(self, handler)
        handler.add_method_parameter("get_time_step", "set_time_step", "timestep",
                                     "step of all bodies; the longest one where they have their own",
                                     default_value=1 / 64 | nbody_system.time)
        handler.add_method_parameter("get_begin_time", "set_begin_time", "begin_time", "time at which the model starts",
                                     default_value=0.0 | nbody_system.time)
        handler.add_method_parameter("get_is_time_reversed_allowed", "set_is_time_reversed_allowed",
                                     "is_time_reversed_allowed", "1: the model may evolve to earlier times", default_value=0)
        self.stopping_conditions.define_parameters(handler)

    def define_methods(self, handler):
        Options.define_methods(self, handler)
        time = nbody_system.time
        handler.add_method("set_time_step", (time,), (handler.ERROR_CODE,))
        handler.add_method("get_begin_time", (), (time, handler.ERROR_CODE))
        handler.add_method("set_begin_time", (time,), (handler.ERROR_CODE,))
        handler.add_method("get_is_time_reversed_allowed", (), (handler.NO_UNIT, handler.ERROR_CODE))
        handler.add_method("set_is_time_reversed_allowed", (handler.NO_UNIT,), (handler.ERROR_CODE,))
        self.stopping_conditions.define_methods(handler)

    def define_state(self, handler):
        Options.define_state(self, handler)
        self.stopping_conditions.define_state(handler)

    def define_particle_sets(self, handler):
        GravitationalDynamics.define_particle_sets(self, handler)
        self.stopping_conditions.define_particle_set(handler)


class KyohoField(Options, GravitationalDynamics, GravityFieldCode):
    """The field of bodies at points, for Bridge: particles have mass and position alone. The softening of a pair is
    the root of epsilon_squared plus the square of the point's."""
    EPSILON_SQUARED = 0.0
    INTERFACE = KyohoFieldInterface

    def __init__(self, convert_nbody=None, **options):
        GravitationalDynamics.__init__(self, self.INTERFACE(**options), convert_nbody, **options)

    def initialize_code(self):
        self.overridden().initialize_code()
        self.checked("set_eps2", self.EPSILON_SQUARED)
        self.checked("set_option", "softening-kind", "symmetric")

    def ask_options(self):
        """Without those of motion."""
        kept = [option for option in Options.ask_options(self) if option.section not in ("integrator", "stopping")]
        for option in kept:
            if option.keyword == "softening_kind":
                option.default = "symmetric"
        return kept

    def define_properties(self, handler):
        handler.add_property("get_potential_energy")
        handler.add_property("get_total_mass")
        handler.add_property("get_center_of_mass_position")

    def define_methods(self, handler):
        Options.define_methods(self, handler)
        handler.add_method("new_particle", [nbody_system.mass] + 3 * [nbody_system.length], (handler.INDEX, handler.ERROR_CODE))

    def define_particle_sets(self, handler):
        handler.define_set("particles", "index_of_the_particle")
        handler.set_new("particles", "new_particle")
        handler.set_delete("particles", "delete_particle")
        for name, attributes in (("mass", ("mass",)), ("position", ("x", "y", "z"))):
            handler.add_setter("particles", "set_" + name, names=attributes)
            handler.add_getter("particles", "get_" + name, names=attributes)
