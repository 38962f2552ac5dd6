"""Centres, radii and scales of bodies, binaries, profiles, and what forces cost and how accurate they are."""
from __future__ import annotations

import math
from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from . import _arrays
from ._aside import call_aside
from ._library import NULL, call, encoded, ffi, lib, struct
from ._options import ENGINE, FORCE, Parameters, divided, documented, fill, table
from ._table import in_python
from ._words import hinted, softened
from .errors import BadDataError, UsageError
from .forces import given_bodies
from .simulation import parameters_of, report_of, sums_of
from .snapshot import Snapshot, fill_bodies, snapshot_of, taken, with_box
from .units import Units

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._option_types import BinaryOptions, ForceOptions, ProfileOptions, TuneOptions

Scales = namedtuple("Scales", "half_mass_radius velocity_dispersion crossing_time relaxation_time softening step")
Scales.__doc__ = """Lengths and times of a system: half-mass radius about the density centre; rms speed in three dimensions about the
mean velocity; 2 r_h/speed; the relaxation time at the half-mass radius (Spitzer 1987); recommended softening and step."""

FRACTIONS = tuple(lib.ky_lagrangian_fractions)


def _placed(position, mass, units):
    position, units, given = taken(position, units, mass=mass)
    mass = 1.0 if given["mass"] is None else given["mass"]
    arrays = given_bodies(position, mass, Units.of(units))
    return fill_bodies(struct("ky_bodies"), len(arrays["position"]), arrays), arrays


@hinted
def density_centre(position, mass=None, *, units=None) -> np.ndarray:
    """
    The centre (3): the mean position weighted by the density of the bodies nearer than the sixth neighbour.

    Arguments:
      position, mass   (n, 3) [length]; masses (n) or one for all (1) [mass]
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      centre = kyoho.density_centre(pos, mass)

    The density is a density of mass (Casertano & Hut 1985). For fewer than 7 bodies the centre is the centre of mass.
    """
    bodies, keep = _placed(position, mass, units)
    centre = np.empty(3)
    call(lib.ky_density_centre, bodies, _arrays.pointer(centre, "double *"))
    del keep
    return centre


@hinted
def lagrangian_radii(position, mass=None, fractions=FRACTIONS, centre=None, *, units=None) -> np.ndarray:
    """
    Radii of the spheres that hold fractions of the mass [length].

    Arguments:
      position, mass   (n, 3) [length]; masses (n) or one for all [mass]
      fractions        one or several, ascending; the default is 1, 2, 5, 10, 25, 50, 75 and 90 %
      centre           three numbers [length]; the default is the density centre
      units   of the numbers: "nbody" (G = 1, the default), "galaxy", "cluster", "cosmic", "planets" or kyoho.Units
    Example:
      half = kyoho.lagrangian_radii(pos, mass, 0.5)[0]
    """
    position, units, given = taken(position, units, mass=mass)
    mass = given["mass"]
    bodies, keep = _placed(position, mass, units)
    fractions = _arrays.row(fractions, "fractions")
    centre = density_centre(position, mass, units=units) if centre is None else _arrays.scalars(
        Units.of(units).number(centre, "length", "centre"), "centre", 3)
    if not np.isfinite(centre).all():
        raise BadDataError(f"centre is {centre.tolist()}; it must be finite")
    radii = np.empty(len(fractions))
    call(lib.ky_lagrangian_radii, bodies, _arrays.pointer(centre, "double *"), len(fractions),
         _arrays.pointer(fractions, "double *"), _arrays.pointer(radii, "double *"))
    del keep
    return radii


@hinted
def scales(snapshot: Snapshot, softening=None) -> Scales:
    """
    Lengths and times of a system, with the recommended softening and step, as kyoho.analysis.Scales.

    Arguments:
      snapshot    a Snapshot or a Simulation; the results are in its units
      softening   of the run, from which the step follows [length]; without it the recommended softening
    Example:
      step = kyoho.scales(kyoho.model("plummer", 1000)).step
    """
    snapshot = snapshot_of(snapshot, "scales")
    made, keep = snapshot._struct()
    found = struct("ky_scales")
    softening = math.nan if softening is None else snapshot.units.real(softening, "length", "softening")
    call(lib.ky_system_scales, ffi.addressof(made.bodies), snapshot.units.g, softening, found)
    del keep
    return Scales(*(getattr(found, name) for name in Scales._fields))


