#!/usr/bin/env python3
"""The Python package as it is installed, and its models, files and pictures."""
import environment

environment.enter()
import contextlib  # noqa: E402
import importlib.util  # noqa: E402
import inspect  # noqa: E402
import io  # noqa: E402
import logging  # noqa: E402
import os  # noqa: E402
import pathlib  # noqa: E402
import pydoc  # noqa: E402
import re  # noqa: E402
import shutil  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import textwrap  # noqa: E402
import zlib  # noqa: E402

import kyoho  # noqa: E402
import numpy as np  # noqa: E402
from kyoho import _library, _options  # noqa: E402
from kyoho._library import ffi, lib  # noqa: E402
from refused import refused  # noqa: E402
from tap import KYOHO, check, finish, folder, skip  # noqa: E402

PACKAGE = os.path.dirname(kyoho.__file__)
ARRAYS = ("position", "velocity", "mass", "id", "type", "acceleration", "potential")


def installed():
    made = subprocess.run([os.path.join(os.environ["KYOHO_TEST_ENVIRONMENT"], "bin", "kyoho"), "--version"], capture_output=True, text=True)
    check(made.returncode == 0 and made.stdout.startswith("kyoho " + kyoho.__version__), "the command is in the wheel, with the package's version", made)
    built = subprocess.run([KYOHO, "--version"], capture_output=True, text=True).stdout
    check(built.splitlines()[-1].startswith("MPI: ") and made.stdout.splitlines()[-1] == built.splitlines()[-1], "the package finds the MPI libraries that the build finds", made.stdout)
    libraries = [name for place, _, names in os.walk(PACKAGE) for name in names if ".so" in name]
    check(sorted(libraries) == ["libkyoho.so.0", "libkyoho_draw.so.0"], "the package has the two libraries", libraries)
    for name in ("libkyoho.so.0", "libkyoho_draw.so.0", "bin/kyoho"):
        needed = subprocess.run(["ldd", os.path.join(PACKAGE, name)], capture_output=True, text=True).stdout
        check("not found" not in needed and ("bin" not in name or f"{PACKAGE}/bin/../libkyoho.so.0" in needed),
              f"{name} finds its libraries, which are those of the package", needed)
        check("cairo" not in needed and "OpenCL" not in needed, f"{name} opens cairo and OpenCL when it needs them", needed)
    listed = kyoho.devices()
    check(any(one.engine == "cpu" and one.usable for one in listed) and len({one.engine for one in listed}) == len(listed), "processors are listed", listed)
    code = "import time, numpy, cffi; t = time.process_time(); import kyoho; print(kyoho.__file__)"
    found = subprocess.run([sys.executable, "-P" if sys.version_info >= (3, 11) else "-s", "-c", code], capture_output=True, text=True, cwd="/")
    check(found.stdout.strip() == kyoho.__file__, "the package is imported from anywhere", found)


def beside_the_command():
    """The command and the package read each other's files."""
    program = os.path.join(os.environ["KYOHO_TEST_ENVIRONMENT"], "bin", "kyoho")
    with folder() as place:
        run = os.path.join(place, "run")
        subprocess.run([program, "run", "--model", "plummer", "-n", "200", "--seed", "4", "--step", "0.0625", "--end", "0.5", "--output", run, "--quiet"],
                       check=True)
        sim = kyoho.restore(os.path.join(run, "restart.kyo"))
        other = kyoho.Simulation(kyoho.model("plummer", 200, seed=4), step=0.0625)
        for one in (sim, other):
            one.integrate(1)
        check(sim.steps == 16 and np.array_equal(sim.position, other.position), "a run of the command goes on in Python, with the bits of one in Python", sim)


