#!/usr/bin/env python3
# Ranks that are processes of MPI: which library is opened, what ranks tell each other, the bits of a run, and who prints what.
import json
import os
import re
import shutil
import time

import mpis
from tap import check, finish, folder, skip

# So many bodies that several ranks have some: cells of up to 4,096 are not divided.
RUN = ["run", "--model", "plummer", "-n", "9000", "--seed", "2", "--softening", "0.05", "--force", "tree", "--step", "0.0078125", "--steps", "8",
       "--every", "0.03125", "--engine", "cpu"]
BOX = ["run", "--model", "cosmic-box", "-n", "8000", "--seed", "2", "--step", "0.25", "--engine", "cpu"]
SHORT = ["run", "--model", "plummer", "-n", "300", "--seed", "2", "--steps", "1", "--engine", "cpu"]
ALL = "KYOHO_TEST_ALL" in os.environ


def told(mpi):
    """The helper tells numbers from every rank to every rank, and compares."""
    for size in (1, 2, 4) if ALL else (3,):
        done = mpi.run(size, mpi.ranks)
        lines = sorted(done.stdout.splitlines())
        rows = [re.match(r"rank (\d+) of (\d+), (\d+) of (\d+) here, by (?:threads|(?:Open MPI|MPICH) \d[\w.]*)$", line) for line in lines]
        check(done.returncode == 0 and all(rows) and [int(row[1]) for row in rows] == list(range(size)) and
              {int(row[2]) for row in rows} == {size} and sorted(int(row[3]) for row in rows) == list(range(size)),
              f"{mpi.name}: {size} ranks tell each other their numbers", done.stdout + done.stderr)
    begin = time.monotonic()
    done = mpi.run(3, mpi.ranks, "fail")
    check(done.returncode == 5 and done.stderr.count("the card of rank 2 is gone") == 1 and f"rank 2 on {os.uname().nodename}: " in done.stderr and time.monotonic() - begin < 20,
          f"{mpi.name}: a rank that fails ends the others with its text and code", (done.returncode, done.stdout, done.stderr))


def function(mpi):
    """A field that is a function of a program, of which rank 0 alone has the numbers."""
    alone, done = mpis.run(mpi.ranks, "field", "cpu"), mpi.run(3, mpi.ranks, "field", "cpu")
    check(alone.returncode == 0 and len(alone.stdout.split()) == 3 and (done.returncode, done.stdout) == (0, alone.stdout),
          f"{mpi.name}: three ranks have a program's function as a field, bit for bit", (alone.stdout, alone.stderr, done.stdout, done.stderr))


def searches(mpi):
    """Groups of bodies that several ranks have, lists of neighbours and densities."""
    engines = ["cpu", *(["opencl"] if ALL and "opencl:" in mpis.run(mpi.kyoho, "devices").stdout else [])]
    for engine in engines:
        alone = mpis.run(mpi.ranks, "searches", engine)
        found = re.match(r"groups (\d+) largest (\d+) members (\d+) ", alone.stdout)
        check(alone.returncode == 0 and found and int(found[1]) > 10 and 1000 < int(found[2]) < int(found[3]) < 5000,
              f"{mpi.name}: a large group and small ones are there for {engine}", alone.stdout + alone.stderr)
        for size in (2, 4, 8) if ALL and engine == "cpu" else (3,):
            done = mpi.run(size, mpi.ranks, "searches", engine)
            check((done.returncode, done.stdout) == (0, alone.stdout), f"{mpi.name}: {size} ranks find groups, neighbours and densities as one does on {engine}",
                  (alone.stdout, done.stdout, done.stderr))


def energies(output):
    """The rows of energy.csv without the seconds."""
    with open(os.path.join(output, "energy.csv"), encoding="utf-8") as file:
        lines = [line.split(",") for line in file if not line.startswith("#")]
    wall = [k for k, name in enumerate(lines[0]) if "seconds" in name or "wall" in name]
    return [[word for k, word in enumerate(line) if k not in wall] for line in lines]