def _softened(bodies, options, sections, default=None):
    """The struct ky_snapshot of the bodies, the memory behind it, and the parameters with their softening."""
    made, keep = bodies._struct()
    softening = bodies.units.number(options.pop("softening", None), "length", "softening")
    if softening is None and bodies.softening is None:
        softening = default
    parameters = Parameters({"softening": softening, **options}, sections, bodies.units)
    parameters.settle()
    call(lib.ky_softening_choose, parameters.values, made, NULL)
    parameters.values.time = bodies.time
    return made, keep, parameters


class Binaries:
    """Pairs of bodies that are bound to each other, the tightest first; each array has a row for each pair.

    `index` (k, 2) has the indices of the two bodies, the more massive first, and `id` (k, 2) their ids. `separation` is their
    present distance. `semi_major_axis`, `eccentricity` and `period` are elements of their orbit. `energy` is the energy of their relative motion.
    """

    index: np.ndarray
    id: np.ndarray
    separation: np.ndarray
    semi_major_axis: np.ndarray
    eccentricity: np.ndarray
    period: np.ndarray
    energy: np.ndarray

    def __init__(self, made, ids):
        owner, count = ffi.gc(made, lib.ky_binaries_free), made.count
        self.index = _arrays.view(made.body, (count, 2), "u4", owner)
        self.id = self.index.astype("u8") if ids is None else np.asarray(ids)[self.index]
        for name in ("separation", "semi_major_axis", "eccentricity", "period", "energy"):
            setattr(self, name, _arrays.view(getattr(made, name), (count,), "f8", owner))

    def __len__(self):
        return len(self.energy)

    def __repr__(self):
        return f"<kyoho.Binaries: {len(self):,}>"


@documented(lib.KY_OPTIONS_PARAMETERS, ENGINE, more=lambda: [table(lib.KY_OPTIONS_PARAMETERS)[name] for name in ("softening", "softening_kind", "g")])
@softened
def binaries(bodies, **options: Unpack[BinaryOptions]) -> Binaries:
    """
    The pairs of bodies that are bound to each other, with the elements of their orbits, as kyoho.Binaries.

    Arguments:
      bodies   a Snapshot or a Simulation; the results are in its units
    Example:
      pairs = kyoho.binaries(sim)
      pairs.id, pairs.semi_major_axis, pairs.eccentricity, pairs.period

    For all snapshots of a run: [kyoho.binaries(one) for one in kyoho.Run("first")]. For each of the two bodies, the other is the
    nearest of the bodies to which it is bound, among its eight nearest neighbours. Without `softening` it is the softening of
    the bodies, or 0 if that is unknown.
    """
    bodies = snapshot_of(bodies, "binaries")
    own = table(lib.KY_OPTIONS_PARAMETERS)
    divided(options, {name: own[name] for name in own if name in table(lib.KY_OPTIONS_PARAMETERS, ENGINE) or name in ("softening", "softening_kind", "g")})
    made, keep, parameters = _softened(bodies, options, FORCE, default=0.0)
    found = struct("ky_binaries")
    call_aside(parameters.values, lib.ky_binaries_find, parameters.values, ffi.addressof(made.bodies), found, NULL)
    del keep
    return Binaries(found, bodies.id)


class Profile:
    """Spherical profiles about `centre`; each array has a row for each shell.

    `radius` is the middle of the shell; `edge` has one row more, the boundaries of the shells. `bodies` is the number of bodies, `density`
    [mass/length³], `enclosed` the mass within the outer edge, and `circular_speed` the circular speed there. `radial` and `tangential` are
    velocity dispersions in one dimension, and `anisotropy` is 1 − tangential²/radial². `radial_velocity` and `rotation` are mean velocities.
    `surface_density` [mass/length²] is that of the ring of the same radii. Values are NaN in shells with too few bodies.
    """

    centre: np.ndarray
    velocity: np.ndarray
    edge: np.ndarray
    bodies: np.ndarray
    radius: np.ndarray
    density: np.ndarray
    enclosed: np.ndarray
    circular_speed: np.ndarray
    radial: np.ndarray
    tangential: np.ndarray
    anisotropy: np.ndarray
    radial_velocity: np.ndarray
    rotation: np.ndarray
    surface_density: np.ndarray

    def __init__(self, made):
        owner, shells = ffi.gc(made, lib.ky_profile_free), made.shells
        self.centre, self.velocity = (np.array(list(part)) for part in (made.centre, made.velocity))
        self.edge = _arrays.view(made.edge, (shells + 1,), "f8", owner)
        self.bodies = _arrays.view(made.bodies, (shells,), "u8", owner)
        for name in ("radius", "density", "enclosed", "circular_speed", "radial", "tangential", "anisotropy", "radial_velocity", "rotation",
                     "surface_density"):
            setattr(self, name, _arrays.view(getattr(made, name), (shells,), "f8", owner))

    def __len__(self):
        return len(self.radius)

    def __repr__(self):
        return f"<kyoho.Profile of {len(self)} shells from {self.edge[0]:g} to {self.edge[-1]:g}>"