def declarations():
    """The sizes of all structs and the places of their members are those of the C compiler."""
    text = open(os.path.join(environment.TOP, "include/kyoho/kyoho.h"), encoding="utf-8").read()
    names = sorted(set(re.findall(r"^struct (ky_\w+) \{", text, re.M)))
    lines = []
    for name in names:
        for member, _ in ffi.typeof(f"struct {name}").fields:
            lines.append((name, member, ffi.offsetof(f"struct {name}", member)))
        lines.append((name, "", ffi.sizeof(f"struct {name}")))
    expected = "".join(f"{name} {member} {number}\n" for name, member, number in lines)
    program = "#include <kyoho/kyoho.h>\n#include <stdio.h>\nint main(void) {\n" + "".join(
        f'    printf("{name} {member} %zu\\n", {f"offsetof(struct {name}, {member})" if member else f"sizeof(struct {name})"});\n'
        for name, member, _ in lines) + "    return 0;\n}\n"
    with folder() as place:
        path = os.path.join(place, "sizes")
        built = subprocess.run(["cc", "-x", "c", "-", "-o", path, "-I", os.path.join(environment.TOP, "include")], input=program, text=True,
                               capture_output=True)
        if built.returncode:
            check(False, "a C program with all structs compiles", built.stderr)
            return
        found = subprocess.run([path], capture_output=True, text=True).stdout
    check(len(names) > 30 and found == expected, f"{len(names)} structs have the sizes and places that C has")
    size = lib.ky_abi

    class Other:  # a library of another version, which knows a longer struct
        def __getattr__(self, name):
            return getattr(lib, name)

        @staticmethod
        def ky_abi(name):
            return size(name) + 8 * (name == b"ky_run_parameters")
    _library.lib = Other()
    refused(ImportError, "a library of another version", ["install kyoho again"], _library.check_sizes)
    _library.lib = lib


def texts():
    for what, words in ((kyoho.gravity, ["theta: float", "opening angle"]), (kyoho.Simulation, ["integrator: leapfrog|block|hermite4", "eta: float"]),
                        (kyoho.model, ["w0: float", "mass_function: equal|salpeter|kroupa"]), (kyoho.draw, ["colours: ", "turn_to: "]), (kyoho.merge, ["pericentre"]),
                        (kyoho.run, ["every: float", "integrator: leapfrog"])):
        text = repr(kyoho.options(what))
        check(all(word in text for word in words) and not re.search(r"--|(\[\w+\]) \1", text), f"kyoho.options(kyoho.{what.__name__}) explains them", text)
        check(all(re.search(rf"\b{name}\b", what.__doc__) for name in kyoho.options(what)), f"the docstring of {what.__name__} names its options")
    told = [repr(one) for one in (kyoho.Snapshot([[0, 0, 0]]), kyoho.Snapshot(np.zeros((2, 3))), kyoho.neighbours([[0, 0, 0]], 1))]
    check([" 1 body" in one for one in told] == [True, False, True] and " 2 bodies" in told[1], "one body is not written as a plural", told)
    refused(ValueError, "options of what has none", ["png has no options", "gravity"], kyoho.options, kyoho.png)
    stub = open(os.path.join(PACKAGE, "_option_types.pyi"), encoding="utf-8").read()
    space = {}
    exec(compile(stub, "_option_types.pyi", "exec"), space)
    wanted = {"ForceOptions": set(_options.table(lib.KY_OPTIONS_PARAMETERS, _options.FORCE)) - {"softening"},
              "DrawOptions": set(kyoho.options(kyoho.draw)), "RunOptions": set(kyoho.options(kyoho.run)), "ResumeOptions": set(kyoho.options(kyoho.resume)),
              "PlotOptions": set(kyoho.options(kyoho.plot)), "ProfileOptions": set(kyoho.options(kyoho.profile)), "TuneOptions": set(kyoho.options(kyoho.tune)),
              "BinaryOptions": set(kyoho.options(kyoho.binaries)), "FewOptions": set(kyoho.options(kyoho.few)), "SearchOptions": set(kyoho.options(kyoho.neighbours)), "FieldOptions": set(kyoho.options(kyoho.field)), "SimulationOptions": set(kyoho.options(kyoho.Simulation)) - {"softening"},
              "GroupSearchOptions": set(kyoho.options(kyoho.groups)), "GroupOptions": set(_options.table(lib.KY_OPTIONS_GROUPS)),
              "MergeOptions": set(_options.table(lib.KY_OPTIONS_MERGE)),
              "ModelOptions": {name for model in kyoho.models() for name in kyoho.model_options(model)}}
    for name, options in wanted.items():
        found = set(space[name].__annotations__)
        check(found == options, f"{name} of the stub has the options of the library", found ^ options)
    check("--" not in stub and not re.search(r"(\[\w+\])\s+\1", stub), "and names them as arguments")
    missing = [name for name in kyoho.__all__ if not inspect.getdoc(getattr(kyoho, name))]
    check(not missing and kyoho.__all__ == sorted(kyoho.__all__), "everything that the package has is explained", missing)


