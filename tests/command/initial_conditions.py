#!/usr/bin/env python3
"""Initial conditions of other programs: files as monofonIC, MUSIC, N-GenIC, GADGET-4 and SWIFT write them become the same comoving
box, run without options, and are refused with a way out where their headers leave two readings open."""
import math
import os
import random
import struct
import subprocess

from tap import KYOHO, check, finish, folder, run, run_json, skip

HELPER = os.path.join(os.path.dirname(KYOHO), "tests", "helpers", "hdf5")
A, H, MATTER, LAMBDA, SIDE, CELLS = 0.02, 0.7, 0.3, 0.7, 20.0, 6  # side in Mpc/h
N = CELLS**3
CRITICAL = 27.7536627  # 1e10 Msun/h / (Mpc/h)^3, with Kyoho's G
MASS = MATTER * CRITICAL * SIDE**3 / N  # 1e10 Msun/h
UNITS = {"Mpc": (1.0, 1.0), "kpc": (1000.0, 1.0), "Msun": (1.0, 1e10)}  # factors of lengths and masses


def lattice():
    """Positions [Mpc/h] and peculiar velocities [km/s] of bodies on a disturbed lattice. The first lies outside the box, the second on its face."""
    source = random.Random(4)
    cell = SIDE / CELLS
    places = [[(k + 0.5 + 0.1 * source.random()) * cell for k in (i, j, l)] for i in range(CELLS) for j in range(CELLS) for l in range(CELLS)]
    places[0][0] = -0.125
    places[1][1] = SIDE
    return places, [[round(50 * source.uniform(-1, 1), 2) for _ in range(3)] for _ in places]


PLACES, SPEEDS = lattice()
# What Kyoho must read: comoving kpc, 1e10 Msun, peculiar km/s.
WANTED = [[MASS / H, *[x % SIDE * 1000 / H for x in place], *speed] for place, speed in zip(PLACES, SPEEDS)]


def record(data, name, named):
    head = struct.pack("<i4sii", 8, name, len(data) + 8, 8) if named else b""
    return head + struct.pack("<i", len(data)) + data + struct.pack("<i", len(data))


