#!/usr/bin/env python3
"""Pictures and films of the Python package, with a program in place of ffmpeg that keeps the frames."""
import environment

environment.enter()
import importlib.util  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
from unittest import mock  # noqa: E402

import kyoho  # noqa: E402
import numpy as np  # noqa: E402
from pressing import pressing  # noqa: E402
from refused import refused  # noqa: E402
from tap import check, finish, folder, skip  # noqa: E402

FFMPEG = f"""#!{sys.executable}
import shutil, sys
shutil.copyfileobj(sys.stdin.buffer, open(sys.argv[-1].replace("file:", "", 1), "wb"))
"""
SIDE = 64
made = kyoho.model("plummer", 500, seed=1)


def stand_in():
    """Puts the program into the present folder, first on the PATH."""
    with open("ffmpeg", "w", encoding="utf-8") as file:
        file.write(FFMPEG)
    os.chmod("ffmpeg", 0o755)
    os.environ["PATH"] = os.getcwd() + os.pathsep + os.environ["PATH"]


def frames(path):
    """(frames, height, width, 3) of a film of this program."""
    with open(path, "rb") as file:
        return np.frombuffer(file.read(), "u1").reshape(-1, SIDE, SIDE, 3)


def films():
    run = kyoho.run(made, "run", end=1, every=0.25, step=1 / 64)
    seen = []
    size = {"width": SIDE, "region": 4, "show": "density", "title": ""}
    kyoho.draw("run", path="run.mp4", progress=lambda done, text: seen.append((done, text)), **size)
    found = frames("run.mp4")
    check(len(found) == 5 and found[0].max() > 200 and not np.array_equal(found[0], found[4]) and seen[-1][0] == 1 and "frame 5 of 5" in seen[-1][1],
          "the film of a folder has a frame for each snapshot, and progress", (found.shape, seen[-1:]))
    for name, given in (("a kyoho.Run", [run]), ("paths of files", run.snapshots), ("snapshots in memory", list(run))):
        kyoho.draw(*given, path="again.mp4", about="density", **size, overwrite=True)
        check(np.array_equal(frames("again.mp4"), found), f"the film of {name} is the same", frames("again.mp4").shape)
    kyoho.draw(made, path="turned.mp4", frames=7, turn_to=180, rate=30, **size)
    check(len(frames("turned.mp4")) == 7, "a snapshot and a camera that turns")
    refused(ValueError, "a film that exists", ["exists"], kyoho.draw, run, path="run.mp4")
    refused(ValueError, "a film of one snapshot", ["frames", "turn_to"], kyoho.draw, made, path="one.mp4")
    refused(ValueError, "frames of a picture", ["frames", "film"], kyoho.draw, made, frames=3)
    refused(ValueError, "another ending", [".mp4"], kyoho.draw, made, path="a.gif")
    refused(ValueError, "a film of trails", ["trails"], kyoho.draw, run, path="trails.mp4", show="trails")
    far = made.copy()
    far.position[3] = np.nan
    try:
        kyoho.draw(made, far, path="far.mp4", **size)
        check(False, "bodies that cannot be drawn")
    except kyoho.Error as why:
        check("snapshot 1" in str(why) and "/tmp" not in str(why), "a message names snapshots in memory by their number", why)
    refused(FileNotFoundError, "a file that is not there", ["none.csv"], kyoho.draw, made, "none.csv", path="none.mp4")
    try:
        with pressing(os.kill, os.getpid(), signal.SIGINT, after=0.5):
            kyoho.draw(made, path="long.mp4", frames=100000, turn_to=360, **size)
        check(False, "Ctrl-C ends a film")
    except KeyboardInterrupt:
        check(not os.path.exists("long.mp4") and not os.path.exists("long.mp4.part"), "Ctrl-C ends a film, of which nothing stays", os.listdir("."))


def pictures():
    run = kyoho.run(made, "run", end=1, every=0.25, step=1 / 64)
    small = {"width": SIDE, "rim": "none"}
    one = kyoho.draw(made, **small)
    check(kyoho.draw(run, **small).shape[1] > 3 * SIDE > 2 * SIDE + 9 and kyoho.draw("run", panels=2, **small).shape[1] < 3 * SIDE, "a picture of a run has 3 panels, or as many as asked for")
    check(np.array_equal(kyoho.draw(run.snapshots[0], **small), one), "a path is drawn as its snapshot")
    check(kyoho.draw(run, show="trails", **small).shape == (SIDE, SIDE, 4), "trails of a run are one panel")
    found = kyoho.groups(made, linking_length=0.3)
    marked = kyoho.draw(made, groups=found, **small)
    check(marked.shape == one.shape and (marked != one).any(axis=2).sum() > SIDE / 2, "groups are marked by circles")
    refused(ValueError, "groups of two snapshots", ["one snapshot"], kyoho.draw, made, made, groups=found)
    refused(TypeError, "groups that are none", ["Groups"], kyoho.draw, made, groups=[1])
    check(not np.array_equal(kyoho.draw(made, colours="ice", **small), kyoho.draw(made, colours="gray", **small)), "colours ask for densities")