def helped():
    """The help of each function fits on two screens, and begins with its arguments and an example, which runs."""
    functions = {name: getattr(kyoho, name) for name in kyoho.__all__ if inspect.isfunction(getattr(kyoho, name))}
    check(len(functions) > 30, "there are functions", len(functions))
    for name, function in functions.items():
        text, doc = pydoc.plain(pydoc.render_doc(function)), inspect.getdoc(function)
        before = doc.partition("\nExample:")[0]
        takes = [one.name for one in inspect.signature(function).parameters.values() if one.kind is not one.VAR_KEYWORD]
        missing = [one for one in takes if not re.search(rf"\b{one}\b", before.partition("Arguments:")[2])]
        check(text.count("\n") <= 48 and "\nArguments:" in before and before.count("\n") <= 16 and not missing, f"help({name}) fits on two screens and begins with its arguments",
              (text.count("\n"), missing))
    about = pydoc.plain(pydoc.render_doc(kyoho.Simulation)).partition("Method resolution order")[0]
    named = about.partition("What it has:")[2].partition("Without `step`")[0]
    missing = [name for name in dir(kyoho.Simulation) if not name.startswith("_") and not re.search(rf"\b{name}\b", named)]
    check(about.count("\n") <= 48 and about.index("Arguments:") < about.index("Example:") < about.index("What it has:") and not missing,
          "the help of a simulation begins on two screens with its arguments, an example and its methods", (about.count("\n"), missing))
    methods = {f"{of.__name__}.{name}": one for of in (kyoho.Simulation, kyoho.Snapshot, kyoho.Units, kyoho.Run) for name, one in inspect.getmembers(of, inspect.isfunction)
               if len(inspect.signature(one).parameters) > 1 and not name.startswith("_") and (of is not kyoho.Units or name == "quantity")}
    check(len(methods) > 15, "there are methods", len(methods))
    for name, one in {**methods, **{one.__name__: one for one in (kyoho.Simulation, kyoho.Snapshot, kyoho.Units, kyoho.Run)}}.items():
        before = inspect.getdoc(one).partition("\nExample:")[0]
        takes = [word for word, kind in inspect.signature(one).parameters.items() if word != "self" and kind.kind is not kind.VAR_KEYWORD]
        missing = [word for word in takes if not re.search(rf"\b{word}\b", before.partition("\nArguments:")[2])]
        check("\nExample:\n" in inspect.getdoc(one) and before.count("\n") <= 16 and not missing, f"help({name}) begins with its arguments and an example", missing)
    os.environ["MPLBACKEND"] = "Agg"
    with folder() as place:
        os.chdir(place)
        bodies = kyoho.model("plummer", 200, seed=1)
        bodies.write("snapshot_0000.csv")
        space = {"kyoho": kyoho, "np": np, "bodies": bodies, "a": bodies, "b": bodies, "pos": bodies.position, "mass": bodies.mass,
                 "sim": kyoho.Simulation(bodies, step=1 / 64)}
        has_film, has_plot = shutil.which("ffmpeg"), importlib.util.find_spec("matplotlib")
        has_units = importlib.util.find_spec("astropy") or importlib.util.find_spec("unyt")
        explained = {**functions, **methods, **{one.__name__: one for one in (kyoho.Simulation, kyoho.Snapshot, kyoho.Units, kyoho.Run)}}
        for name in sorted(explained, key=lambda name: name != "run"):  # others read its folder
            if (name == "plot" and not has_plot) or (name.endswith("quantity") and not has_units):
                continue
            space["sim"] = space["sim"] if name in functions else kyoho.Simulation(bodies, step=1 / 64)
            code = textwrap.dedent(inspect.getdoc(explained[name]).partition("\nExample:\n")[2].partition("\n\n")[0])
            code = code.replace("seconds=10", "seconds=1").replace("snapshot_0000.hdf5", "snapshot_0000.csv")
            code = "\n".join(line for line in code.split("\n") if has_film or ".mp4" not in line)
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    exec(code, space)
                check(bool(code), f"the example of {name} runs", code)
            except Exception as why:
                check(False, f"the example of {name} runs", f"{code}: {why!r}")
        os.chdir("/")
    kyoho.use_threads()


