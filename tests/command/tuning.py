#!/usr/bin/env python3
# --error in periodic boxes: it is kept, over the rms acceleration; a comoving run finds its force again
# whenever the scale factor has doubled, and goes on with the same bits after a restart.
import json
import math
import os
import random
import shutil
import subprocess
import time

from tap import KYOHO, check, finish, folder, run, run_json

MODEL = ["model", "cosmic-box", "-n", "512", "--side", "20", "--seed", "3"]
RUN = ["--error", "1e-3", "--step", "0.25", "--energy-every", "0.25", "--threads", "1", "--quiet"]
ALL = bool(os.environ.get("KYOHO_TEST_ALL"))
TUNED = ("order", "alpha", "force_error")


def table(where):
    """energy.csv as a list of dicts, without the time on the clock."""
    lines = [line for line in open(os.path.join(where, "energy.csv")).read().splitlines() if not line.startswith("#")]
    names = lines[0].split(",")
    return [{name: cell for name, cell in zip(names, line.split(",")) if name != "wall_s"} for line in lines[1:]]


def tunings(where):
    return json.load(open(os.path.join(where, "run.json")))["error"]["tunings"]


def write_bodies(path, points):
    with open(path, "w") as file:
        file.write("mass,x,y,z,vx,vy,vz\n")
        for x, y, z in points:
            file.write(f"1,{x},{y},{z},0,0,0\n")


