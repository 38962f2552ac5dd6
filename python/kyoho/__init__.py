"""Kyoho: gravitational N-body simulation on CPUs and GPUs.

    import kyoho
    with kyoho.Simulation(kyoho.model("plummer", 1000, seed=1), step=1/64) as sim:
        sim.integrate(1)
        print(sim.time, sim.energy(), sim.position[0])

kyoho.gravity(pos, mass, eps) is accelerations and potentials at once; accelerations, potential, field, neighbours, density and
groups work on arrays too. kyoho.model, merge, read and draw make, combine, read and show a Snapshot. kyoho.options(kyoho.Simulation)
explains every option. docs/python.md is the manual.
"""
from ._library import use_threads
from ._library import version as __version__
from ._options import options
from ._picture import png
from ._view import View, view
from .analysis import Binaries, Profile, binaries, check, density_centre, density_mesh, lagrangian_radii, mass_function, power, profile, scales, tune
from ._evaluator import release
from .devices import Device, devices
from .drawing import draw, plot
from .errors import (BadDataError, CannotWriteError, DeviceError, Error, FaultError, NoFileError, StoppedError, UnsupportedError,
                     UsageError)
from .forces import (Groups, Neighbours, accelerations, density, external_field, field, gravity, groups, nearest, neighbours, orbit,
                     potential, tides)
from .models import merge, model, model_options, models
from .runs import Run, resume, run
from .simulation import Simulation, restore
from .snapshot import Snapshot, read
from .systems import Systems, few
from .units import Units

__all__ = ["BadDataError", "Binaries", "CannotWriteError", "Device", "DeviceError", "Error", "FaultError", "Groups",
           "Neighbours", "NoFileError", "Profile", "Run", "Simulation", "Snapshot", "StoppedError", "Systems", "Units",
           "UnsupportedError", "UsageError", "View", "accelerations", "binaries", "check", "density", "density_centre", "density_mesh",
           "devices", "draw", "external_field", "few", "field", "gravity", "groups", "lagrangian_radii", "mass_function", "merge", "model",
           "model_options", "models", "nearest", "neighbours", "options", "orbit", "plot", "png", "potential", "power", "profile", "read",
           "release", "restore", "resume", "run", "scales", "tides", "tune", "use_threads", "view"]
