#!/usr/bin/env python3
# --collisions merge: bodies that touch become one, in all integrators of the CPU, with the energy in events.csv and the same events
# after SIGKILL; radii of stars without radii; what is refused.
import math
import os
import shutil
import signal
import subprocess

from tap import KYOHO, check, finish, folder, run, wait_for

place = folder()
path, text, table, write = place.path, place.text, place.table, place.write_bodies


def events(name):
    return table(name + "/events.csv")


def last(name):
    return text(place.convert(name))


def near(value, wanted, part):
    return abs(float(value) / wanted - 1) < part


# Masses 3 and 1 at the apocentre of an orbit with e = 0.99 and the distance 1, with radii 0.06 and 0.04; a body without mass that
# touches the first one from the start; and a third mass far away.
pair = [(7, 3.0, -0.25, 0.0, 0.0, 0.0, -0.05, 0.0, 0.06), (5, 1.0, 0.75, 0.0, 0.0, 0.0, 0.15, 0.0, 0.04),
        (9, 0.0, -0.25, 0.01, 0.0, 0.0, -0.05, 0.0, 0.001), (3, 1e-9, 0.0, 900.0, 0.0, 0.05, 0.0, 0.0, 0.1)]
write("pair.csv", pair)
axis = 1 / (2 - 0.2**2 / 4)  # G M = 4, relative velocity 0.2
e = 1 / axis - 1
at = math.acos((1 - 0.1 / axis) / e)  # eccentric anomaly of the contact
contact = (math.pi - at + e * math.sin(at)) * math.sqrt(axis**3 / 4)
for name, words, late in (("leapfrog", ["--step", "0.0001220703125", "--precision", "double", "--force", "direct"], 2.5e-4),
                          ("block", ["--step-max", "0.00048828125", "--step-length", "0.0001", "--precision", "double", "--force", "direct"], 2e-3),
                          ("hermite4", ["--step-max", "0.00048828125"], 1e-3), ("few", ["--step", "0.0625"], 1e-7)):
    run("run", path("pair.csv"), "--integrator", name, *words, "--softening", "0", "--end", "0.5625", "--energy-every", "0.0625", "--collisions", "merge", "--output",
        path(name), "--quiet")
    first, second = (events(name) + [{}, {}])[:2]
    rows = table(name + "/energy.csv")
    check(len(events(name)) == 2 and (first["time"], first["event"], first["id"], first["other"], first["energy"]) == ("0", "merger", "7", "9", "0")
          and (second["id"], second["other"], second["mass"], second["other_mass"]) == ("7", "5", "3", "1"), f"{name}: two mergers", events(name))
    check(0 <= float(second["time"]) - contact < late if late > 1e-6 else near(second["time"], contact, late),
          f"{name}: the second one at the contact, or at the end of its step", second["time"] + f" {contact!r}")
    radius = (0.06**3 + 0.001**3 + 0.04**3)**(1 / 3)
    r = float(second["distance"])
    speed = math.sqrt(4 * (2 / r - 1 / axis))
    check(near(second["radius"], radius, 1e-9) and near(second["speed"], speed, 1e-4) and near(second["energy"], 3 / r - 0.375 * speed**2, 1e-3)
          and (name != "few" or near(r, 0.1, 1e-4)), f"{name}: radius, speed and energy of the merger", second)
    check(rows[0]["bodies"] == "3" and rows[-1]["bodies"] == "2" and abs(float(rows[-1]["energy"])) < 1e-7
          and abs(float(rows[0]["energy"]) + float(second["energy"]) - float(rows[-1]["energy"])) < 2e-3, f"{name}: the energy is booked", rows[-1])
    body = [row for row in table(place.convert(name)) if row["id"] == "7"][0]
    check(float(body["mass"]) == 4 and all(abs(float(body[c])) < (1e-4 if name == "block" else 1e-6) for c in ("x", "y", "z", "vx", "vy", "vz")),
          f"{name}: the body rests at the centre of mass", body)  # steps of their own do not conserve it

# from rest, straight into each other, with a third body that falls straight in from afar
write("fall.csv", [(7, 3.0, -0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.06), (5, 1.0, 0.75, 0.0, 0.0, 0.0, 0.0, 0.0, 0.04),
                   (3, 1e-9, 0.0, 900.0, 0.0, 0.0, 0.0, 0.0, 0.1)])
run("run", path("fall.csv"), "--integrator", "few", "--step", "0.125", "--softening", "0", "--end", "0.625", "--collisions", "merge", "--output",
    path("fall"), "--quiet", timeout=60)