def gadget(path, units="Mpc", named=False, files=1, long_ids=False, mass_block=False, kinds=(1,)):
    """GADGET 1 (or 2, `named`), as N-GenIC and MUSIC write it: 32-bit numbers, masses in the header (or in a block), gas first."""
    length, mass = UNITS[units]
    for k in range(files):
        rows = list(range(N * k // files, N * (k + 1) // files))
        here, total, masses = [0] * 6, [0] * 6, [0.0] * 6
        for kind in kinds:  # bodies of the first kind come first; each kind has every place, with a part of the mass
            here[kind], total[kind] = len(rows), N
            masses[kind] = 0.0 if mass_block else MASS * mass / len(kinds)
        head = struct.pack("<6i6ddd2i6I2i4d2i6Ii", *here, *masses, A, 1 / A - 1, 0, 0, *total, 0, files, SIDE * length, MATTER, LAMBDA, H, 0, 0, *[0] * 6, 0)
        rows = rows * len(kinds)
        blocks = [(b"HEAD", head + b"\0" * (256 - len(head))),
                  (b"POS ", struct.pack(f"<{3 * len(rows)}f", *[x * length for i in rows for x in PLACES[i]])),
                  (b"VEL ", struct.pack(f"<{3 * len(rows)}f", *[v / math.sqrt(A) for i in rows for v in SPEEDS[i]])),
                  (b"ID  ", struct.pack(f"<{len(rows)}{'Q' if long_ids else 'I'}", *[i + 1 + N * (j >= len(rows) // len(kinds)) for j, i in enumerate(rows)]))]
        if mass_block:
            blocks.append((b"MASS", struct.pack(f"<{len(rows)}f", *[MASS * mass / len(kinds)] * len(rows))))
        if 0 in kinds:
            blocks.append((b"U   ", struct.pack(f"<{here[0]}f", *[0.0] * here[0])))
        with open(f"{path}.{k}" if files > 1 else path, "wb") as file:
            for name, data in blocks:
                file.write(record(data, name, named))


def gadget4(path):
    """GADGET-4's header of format 1."""
    head = struct.pack("<6q6q6d3diqi", 0, N, 0, 0, 0, 0, 0, N, 0, 0, 0, 0, 0, MASS, 0, 0, 0, 0, A, 1 / A - 1, SIDE, 1, 0, 0)
    with open(path, "wb") as file:
        file.write(record(head + b"\0" * (256 - len(head)), b"HEAD", False))
        file.write(record(struct.pack(f"<{3 * N}f", *[x for place in PLACES for x in place]), b"POS ", False))


def hdf5(path, attributes, rows, length, speed, mass, exponents=()):
    """An HDF5 file of dark matter. Attributes: (group, name, type, values...). False where HDF5 is not in the build."""
    kind = "PartType1"
    lines = [("attribute", *attribute) for attribute in attributes]
    lines += [("set", kind, "Coordinates", "f64", 3, *[x * length for i in rows for x in PLACES[i]]),
              ("set", kind, "Velocities", "f32", 3, *[v * speed for i in rows for v in SPEEDS[i]]),
              ("set", kind, "ParticleIDs", "u32", 1, *[i + 1 for i in rows])]
    if mass:
        lines.append(("set", kind, "Masses", "f64", 1, *[mass] * len(rows)))
    for name, a in exponents:
        lines += [("attribute", f"{kind}/{name}", "a-scale exponent", "f64", a), ("attribute", f"{kind}/{name}", "h-scale exponent", "f64", 0)]
    text = "".join("\t".join(map(str, line)) + "\n" for line in lines)
    return subprocess.run([HELPER, path], input=text, text=True, check=False).returncode == 0


def header(counts, total, mass, side, types=6, wide="u64", files=1, redshift=1 / A - 1):
    pad = [0] * (types - 2)
    return [("Header", "NumPart_ThisFile", wide, 0, counts, *pad), ("Header", "NumPart_Total", wide, 0, total, *pad),
            ("Header", "MassTable", "f64", 0, mass, *pad), ("Header", "Time", "f64", A), ("Header", "Redshift", "f64", redshift),
            ("Header", "NumFilesPerSnapshot", "i32", files), ("Header", "BoxSize", "f64", side)]


COSMOLOGY = [("Header", "Omega0", "f64", MATTER), ("Header", "OmegaLambda", "f64", LAMBDA), ("Header", "HubbleParam", "f64", H)]
SWIFT_UNITS = [("Units", "Unit mass in cgs (U_M)", "f64", 1.98841e43), ("Units", "Unit length in cgs (U_L)", "f64", 3.08567758149e24),
               ("Units", "Unit time in cgs (U_t)", "f64", 3.08567758149e19), ("Units", "Unit current in cgs (U_I)", "f64", 1.0),
               ("Units", "Unit temperature in cgs (U_T)", "f64", 1.0)]
EVERY = range(N)


def monofonic(path, files=1, units="Mpc"):
    """gadget_hdf5: 64-bit counts without high words, masses in the header, no units; with MPI a file for each process."""
    length, mass = UNITS[units]
    good = True
    for k in range(files):
        rows = range(N * k // files, N * (k + 1) // files)
        name = path.replace(".hdf5", f".{k}.hdf5") if files > 1 else path
        good &= hdf5(name, [("ICs_parameters", "Code", "text", "MUSIC2 - monofonIC"), *header(len(rows), N, MASS * mass, SIDE * length, files=files), *COSMOLOGY],
                     rows, length, 1 / math.sqrt(A), 0)
    return good


def monofonic_swift(path):
    """swift: seven types, no h, velocities without √a, no cosmology."""
    return hdf5(path, [("ICs_parameters", "Code", "text", "MUSIC2 - monofonIC"), *SWIFT_UNITS, *header(N, N, 0, SIDE / H, types=7)], EVERY, 1 / H, 1, MASS / H)


def music_swift(path, more=(("Cosmology", "h", "f64", H), ("Cosmology", "Omega_lambda", "f64", LAMBDA)), factor=1 / H, speed=1.0, scale=1 / A - 1):
    """MUSIC's swift: no factors of h in the numbers, though the header has HubbleParam, and the redshift as Scale-factor."""
    return hdf5(path, [*SWIFT_UNITS, *header(N, N, MASS * factor, SIDE * factor, wide="u32"), *COSMOLOGY, ("Header", "Scale-factor", "f64", scale), *more],
                EVERY, factor, speed, MASS * factor)


def swift(path):
    """A snapshot of SWIFT: factors on the data sets, cosmology in a group of its own."""
    about = [("Cosmology", "Cosmological run", "i32", 1), ("Cosmology", "Scale-factor", "f64", A), ("Cosmology", "Redshift", "f64", 1 / A - 1),
             ("Cosmology", "h", "f64", H), ("Cosmology", "Omega_m", "f64", MATTER), ("Cosmology", "Omega_lambda", "f64", LAMBDA)]
    head = [line for line in header(N, N, 0, SIDE / H, types=7) if line[1] not in ("Time", "Redshift", "BoxSize")]
    side = [("Header", "Time", "f64", 0.001), ("Header", "Redshift", "f64", 1 / A - 1), ("Header", "Scale-factor", "f64", A), ("Header", "BoxSize", "f64", *[SIDE / H] * 3)]
    return hdf5(path, [*SWIFT_UNITS, *about, *head, *side], EVERY, 1 / H, 1, MASS / H, [("Coordinates", 1), ("Velocities", 0), ("Masses", 0)])


def gadget4_hdf5(path):
    """The initial conditions of GADGET-4 (N-GenIC) in HDF5: units and cosmology among the parameters."""
    return hdf5(path, [*header(N, N, MASS, 1000 * SIDE, wide="u32"), ("Parameters", "UnitLength_in_cm", "f64", 3.085678e21), ("Parameters", "UnitMass_in_g", "f64", 1.989e43),
                       ("Parameters", "UnitVelocity_in_cm_per_s", "f64", 1e5), *[("Parameters", *line[1:]) for line in COSMOLOGY],
                       ("Parameters", "ComovingIntegrationOn", "i32", 1)], EVERY, 1000, 1 / math.sqrt(A), 0)


def bodies(path, place, *words):
    """Mass, position and velocity of each body, in kpc, 1e10 Msun and km/s, in the order of the ids."""
    out = os.path.join(place, "out.csv")
    run("convert", path, out, "--overwrite", "--quiet", *words)
    lines = open(out, encoding="utf-8").read().splitlines()
    head = [line for line in lines if not line.startswith("#")]
    columns = [head[0].split(",").index(name) for name in ("id", "mass", "x", "y", "z", "vx", "vy", "vz")]
    rows = sorted([float(line.split(",")[c]) for c in columns] for line in head[1:])
    told = run_json("info", path, *words)
    length, mass = told["units"]["length_cm"] / 3.0856776e21, told["units"]["mass_g"] / 1.98841e43
    return [[row[1] * mass, *[x * length for x in row[2:5]], *row[5:]] for row in rows], told


def same(rows, kinds=1):
    """1 if the bodies are those of the lattice, in the box or moved by whole boxes."""
    side = 1000 * SIDE / H
    good = len(rows) == N * kinds
    for row, wanted in zip(rows, WANTED):
        good &= abs(row[0] * kinds / wanted[0] - 1) < 1e-3
        good &= all(abs((a - b + side / 2) % side - side / 2) < 2e-4 * side for a, b in zip(row[1:4], wanted[1:4]))
        good &= all(abs(a - b) < 1e-3 for a, b in zip(row[4:], wanted[4:]))
    return good


def agrees(name, path, place, *words, kinds=1, options=()):
    """The file has the bodies of the lattice in its box, and a run starts from it with these options alone."""
    rows, told = bodies(path, place, *words)
    space, length = told["space"], told["units"]["length_cm"] / 3.0856776e21
    stored = space["box"] * length / (H if space["per_h"] else 1)
    check(same(rows, kinds) and abs(stored / (1000 * SIDE / H) - 1) < 1e-3 and abs(space["scale_factor"] / A - 1) < 1e-6, f"{name}: bodies and box",
          f"{rows[:3]}\n{WANTED[:3]}\n{space} {told['units']}")
    out = os.path.join(place, "run")
    done = run("run", path, "--end", A * 1.05, "--force", "direct", "--softening", "10kpc", "--output", out, "--overwrite", *words, *options, name=f"{name}: a run")
    last = os.path.join(out, "snapshot_0001.hdf5")
    if not os.path.exists(last):
        return check(False, f"{name}: a run", done.stderr)
    after, told = bodies(last, place)
    space, length = told["space"], told["units"]["length_cm"] / 3.0856776e21
    check("of the matter of their universe" not in done.stderr and abs(space["scale_factor"] / (1.05 * A) - 1) < 1e-9 and abs(space["box"] * length / (1000 * SIDE) - 1) < 1e-3
          and [round(space[key], 6) for key in ("hubble", "omega_matter", "omega_lambda")] == [H, MATTER, LAMBDA], f"{name}: the run is of this universe", f"{done.stderr}\n{space}")
    return after


def refused(name, text, *words, code=4):
    process = run(*words, code=None)
    check(process.returncode == code and all(part in process.stderr for part in text.split("|")), name, f"{process.returncode}\n{process.stderr}")


with folder() as place:
    def at(name):
        return os.path.join(place, name)

    gadget(at("ngenic"))
    reference = agrees("N-GenIC, Mpc/h", at("ngenic"), place)
    check(any(a[1] != b[1] for a, b in zip(reference, WANTED)), "bodies have moved")
    check("Mpc/h and 1e10 Msun/h" in run("info", at("ngenic")).stdout + run("info", at("ngenic")).stderr, "the units that were found are told")
    for name, words in (("kpc/h", {"units": "kpc"}), ("Msun/h", {"units": "Msun"}), ("format 2", {"named": True}), ("64-bit ids", {"long_ids": True}),
                        ("three files", {"files": 3}), ("gas and dark matter", {"kinds": (0, 1)})):
        gadget(at("box"), **words)
        after = agrees(f"GADGET binary, {name}", at("box.0" if "files" in words else "box"), place, kinds=len(words.get("kinds", (1,))))
        difference = max(abs((a - b + 15000) % (1000 * SIDE / H) - 15000) for row, other in zip(after, reference) for a, b in zip(row[1:4], other[1:4])) if "kinds" not in words else 0
        check(difference < 0.05, f"GADGET binary, {name}: the run is the same", difference)  # kpc
    pictures = []
    for k, words in enumerate((["--region", 12, "--centre-x", 7], ["--region", f"{12 / H!r}Mpc", "--centre-x", f"{7 / H!r}Mpc"], ["--region", "12Mpc", "--centre-x", "7Mpc"])):
        run("draw", at("ngenic"), *words, "--centre-y", 7, "--centre-z", 7, "--width", 100, "-o", at(f"{k}.png"), "--quiet")
        pictures.append(open(at(f"{k}.png"), "rb").read())
    check(pictures[0] == pictures[1] != pictures[2], "lengths with units are comoving ones without h in pictures")
    refused("binaries of a box", "in a periodic box|leaves out the box", "binaries", at("ngenic"))
    count = run_json("neighbours", at("ngenic"), "--radius", f"{1.2 * SIDE / CELLS / H}Mpc")["count"]
    check(count["median"] == 6 and count["min"] > 3, "neighbours on the lattice of a box", count)
    check(run_json("groups", at("ngenic"), "--linking-fraction", 1.2, "--minimum", 1)["members"] == N, "its groups")
    gadget(at("masses"), mass_block=True)
    refused("masses in a block: the units are open", "--units cosmic|--units galaxy", "run", at("masses"), "--end", 1, "--output", at("no"))
    agrees("masses in a block", at("masses"), place, "--units", "cosmic")
    process = run("run", at("masses"), "--units", "galaxy", "--softening", 0.5, "--end", A * 1.01, "--force", "direct", "--output", at("wrong"))
    check("of the matter of their universe" in process.stderr, "units with the wrong mass of the box get a warning", process.stderr)
    refused("one type alone does not show the units", "--units", "run", at("ngenic"), "--types", 1, "--end", 1, "--output", at("no"))
    with open(at("empty"), "wb") as file:
        head = open(at("ngenic"), "rb").read()[:264]
        file.write(head[:8] + b"\0" * 4 + head[12:104] + b"\0" * 4 + head[108:])  # no bodies of type 1 here and in all
    refused("a box without bodies", "holds no bodies", "run", at("empty"), "--end", 1, "--output", at("no"))
    gadget4(at("four"))
    refused("GADGET-4's binary header", "GADGET2_HEADER", "info", at("four"))
    rows, _ = bodies(at("ngenic"), place, "--convention", "swift", "--units", "cosmic")
    check(abs(rows[5][0] / MASS - 1) < 1e-3 and abs(rows[5][4] * math.sqrt(A) - SPEEDS[5][0]) < 1e-3 and abs(rows[5][1] - 1000 * PLACES[5][0]) < 1, "--convention swift: no factors", rows[5])

    if monofonic(at("ics.hdf5")):
        agrees("monofonIC gadget_hdf5", at("ics.hdf5"), place)
        monofonic(at("kpc.hdf5"), units="kpc")
        agrees("AREPO plug-in, kpc/h", at("kpc.hdf5"), place)
        monofonic(at("many.hdf5"), files=3)
        agrees("monofonIC in three files", at("many.0.hdf5"), place)
        gadget4_hdf5(at("four.hdf5"))
        agrees("GADGET-4 in HDF5", at("four.hdf5"), place)
        swift(at("swift.hdf5"))
        agrees("SWIFT", at("swift.hdf5"), place)
        music_swift(at("music.hdf5"))
        agrees("MUSIC for SWIFT", at("music.hdf5"), place)
        check("which contradicts its time" in run("info", at("music.hdf5")).stderr, "MUSIC's scale factor is not used, and Kyoho says so")
        monofonic_swift(at("mono.hdf5"))
        refused("a file without a cosmology", "omega-m", "run", at("mono.hdf5"), "--end", 1, "--output", at("no"), code=2)
        agrees("monofonIC for SWIFT", at("mono.hdf5"), place, options=("--expansion", f"omega-m={MATTER},omega-lambda={LAMBDA},h0={100 * H}km/s/Mpc"))

        music_swift(at("open.hdf5"), more=())
        refused("units of SWIFT and h of GADGET", "--convention swift|--convention gadget", "run", at("open.hdf5"), "--end", 1, "--output", at("no"))
        agrees("--convention swift", at("open.hdf5"), place, "--convention", "swift")
        music_swift(at("open.hdf5"), more=(), factor=1, speed=1 / math.sqrt(A))
        agrees("--convention gadget", at("open.hdf5"), place, "--convention", "gadget")
        music_swift(at("torn.hdf5"), scale=0.5)
        check("which contradicts its time" in run("info", at("torn.hdf5")).stderr, "a scale factor against redshift and time")
        swift(at("torn.hdf5"))
        hdf5(at("torn.hdf5"), [*SWIFT_UNITS, *header(N, N, 0, SIDE / H, redshift=3), ("Cosmology", "Scale-factor", "f64", 0.5), ("Cosmology", "h", "f64", H)], EVERY, 1 / H, 1, MASS / H)
        refused("a scale factor against the redshift", "contradict each other", "info", at("torn.hdf5"))
    else:
        skip("files of HDF5", "this build has no HDF5")
    check(not os.path.exists(at("no")), "nothing is made for a run that is refused")
    refused("--convention without a file", "--convention", "run", "--model", "plummer", "-n", 10, "--convention", "swift", "--end", 1, "--output", at("no"), code=2)
finish()
