#!/usr/bin/env python3
# Comoving boxes: the model cosmic-box, runs in a and z, files as GADGET writes them, and what is refused.
import json
import math
import os
import subprocess

from tap import KYOHO, check, finish, folder, run, run_json

MODEL = ["model", "cosmic-box", "-n", "512", "--side", "20", "--seed", "3"]
RUN = ["--force", "direct", "--quiet"]


def csv(snapshot, scratch):
    """The bodies of a snapshot as text with all digits."""
    run("convert", snapshot, scratch, "--overwrite", "--quiet")
    return [line for line in open(scratch).read().splitlines() if not line.startswith("#")]


def columns(lines, *names):
    head = lines[0].split(",")
    places = [head.index(name) for name in names]
    return [[float(line.split(",")[k] or "nan") for k in places] for line in lines[1:]]


def energy_of(folder):
    return [line for line in open(os.path.join(folder, "energy.csv")).read().splitlines() if not line.startswith("#")]


def read_all(terminal):
    """What was written to a terminal whose other end is closed. One read returns a part."""
    text = b""
    try:
        while part := os.read(terminal, 65536):
            text += part
    except OSError:  # Linux: EIO at the end
        pass
    return text


def refused(name, *words, code=2, text="box"):
    process = run(*words, code=None)
    check(process.returncode == code and text in process.stderr, name, f"{process.returncode}\n{process.stderr}")