at = math.acos(2 * 0.1 - 1)  # r = (1 + cos)/2
fall = events("fall")
check(len(fall) == 1 and near(fall[0]["time"], math.sqrt(1 / 32) * (at + math.sin(at)), 1e-9) and near(fall[0]["energy"], 3, 1e-9)
      and near(fall[0]["speed"], math.sqrt(72), 1e-9), "few: a straight fall ends at the contact", fall)

# a cold cluster with many mergers: the energy error stays small, masses and momenta stay, and a killed run goes on with the same bits
cloud = ["--model", "uniform-sphere", "-n", "60", "--seed", "4", "--mass-function", "kroupa", "--softening", "0", "--integrator", "hermite4",
         "--collisions", "merge", "--body-radius", "0.02", "--end", "1.25", "--step-max", "0.001953125", "--every", "0.125", "--quiet"]
run("run", *cloud, "--output", path("cloud"))
rows = table("cloud/energy.csv")
check(len(events("cloud")) >= 5 and int(rows[-1]["bodies"]) == int(rows[0]["bodies"]) - len([e for e in events("cloud") if float(e["time"]) > 0])
      and near(rows[-1]["mass"], 1, 1e-13), "each event takes one body, and no mass", len(events("cloud")))
check(abs(float(rows[-1]["de"])) < 1e-4 and all(abs(float(rows[-1]["momentum_" + c])) < 1e-10 for c in "xyz"),
      "the error of the energy stays small through mergers", rows[-1])