@documented(lib.KY_OPTIONS_PROFILE, without=("g",))
@hinted
def profile(bodies, **options: Unpack[ProfileOptions]) -> Profile:
    """
    Density, mass, velocities and surface density as functions of the radius, as kyoho.Profile.

    Arguments:
      bodies   a Snapshot or a Simulation; the results are in its units. In a periodic box give centre_x, centre_y and centre_z
    Example:
      shells = kyoho.profile(sim, shells=30)
      shells.radius, shells.density, shells.circular_speed

    The shells are equally spaced in the logarithm of the radius.
    """
    bodies = snapshot_of(bodies, "profile", in_box=True)
    made, memory = bodies._struct()
    values, keep = struct("ky_profile_parameters"), []
    values.g = bodies.units.g if bodies.cosmology is None else bodies.units.g / bodies.time
    values.box = bodies.box or 0
    fill(values, lib.KY_OPTIONS_PROFILE, options, table(lib.KY_OPTIONS_PROFILE), bodies.units, keep)
    found = struct("ky_radial_profile")
    call(lib.ky_profile_make, values, ffi.addressof(made.bodies), found)
    del memory
    return Profile(found)


def _side(bodies, box):
    """The side of the periodic box of a Snapshot, or the one that is given."""
    side = with_box(bodies, {} if box is None else {"box": box}).get("box")
    if side is None:
        raise UsageError("the bodies have no periodic box: give box, its side")
    return bodies.units.real(side, "length", "box")


@hinted
def density_mesh(bodies, mesh, box=None) -> np.ndarray:
    """
    The density of bodies in a periodic box on a mesh, (mesh, mesh, mesh) [mass/length³], by triangle-shaped clouds (TSC), as kyoho.power
    assigns them. The point [i, j, k] has the coordinates i, j and k times box/mesh.

    Arguments:
      bodies   a Snapshot or a Simulation; the densities are in its units
      mesh     points along an axis
      box      the side of the box, which has a corner at the origin [length]; None: that of the bodies
    Example:
      density = kyoho.density_mesh(kyoho.model("cosmic-box", 512), 16)
      contrast = density / density.mean() - 1
    """
    bodies = snapshot_of(bodies, "density_mesh", in_box=True)
    side, n = _side(bodies, box), _arrays.whole(mesh, "mesh", 1 << 14, 1)
    made, memory = bodies._struct()
    density = np.empty((n, n, n))
    call(lib.ky_density_mesh, ffi.addressof(made.bodies), side, n, _arrays.pointer(density, "double *"))
    del memory
    return density


Power = namedtuple("Power", "k power waves noise mesh")
Power.__doc__ = """A power spectrum: `k` [1/length], `power` [length³] and the number of `waves` of each shell; `noise` of as many bodies at
random, which is in `power`; points of the `mesh` along an axis."""


@hinted
def power(bodies, box=None, mesh=0, *, cross=None, fold=1) -> Power:
    """
    The power spectrum of bodies in a periodic box, as kyoho.analysis.Power; the command has it as `kyoho power`.

    Arguments:
      bodies   a Snapshot or a Simulation; the results are in its units
      box      the side of the box, which has a corner at the origin [length]; None: that of the bodies
      mesh     points of the mesh along an axis; 0: twice the cube root of the number of bodies
      cross    a Snapshot or a Simulation in the same box: the cross spectrum with its bodies, without noise
      fold     folds the box so many times along each axis: the spectrum begins and ends at wave numbers so many times as high
    Example:
      found = kyoho.power(kyoho.model("cosmic-box", 512))
      found.k, found.power - found.noise
    """
    bodies = snapshot_of(bodies, "power", in_box=True)
    side = _side(bodies, box)
    made, memory = bodies._struct()
    other, also = ffi.NULL, None
    if cross is not None:
        cross = snapshot_of(cross, "power", in_box=True)
        if cross.units != bodies.units or not (cross.box is None or math.isclose(cross.box, side, rel_tol=1e-6)):
            raise UsageError("cross: the bodies have other units or another box")
        of_cross, also = cross._struct()
        other = ffi.addressof(of_cross.bodies)
    found = struct("ky_power")
    call(lib.ky_power_cross, ffi.addressof(made.bodies), other, side, _arrays.whole(mesh, "mesh"), _arrays.whole(fold, "fold"), found)
    del memory, also
    owner, shells = ffi.gc(found, lib.ky_power_free), found.count
    return Power(_arrays.view(found.k, (shells,), "f8", owner), _arrays.view(found.power, (shells,), "f8", owner),
                 _arrays.view(found.waves, (shells,), "u8", owner), found.noise, found.mesh)