def checked():
    """A type checker knows the options."""
    if subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True).returncode:
        skip("mypy knows the options", "mypy is not installed here; make check-all installs it")
        return
    program = "\n".join(("import kyoho, numpy", "x = numpy.zeros((3, 3))", "kyoho.gravity(x, 1.0, 0.1, theta=0.5, opening='relative')",
                         "kyoho.gravity(x, 1.0, 0.1, thetta=0.5)", "kyoho.gravity(x, 1.0, 0.1, opening='round')",
                         "kyoho.Simulation(position=x, softening=0.1, integrator='block', step='2kyr').copy().energy() + 'a'",
                         "kyoho.read('a.csv').positon\n"))
    with folder() as place:
        with open(os.path.join(place, "user.py"), "w", encoding="utf-8") as file:
            file.write(program)
        done = subprocess.run([sys.executable, "-m", "mypy", "--no-incremental", "user.py"], cwd=place, capture_output=True, text=True)
    lines = sorted(int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line)
    check(lines == [4, 5, 6, 7], "mypy finds a wrong name, a wrong choice, a wrong type and a wrong attribute", done.stdout + done.stderr)


def models():
    made = kyoho.model("king", 500, w0=7, seed=3)
    check(len(made) == 500 and abs(made.mass.sum() - 1) < 1e-12 and made.softening > 0 and not np.array_equal(
        made.position, kyoho.model("king", 500, w0=6, seed=3).position), "a model with an option of its own")
    check(np.array_equal(made.position, kyoho.model("king", 500, w0=7, seed=3).position), "the same seed gives the same bodies")
    young = kyoho.model("plummer", 300, units="cluster", mass=500, radius="0.5pc")
    check(abs(young.mass.sum() - 500) < 1e-9 and young.units.g < 0.01 and young.units.physical, "a model in units", young.units)
    moved = kyoho.model("plummer", 300, position=[1, 2, 3])
    check(np.allclose(moved.position.mean(0), [1, 2, 3], atol=1e-12), "three numbers as an option", moved.position.mean(0))
    refused(ValueError, "a model that there is not", ["plumer", "plummer"], kyoho.model, "plumer", 10)
    refused(TypeError, "an option of another model", ["'w0'"], kyoho.model, "plummer", 10, w0=3)
    check(len(kyoho.model("cosmic", 100).mass) == 100, "the package can make a universe")
    refused(TypeError, "no whole number of bodies", ["10.5"], kyoho.model, "plummer", 10.5)
    check("king" in kyoho.models() and "central potential" in kyoho.model_options("king")["w0"], "models and their options are listed")
    pair = kyoho.merge(made, kyoho.model("plummer", 300), separation=5, pericentre=0.5)
    check(len(pair) == 800 and len(set(pair.id)) == 800 and pair.softening == max(made.softening, kyoho.model("plummer", 300).softening),
          "two systems on an orbit, with the larger softening", pair.softening)
    check(kyoho.merge(made, made, separation=5, pericentre=0.5, softening=0.07).softening == 0.07, "or the one that is given")
    own = kyoho.Snapshot(made.position, made.velocity, made.mass, softening=np.full(500, 0.01))
    both = kyoho.merge(own, made, separation=5, pericentre=0.5).softening
    check(np.allclose(both[:500], 0.01) and np.allclose(both[500:], made.softening), "or that of each body")
    refused(ValueError, "an orbit without pericentre", ["pericentre"], kyoho.merge, made, made, separation=5)
    refused(ValueError, "two units", ["units"], kyoho.merge, made, young, separation=5, pericentre=1)