def plots():
    """Axes of matplotlib have the lengths of the bodies, and the colours their densities."""
    with mock.patch.dict(sys.modules, {"matplotlib": None}):  # as if it were not installed
        refused(kyoho.UnsupportedError, "a plot without matplotlib", ["pip install matplotlib"], kyoho.plot, kyoho.model("plummer", 10))
    if not importlib.util.find_spec("matplotlib"):
        skip("a picture in axes of matplotlib", "matplotlib is not installed here; make check-all installs it")
        return
    os.environ["MPLBACKEND"] = "Agg"
    from matplotlib import pyplot
    young = kyoho.model("plummer", 2000, units="cluster", mass=500, radius="0.5pc", seed=1)
    image = kyoho.plot(young, axis="x", region="20 pc", centre_y=0, centre_z=0, width=SIDE)
    axes, area = image.axes, (20 / SIDE) ** 2
    check(np.allclose(image.get_extent(), [-10, 10, -10, 10]) and (axes.get_xlabel(), axes.get_ylabel()) == ("y [pc]", "z [pc]"), "the axes have names, units and lengths",
          (image.get_extent(), axes.get_xlabel(), axes.get_ylabel()))
    check(abs(image.get_array().sum() * area / 500 - 1) < 0.02, "the colours are mass per area", image.get_array().sum() * area)
    bars = [one.get_ylabel() for one in axes.figure.axes if one is not axes]
    check(bars == ["surface density [Msun/pc²]"], "a colour bar has its unit", bars)
    half = image.get_array()[:SIDE // 2].sum() / image.get_array().sum()
    above = young.mass[young.position[:, 2] > 0].sum() / 500
    check(abs(half - above) < 0.03, "up is up", (half, above))
    figure, two = pyplot.subplots(1, 2)
    image = kyoho.plot(kyoho.Simulation(made, step=1 / 64), two[1], show="velocity", colorbar=False, width=SIDE)
    low, high = image.get_clim()
    check(image.axes is two[1] and low == -high < 0 and len(figure.axes) == 2 and two[1].get_xlabel() == "x", "velocities, in given axes and without a bar", (low, high))
    for n in (0, 1, 2):
        for show in ("density", "velocity"):
            image = kyoho.plot(kyoho.Snapshot(np.zeros((n, 3)), mass=1), pyplot.figure().gca(), show=show, width=SIDE)
            image.figure.canvas.draw()
            shown = int((image.get_array() > 0).sum()) > 0
            check(shown == (n > 0 and show == "density"), f"a plot of {n} bodies at one place, {show}", image.get_clim())
    refused(TypeError, "an option of draw() alone", ["rim"], kyoho.plot, made, rim="axes")
    refused(ValueError, "a plot of trails", ["density or velocity"], kyoho.plot, made, show="trails")


def boxes():
    """A periodic box of a Snapshot shows whole, and a slab as its part; a path is drawn as its Snapshot."""
    rng = np.random.default_rng(3)
    box = kyoho.Snapshot(rng.uniform(0, 4, (900, 3)) * [1, 1, 0.5], box=4)
    small = {"width": SIDE, "rim": "none", "show": "density", "title": ""}
    whole = kyoho.draw(box, **small)
    box.position[::2, 0] += 8
    check(np.array_equal(kyoho.draw(box, **small), whole), "bodies outside are images of those inside")
    dark = kyoho.draw(box, slab=1, centre_z=3, **small)
    check((dark == dark[0, 0]).all() and (whole != whole[0, 0]).any(), "a slab without bodies is dark")
    beside = kyoho.draw(box, centre_x=0, **small)
    check(np.array_equal(np.roll(whole, SIDE // 2, axis=1), beside), "the camera sees images")
    comoving = kyoho.model("cosmic-box", 512, side=20)
    comoving.write("box.hdf5")
    kyoho.run(comoving, "in_box", end_z=24, force="direct")
    small["show"] = "stars"
    wanted = kyoho.draw(comoving, **small).astype(int)
    apart = [abs(kyoho.draw(one, panels=1, **small) - wanted).max() for one in ("box.hdf5", "in_box")]
    check(max(apart) < 4, "a comoving box is drawn as its file, and a run in it is not followed", apart)


for test in (films, pictures, plots, boxes):
    with folder() as place:
        os.chdir(place)
        stand_in()
        test()
        os.chdir("/")
finish()