FITS = {"press-schechter": lib.KY_PRESS_SCHECHTER, "sheth-tormen": lib.KY_SHETH_TORMEN, "tinker": lib.KY_TINKER}


@hinted
def mass_function(mass, fit="tinker", *, cosmology=None, redshift=0, omega_b=0.049, spectral_index=0.9665, sigma8=0.8102, spectrum=None) -> np.ndarray:
    """
    Fits to the number of haloes of each mass: dn/d ln M, comoving [(h/Mpc)³]. The command has them as `kyoho haloes`.

    Arguments:
      mass        masses of haloes [Msun/h]
      fit         "press-schechter" (1974), "sheth-tormen" (1999) or "tinker" (2008, for m200m)
      cosmology   (h, omega_matter, omega_lambda), as `cosmology` of a Snapshot; None: that of the model cosmic-box
      redshift    for which haloes are counted
      omega_b, spectral_index, sigma8   of the linear spectrum today
      spectrum    a file of k [h/Mpc] and P(k) [(Mpc/h)³] today instead of the fit of Eisenstein & Hu (1998), scaled to sigma8
                  unless this is None
    Example:
      kyoho.mass_function([1e12, 1e13, 1e14], cosmology=bodies.cosmology)
    """
    values = struct("ky_mass_function_parameters")
    if fit not in FITS:
        raise UsageError(f"fit is {fit!r}; it must be one of {', '.join(FITS)}")
    values.fit, values.scale_factor = FITS[fit], 1 / (1 + redshift)
    if cosmology is not None:
        values.hubble, values.omega_matter, values.omega_lambda = cosmology
    values.omega_baryons, values.spectral_index, values.sigma8 = omega_b, spectral_index, math.nan if sigma8 is None else sigma8
    path = encoded(spectrum) if spectrum is not None else NULL
    values.spectrum = path
    mass = _arrays.row(mass, "mass") if _arrays.single(mass) else np.ascontiguousarray(mass, "f8").ravel()
    found = np.empty(len(mass))
    call(lib.ky_mass_function, values, len(mass), _arrays.pointer(mass, "double *"), _arrays.pointer(found, "double *"))
    return found


Errors = namedtuple("Errors", "median p90 p99 max mean rms samples")
Errors.__doc__ = """Relative errors. 99 % of the samples have at most the error `p99`."""

Check = namedtuple("Check", "acceleration potential total without_dominant of_rms of_peculiar report sums parameters choice over_rms")
Check.__doc__ = """The cost and the accuracy of one evaluation of forces. `acceleration` and `potential` are kyoho.analysis.Errors against exact
sums in double precision; `total` includes external fields; `without_dominant` is relative to the pull of all bodies but one that has more than half of
the mass, and `over_rms` to the rms acceleration in a periodic box; None where nothing was compared. `of_rms` is the rms error over the rms acceleration, `of_peculiar` the same without the linear part of that. `report` is as Simulation.report(),
with medians of the times, `sums` as Simulation.sums(), `parameters` as Simulation.parameters. `choice` is the line about what Kyoho chose, or None."""