def files():
    given = kyoho.model("plummer", 200, seed=2)
    full = kyoho.Snapshot(given.position, given.velocity, given.mass, id=np.arange(200)[::-1], type=np.arange(200) % 3, softening=np.full(200, 0.1),
                          acceleration=given.position * 2, potential=-given.mass, time=1.5, units="galaxy", softening_kind="symmetric")
    with folder() as place:
        for ending in ("hdf5", "csv", "tipsy"):
            path = pathlib.Path(place) / ("full." + ending)
            try:
                full.write(path)
            except NotImplementedError as why:
                skip(f"files of kind {ending}", why)
                continue
            back = kyoho.read(path)
            exact = ending != "tipsy"
            near = all(np.array_equal(getattr(full, name), getattr(back, name)) for name in ARRAYS) if exact else \
                np.allclose(full.position[::-1], back.position[np.argsort(back.id)], atol=1e-6)  # in the order of the ids
            check(near and back.softening_kind == "symmetric" and back.units == full.units and np.allclose(back.softening, 0.1)
                  and abs(back.time - 1.5) < 1e-6, f"a snapshot goes round as {ending}", f"{back} {back.units} {back.softening_kind}")
            refused(ValueError, f"an existing {ending} file", ["exists"], full.write, path)
            full[:10].write(str(path), overwrite=True)
            check(len(kyoho.read(str(path))) == 10, f"overwrite replaces a {ending} file")
        odd = os.path.join(place, "file.of.bodies")
        given.write(odd, format="csv")
        back = kyoho.read(odd)
        check(back.softening == given.softening and back.acceleration is None and np.array_equal(back.velocity, given.velocity),
              "a format that the name does not tell")
        check(list(set(kyoho.read(os.path.join(place, "full.csv"), types=[1]).type)) == [1], "bodies of one type are read")
        refused(ValueError, "a name that tells nothing", ["format"], given.write, os.path.join(place, "x.y"))
        refused(ValueError, "another format", ["fits"], given.write, os.path.join(place, "x"), format="fits")
        refused(ValueError, "a file that is not there", ["none.csv"], kyoho.read, os.path.join(place, "none.csv"))
        refused(OSError, "a folder that is not there", ["nowhere"], given.write, os.path.join(place, "nowhere", "x.csv"))
        with kyoho.Simulation(given, step=1 / 64) as sim:
            sim.advance(3)
            sim.snapshot().write(os.path.join(place, "later.csv"))
        check(kyoho.read(os.path.join(place, "later.csv")).time == 3 / 64, "a simulation is written")
    x = np.random.default_rng(1).normal(size=(5, 3))
    made = kyoho.Snapshot(x)
    check(made.position is x and made.mass.sum() == 1, "arrays are taken without a copy")
    moved = made.copy().place(position=[1, 0, 0])
    check(np.allclose(moved.position, x + [1, 0, 0]) and made.position is x, "a copy is moved")
    fixed = kyoho.Snapshot(x.copy())
    fixed.position.flags.writeable = False
    before = fixed.position
    check(np.allclose(fixed.place(position=(0, 2, 0)).position, x + [0, 2, 0]) and np.array_equal(before, x), "an array that cannot be written is copied")
    refused(ValueError, "a place that is no numbers", ["position"], fixed.place, position=["a", "b", "c"])
    refused(ValueError, "a place of two numbers", ["(2,)"], fixed.place, position=[1, 2])
    refused(ValueError, "a name with a 0", ["0"], fixed.write, "a\0.csv")
    refused(ValueError, "types above 5", ["5"], kyoho.read, "a.csv", types=[9])
    check(len(made[made.position[:, 0] > 0]) == (x[:, 0] > 0).sum() and len(made[2]) == len(made[-1]) == 1, "some of the bodies")
    made.mass = -made.mass
    refused(ValueError, "bodies with negative masses", ["mass"], made.check)