with folder() as where:
    def at(name):
        return os.path.join(where, name)

    box, scratch, one, parts = at("box.hdf5"), at("scratch.csv"), at("one"), at("parts")
    run(*MODEL, "-o", box, "--quiet")
    told = run_json("info", box)
    space = told["space"]
    check(space["comoving"] and space["per_h"] and abs(space["box"] - 20000) < 1e-9 and abs(space["scale_factor"] - 0.02) < 1e-12,
          "the file has comoving kpc/h", space)
    matter = 0.3111 * 27.7536627 * 20**3  # rho_crit is 27.75 1e10 Msun/h / (Mpc/h)^3
    check(abs(told["mass"] / matter - 1) < 1e-3, "the mass is the matter of the box, in 1e10 Msun/h", told["mass"] / matter)

    # A 30th of 2.5 Mpc/h, comoving: in kpc of a comoving box, kpc/h as stored, and physical kpc.
    lengths = [run_json("info", box, *words)["softening"] * 0.6766 * factor for words, factor in ((["--physical"], 50), ([], 1 / 0.6766), (["--as-stored"], 1 / 0.6766))]
    check(all(abs(length - 2500 / 30) < 1e-9 for length in lengths), "the softening has the units of the other lengths", lengths)

    # The same large waves with eight times the bodies: displacements of the common bodies' neighbourhoods agree.
    first = columns(csv(box, scratch), "x", "y", "z", "vx", "vy", "vz")
    run(*MODEL[:3], "4096", *MODEL[4:], "-o", at("fine.hdf5"), "--quiet")
    fine = columns(csv(at("fine.hdf5"), scratch), "vx", "vy", "vz")
    side = 16
    mean = []
    for k in range(512):
        i, j, l = k // 64, k // 8 % 8, k % 8
        near = [fine[((2 * i + a) * side + 2 * j + b) * side + 2 * l + c] for a in (0, 1) for b in (0, 1) for c in (0, 1)]
        mean.append([sum(v[c] for v in near) / 8 for c in range(3)])
    cross = sum(m[c] * f[3 + c] for m, f in zip(mean, first) for c in range(3))
    own = sum(f[3 + c] ** 2 for f in first for c in range(3)) * sum(m[c] ** 2 for m in mean for c in range(3))
    check(cross / math.sqrt(own) > 0.9, "more bodies have the same large waves", cross / math.sqrt(own))
    for option in ("--fixed", "--opposite"):
        run(*MODEL, option, "-o", at(option[2:] + ".hdf5"), "--quiet")
    other = columns(csv(at("opposite.hdf5"), scratch), "vx")
    check(sum(a[0] * b[3] for a, b in zip(other, first)) < -0.9 * sum(b[3] ** 2 for b in first), "--opposite has the other sign")

    # Shells about a corner have the mean density, and the circular speeds of physical lengths.
    corner = ["--centre-x", "0", "--centre-y", "0", "--centre-z", "0"]
    shells = run_json("profile", at("fine.hdf5"), *corner, "--shells", "3", "--inner", "5Mpc")
    side, last = 20e3 / 0.6766, shells["shells"][-1]
    mean = 0.3111 * 27.7536627 * 20**3 / 0.6766 / side**3
    check(abs(last["outer"] / (side / 2) - 1) < 1e-9 and all(abs(one["density"] / mean - 1) < 0.1 for one in shells["shells"]), "shells about a corner of a box", shells["shells"])
    speed = math.sqrt(4.30092e4 * last["enclosed_mass"] / (0.02 * last["outer"]))
    check(abs(last["circular_speed"] / speed - 1) < 1e-3, "circular speeds are physical", (last["circular_speed"], speed))
    refused("a profile in a box needs a centre", "profile", box, text="density centre")
    refused("shells end at half of the box", "profile", box, *corner, "--outer", "20Mpc", text="half of the box")
    refused("a profile with another box", "profile", box, *corner, "--box", "3", text="--as-stored")

    # a run by redshifts, in parts, and its numbers
    run("run", box, *RUN, "--end-z", "3", "--at-z", "24", "--at", "0.1", "--restart-every", "0.01", "--output", one)
    files = sorted(name for name in os.listdir(one) if name.startswith("snapshot"))
    times = [run_json("info", os.path.join(one, name))["space"]["scale_factor"] for name in files]
    check([round(a, 9) for a in times] == [0.02, 0.04, 0.1, 0.25], "snapshots at scale factors and redshifts", times)
    ours, theirs = os.openpty()
    subprocess.run([KYOHO, "run", box, "--force", "direct", "--end-z", "9", "--output", at("shown")], stderr=theirs, check=True)
    os.close(theirs)
    shown = read_all(ours).decode()
    check("z = 9" in shown and "yr" not in shown, "the progress of a run is a scale factor, without a unit of time", shown)
    check("time 0.25 (z = 3) after" in run("info", one).stdout, "info tells the scale factor and the redshift", run("info", one).stdout.splitlines()[0])
    last = os.path.join(one, files[-1])
    rows = columns(energy_of(one), "time", "kinetic", "layzer_irvine")
    check(all(b[0] > a[0] for a, b in zip(rows, rows[1:])) and abs(rows[-1][0] - 0.25) < 1e-12, "rows in a")
    check(abs(rows[-1][2]) < 0.03 and rows[-1][1] > 2 * rows[0][1], "the equation of Layzer and Irvine holds", rows[-1])
    run("run", box, *RUN, "--end-z", "9", "--restart-every", "0.01", "--at-z", "24", "--output", parts, "--step", "0.0625")
    check("same bits" in run("verify", one).stdout, "run.json repeats a run by redshifts")
    run("run", "--resume", parts, "--end-z", "4", "--quiet")
    run("run", box, *RUN, "--end-z", "4", "--at-z", "24,9", "--output", at("whole"), "--step", "0.0625", "--threads", "1")
    check(csv(os.path.join(parts, "snapshot_0003.hdf5"), scratch) == csv(os.path.join(at("whole"), "snapshot_0003.hdf5"), scratch),
          "a resumed run has the same bits, with any number of threads")
    tail = [open(os.path.join(name, "energy.csv")).read().splitlines()[-1].rsplit(",", 1)[0] for name in (parts, at("whole"))]
    check(tail[0] == tail[1], "and the same last row", tail)

    # ranks read, divide and write the bodies; so many that several of three ranks have some
    words = [*RUN[2:], "--engine", "cpu", "--at-z", "39", "--step", "0.15"]
    run("model", "cosmic-box", "-n", "5832", "--side", "20", "-o", at("large.hdf5"), "--quiet")
    run("run", at("large.hdf5"), *words, "--end-z", "30", "--output", at("alone"))
    run("run", at("large.hdf5"), *words, "--end-z", "39", "--ranks", "3", "--output", at("ranks"))
    run("run", "--resume", at("ranks"), "--end-z", "30", "--ranks", "2", "--quiet")
    check(all(csv(os.path.join(at("ranks"), f"snapshot_000{k}.hdf5"), scratch) == csv(os.path.join(at("alone"), f"snapshot_000{k}.hdf5"), at("other.csv"))
              for k in range(3)), "ranks write the numbers of one process, also after a resumption with fewer")
    tail = [open(os.path.join(at(name), "energy.csv")).read().splitlines()[-1].rsplit(",", 1)[0] for name in ("alone", "ranks")]
    check(tail[0] == tail[1], "and the same last row, with the energy of Layzer and Irvine", tail)
    log = open(os.path.join(at("ranks"), "run.log")).read()
    check("each has a part of the bodies" in log and "each rank has read its own bodies" in log, "no rank has all of them", log)

    # block steps by redshifts, and resumed within the interval that --every would have
    blocks = ["--integrator", "block", "--engine", "cpu", "--quiet"]
    run("run", box, *blocks, "--late-step", "0.04", "--at-z", "9", "--end-z", "1.5", "--output", at("blocks"))
    limit = ["--softening", "100kpc", "--softening-max", "4kpc"]
    run("run", box, *blocks, *limit, "--late-step", "0.04", "--end-z", "9", "--step", "0.12", "--output", at("blocks_parts"))
    run("run", "--resume", at("blocks_parts"), "--end-z", "1.5", "--quiet")
    run("run", box, *blocks, *limit, "--late-step", "0.04", "--at-z", "9", "--end-z", "1.5", "--step", "0.12", "--threads", "1", "--output", at("blocks_whole"))
    check("same bits" in run("verify", at("blocks")).stdout, "run.json repeats a run with block steps")
    check(csv(os.path.join(at("blocks_parts"), "snapshot_0002.hdf5"), scratch) == csv(os.path.join(at("blocks_whole"), "snapshot_0002.hdf5"), at("other.csv")),
          "block steps that are resumed have the same bits, with a largest physical softening")
    done = json.load(open(os.path.join(at("blocks"), "run.json")))
    check(done["body_steps"] > 1.2 * 512 * done["steps"] and abs(columns(energy_of(at("blocks")), "layzer_irvine")[-1][0]) < 0.02,
          "bodies have steps of several lengths, and the equation of Layzer and Irvine holds", done["blocks"])
    refused("--step-min in a comoving box", "run", box, *blocks, "--end-z", "9", "--step-min", "1Myr", "--output", at("no"), text="--late-step")

    run("run", "--model", "cosmic-box", "-n", "64", "--side", "20", *RUN, "--steps", "3", "--output", at("made"))
    told = run_json("info", os.path.join(at("made"), "snapshot_0001.hdf5"))["space"]
    check(abs(told["scale_factor"] - 0.02 * math.exp(3 * 0.12)) < 1e-9 and abs(told["box"] - 20000) < 1e-6, "a model runs without a file", told)

    def steps(name, *words):
        run("run", "--model", "cosmic-box", "-n", "8", "--side", "20", *words, "--engine", "cpu", "--end-z", "0", "--output", at(name), "--quiet")
        return int(open(os.path.join(at(name), "energy.csv")).read().splitlines()[-1].split(",")[1])

    usual = steps("usual")
    check(118 <= usual <= 132 and steps("shorter", "--late-step", "0.006") in range(2 * usual - 20, 2 * usual + 20) and steps("equal", "--step", "0.12") == 33,
          "steps become shorter with a, in the number that the documents tell", usual)
    check("same bits" in run("verify", at("usual")).stdout, "run.json has both steps")
    dry = ["run", box, "--end-z", "0", "--dry-run", "--output", at("dry")]
    check("33 steps of 0.118546 in ln a, which --late-step divides," in run(*dry).stdout and "164 steps of 0.024 in ln a, 2" in run(*dry, "--step", "0.024").stdout
          and "164 steps of 0.024 in ln a, which --late-step divides," in run(*dry, "--step", "0.024", "--late-step", "0.01").stdout,
          "a dry run tells of the division", run(*dry).stdout)

    # steps that are equal in a, but at most 0.12 in ln a, which is at a = 1/3
    given = ["run", "--model", "cosmic-box", "-n", "8", "--side", "20", "--engine", "cpu", "--step-a", "0.04"]
    expected = math.ceil(math.log(1 / 3 / 0.02) / 0.12 + 2 / 3 / 0.04)
    plan = run(*given, "--end-z", "0", "--dry-run", "--output", at("dry")).stdout
    check(f"{expected} steps of 0.04 in a, and at most 0.12 in ln a" in plan, "a dry run counts the steps of --step-a", (expected, plan))
    run(*given, "--end-z", "0", "--every", "0.2", "--restart-every", "0.01", "--output", at("even"), "--quiet")
    a = [row[0] for row in columns(energy_of(at("even")), "time")]
    early, late = [(p, q) for p, q in zip(a, a[1:]) if q < 1 / 3], [(p, q) for p, q in zip(a, a[1:-1]) if p > 1 / 3]
    check(len(a) == expected + 1 and len(early) > 20 and all(abs(math.log(q / p) - 0.12) < 1e-12 for p, q in early) and all(abs(q - p - 0.04) < 1e-14 for p, q in late),
          "steps are equal in a, and early ones in ln a", a)
    check("same bits" in run("verify", at("even")).stdout, "run.json repeats them, with --every in a")
    run(*given, "--end", "0.5", "--restart-every", "0.01", "--output", at("even_parts"), "--quiet")
    run("run", "--resume", at("even_parts"), "--end-z", "0", "--quiet")
    run(*given, "--end-z", "0", "--at", "0.5", "--output", at("even_whole"), "--quiet")
    check(csv(os.path.join(at("even_parts"), "snapshot_0002.hdf5"), scratch) == csv(os.path.join(at("even_whole"), "snapshot_0002.hdf5"), at("other.csv")),
          "a resumed run has the same bits, with the steps of --step-a")
    for words, text in ((["--step", "0.05"], "--step-a and --step "), (["--late-step", "0.01"], "--step-a and --late-step"), (["--step-a", "0"], "step-a"),
                        (["--step-a", "-0.1"], "step-a"), (["--step-a", "nan"], "step-a")):
        refused("--step-a with " + " ".join(words), *given, *words, "--end-z", "0", "--output", at("no"), text=text)
    refused("an interval between steps of --step-a", *given, "--end-z", "0", "--every", "0.1", "--output", at("no"),
            text="--every: 0.1 is not a multiple of the step 0.04; the nearest are 0.08 and 0.12, or choose another --step-a")
    refused("--step-a in open space", "run", "--model", "plummer", "-n", "10", "--end", "1", "--step-a", "0.1", "--output", at("no"), text="outside a comoving box")
    model = ["run", "--model", "cosmic-box", "-n", "1000000", "--engine", "cpu", "--force", "fmm", "--end-z", "15", "--output", at("dry"), "--dry-run"]
    plain, tuned = (run_json(*model, *more)["host_bytes"] for more in (("--order", "6"), ("--error", "0.01")))
    check(tuned - plain > 100e6, "a dry run counts the second engine, which finds alpha again as the universe expands", (plain, tuned))
    refused("--late-step in open space", "run", "--model", "plummer", "-n", "10", "--end", "1", "--late-step", "0.1", "--output", at("no"), text="outside a comoving box")

    # the step that is chosen divides the intervals of snapshots and of rows, whichever are closer
    for every, rows in (("0.5", "0.25"), ("0.25", "0.5"), ("1", "0.5")):
        plan = run("run", box, "--steps", "12", "--every", every, "--energy-every", rows, "--force", "direct", "--engine", "cpu", "--dry-run").stdout
        check("12 steps of 0.1 in" in plan if every == "1" else "12 steps of 0.0833333 in" in plan, f"--every {every} with --energy-every {rows}", plan)

    # The comoving softening is constant until the physical one would be too large: both regimes, and a restart in either.
    stepped = ["run", box, *RUN, "--step", "0.0625", "--softening", "100kpc"]

    def soft(name, *words):
        run(*stepped, "--softening-max", "4kpc", "--restart-every", "0.01", "--output", at(name), *words)
        return [os.path.join(at(name), file) for file in sorted(os.listdir(at(name))) if file.startswith("snapshot")]

    found = [run_json("info", file)["softening"] / 0.6766 for file in soft("soft", "--at", "0.03,0.04", "--end", "0.08")]
    check(all(abs(eps / min(100, 4 / a) - 1) < 1e-6 for eps, a in zip(found, (0.02, 0.03, 0.04, 0.08))), "the softening is comoving up to a largest physical one", found)
    check("same bits" in run("verify", at("soft")).stdout, "run.json has the softening that was given, not the last one")
    whole = soft("soft_whole", "--at", "0.03,0.05", "--end", "0.08")[-1]
    soft("soft_parts", "--end", "0.03")
    for end in ("0.05", "0.08"):  # before and after the change
        run("run", "--resume", at("soft_parts"), "--end", end, "--quiet")
    check(csv(os.path.join(at("soft_parts"), "snapshot_0003.hdf5"), scratch) == csv(whole, scratch), "restarts before and after the change of softening have the same bits")
    run(*stepped, "--end", "0.08", "--output", at("hard"))
    check(csv(os.path.join(at("hard"), "snapshot_0001.hdf5"), scratch) != csv(os.path.join(at("soft"), "snapshot_0003.hdf5"), at("b.csv")), "it changes the motion")
    refused("--softening-max in open space", "run", "--model", "plummer", "-n", "10", "--end", "1", "--softening-max", "1", "--output", at("no"), text="outside a comoving box")
    refused("--collisions in a box", "run", box, "--end-z", "9", "--collisions", "merge", "--body-radius", "1kpc", "--output", at("no"), text="leave out --collisions")
    refused("--mutual in a box", "run", box, "--end-z", "9", "--mutual", "--output", at("no"), text="add up to 0 without --mutual")
    refused("--softening-max 0", "run", box, "--end-z", "9", "--softening-max", "0", "--output", at("no"), text="softening-max")

    run("power", one, "--mesh", "16", "-o", at("power.csv"), "--quiet")
    power = open(at("power.csv")).read().splitlines()
    check(power[0] == "scale_factor,k_h_per_mpc,power_mpc3_per_h3,waves,linear_mpc3_per_h3" and len(power) == 1 + 4 * 4, "rows of four spectra")
    second = columns(power, "scale_factor", "k_h_per_mpc", "power_mpc3_per_h3", "linear_mpc3_per_h3")[4]
    check(abs(second[0] - 0.04) < 1e-9 and 0.31 < second[1] < 0.47 and abs(second[2] / second[3] - 1) < 0.1, "long waves grow as in linear theory", second)
    # folded and crossed spectra
    def spectrum(*words):
        run("power", *words, "-o", at("spectrum.csv"), "--overwrite", "--quiet")
        return columns(open(at("spectrum.csv")).read().splitlines(), "k_h_per_mpc", "power_mpc3_per_h3", "waves")

    plain, more, finer = spectrum(last, "--mesh", "16"), spectrum(last, "--mesh", "16", "--fold", "4"), spectrum(last, "--mesh", "64")
    k = [row[0] for row in more]
    check(more[:4] == plain and k == sorted(k) and 3 < k[-1] / k[3] < 4.5 and finer[0][2] == plain[0][2], "a folded spectrum continues the plain one", k)
    same = spectrum(last, "--mesh", "16", "--cross", last)
    check(same == plain, "the cross spectrum of a file with itself is its spectrum")
    against = spectrum(box, "--mesh", "16", "--cross", at("opposite.hdf5"))
    check(all(row[1] < 0 for row in against[:2]) and all(row[1] > 0 for row in spectrum(box, "--mesh", "16")[:2]), "that of a pair of opposite boxes is negative", against)
    warned = run("power", box, "--mesh", "16", "--cross", last, "-o", at("spectrum.csv"), "--overwrite", "--quiet")
    check("different times" in warned.stderr, "a cross spectrum of different times has a warning", warned.stderr)
    check(spectrum(last, "--mesh", "16", "--types", "1", "--cross-types", "1") == plain, "types have cross spectra")
    refused("types that are not there", "power", last, "--cross-types", "0", code=4, text="")
    refused("noise of a cross spectrum", "power", last, "--cross", last, "--subtract-noise", text="no noise")
    run("model", "cosmic-box", "-n", "64", "--side", "30", "-o", at("other_box.hdf5"), "--quiet")
    refused("bodies of another box", "power", last, "--cross", at("other_box.hdf5"), text="box of side")
    refused("a spectrum in open space", "power", scratch, text="--box")
    refused("a spectrum of physical positions", "power", box, "--physical", text="--physical")
    refused("--box 0 of a spectrum", "power", box, "--box", "0", text="--box")
    refused("spectra in different units", "power", box, scratch, "--box", f"{told['box'] / told['hubble']!r}", text="unlike")
    run("convert", last, "-o", at("copy.png.hdf5"), "--quiet")
    refused("an output with another ending", "power", one, "-o", at("power.hdf5"), text="ends in .csv")
    os.rename(at("copy.png.hdf5"), at("copy.png"))
    refused("an output that is the second input", "power", box, at("copy.png"), "-o", at("copy.png"), "--overwrite", text="is the input")
    refused("a table in a folder that is not there", "power", one, "-o", at("none/power.csv"), code=7, text="none/power.csv")
    check(run("power", one, "-o", at("none/power.csv"), code=None).stdout == "", "which is known before any work")

    # the file of a run is the start of another, which needs no options
    run("run", os.path.join(one, files[2]), *RUN, "--end", "0.25", "--output", at("on"))
    difference = max(abs((a - b + 0.5 * 29560) % 29560 - 0.5 * 29560)
                     for a, b in zip([v for row in columns(csv(last, scratch), "x", "y", "z") for v in row],
                                     [v for row in columns(csv(os.path.join(at("on"), "snapshot_0001.hdf5"), at("b.csv")), "x", "y", "z") for v in row]))
    check(difference < 30, "a run from a snapshot continues it", difference)  # kpc; the spacing is 3695
    physical = run_json("info", last, "--physical")
    check(abs(physical["space"]["scale_factor"] - 0.25) < 1e-9, "--physical reads it too")

    start = ["run", box, "--output", at("no")]
    refused("a universe that never reaches z = 0", "run", "--model", "cosmic-box", "-n", "512", "--side", "20", "--omega-m", "9",
            "--omega-lambda", "0", "--end", "2", "--output", at("no"), text="never reaches")
    refused("--end-z in open space", "run", "--model", "plummer", "-n", "10", "--end-z", "0", "--output", at("no"), text="--end-z")
    refused("--end and --end-z", *start, "--end", "1", "--end-z", "0", text="--end-z")
    refused("no box for a file with one", *start, "--end-z", "0", "--box", "0", text="--as-stored")
    refused("the redshift of the start", *start, "--end-z", "49", text="0.02 (z = 49) is not ahead")
    refused("a redshift outside the run", *start, "--end-z", "1", "--at-z", "0.25", text="--at-z: 0.8 (z = 0.25) is outside")
    refused("a scale factor outside the run", *start, "--end-z", "1", "--at", "0.8", "--at-z", "4", text="--at: 0.8")
    refused("an --eta of too many parts", "run", box, "--output", at("eta"), "--end-z", "0", "--eta", "1e-6", text="--eta 1e-06 divides")
    refused("an --eta of too many parts of --step-a", "run", box, "--output", at("eta_a"), "--end-z", "0", "--step-a", "0.01", "--eta", "1e-6", text="a shorter --step-a")
    plan = run("run", box, "--output", at("no"), "--end-z", "1", "--dry-run").stdout
    check(" in ln a, " in plan and "yr" not in plan, "the plan of a run has steps in ln a", plan)
    check(all("time" not in line for line in open(os.path.join(one, "energy.csv")) if line[0] == "#"), "a scale factor has no unit")
    for scheme in ("hermite4", "few"):
        refused(f"--integrator {scheme} in a comoving box", *start, "--end-z", "9", "--integrator", scheme, text="does not know periodic boxes: use --integrator leapfrog or block")
    for word, means in (("--at-a", "--at, whose"), ("--end-a", "--end, which"), ("--every-lna", "--every, an interval of ln a")):
        refused(f"{word} is named otherwise", *start, "--end-z", "9", word, "0.5", text=f"did you mean {means}")
    refused("z = -1", *start, "--end-z", "-1", text="--end-z")
    refused("a redshift in the past with a step forwards", *start, "--end-z", "60", "--step", "0.03", text="not ahead")
    refused("--end-z before the start", *start, "--end-z", "99", text="z = 49. For a run back in time give its end as a scale factor, --end 0.01")
    run("run", box, *RUN, "--end", "0.018", "--output", at("back"))
    refused("--plt before the start", *MODEL, "--redshift", "20", "--plt", "21", "-o", at("no.hdf5"), text="before the start at --redshift 20")
    refused("--plt of the model cosmic", "model", "cosmic", "-n", "100", "--plt", "9", "-o", at("no.hdf5"), text="plt")
    run(*MODEL, "--plt", "9", "-o", at("plt.hdf5"), "--quiet")
    check(csv(at("plt.hdf5"), scratch) != csv(box, at("b.csv")), "--plt changes the start")
    refused("a model with units of its own", "model", "cosmic-box", "-n", "512", "--units", "nbody", "-o", at("no.hdf5"), text="leave out --units")
    refused("and in a run", "run", "--model", "cosmic-box", "-n", "512", "--units", "nbody", "--end-z", "9", "--output", at("no"), text="leave out --units")
    refused("a list that is none", *start, "--end-z", "0", "--at-z", "4;2", text="--at-z")
    refused("another universe", *start, "--end-z", "0", "--expansion", "omega-m=1,h0=0.07", text="differs")
    refused("times with units", *start, "--end", "13Gyr", text="scale factor")
    refused("--eta without a softening", *start, "--end-z", "0", "--eta", "0.1", "--softening", "0", text="--eta")
    spectrum = "".join(f"{k} {1e4 * k / (1 + (k / 0.02) ** 3)}\n" for k in (0.01, 0.1, 1))
    for end, warns in (("", True), ("20 0.001\n", False)):
        with open(at("table.txt"), "w") as table:
            table.write(spectrum + end)
        said = run(*MODEL, "--spectrum", at("table.txt"), "-o", at("table.hdf5"), "--overwrite").stderr
        check(("only 0.01 to 1:" in said) == warns, "a table that does not reach the shortest waves is told" if warns else "one that does is not", said)
    refused("a folder as a table", *MODEL, "--spectrum", where, "-o", at("no.hdf5"), code=4, text="cannot be read")
    said = run("convert", box, scratch, "--overwrite").stderr
    words = said.split("give ")[1].split(" with it")[0].split()
    check(said.count("\n") == 1 and words[::2] == ["--box", "--expansion"], "what a table does not keep is told, as options", said)
    run("run", scratch, *RUN, *words, "--end-z", "45", "--output", at("by-table"))
    run("run", box, *RUN, "--end-z", "45", "--output", at("by-file"))
    ends = [columns(csv(os.path.join(at(name), "snapshot_0001.hdf5"), scratch), "x", "y", "z", "vx", "vy", "vz") for name in ("by-table", "by-file")]
    check(max(abs(p - q) for a, b in zip(*ends) for p, q in zip(a, b)) < 1e-3, "a run of the table with these options is the same")
    check("crossing" not in run("info", box).stdout and "recommended" not in run("info", box).stdout, "no times and steps of open space for a box")
    for n, text in (("511", "cube"), ("1", "8 are"), ("0", "bodies")):
        refused(f"{n} bodies", *MODEL[:3], n, "-o", at("no.hdf5"), text=text)
    refused("two amplitudes", *MODEL, "--sigma8", "0.8", "--a-s", "2e-9", "-o", at("no.hdf5"), text="--a-s")
    refused("no such table", *MODEL, "--spectrum", at("none.txt"), "-o", at("no.hdf5"), text="none.txt")
    with open(at("bad.txt"), "w") as table:
        table.write("# k P\n1 2\n0.5 3\n")
    refused("a table that does not grow", *MODEL, "--spectrum", at("bad.txt"), "-o", at("no.hdf5"), code=4, text="does not grow")
    check(not os.path.exists(at("no")) and not os.path.exists(at("no.hdf5")), "nothing is made for a run that is refused")

finish()