@documented(lib.KY_OPTIONS_PARAMETERS, FORCE)
@softened
def check(bodies, samples=500, repeat=1, **options: Unpack[ForceOptions]) -> Check:
    """
    Computes the forces and compares them with exact sums, as `kyoho force` does. Returns kyoho.analysis.Check.

    Arguments:
      bodies    a Snapshot or a Simulation
      samples   the number of bodies whose forces are compared; 0 for none
      repeat    the number of evaluations; the times are their medians [s]
    Example:
      kyoho.check(sim, theta=0.5).acceleration.p99  # 99 % of the accelerations have at most this relative error

    The options choose the force that is measured.
    """
    bodies = snapshot_of(bodies, "check", in_box=True)
    made, keep, parameters = _softened(bodies, with_box(bodies, options), FORCE)
    report, sums, choice = struct("ky_force_report"), struct("ky_sums"), struct("ky_choice")
    resolved, results = struct("ky_parameters"), struct("ky_check_results")
    wanted = struct("ky_check_parameters", repeat=_arrays.whole(repeat, "repeat"), samples=_arrays.whole(samples, "samples"), report=report,
                    sums=sums, choice=choice, resolved=resolved)
    call_aside(parameters.values, lib.ky_forces_check, parameters.values, ffi.addressof(made.bodies), wanted, results)
    del keep
    errors = [Errors(*(getattr(one, name) for name in Errors._fields)) if one.samples else None
              for one in (results.acceleration, results.potential, results.total, results.without_dominant, results.over_rms)]
    rms = (results.of_rms, results.of_peculiar) if errors[0] else (math.nan, math.nan)
    return Check(*errors[:4], *rms, report_of(report), sums_of(sums), parameters_of(resolved), in_python(ffi.string(choice.text).decode()) or None, errors[4])


Setting = namedtuple("Setting", "options seconds error error_potential")
Setting.__doc__ = """A setting of the force: its `options`, for kyoho.Simulation(bodies, **options), and the `seconds` of an evaluation. 99 % of the
accelerations have at most the relative error `error`, and 99 % of the potentials `error_potential`."""

Tuning = namedtuple("Tuning", "settings found left_out")
Tuning.__doc__ = """The `settings` that were measured, as kyoho.analysis.Setting; the setting that was `found` for the error, or None; and the number of
settings that were `left_out` because the time was over."""

TUNED = ("force", "opening", "cell", "multipole", "order", "curve", "leaf", "group", "precision", "softening_kind", "g", "field")


def _setting(made):
    """The Setting of a struct ky_tuned."""
    own, found = struct("ky_parameters", force=made.force, opening=made.opening), {}
    for name, is_there in (("force", True), ("opening", made.opening != lib.KY_OPENING_BY_USE)):
        if is_there:
            room = ffi.new("char[]", 64)
            call(lib.ky_options_text, lib.KY_OPTIONS_PARAMETERS, own, encoded(name), room, len(room))
            found[name] = ffi.string(room).decode()
    numbers = {"order": made.order or None, "alpha": made.alpha, "theta": made.theta}
    found.update({name: value for name, value in numbers.items() if value is not None and value == value})
    return Setting({**found, "engine": ffi.string(made.engine).decode()}, made.seconds, made.error, made.error_potential)


def _tuned():
    own = table(lib.KY_OPTIONS_PARAMETERS)
    return [option for option in own.values() if option.keyword in table(lib.KY_OPTIONS_PARAMETERS, ENGINE) or option.keyword in (*TUNED, "softening")]


@documented(None, more=_tuned)
@softened
def tune(bodies, error=None, seconds=60, samples=500, repeat=3, **options: Unpack[TuneOptions]) -> Tuning:
    """
    Measures the cost of methods and tolerances for these bodies, and finds the fastest options for an error, as kyoho.analysis.Tuning.

    Arguments:
      bodies    a Snapshot or a Simulation
      error     the relative error that 99 % of the accelerations may have; without it the settings are only measured
      seconds   the time for all measurements [s]
      samples   the number of bodies whose forces are compared with exact sums
      repeat    the number of evaluations of a setting; its time is their median [s]
    Example:
      best = kyoho.tune(bodies, error=1e-3, seconds=10).found
      sim = kyoho.Simulation(bodies, **best.options)

    Options such as force="tree" restrict the settings.
    """
    bodies = snapshot_of(bodies, "tune")
    divided(options, {option.keyword: option for option in _tuned()})
    names = [encoded(name) for name in ("engine", "force", "opening", "order") if options.get(name) is not None]
    made, keep, parameters = _softened(bodies, options, FORCE)
    given, found = ffi.new("char *[]", [*names, NULL]), struct("ky_tuning")
    wanted = struct("ky_tune_parameters", seconds=bodies.units.real(seconds, "s", "seconds"), samples=_arrays.whole(samples, "samples"),
                    repeat=_arrays.whole(repeat, "repeat"), given=ffi.cast("const char *const *", given))
    if error is not None:
        wanted.error = _arrays.number(error, "error")
    call_aside(parameters.values, lib.ky_tune, parameters.values, ffi.addressof(made.bodies), wanted, found)
    del keep
    owner = ffi.gc(found, lib.ky_tuning_free)
    return Tuning([_setting(owner.setting[k]) for k in range(owner.count)], _setting(owner.found) if owner.has_found else None, owner.left_out)