def without_hdf5():
    """A library without HDF5 leaves Kyoho's own files to h5py."""
    try:
        import h5py  # noqa: F401
    except ImportError:
        skip("files through h5py", "h5py is not installed here; make check-all installs it")
        return
    x = np.random.default_rng(2).normal(size=(40, 3))
    with folder() as place:
        for units in ("nbody", "galaxy", "cluster"):
            for options in ({"softening": 0.1}, {"softening": np.full(40, 0.2), "type": np.arange(40) % 3, "id": np.arange(40)[::-1] + 7,
                                                 "acceleration": x, "potential": -x[:, 0] ** 2, "softening_kind": "spline", "box": 7.5}):
                path = os.path.join(place, f"{units}-{len(options)}.hdf5")
                try:
                    kyoho.Snapshot(x, 2 * x, np.arange(40.0), time=1.5, units=units, **options).write(path)
                except NotImplementedError as why:
                    skip("files through h5py", why)
                    return
                wanted = kyoho.read(path)
                kyoho.snapshot.HAS_HDF5 = False
                found = kyoho.read(path)
                kyoho.snapshot.HAS_HDF5 = True
                pairs = [(getattr(found, name), getattr(wanted, name)) for name in (*ARRAYS, "softening")]
                near = all(a is b is None or np.allclose(a, b, rtol=1e-14) for a, b in pairs)
                near = near and (found.box is wanted.box is None or abs(found.box / wanted.box - 1) + abs(wanted.box / 7.5 - 1) < 1e-14)
                check(near and (found.box is None) == ("box" not in options) and found.units == wanted.units and abs(found.time / 1.5 - 1) < 1e-14 and found.softening_kind == wanted.softening_kind,
                      f"h5py reads what the library reads: {units}, {', '.join(options)}", f"{found} {found.units} {wanted.units}")
        kyoho.snapshot.HAS_HDF5 = False
        check(list(kyoho.read(path, types=[1], renumber=True).type) == [1] * 13, "bodies of one type through h5py")
        with open(path, "r+b") as file:
            file.truncate(3000)
        refused(ValueError, "a damaged file through h5py", [os.path.basename(path)], kyoho.read, path)
        kyoho.snapshot.HAS_HDF5 = True


def remarks():
    """What the library remarks goes to logging."""
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append((record.levelname, record.getMessage()))
    logger = logging.getLogger("kyoho")
    logger.addHandler(handler)
    logger.propagate = False
    with folder() as place:
        path = os.path.join(place, "cut.csv")
        kyoho.model("plummer", 20).write(path)
        with open(path, encoding="ascii") as file:
            text = [line for line in file if "bodies" not in line]
        with open(path, "w", encoding="ascii") as file:
            file.write("".join(text).rstrip("\n"))
        kyoho.read(path)
    kyoho.draw(kyoho.model("plummer", 20), region=1, centre_x=1e3, width=64)
    logger.removeHandler(handler)
    check(len(lines) == 2 and all(level == "WARNING" for level, _ in lines), "warnings about a file and a picture go to logging", lines)


def unpacked(data):
    """The pixels of a PNG file without filters."""
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    start = data.index(b"IDAT")
    lines = zlib.decompress(data[start + 4:start + 4 + int.from_bytes(data[start - 4:start], "big")])
    return np.frombuffer(lines, "u1").reshape(height, 1 + 4 * width)[:, 1:].reshape(height, width, 4)


def pictures():
    made = kyoho.model("plummer", 2000, seed=1)
    pixels = kyoho.draw(made, width=200, rim="none")
    check(pixels.shape == (200, 200, 4) and pixels.dtype == np.uint8 and (pixels[..., 3] == 255).all()
          and pixels[80:120, 80:120, :3].mean() > 3 * pixels[:40, :40, :3].mean(), "a picture is bright where the bodies are", pixels.shape)
    check(np.array_equal(unpacked(kyoho.png(pixels)), pixels), "a PNG has the pixels")
    for name, bad in (("fractions", pixels / 255), ("a channel", pixels[..., 0]), ("no pixels", pixels[:0])):
        refused(kyoho.UsageError, f"a PNG of {name}", ["(height, width, 3 or 4) of uint8"], kyoho.png, bad)
    check(kyoho.draw(made, made, width=100).shape[1] > kyoho.draw(made, width=100).shape[1], "panels side by side")
    check(kyoho.png(kyoho.draw(made, width=320))[:8] == b"\x89PNG\r\n\x1a\n" and "data:image/png;base64" in made._repr_html_(), "a still for notebooks")
    with folder() as place:
        path = os.path.join(place, "a.png")
        try:
            kyoho.draw(made, path=path, width=64)
            check(open(path, "rb").read(8) == b"\x89PNG\r\n\x1a\n", "a picture as a file")
            refused(ValueError, "a picture that exists", ["exists"], kyoho.draw, made, path=path)
        except NotImplementedError as why:
            skip("a picture as a file", why)
    refused(ValueError, "no snapshot", ["snapshot"], kyoho.draw)
    refused(TypeError, "an option that there is not", ["'color'"], kyoho.draw, made, color="red")


for part in (installed, beside_the_command, declarations, texts, helped, checked, models, files, without_hdf5, remarks, pictures):
    part()
finish()