check(all(e["radius"] == "" for e in events("cloud")), "with --body-radius bodies have no radii of their own", events("cloud")[0])
killed = subprocess.Popen([KYOHO, "run", *cloud, "--restart-every", "0.001", "--output", path("killed")], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
wait_for(lambda: os.path.exists(path("killed/events.csv")) and len(events("killed")) > 2 or killed.poll() is not None, "a third merger")
killed.send_signal(signal.SIGKILL)
killed.wait(timeout=60)
run("run", "--resume", path("killed"), "--quiet")
check(text("killed/events.csv") == text("cloud/events.csv") and last("killed") == last("cloud"), "a run after SIGKILL has the same events and bits")
run("run", *cloud, "--max-wall", "0.01", "--output", path("parts"), code=None)
with open(path("parts/events.csv"), "a") as file:  # as after a run that went on and was killed
    file.write("9,merger,1,2\n")
run("run", "--resume", path("parts"), "--quiet")
check(text("parts/events.csv") == text("cloud/events.csv"), "rows after the restart file are written again")
said = run("verify", path("cloud")).stdout
check("the same bits" in said, "kyoho verify repeats the mergers", said)

# half of the systems are pairs, and many of these touch at their pericentres
pairs = ["--model", "plummer", "-n", "100", "--seed", "2", "--binaries", "0.5", "--binary-periods", "sana", "--units", "cluster", "--radius", "0.3",
         "--integrator", "hermite4", "--groups", "--collisions", "merge", "--body-radius", "8e-7", "--steps", "8", "--every", "0", "--quiet"]
run("run", *pairs, "--output", path("pairs"))
rows = table("pairs/energy.csv")
later = [e for e in events("pairs") if float(e["time"]) > 0]
check(len(events("pairs")) > 10 and later and all(abs(int(e["id"]) - int(e["other"])) == 1 for e in events("pairs"))
      and int(rows[-1]["bodies"]) == 100 - len(events("pairs")) and abs(float(rows[-1]["de"])) < 1e-8, "primordial pairs merge in groups", rows[-1])

# radii of stars: of the main sequence where there are none, and again after a merger
sun = [(1, 1.0, -1e-5, 0.0, 0.0, 0.0, 0.0, 0.0), (2, 0.5, 1e-5, 0.0, 0.0, 0.0, 0.0, 0.0)]
write("stars.csv", sun)
star = ["--units", "cluster", "--softening", "0", "--integrator", "few", "--step", "1e-4", "--steps", "10", "--quiet"]
run("run", path("stars.csv"), *star, "--collisions", "merge", "--output", path("stars"))
stars = events("stars")
solar = 6.957e10 / 3.085678e18
m = 1.5
tout = ((1.715359 * m**2.5 + 6.597788 * m**6.5 + 10.08855 * m**11 + 1.012495 * m**19 + 0.07490166 * m**19.5)
        / (0.01077422 + 3.082234 * m**2 + 17.84778 * m**8.5 + m**18.5 + 0.00022582 * m**19.5))
check(len(stars) == 1 and near(stars[0]["distance"], (0.88824945 + 0.45875776) * solar, 1e-3) and near(stars[0]["radius"], tout * solar, 1e-6),
      "stars without radii have those of Tout et al. (1996)", stars)
said = run("run", path("stars.csv"), *star, "--collisions", "stop", "--output", path("stopped"), code=6).stderr
check("a collision of bodies 1 and 2" in said and not os.path.exists(path("stopped/events.csv")), "--collisions stop stops there", said)
run("run", path("stars.csv"), *star, "--collisions", "merge", "--body-radius", "1e-9", "--output", path("given"))
check(near(events("given")[0]["distance"], 2e-9, 1e-3) if events("given") else False, "--body-radius has precedence", events("given"))
shutil.copy(path("stars.csv"), path("same.csv"))

# nothing to merge, and one body
write("one.csv", pair[:1])
run("run", path("one.csv"), "--softening", "0", "--step", "0.5", "--steps", "2", "--collisions", "merge", "--output", path("one"), "--quiet")
check(text("one/events.csv") == "time,event,id,other,mass,other_mass,radius,distance,speed,energy,x,y,z,vx,vy,vz\n", "one body: a table without rows")
write("heap.csv", [(k, 1.0, 0.01 * k, 0.0, 0.0, 0.1 * k, 0.0, 0.0, 0.02) for k in range(9)])
run("run", path("heap.csv"), "--softening", "0", "--integrator", "hermite4", "--step-max", "0.5", "--end", "1", "--collisions", "merge", "--output",
    path("heap"), "--quiet")
heap = table("heap/energy.csv")
check(len(events("heap")) == 8 and heap[0]["bodies"] == heap[-1]["bodies"] == "1" and near(heap[-1]["momentum_x"], 3.6, 1e-14)
      and all(e["time"] == "0" for e in events("heap")), "bodies in a heap become one before the first step", events("heap"))
write("row.csv", [(1, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1), (2, 1.0, 0.15, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1), (3, 1.0, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.1)])
run("run", path("row.csv"), "--softening", "0.1", "--step", "0.5", "--steps", "1", "--collisions", "merge", "--output", path("row"), "--quiet")
check([(e["id"], e["other"]) for e in events("row")] == [("2", "3"), ("2", "1")], "of two contacts the nearer one is first, and the new body may touch the third", events("row"))
# ranks: which divide the bodies (leap-frog) or have all of them (hermite4); resumed with another number of them; radii of stars
for name, words in (("divided", ["--model", "uniform-sphere", "-n", "1000", "--seed", "4", "--softening", "0.01", "--integrator", "leapfrog", "--force", "tree",
                                 "--body-radius", "0.015", "--step", "0.015625", "--every", "0.625"]),
                    ("copied", ["--model", "uniform-sphere", "-n", "60", "--seed", "4", "--mass-function", "kroupa", "--softening", "0", "--integrator", "hermite4",
                                "--body-radius", "0.02", "--step-max", "0.00390625", "--every", "0.625"])):
    words = [*words, "--collisions", "merge", "--quiet"]
    run("run", *words, "--end", "1.25", "--output", path(name))
    run("run", *words, "--end", "0.625", "--ranks", "2", "--output", path(name + "-ranks"))
    run("run", "--resume", path(name + "-ranks"), "--end", "1.25", "--ranks", "3", "--quiet")
    ends = [table(place.convert(one)) for one in (name, name + "-ranks")]
    check(len(events(name)) > 3 and text(name + "-ranks/events.csv") == text(name + "/events.csv") and ends[0] == ends[1],
          f"{name}: 2 and 3 ranks have the mergers and bits of one", [len(events(name)), len(events(name + "-ranks"))])
ranks = []
for count in "1", "2":
    run("run", "--model", "uniform-sphere", "-n", "500", "--units", "cluster", "--mass-function", "kroupa", "--radius", "1e-6pc", "--softening", "1e-7", "--step", "1e-12",
        "--steps", "1", "--collisions", "merge", "--ranks", count, "--output", path("radii" + count), "--quiet")
    ranks.append(text("radii" + count + "/events.csv"))
check(ranks[0] == ranks[1] and ranks[0].count("merger") > 1, "two ranks give stars the radii of the main sequence", ranks[0])
for words, why in ((["--engine", "cuda"], "not available on devices"),
                   (["--engine", "opencl"], "not available on devices"), (["--box", "2000"], "in open space")):
    said = run("run", path("pair.csv"), "--softening", "0", "--step", "0.5", "--steps", "1", "--collisions", "merge", *words, "--output", path("none"), code=None)
    check(said.returncode and why in said.stderr and not os.path.exists(path("none")), f"refused with {words[0]} {words[1]}", said.stderr)
said = run("run", path("same.csv"), "--softening", "0", "--step", "0.5", "--steps", "1", "--collisions", "merge", "--output", path("none"), code=2).stderr
check("--collisions needs radii" in said and "--units" in said, "bodies without radii and without units are refused", said)
finish()