with folder() as where:
    def at(name):
        return os.path.join(where, name)

    def end_of(name):
        """Rows, tunings, and the bodies of the last snapshot with all digits."""
        last = sorted(one for one in os.listdir(at(name)) if one.startswith("snapshot_"))[-1]
        run("convert", os.path.join(at(name), last), at("scratch.csv"), "--overwrite", "--quiet")
        return table(at(name)), tunings(at(name)), [line for line in open(at("scratch.csv")) if not line.startswith("#")]

    # ---- one evaluation ----
    dice = random.Random(5)
    uniform = [[dice.random() for _ in range(3)] for _ in range(800)]
    clump = [[(0.98 + 0.02 * dice.gauss(0, 1)) % 1 for _ in range(3)] for _ in range(300)]
    write_bodies(at("random.csv"), uniform)
    write_bodies(at("clump.csv"), uniform[:300] + clump)
    write_bodies(at("lattice.csv"), [[(i // 100 + 0.5) / 10, (i // 10 % 10 + 0.5) / 10, (i % 10 + 0.5) / 10] for i in range(1000)])
    run("model", "cosmic-box", "-n", "1000", "--side", "40", "-o", at("cosmic.hdf5"), "--quiet")
    plain = ["--box", "1", "--softening", "0"]
    cases = [("cosmic.hdf5", [], "1e-3", ["fmm", "tree"] if ALL else ["fmm"]), ("random.csv", plain, "1e-4", ["fmm"]), ("clump.csv", plain, "1e-2", ["fmm"])]
    for name, words, error, forces in cases:
        for force in forces:
            own = [] if force == "fmm" else ["--force", force]
            found = run_json("force", at(name), *words, *own, "--error", error, "--check", "10000")
            all_of_them, asked = found["error_over_rms"]["p99"], float(error)
            check(0.2 * asked < all_of_them <= asked and abs(found["error_choice"]["measured"] / all_of_them - 1) < 0.3 and found["force"] == force,
                  f"{name}: --error {error} with {force} is kept by all bodies, and not by far", (found["alpha"], found["error_choice"], all_of_them))
    still = run_json("force", at("lattice.csv"), *plain, "--error", "1e-2")
    check(still["error_choice"]["measured"] <= 1e-2, "the errors on a lattice, where the rms vanishes, are over 1e-3 G M/L^2", still["error_choice"])
    again = [run_json("force", at("random.csv"), *plain, "--error", "1e-3", "--threads", threads) for threads in "13"]
    check(again[0]["alpha"] == again[1]["alpha"] and again[0]["error_choice"] == again[1]["error_choice"], "any number of threads finds the same", [one["error_choice"] for one in again])
    for n in (1, 2, 8):
        write_bodies(at("few.csv"), uniform[:n])
        few = run_json("force", at("few.csv"), *plain, "--error", "1e-4", "--force", "fmm")
        check(few["n"] == n and few["error_choice"]["asked"] == 1e-4, f"{n} bodies", few)
    process = run("force", at("random.csv"), *plain, "--error", "1e-3", "--alpha", "0.1", code=2)
    check("--error" in process.stderr, "--error chooses alpha", process.stderr)

    # ---- a run ----
    box, one = at("box.hdf5"), at("one")
    run(*MODEL, "-o", box, "--quiet")
    run("run", box, "--steps", "12", "--output", one, *RUN)
    rows, found, bodies = end_of("one")
    times = [tuned["a"] for tuned in found]
    step = math.log(float(rows[1]["time"]) / float(rows[0]["time"]))
    check(len(times) == 4 and times[0] == 0.02 and all(0 <= math.log(b / a / 2) < step for a, b in zip(times, times[1:])), "the force is found again at the first step after each doubling", times)
    alphas = [tuned["alpha"] for tuned in found]
    check(len(set(alphas)) > 2, "and is another one", alphas)
    at_rows = [[tuned for tuned in found if tuned["a"] < float(row["time"]) or not k][-1 if k else 0] for k, row in enumerate(rows)]
    check(all([row[name] for name in TUNED] == [f"{tuned['order']}", f"{tuned['alpha']}", f"{tuned['measured']}"] for row, tuned in zip(rows, at_rows)),
          "rows of energy.csv have the force of their step", [[row[name] for name in ("time", *TUNED)] for row in rows])
    last = sorted(one for one in os.listdir(one) if one.startswith("snapshot_"))[-1]
    for tuned, snapshot in ((found[0], "snapshot_0000.hdf5"), (found[-1], last)):
        errors = run_json("force", os.path.join(one, snapshot), "--force", "fmm", "--order", str(tuned["order"]), "--alpha", str(tuned["alpha"]), "--check", "1000")["error_over_rms"]
        check(errors["p99"] <= 1e-3, f"the error is kept at {snapshot}", errors)

    # The state of a run does not depend on how it is executed.
    for name, words in (("ranks", ["--ranks", "3"]), ("repeated", None))[: 2 if ALL else 1]:
        if words is None:
            run("run", os.path.join(one, "run.json"), "--input", box, "--output", at(name), "--quiet")
        else:
            run("run", box, "--steps", "12", "--output", at(name), *RUN, *words)
        check(end_of(name) == (rows, found, bodies), {"ranks": "ranks find the same force and the same bits", "repeated": "run.json repeats the run"}[name],
              [(a, b) for a, b in zip(end_of(name)[0], rows) if a != b][:1])
    # A run that stops between two searches, and before the step of one.
    run("run", box, "--steps", "1", "--output", at("stops"), *RUN)
    for steps in (3, 4, 12):
        run("run", "--resume", at("stops"), "--steps", str(steps), "--quiet")
    check(end_of("stops") == (rows, found, bodies), "a run that stops between two searches and before them has the same bits", [(a, b) for a, b in zip(end_of("stops")[0], rows) if a != b][:1])

    if ALL:
        # SIGKILL at any moment.
        command = [KYOHO, "run", box, "--steps", "12", "--output", at("killed"), *RUN, "--restart-every", "1e-6"]
        kills = 0
        while True:
            process = subprocess.Popen(command)
            deadline, least = time.monotonic() + 60, 3 * (kills + 1)
            while process.poll() is None and time.monotonic() < deadline:
                if os.path.exists(os.path.join(at("killed"), "restart.kyo")) and len(table(at("killed"))) > least:
                    process.kill()
                time.sleep(0.001)
            kills += process.wait() != 0
            if process.returncode == 0 or kills == 2:
                break
            command = [KYOHO, "run", "--resume", at("killed"), "--restart-every", "1e-6", "--quiet"]
        if process.returncode:
            run("run", "--resume", at("killed"), "--quiet")
        check(end_of("killed") == (rows, found, bodies), f"the same after SIGKILL ({kills} times)")

        # Backwards, the force is found again at each half.
        run("run", os.path.join(one, last), "--end", "0.15", "--output", at("back"), "--error", "1e-3", "--step", "-0.25", "--quiet")
        check([round(math.log2(0.4 / tuned["a"]), 1) for tuned in tunings(at("back"))][0] == 0 and len(tunings(at("back"))) == 2, "backwards too", tunings(at("back")))
        run("run", box, "--end", "0.05", "--output", at("exact"), "--force", "direct", *RUN)
        check("alpha" not in table(at("exact"))[0], "exact sums have nothing to tune")

finish()
