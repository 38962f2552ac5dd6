#!/usr/bin/env python3
# kyoho run FILE --ranks N, and mpiexec kyoho run FILE: each rank reads its own bodies of a snapshot. Snapshots, energy.csv, the
# hash of the bodies and error lines are those of one process that reads all; and no process has all bodies.
import json
import os
import shutil
import struct
import sys

import mpis
from tap import check, finish, folder, run, skip

RUN = ["--force", "tree", "--engine", "cpu", "--step", "0.0078125", "--steps", "2", "--every", "0.015625", "--quiet"]
ALL = bool(os.environ.get("KYOHO_TEST_ALL"))
GADGET = ["--softening", "0.05"]
PRELOAD = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "tests/faults/preload.so"))
READ = "each rank has read its own bodies"


def words_of(file, more=()):
    """The words of a run, in which options of RUN may have other values."""
    kept = [pair for pair in zip(RUN[:-1:2], RUN[1:-1:2]) if pair[0] not in more]
    return ["run", file, *(word for pair in kept for word in pair), RUN[-1], *more]


def state(where):
    """All that a run writes of its bodies: energy.csv without the seconds, snapshots as text, and the hash."""
    with open(os.path.join(where, "energy.csv"), encoding="utf-8") as file:
        rows = [row.rsplit(",", 1)[0] for row in file]
    with open(os.path.join(where, "run.json"), encoding="utf-8") as file:
        return rows, mpis.snapshots(where), json.load(file)["bodies_hash"]


def read_apart(where):
    with open(os.path.join(where, "run.log"), encoding="utf-8") as file:
        return READ in file.read()


def record(order, name, data):
    """A record of GADGET's binary format, with its name in format 2."""
    mark = struct.pack(order + "I", len(data))
    title = struct.pack(order + "I4sII", 8, name, len(data) + 8, 8) if name else b""
    return title + mark + data + mark