def same_bits(mpi, place, one):
    for size in ((2, 4) if mpi.abi else (2, 4, 8)) if ALL else (4,):
        output = os.path.join(place, f"of{size}")
        done = mpi.run(size, mpi.kyoho, *RUN, "--output", output)
        if not check(done.returncode == 0, f"{mpi.name}: {size} ranks run", done.stdout + done.stderr):
            continue
        check(mpis.snapshots(output) == one["snapshots"], f"{mpi.name}: {size} ranks write the snapshots of one engine, bit for bit")
        check(energies(output) == one["energies"], f"{mpi.name}: {size} ranks have the energies of threads as ranks, bit for bit")
        check(done.stdout.count("the results are in") == 1, f"{mpi.name}: one of {size} ranks prints", done.stdout)
        with open(os.path.join(output, "run.log"), encoding="utf-8") as file:
            log = file.read()
        check(re.search(rf"{size} ranks by {'Open MPI' if mpi.is_open_mpi else 'MPICH'} \d[\w.]*, \d+ threads? each: each has a part of the bodies$", log, re.M),
              f"{mpi.name}: run.log tells the ranks and their threads", log)


def changed(**values):
    """The words of RUN with other values of options."""
    values = {("-" if len(name) == 1 else "--") + name: value for name, value in values.items()}
    return [values.get(before, word) for before, word in zip(["", *RUN], RUN)]


def in_two(mpi, place, what, words):
    """A run in two processes and on one engine."""
    states = []
    for where, call in (("alone", mpis.run), ("in-two", lambda *given: mpi.run(2, *given))):
        output = os.path.join(place, f"{where}-{what.replace(' ', '-')}")
        done = call(mpi.kyoho, *words, "--output", output)
        states.append((done.returncode, done.returncode or mpis.snapshots(output)))
    check(states[0] == states[1] and states[0][0] == 0, f"{mpi.name}: {what} of two ranks have the bits of one engine", done.stderr)
    check("each has a part of the bodies" in done.stdout + done.stderr, f"{mpi.name}: which divide the bodies for {what}", done.stdout + done.stderr)


def looks(mpi, place):
    """What is looked for between steps: the core, and pairs that end the run."""
    states = []
    for where, call in (("looks-1", mpis.run), ("looks-2", lambda *given: mpi.run(2, *given))):
        output = os.path.join(place, where)
        done = call(mpi.kyoho, *RUN, "--core", "--stop-pair", "0.004", "--output", output)
        stop = [line.replace(output, "") for line in done.stderr.splitlines() if line.startswith("kyoho run: stopped by the pair of bodies")]
        states.append((done.returncode, stop, energies(output), mpis.snapshots(output)))
    names, first = states[0][2][:2]
    check(states[0] == states[1] and len(states[0][1]) == 1 and float(first[names.index("core_radius")]) > 0,
          f"{mpi.name}: two ranks find the core and a pair as one engine, bit for bit", [state[:3] for state in states])


def on_devices(mpi, place):
    """Two processes with a device each. Exact sums and Hermite steps, of enough bodies that they share the work, have all bodies there."""
    words = ["run", "--model", "plummer", "-n", "10050", "--seed", "2", "--softening", "0.05", "--step", "0.0078125", "--steps", "1", "--engine", "opencl", "--quiet"]
    if "opencl:" not in mpis.run(mpi.kyoho, "devices").stdout:
        skip(f"{mpi.name}: ranks with devices", "no OpenCL device")
        return
    hermite = [(["--integrator", "hermite4", "--eta", "0.1"], "all bodies")] if ALL else []  # ranks_devices has it for threads
    for more, kind in ((["--force", "direct"], "all bodies"), *hermite, (["--force", "tree"], "a part of the bodies")):
        states = []
        for where, call in (("device-1", mpis.run), ("device-2", lambda *given: mpi.run(2, *given))):
            output = os.path.join(place, where)
            done = call(mpi.kyoho, *words, *more, "--output", output, "--overwrite")
            states.append((done.returncode, done.returncode or mpis.snapshots(output)))
        check(states[0] == states[1] and states[0][0] == 0, f"{mpi.name}: {' '.join(more)} of two ranks with devices has the bits of one device", done.stderr)
        with open(os.path.join(place, "device-2", "run.log"), encoding="utf-8") as file:
            check(re.search(rf"2 ranks by .* on opencl:.* {kind}", file.read()), f"{mpi.name}: {' '.join(more)}: each has {kind} on its device")


