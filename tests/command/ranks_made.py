#!/usr/bin/env python3
# kyoho run --model NAME --ranks N: each rank makes its own bodies. Snapshots, energy.csv, the hash of the bodies and error
# lines are those of one process that makes all.
import json
import os
import re

from tap import check, finish, folder, run, skip

ALL = bool(os.environ.get("KYOHO_TEST_ALL"))
RUN = ["--force", "tree", "--engine", "cpu", "--step", "0.0078125", "--steps", "2", "--every", "0.015625", "--quiet"]
MODELS = [["plummer", "-n", "2000"], ["king", "-n", "700", "--w0", "5", "--rotation", "0.5"],
          ["uniform-sphere", "-n", "900", "--virial-ratio", "1.9", "--integrator", "block"],
          ["hernquist", "--units", "cluster", "--mass-function", "kroupa", "--mass", "300", "--radius", "2", "--velocity", "1,2,3"],
          ["plummer", "-n", "2", "--softening", "0.1"]]
ELSEWHERE = [["plummer", "-n", "500", "--follow", "3"], ["galaxy", "-n", "500"], ["plummer", "-n", "500", "--softening", "0"]]
WRONG = [["king", "-n", "500", "--w0", "100"], ["plummer", "-n", "500", "--position", "1,2"], ["plummer", "-n", "500", "--cutoff", "1e-9"],
         ["plummer", "-n", "500", "--radius", "1e300", "--position", "1.79769306486e308,0,0"], ["plummer", "-n", "500", "--mass", "1e300", "--radius", "1e-300"], ["plummer", "-n", "500", "--mass", "1e-300", "--radius", "1e300"],
         ["plummer", "-n", "500", "--stop-collision"], ["plummer", "-n", "500", "--every", "-1"]]


def state(where):
    """All that a run writes of its bodies: energy.csv without the seconds, snapshots as text, and the hash."""
    rows = [row.rsplit(",", 1)[0] for row in open(os.path.join(where, "energy.csv"))]
    texts = []
    for name in sorted(name for name in os.listdir(where) if name.startswith("snapshot_") and name.endswith(("hdf5", "tipsy"))):
        run("convert", os.path.join(where, name), os.path.join(where, "scratch.csv"), "--overwrite", "--quiet")
        texts.append([line for line in open(os.path.join(where, "scratch.csv")) if not line.startswith("#|")])
    return rows, texts, json.load(open(os.path.join(where, "run.json")))["bodies_hash"]


def made_apart(where):
    return "each rank has made its own bodies" in open(os.path.join(where, "run.log")).read()


with folder() as top:
    one, many = os.path.join(top, "one"), os.path.join(top, "many")
    for model in MODELS + ELSEWHERE:
        words = ["run", "--model", *model, *RUN, "--overwrite", "--output"]
        run(*words, one)
        wanted = state(one)
        for ranks in (2, 5) if ALL else (3,):
            run(*words, many, "--ranks", ranks)
            found = state(many)
            check(found == wanted, f"{' '.join(model)}: the files of {ranks} ranks have the bits of one process", (wanted[0], found[0]))
            check(made_apart(many) == (model in MODELS) and not made_apart(one), "run.log says where each rank has made its own bodies")
    # So many bodies that the threads of a rank fetch them together for rows and snapshots.
    words = ["run", "--model", "plummer", "-n", "80000", *RUN, "--overwrite", "--output"]
    run(*words, one)
    wanted = state(one)
    for ranks, threads in ((2, 7), (2, 1), (3, 4))[: None if ALL else 1]:
        run(*words, many, "--ranks", ranks, "--threads", threads)
        check(state(many) == wanted, f"80,000 bodies: the files of {ranks} ranks with {threads} threads have the bits of one process")
    if ALL:
        many_bodies = run("run", "--model", "plummer", "-n", "10000000", "--force", "tree", "--theta", "2", "--engine", "cpu", "--step", "0.01", "--steps", "1", "--every", "0", "--ranks", "2", "--overwrite", "--output", many)
        lines = ["bodies, made by the ranks (10000000 bodies)", "first forces (10000000 bodies)", "bound bodies, for a row of energy.csv (10000000 bodies)"]
        places = [many_bodies.stderr.find(line) for line in lines]
        check(-1 < places[0] < places[1] < places[2], "with many bodies lines tell what goes on before the first step", many_bodies.stderr)
    plan = run("run", "--model", "plummer", "-n", "100000", *RUN[:-1], "--ranks", "4", "--dry-run").stdout
    found = re.search(r"memory: ([0-9.]+) GB on the host, ([0-9.]+) GB a rank, ", plan)
    check(found and 4 * float(found[2]) < float(found[1]) < 4 * float(found[2]) + 0.03, "--dry-run tells the memory of a rank", plan)
    plan = run("run", "--model", "plummer", "-n", "100000", *RUN[:-1], "--dry-run").stdout
    check("GB a rank" not in plan and "GB on the host, " in plan, "without ranks it tells none", plan)
    for model in WRONG:
        words = ["run", "--model", *model, *RUN, "--output", os.path.join(top, "wrong")]
        alone, ranks = (run(*words, *more, code=None) for more in ([], ["--ranks", "3"]))
        check(alone.returncode in (2, 4) and (ranks.returncode, ranks.stderr) == (alone.returncode, alone.stderr) and not os.path.exists(words[-1]),
              f"{' '.join(model)}: the error of ranks is that of one process", (alone.returncode, alone.stderr, ranks.returncode, ranks.stderr))
    many_bodies = run("run", "--model", "plummer", "-n", "5000000000", *RUN, "--ranks", "3", "--output", os.path.join(top, "wrong"), code=3).stderr
    check("5000000000 bodies: ranks share up to 4294967295 of them: take fewer" in many_bodies and not os.path.exists(os.path.join(top, "wrong")),
          "more bodies than ranks number are refused before they are made", many_bodies)
    for number, more in (("5000000000", ["--ranks", "3"]), ("3000000000", [])):
        many_bodies = run("run", "--model", "plummer", "-n", number, *RUN, *more, "--dry-run", code=3).stderr
        check(f"{number} bodies: " in many_bodies and "take fewer" in many_bodies, f"--dry-run refuses what the run would {' '.join(more)}", many_bodies)
    if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 4e11:
        skip("too many bodies", "this machine has memory for them")
    else:
        much = run("run", "--model", "plummer", "-n", "2000000000", *RUN, "--ranks", "2", "--output", os.path.join(top, "wrong"), code=1)
        check("2000000000 bodies need about" in much.stderr and "--dry-run" in much.stderr and not os.path.exists(os.path.join(top, "wrong")),
              "more bodies than the memory holds are refused before they are made", much.stderr)
finish()