def write_gadget(csv, path, named, order, real, pieces):
    """The bodies of a CSV file as 1,000 of type 1, 1,500 of type 2 with one mass, and the others of type 4, in so many files."""
    with open(csv, encoding="utf-8") as file:
        lines = [line.strip().split(",") for line in file if not line.startswith("#")]
    bodies = [dict(zip(lines[0], line)) for line in lines[1:]]
    groups = {1: bodies[:1000], 2: bodies[1000:2500], 4: bodies[2500:]}
    for k in range(pieces):
        part = {t: group[len(group) * k // pieces:len(group) * (k + 1) // pieces] for t, group in groups.items()}
        rows = [body for t in sorted(part) for body in part[t]]
        counts, totals = ([len(which.get(t, [])) for t in range(6)] for which in (part, groups))
        head = struct.pack(order + "6I6d2d2i6I2i4d2i6I", *counts, 0, 0, 0.0005, 0, 0, 0, 0.125, 0, 0, 0, *totals, 0, pieces, 0, 0, 0, 0, 0, 0, *[0] * 6)
        blocks = [(b"POS ", real, [body[c] for body in rows for c in ("x", "y", "z")]), (b"VEL ", real, [body[c] for body in rows for c in ("vx", "vy", "vz")]),
                  (b"ID  ", "I", [7 * int(body["id"]) + 1 for body in rows]), (b"MASS", real, [body["mass"] for t in (1, 4) for body in part[t]])]
        with open(path if pieces == 1 else f"{path}.{k}", "wb") as out:
            out.write(record(order, named and b"HEAD", head.ljust(256, b"\0")))
            for name, kind, numbers in blocks:
                out.write(record(order, named and name, struct.pack(f"{order}{len(numbers)}{kind}", *(int(x) if kind == "I" else float(x) for x in numbers))))


def same_bits(top, files):
    one, many = os.path.join(top, "one"), os.path.join(top, "many")
    cases = [(files["stars"], [], True), (files["pieces"], [], True), (os.path.join(top, "parts", "snapshot_0001"), [], True), (files["galaxy"], [], True),
             (files["galaxy"], ["--types", "1,3", "--renumber"], True), (files["galaxy"], ["--integrator", "block", "--eta", "0.05"], True),
             (files["stars"], ["--force", "fmm"], True), (files["packed"], ["--core"], True), 
             (files["stars"], ["--g", "2"], True), (files["stars"], ["--softening", "0.1"], True), (files["stars"], ["--stop-collision", "--body-radius", "1e-9"], True),
             (files["gadget1"], GADGET, True), (files["gadget2"] + ".0", GADGET, True), (files["gadget1"], [*GADGET, "--types", "2,4"], False), (files["gadget1"], [*GADGET, "--renumber"], True),
             (files["stars"], ["--follow", "3,17"], False), (files["stars"], ["--softening", "0"], False), (files["stars"], ["--force", "direct"], False),
             (files["stars"], ["--error", "0.01"], False), (files["csv"], [], False), (files["tipsy"], [], False)]
    for file, more, apart in cases:
        words = [*words_of(file, more), "--overwrite", "--output"]
        name = " ".join([os.path.basename(file), *more])
        run(*words, one)
        wanted = state(one)
        for ranks in (2, 5) if ALL else (3,):
            run(*words, many, "--ranks", ranks)
            found = state(many)
            check(found == wanted, f"{name}: the files of {ranks} ranks have the bits of one process", (wanted[0], found[0]))
            check(read_apart(many) == apart and not read_apart(one), f"{name}: run.log says where each rank has read its own bodies")


def universe(top):
    """Bodies of a universe: the same bits, and the same judgement of the forces, which needs a sample of the bodies."""
    file, one, many = (os.path.join(top, name) for name in ("cosmic.hdf5", "one", "many"))
    run("model", "cosmic", "-n", "80000" if ALL else "4000", "--sigma8", "0.1", "-o", file, "--quiet")
    for more in ([], ["--expansion", "bodies"]):
        words = [*words_of(file, ["--step", "0.003", "--every", "0.006", "--overwrite", *more]), "--output"]
        told = []
        for where, ranks in ((one, "1"), (many, "3")):
            lines = run(*words, where, "--ranks", ranks).stderr.splitlines()
            told.append([line for line in lines if "peculiar" in line])
        check(state(many) == state(one) and read_apart(many), f"a universe {' '.join(more)}: 3 ranks read it, and have the bits of one process")
        check(len(told[0]) == 1 and told[1] == told[0], "its forces are judged by the same bodies", told)


def plans(files):
    """--dry-run knows of ranks."""
    plan = run("run", files["stars"], *RUN[:-1], "--ranks", "2", "--dry-run").stdout
    check("GB a rank" in plan and plan.startswith("3000 bodies, "), "--dry-run tells the memory of a rank", plan)


def with_number(path, to, old, new):
    """A copy of an HDF5 file in which a double is another one, at its first place."""
    with open(path, "rb") as file:
        data = file.read()
    place = data.index(struct.pack("<d", old))
    with open(to, "wb") as file:
        file.write(data[:place] + struct.pack("<d", new) + data[place + 8:])


def errors(top, files):
    mass, wrong = 1 / 3000, os.path.join(top, "wrong")
    for name, change in (("nan.hdf5", float("nan")), ("negative.hdf5", -1.0), ("massless.hdf5", 0.0)):
        with_number(files["stars"], os.path.join(top, name), mass, change)
    with open(files["stars"], "rb") as file, open(os.path.join(top, "cut.hdf5"), "wb") as out:
        data = file.read()
        out.write(data[:len(data) * 2 // 3])
    shutil.copytree(os.path.join(top, "parts"), os.path.join(top, "lost"))
    os.remove(os.path.join(top, "lost", "snapshot_0001.2.hdf5"))
    with open(files["gadget1"], "rb") as file:
        data = file.read()
    with open(os.path.join(top, "cut.gadget"), "wb") as file:
        file.write(data[:len(data) * 2 // 3])
    with open(os.path.join(top, "nan.gadget"), "wb") as file:
        place = len(data) - 4 - 4 * 700
        file.write(data[:place] + struct.pack("<f", float("nan")) + data[place + 4:])
    shutil.copy(files["gadget2"] + ".0", os.path.join(top, "alone.0"))
    cases = [("cut.gadget", GADGET), ("nan.gadget", GADGET), ("alone.0", GADGET), ("nan.hdf5", []), ("negative.hdf5", []), ("cut.hdf5", []), ("lost/snapshot_0001.0.hdf5", []), ("none.hdf5", []), ("stars.hdf5", ["--units", "nonsense"]), ("stars.hdf5", ["--units", "galaxy"]),
             ("stars.hdf5", ["--types", "1"]), ("stars.hdf5", ["--types", "9"]), ("stars.hdf5", ["--physical", "--as-stored"]), ("stars.hdf5", ["--stop-collision"]),
             ("stars.hdf5", ["--softening", "1e300"]), ("stars.hdf5", ["--every", "-1"]), ("nosoft.hdf5", [])]
    for file, more in cases:
        words = [*words_of(os.path.join(top, file), more), "--output", wrong]
        alone, ranks = (run(*words, *ranked, code=None) for ranked in ([], ["--ranks", "3"]))
        check(alone.returncode in (2, 4) and (ranks.returncode, ranks.stderr) == (alone.returncode, alone.stderr) and not os.path.exists(wrong),
              f"{' '.join([file, *more])}: the error of ranks is that of one process", (alone.returncode, alone.stderr, ranks.returncode, ranks.stderr))
    words, states, logs = ["run", os.path.join(top, "massless.hdf5"), *RUN[:-1], "--overwrite", "--output", wrong], [], []
    for ranks in (1, 3):
        logs.append(run(*words, "--ranks", ranks).stderr)
        states.append(state(wrong))
    check(states[0] == states[1] and not read_apart(wrong) and logs[1].count("3 ranks by threads") == 1 and "every rank has all bodies (massless bodies)" in logs[1],
          "a body without mass: every rank has all bodies, and one line says so", logs)
    shutil.rmtree(wrong)


def repeated(top, files):
    """run.json of ranks repeats the run, and sees that the file has changed."""
    first, again, file = os.path.join(top, "first"), os.path.join(top, "again"), os.path.join(top, "changes.hdf5")
    shutil.copy(files["galaxy"], file)
    run("run", file, *RUN, "--ranks", "3", "--output", first)
    for more in ([], ["--ranks", "1"]):
        run("run", os.path.join(first, "run.json"), "--output", again, "--overwrite", "--quiet", *more)
        check(state(again) == state(first), f"run.json repeats the run of a file that ranks read {' '.join(more)}")
    shutil.copy(files["stars"], file)
    process = run("run", os.path.join(first, "run.json"), "--output", again, "--overwrite", code=4)
    check("the bodies differ from the bodies of the repeated run" in process.stderr, "and ranks see that the file has changed", process.stderr)
    run("run", "--resume", first, "--steps", "4", "--ranks", "2", "--quiet")
    run(*words_of(files["galaxy"], ["--steps", "4"]), "--output", again, "--overwrite")
    check(mpis.snapshots(first)["snapshot_0002.hdf5"] == mpis.snapshots(again)["snapshot_0002.hdf5"], "such a run is resumed with ids and types")


def opens(top, files):
    """Each rank opens a file once, and a run without ranks too; of pieces each rank opens those that have its bodies."""
    if not os.path.exists(PRELOAD):
        skip("how often files are opened", "no tests/faults/preload.so")
        return
    where = os.path.join(top, "opens")
    for name, most in (("stars", {1: 1, 3: 3}), ("galaxy", {1: 1, 3: 3}), ("csv", {1: 1, 3: 1}), ("gadget1", {1: 1, 3: 3}), ("pieces", {1: 1, 3: 3})):
        path = files[name]
        more = GADGET if name.startswith("gadget") else []
        for ranks, times in most.items():
            env = {"LD_PRELOAD": PRELOAD, "KYOHO_TELL_OPENS": os.path.dirname(path) if name == "pieces" else path}
            lines = run(*words_of(path, more), "--ranks", ranks, "--overwrite", "--output", where, env=env).stderr.splitlines()
            opened = [line.split(" ", 1)[1] for line in lines if line.startswith("opened ")]
            counts = {each: opened.count(each) for each in opened}
            check(opened and all(count <= times for count in counts.values()) and (name == "pieces" or counts == {path: times}),
                  f"{name}: {ranks} ranks open each file at most {times} times", counts)


# PR_SET_THP_DISABLE (41): huge pages, which the system gives or not, count whole, and change the peak by 5 MB.
MEASURED = "import ctypes, os, resource, subprocess, sys\n" \
           "ctypes.CDLL(None).prctl(41, 1, 0, 0, 0)\n" \
           "done = subprocess.run(sys.argv[2:], close_fds=False)\n" \
           "rank = os.environ.get('OMPI_COMM_WORLD_RANK') or os.environ.get('PMI_RANK')\n" \
           "with open(sys.argv[1] + rank, 'w') as file:\n" \
           "    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024))\n" \
           "sys.exit(done.returncode)\n"


def peak(mpi, top, file, more):
    """The memory of process 0 of two, in bytes, up to the end of a run that cannot begin: its softening is too large for its bodies."""
    out = os.path.join(top, "peak")
    done = mpi.run(2, sys.executable, "-c", MEASURED, out, mpi.kyoho, "run", file, "--force", "tree", "--engine", "cpu", "--threads", "1", "--softening", "1e300",
                   "--step", "0.001", "--steps", "1", "--output", os.path.join(top, "refused"), *more)
    check("softening" in done.stderr and done.returncode == 2, f"{mpi.name}: a softening that is too large", (done.returncode, done.stderr))
    with open(out + "0", encoding="utf-8") as number:
        return int(number.read())


def processes(top, files):
    """Ranks that are processes."""
    found, lacking = mpis.find()
    for name, why in lacking.items():
        skip(name, why)
    for k, mpi in enumerate(found):
        own = os.path.join(top, f"mpi{k}")
        os.mkdir(own)
        one, many = os.path.join(own, "one"), os.path.join(own, "many")
        for file in ("stars", "galaxy", "pieces"):
            words = ["run", files[file], *RUN, "--overwrite", "--output"]
            run(*words, one)
            done = mpi.run(2, mpi.kyoho, *words, many)
            if check(done.returncode == 0, f"{mpi.name}: two processes run {file}", done.stderr):
                check(state(many) == state(one) and read_apart(many), f"{mpi.name}: {file}: two processes read their own bodies, and have the bits of one", (state(one)[0], state(many)[0]))
        os.makedirs(os.path.join(own, "else"))
        for name in ("stars.hdf5", "parts"):
            (shutil.copytree if name == "parts" else shutil.copy)(os.path.join(top, name), os.path.join(own, name))
        script = 'test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 || cd else; exec "$@"'
        for file in ("stars.hdf5", os.path.join("parts", "snapshot_0001.0.hdf5")):
            done = mpi.run(2, "sh", "-c", script, "sh", mpi.kyoho, "run", file, *RUN, "--output", os.path.join(own, "results"), cwd=own)
            lines = [line for line in done.stderr.splitlines() if line.startswith("kyoho")]
            check(done.returncode == 4 and len(lines) == 1 and f"rank 1 on {os.uname().nodename} cannot open the file, as every rank has to (on several machines, choose a folder that all of them share): {file}: " in lines[0] and
                  not os.path.exists(os.path.join(own, "results")), f"{mpi.name}: a rank that does not see {file} ends the run with one line", (done.returncode, done.stderr))
        # --follow is for rank 0, which reads all bodies then
        large = os.path.join(own, "large.hdf5")
        run("model", "plummer", "-n", "600000", "-o", large, "--quiet")
        # 11 MB less than with all bodies, since searches have peaks of their own; equal peaks differ by less than 1 MB.
        LESS = 6e6
        apart, together = [], []
        while len(apart) < 5 and not (apart and min(apart) + LESS < max(together)):
            apart.append(peak(mpi, own, large, []))
            together.append(peak(mpi, own, large, ["--follow", "0"]))
        check(min(apart) + LESS < max(together), f"{mpi.name}: rank 0 does not have all bodies of a snapshot", (apart, together))


with folder() as top:
    files = {name: os.path.join(top, f"{name}.hdf5") for name in ("stars", "galaxy", "packed", "nosoft")}
    files |= {"csv": os.path.join(top, "stars.csv"), "tipsy": os.path.join(top, "stars.tipsy"), "pieces": os.path.join(top, "parts", "snapshot_0001.0.hdf5")}
    run("model", "plummer", "-n", "3000", "--softening", "0.05", "-o", files["csv"], "--quiet")
    run("convert", files["csv"], files["tipsy"], "--quiet")
    if run("convert", files["csv"], files["stars"], "--quiet", code=None).returncode == 3:
        skip("snapshots that ranks read", "HDF5 is not in this build")
        finish()
    files |= {name: os.path.join(top, name) for name in ("gadget1", "gadget2")}
    write_gadget(files["csv"], files["gadget1"], False, "<", "f", 1)
    write_gadget(files["csv"], files["gadget2"], True, ">", "d", 3)
    run("convert", files["csv"], files["packed"], "--compress", "--quiet")
    run("model", "galaxy", "-n", "3000", "-o", files["galaxy"], "--quiet")
    with open(files["csv"], encoding="utf-8") as file, open(os.path.join(top, "nosoft.csv"), "w", encoding="utf-8") as bare:
        bare.writelines(line for line in file if not line.startswith("#"))
    run("convert", os.path.join(top, "nosoft.csv"), files["nosoft"], "--quiet")
    run("run", files["galaxy"], *RUN, "--pieces", "--ranks", "3", "--output", os.path.join(top, "parts"))
    same_bits(top, files)
    universe(top)
    plans(files)
    opens(top, files)
    errors(top, files)
    repeated(top, files)
    processes(top, files)
finish()