def threads_of(mpi, place, **values):
    """The threads that each of two ranks has, as the log says; and what is printed."""
    words = values.pop("words", [])
    done = mpi.run(2, mpi.kyoho, *SHORT, "--output", os.path.join(place, "threads"), "--overwrite", *words, **values)
    found = re.search(r"2 ranks by .*, (\d+) threads? each", done.stdout + done.stderr)
    return int(found[1]) if found else (done.returncode, done.stdout + done.stderr)


def threads(mpi, place):
    check(threads_of(mpi, place, words=["--threads", "3"]) == 3, f"{mpi.name}: --threads is each rank's")
    check(threads_of(mpi, place, OMP_NUM_THREADS="5") == 5, f"{mpi.name}: OMP_NUM_THREADS is each rank's")
    cores = len(os.sched_getaffinity(0))
    each = threads_of(mpi, place)
    check(isinstance(each, int) and 1 <= each <= max(1, cores // 2), f"{mpi.name}: else ranks share the processors", each)


def one_line(done, code, text, name, prefix="kyoho run: "):
    """Exactly one line of ours on standard error, with this text; the launcher has lines of its own."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("kyoho")]
    check(done.returncode == code and len(lines) == 1 and lines[0].startswith(prefix) and text in lines[0], name, (done.returncode, done.stderr))


def refusals(mpi, place):
    """Calls that ranks do not share. Half of a second each, most of it the launcher's: `check` takes one of each kind."""
    output = ["--output", os.path.join(place, "refused")]
    for words in (["--version"], *([["--help"], ["help", "run"], ["run", "--help"], ["devices", "--help"]] if ALL else [["run", "--help"]])):
        alone, done = mpis.run(mpi.kyoho, *words), mpi.run(2, mpi.kyoho, *words)
        said, wanted = ([line for line in text.splitlines() if not line.startswith("MPI: ")] for text in (done.stdout, alone.stdout))  # the library depends on the launcher
        check(done.returncode == 0 and said == wanted and len(alone.stdout) > 40, f"{mpi.name}: {' '.join(words)} is printed once", done.stdout)
    one_line(mpi.run(2, mpi.kyoho, "devices"), 2, "start it without the launcher", f"{mpi.name}: devices is refused by one line", "kyoho devices: ")
    done = mpi.run(2, mpi.kyoho, "info", "x", "--json")
    check(done.returncode == 2 and json.loads(done.stdout)["code"] == 2, f"{mpi.name}: with --json by one object too", done.stdout)
    one_line(mpi.run(2, mpi.kyoho, *SHORT, *output, "--nonsense"), 2, "--nonsense", f"{mpi.name}: so is an unknown option")
    if ALL:
        one_line(mpi.run(2, mpi.kyoho, "nonsense"), 2, "unknown command", f"{mpi.name}: and an unknown command", "kyoho: ")
        refused_runs(mpi, place, output)
    one_line(mpi.run(2, mpi.kyoho, *SHORT, *output, "--force", "fmm", "--mutual"), 3, "mutual", f"{mpi.name}: and what ranks cannot do")
    check(not os.path.exists(output[1]), f"{mpi.name}: no refused run has left a folder")
    done = mpi.run(2, mpi.kyoho, *SHORT, *output, "--dry-run")
    check(done.returncode == 0 and done.stdout.count("memory:") == 1, f"{mpi.name}: --dry-run prints one plan", done.stdout + done.stderr)


def refused_runs(mpi, place, output):
    one_line(mpi.run(2, mpi.kyoho, *SHORT, *output, "--ranks", "2"), 2, "leave out --ranks", f"{mpi.name}: and --ranks")
    ini = os.path.join(place, "ranks.ini")
    with open(ini, "w", encoding="utf-8") as file:
        file.write("[engine]\nranks = 2\n")
    one_line(mpi.run(2, mpi.kyoho, SHORT[0], ini, *SHORT[1:], *output), 2, "leave out `ranks` in the parameter file", f"{mpi.name}: and ranks of a parameter file")
    one_line(mpi.run(2, mpi.kyoho, "run", "-", "--softening", "0.1", *output), 3, "give a file", f"{mpi.name}: and standard input, which launchers cut off or leave without an end")
    one_line(mpi.run(3, mpi.kyoho, *SHORT, *output, "--force", "list"), 3, "force list is for devices", f"{mpi.name}: and what no rank's engine can do")
    one_line(mpi.run(3, mpi.kyoho, *SHORT, *output, "--isa", "neon" if os.uname().machine == "x86_64" else "avx2"), 3, "use --isa", f"{mpi.name}: and processors that no rank has")


def other_libraries(mpi, place):
    """Machines without the library, and a launcher of another MPI."""
    words = [mpi.kyoho, *SHORT, "--output", os.path.join(place, "refused"), "--overwrite"]
    one_line(mpi.run(2, *mpis.without("libmpi", *words)), 3, "no MPI library is found", f"{mpi.name}: where it has no library a line says so")
    # rank 1 as on another machine
    local = "OMPI_COMM_WORLD_LOCAL_RANK=0" if mpi.is_open_mpi else "MPI_LOCALRANKID=0"
    done = mpis.run(*mpi.words(1, *words), ":", "-n", "1", *mpis.without("libmpi", local, *words))
    lines = [line for line in done.stderr.splitlines() if line.startswith("kyoho")]
    check(done.returncode == 3 and len(lines) == 1 and "no MPI library is found" in lines[0] and os.uname().nodename in lines[0],
          f"{mpi.name}: the library is missing on one machine of two: it says so", (done.returncode, done.stderr))
    done = mpi.run(1, *mpis.without("libmpi", *words))
    check(done.returncode == 0, f"{mpi.name}: one process needs none", done.stderr)


def mixed(found, place):
    """The mpiexec of one MPI, and a program that has loaded the library of another one."""
    for mpi, other in ((mpi, other) for mpi in found for other in found if mpi.is_open_mpi != other.is_open_mpi):
        done = mpi.run(3, "env", f"LD_PRELOAD={other.library()[0]}", mpi.kyoho, *SHORT, "--output", os.path.join(place, "refused"), "--overwrite")
        one_line(done, 3, f"is {other.library()[1]}, not Open MPI" if mpi.is_open_mpi else "belongs to another MPI", f"{mpi.name} starts a program for {other.name}: one line says so")


def listed(mpi):
    """--version and devices tell the library that a launcher's program would open."""
    file, name = mpi.library()
    check(name.startswith("Open MPI " if mpi.is_open_mpi else "MPICH ") and "libmpi" in file and bool(mpi.abi) == ("_abi" in file), f"{mpi.name}: the right library is found", (file, name))
    lines = [mpi.run(1, mpi.kyoho, word).stdout.splitlines()[-1] for word in ("--version", "devices")]
    check(lines[0] == lines[1] and lines[0].startswith(f"MPI: {name} ({file})"), f"{mpi.name}: --version and devices name it", lines)


def without_a_launcher(place):
    done = mpis.run(mpis.RANKS)
    check(done.returncode == 0 and done.stdout == "rank 0 of 1, 0 of 1 here, by threads\n", "without a launcher it is a world of one", done.stderr)
    for words, code in ((["devices"], 2), (["nonsense"], 2), ([], 2), (["--version"], 0)):
        # A launcher ends all ranks when one has ended with an error: the one that prints is the one that has the code.
        done = [mpis.run(mpis.KYOHO, *words, OMPI_COMM_WORLD_RANK=rank, OMPI_COMM_WORLD_SIZE="2") for rank in "01"]
        check([(process.returncode, len(process.stdout + process.stderr) > 0) for process in done] == [(code, True), (0, False)],
              f"kyoho {' '.join(words)}: rank 0 alone prints, and has the exit code", [(process.returncode, process.stdout, process.stderr) for process in done])
    done = mpis.run(mpis.KYOHO, *SHORT, "--output", os.path.join(place, "y"), SLURM_PROCID="1", SLURM_NTASKS="4")
    check(done.returncode == 0, "SLURM's variables alone are those of a job, not of MPI", done.stderr)
    if not os.path.exists(mpis.HIDDEN):
        skip("a machine without an MPI library", "no " + mpis.HIDDEN)
        return
    alone = mpis.without("libmpi", mpis.KYOHO)
    run = [*alone, *SHORT, "--output", os.path.join(place, "x")]
    for variables in ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}, {"PMIX_RANK": "0", "SLURM_NTASKS": "4"}, {"PMIX_RANK": "0"}):
        one_line(mpis.run(*run, **variables), 3, f"({next(iter(variables))} is set), and no MPI library is found", f"{' '.join(variables)} without a library: a line says so")
    done = mpis.run(*run, PMIX_RANK="1", SLURM_NTASKS="4")
    check(done.returncode == 3 and not done.stderr, "the other ranks are silent", done.stderr)
    for rank, first in (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"), ("PMI_RANK", "MPI_LOCALRANKID"), ("PMIX_RANK", "SLURM_LOCALID")):
        done = mpis.run(*run, **{rank: "3", first: "0"})
        one_line(done, 3, f"started this program on {os.uname().nodename} ({rank} is set), and no MPI library is found", f"but the first one of another machine ({first}) says so", "kyoho: rank 3: ")
    line = mpis.run(*alone, "--version").stdout.splitlines()[-1]
    check(line.startswith("MPI: no library is found") and json.loads(mpis.run(*alone, "devices", "--json").stdout)["mpi"] == [],
          "--version and devices say that there is no library", line)


# A library that calls itself MPI, with a world of one rank. Without -DKIND it has no known ABI.
FAKE = """#include <stdlib.h>
#include <string.h>
#define CALL(name) int MPI_##name(void); int MPI_##name(void) { return 0; }
CALL(Abort) CALL(Bcast) CALL(Comm_free) CALL(Comm_rank) CALL(Comm_split_type) CALL(Finalize) CALL(Finalized) CALL(Iallgatherv) CALL(Iallreduce)
CALL(Ialltoall) CALL(Ibarrier) CALL(Ibcast) CALL(Irecv) CALL(Isend) CALL(Testall)
#ifndef OLD
CALL(Iallgather)
#endif
#ifdef KIND
int KIND;
#endif
int MPI_Comm_size(unsigned long comm, int *size);
int MPI_Comm_size(unsigned long comm, int *size) { *size = 1; return comm != 0x44000000; }
int MPI_Get_library_version(char *text, int *length);
int MPI_Get_library_version(char *text, int *length) { strcpy(text, "Fake Version:\\tv1.5, of this test"); return *length = 0; }
int MPI_Initialized(int *flag);
int MPI_Initialized(int *flag) { *flag = getenv("FAKE_BEGUN") != NULL; return 0; }
int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given);
int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given) { return argc || argv || wanted != 2 ? 1 : getenv("FAKE_BROKEN") ? 7 : (*given = 2, 0); }
"""


def libraries(place):
    """Libraries of other kinds, of which no launcher is needed."""
    names = {kind: os.path.join(place, kind) for kind in ("junk", "unknown", "old", "mpich", "other")}
    source = os.path.join(place, "fake.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(FAKE)
    for kind, words in (("unknown", []), ("old", ["-DOLD"]), ("mpich", ["-DKIND=MPIR_Dup_fn"])):
        os.mkdir(names[kind])
        done = mpis.run(os.environ.get("CC", "cc").split()[-1], "-w", "-shared", "-fPIC", *words, "-o", os.path.join(names[kind], "libmpi.so.40"), source)
        if not check(done.returncode == 0, f"a library {kind} is made", done.stderr):
            return
    for kind in ("junk", "other"):
        os.mkdir(names[kind])
    shutil.copy(os.path.join(names["mpich"], "libmpi.so.40"), os.path.join(names["mpich"], "libmpi.so.12"))
    shutil.copy(os.path.join(names["mpich"], "libmpi.so.40"), os.path.join(names["other"], "libother.so"))
    with open(os.path.join(names["junk"], "libmpi.so.40"), "wb") as file:
        file.write(b"junk")
    words = [mpis.KYOHO, *SHORT, "--overwrite", "--output", os.path.join(place, "fake")]
    open_mpi, mpich = {"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "3"}, {"PMI_RANK": "0", "PMI_SIZE": "3"}
    for kind, launcher, text in (("junk", open_mpi, "libmpi.so.40 cannot be opened ("), ("unknown", open_mpi, "libmpi.so.40 is Fake 1.5, which has neither the ABI of Open MPI nor"),
                                 ("old", open_mpi, "libmpi.so.40 lacks MPI_Iallgather:"), ("mpich", open_mpi, "libmpi.so.40 is Fake 1.5, not Open MPI"),
                                 ("mpich", mpich, "the launcher has started 3 ranks, of which Fake 1.5 knows 1: it belongs to another MPI")):
        one_line(mpis.run(*words, **launcher, LD_LIBRARY_PATH=names[kind]), 3, text, f"a library {kind} under {next(iter(launcher))} is refused by a line")
    done = mpis.run(*words, **mpich, LD_LIBRARY_PATH=names["mpich"], FAKE_BROKEN="1")
    one_line(done, 1, "MPI cannot be initialised: error 7", "so is MPI that does not begin")
    done = mpis.run(*words, **mpich, LD_LIBRARY_PATH=names["mpich"], FAKE_BROKEN="1", FAKE_BEGUN="1")
    one_line(done, 3, "of which Fake 1.5 knows 1", "MPI that has begun is not begun again")
    # a launcher in a folder of its own, whose process is not the parent but the one before it
    launcher = os.path.join(place, "launch", "bin", "mpiexec")
    for kind in ("mpich", "junk"):
        shutil.rmtree(os.path.join(place, "launch"), ignore_errors=True)
        os.makedirs(os.path.dirname(launcher))
        shutil.copytree(names[kind], os.path.join(place, "launch", "lib64"))
        shutil.copy(shutil.which("sh"), launcher)
        done = mpis.run(launcher, "-c", """sh -c '"$@"; exit $?' sh "$@"; exit $?""", "sh", *words, **open_mpi, LD_LIBRARY_PATH=names["old"])
        one_line(done, 3, os.path.join(place, "launch", "lib64", "libmpi.so.40") + (" is Fake 1.5, not Open MPI" if kind == "mpich" else " cannot be opened"),
                 f"the library {kind} beside the launcher comes before the loader's")
    listed = mpis.run(mpis.KYOHO, "devices", LD_LIBRARY_PATH=names["mpich"], LD_PRELOAD=os.path.join(names["other"], "libother.so")).stdout
    check(listed.splitlines()[-1] == "MPI: Fake 1.5 (this program)", "MPI that the program has loaded under any name is the only one", listed)


with folder() as place:
    without_a_launcher(place)
    libraries(place)
    found, lacking = mpis.find()
    for name, why in lacking.items():
        skip(name, why)
    if found:
        one = os.path.join(place, "one")
        mpis.run(mpis.KYOHO, *RUN, "--output", one, "--quiet")
        by_threads = os.path.join(place, "threads")
        done = mpis.run(mpis.KYOHO, *RUN, "--ranks", "3", "--output", by_threads)
        check("3 ranks by threads, 1 thread each" in done.stderr + done.stdout, "ranks of threads are told too", done.stderr)
        one = {"snapshots": mpis.snapshots(one), "energies": energies(by_threads)}
        check(mpis.snapshots(by_threads) == one["snapshots"] and len(one["snapshots"]) == 3, "threads as ranks write the snapshots of one engine, bit for bit")
    for k, mpi in enumerate(found):
        own = os.path.join(place, str(k))
        os.mkdir(own)
        told(mpi)
        function(mpi)
        searches(mpi)
        listed(mpi)
        same_bits(mpi, own, one)
        in_two(mpi, own, "block steps", [*changed(step="0.03125", steps="2"), "--integrator", "block"])
        in_two(mpi, own, "forces by expansions", changed(force="fmm"))
        in_two(mpi, own, "a comoving box", [*BOX, "--end-z", "30"])
        looks(mpi, own)
        on_devices(mpi, own)
        threads(mpi, own)
        refusals(mpi, own)
        other_libraries(mpi, own)
    mixed([mpi for mpi in found if not mpi.abi], place)
finish()
