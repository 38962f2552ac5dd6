#!/usr/bin/env python3
# kyoho run --model NAME --ranks N: each rank makes its own bodies. Snapshots, energy.csv, the hash of the bodies and error
# lines are those of one process that makes all.
import json
import os

from tap import check, finish, folder, run, skip

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
        for ranks in (2, 5):
            run(*words, many, "--ranks", ranks)
            check(state(many) == state(one), f"{' '.join(model)}: the files of {ranks} ranks have the bits of one process", (state(one)[0], state(many)[0]))
            check(made_apart(many) == (model in MODELS) and not made_apart(one), "run.log says where each rank has made its own bodies")
    for model in WRONG:
        words = ["run", "--model", *model, *RUN, "--output", os.path.join(top, "wrong")]
        alone, ranks = (run(*words, *more, code=None) for more in ([], ["--ranks", "3"]))
        check(alone.returncode in (2, 4) and (ranks.returncode, ranks.stderr) == (alone.returncode, alone.stderr) and not os.path.exists(words[-1]),
              f"{' '.join(model)}: the error of ranks is that of one process", (alone.returncode, alone.stderr, ranks.returncode, ranks.stderr))
    if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 4e11:
        skip("too many bodies", "this machine has memory for them")
    else:
        much = run("run", "--model", "plummer", "-n", "2000000000", *RUN, "--ranks", "2", "--output", os.path.join(top, "wrong"), code=1)
        check("2000000000 bodies need about" in much.stderr and "--dry-run" in much.stderr and not os.path.exists(os.path.join(top, "wrong")),
              "more bodies than the memory holds are refused before they are made", much.stderr)
finish()
