#!/usr/bin/env python3
# The page of the view in a browser: what it shows, and what its buttons, the mouse and the keys do.
import http.server
import json
import math
import os
import signal
import threading

import chromium
from tap import check, finish, folder, run, skip
from viewing import View

FACTS = "element('facts').textContent"
# Pixels of the picture, and a number that tells pictures apart.
PRINT = """(() => { draw(); const p = new Uint8Array(4 * card.width * card.height); gl.readPixels(0, 0, card.width, card.height, gl.RGBA,
    gl.UNSIGNED_BYTE, p); let h = 0; for (let k = 0; k < p.length; k++) h = (31 * h + p[k]) | 0; return h; })()"""


def text_of(page):
    return json.loads(page.value("JSON.stringify(view.text)"))


def rows_of(where):
    """time, energy and de of the rows of energy.csv."""
    with open(os.path.join(where, "energy.csv"), encoding="utf-8") as file:
        names, *rows = [line.split(",") for line in file.read().splitlines() if line[0] != "#"]
    return [[float(row[names.index(name)]) for name in ("time", "energy", "de")] for row in rows]


def picture(page, kind, colour="one"):
    """Shows the bodies so; returns lit pixels and the print of the picture."""
    page.value(f"element('show').value = '{kind}'; element('colour').value = '{colour}'")
    return page.value("view.lit()"), page.value(PRINT)


def looks(page):
    """What the page shows of the bodies. The run waits, so that only the looks change."""
    lit, points = picture(page, "points")
    check(2000 < lit < 300000, "bodies are seen as points", lit)
    speed, component, density = picture(page, "points", "speed"), picture(page, "points", "component"), picture(page, "density")
    check(lit == speed[0] and len({points, speed[1], component[1], density[1]}) == 4, "colours by speed and by component differ",
          (points, speed, component, density))
    check(0.3 * lit < density[0] < 2 * lit, "and so does density", (lit, density))
    picture(page, "points")
    page.value("element('bright').value = -3")
    dark = page.value(PRINT)
    page.value("element('bright').value = 0")
    check(dark != points == page.value(PRINT), "brightness changes the picture, and back")
    turn, tilt, extent = page.value("[camera.turn, camera.tilt, camera.extent]")
    page.drag((300, 300), (400, 340))
    page.until(f"camera.turn !== {turn}")
    new = page.value("[camera.turn, camera.tilt]")
    check(math.isclose(new[0], turn - 0.8) and math.isclose(new[1], tilt + 0.32), "dragging turns the bodies", (turn, tilt, new))
    page.drag((300, 300), (400, 300), modifiers=8)  # shift
    page.until("camera.moved[0] !== 0")
    check(math.isclose(math.hypot(*page.value("camera.moved")), 2 * extent * 100 / 600), "with shift it moves them", page.value("camera.moved"))
    page.wheel(-300)
    check(page.until(f"Math.abs(camera.extent / {extent} - 0.5) < 1e-9"), "the wheel enlarges", page.value("camera.extent"))
    page.click("whole")
    check(page.until("camera.moved[0] === 0") and math.isclose(page.value("camera.extent"), extent, rel_tol=0.3), "a button shows the whole again")
    page.click("follow")
    place = page.value("centre().map((x, k) => x + view.text.origin[k])")
    page.value("camera.found = [1, 2, 3]")
    check(page.value("centre().map((x, k) => x + view.text.origin[k])") == place, "without follow the picture stays where it is", place)
    page.click("follow")
    check(page.value("centre()") == [1, 2, 3], "with it it goes along")
    bar = "element('bar').getBoundingClientRect().width * 2 * camera.extent / innerHeight / parseFloat(element('length').textContent)"
    check(page.until(f"Math.abs({bar} - 1) < 0.05"), "the bar has the length that it names", page.value(bar))


def buttons(page, view, where):
    """What the buttons of a run do."""
    page.click("pause")
    check(page.until("view.text.paused && element('pause').disabled"), "a button pauses the run")
    before = text_of(page)
    page.click("step")
    check(page.until(f"view.text.steps === {before['steps'] + 1}") and text_of(page)["paused"], "another makes a step")
    page.click("snapshot")
    check(page.until(f"view.text.snapshots === {before['snapshots'] + 1}"), "another writes a snapshot")
    page.value("ask_energies(true)")
    check(json.loads(page.value("JSON.stringify(view.rows)")) == rows_of(where), "the energies are those of energy.csv", page.value("view.rows.length"))
    shown = text_of(page)
    facts = page.value(FACTS)
    check(all(word in facts for word in (f"{shown['bodies']} bodies", f"step {shown['steps']} of {shown['steps_at_end']}", "steps/s", "left ", "dE/E"))
          and f"{shown['energy_change']:.1e}".replace("e-0", "e-").replace("e+0", "e+") in facts, "the facts have dE/E, the step, the pace and the time left", facts)
    looks(page)
    page.key(".")
    check(page.until(f"view.text.steps === {before['steps'] + 2}"), "a key makes a step")
    page.click("resume")
    check(page.until(f"view.text.steps > {before['steps'] + 4} && !view.text.paused"), "a button goes on")


class Foreign(http.server.BaseHTTPRequestHandler):
    """A page of somebody else."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>foreign</title>")

    def log_message(self, *_):
        pass


def foreign(browser, view):
    """Another page in the same browser cannot read or steer, even if it knows the token."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Foreign)  # the browser may open a connection that it never uses
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.open(f"http://127.0.0.1:{server.server_port}/")
    page.until("document.title === 'foreign'")
    here = f"http://127.0.0.1:{view.port}"
    field = f"{{'X-Kyoho-Token': '{view.token}'}}"
    for what, words in [("read", f"fetch('{here}/frame?from=0', {{headers: {field}}})"),
                        ("stop", f"fetch('{here}/stop', {{method: 'POST', headers: {field}}})"),
                        ("stop blindly", f"fetch('{here}/stop?token={view.token}', {{method: 'POST', mode: 'no-cors'}}).then(r => r.type)")]:
        got = page.value(words + ".then(r => 'ok ' + r, failure => 'failed')")
        check(got in ("failed", "ok opaque"), f"a foreign page cannot {what}", got)
    got = page.value(f"new Promise(done => {{ const f = document.createElement('iframe'); f.onload = () => done('loaded'); f.src = '{view.address}'; "
                     "document.body.append(f); }).then(() => { try { return document.querySelector('iframe').contentDocument ? 'open' : 'shut'; } catch { return 'shut'; } })")
    check(got == "shut", "nor take it into a frame", got)
    server.shutdown()


def of_run(browser, top):
    where = os.path.join(top, "run")
    view = View("run", "--model", "galaxy", "-n", "6000", "--step", "0.01", "--steps", "1000000", "--energy-every", "0.05", "--output", where,
                "--force", "tree", "--view", "--quiet")
    page = browser.open(view.address)
    if not check(page.until("view.frames > 0"), "the page shows the run", page.value("element('message').textContent")):
        return
    buttons(page, view, where)
    other = browser.open(view.address)
    check(other.until("view.frames > 2") and page.until(f"view.frames > {page.value('view.frames')} + 2"), "two pages show it at once")
    other.click("pause")
    check(page.until("view.text.paused"), "and one sees that the other has paused it")
    other.value("for (let k = 0; k < 20; k++) ask('/frame?from=0')")  # and leaves before the answers are there
    other.call("Page.navigate", url="about:blank")
    page.click("resume")
    check(page.until("!view.text.paused"), "the other one goes in the middle of a frame, and this one goes on")
    foreign(browser, view)
    shut = browser.open(view.address.split("?")[0])
    check(shut.until("document.body && document.body.textContent.includes('token')"), "without the token there is no page")
    page.click("stop")
    check(page.until("view.ended && element('message').textContent.includes('stopped early')"), "a button stops the run, and the page says so",
          page.value("element('message').textContent"))
    check(view.end() == 6, "it can be resumed")
    check(page.value("element('stop').disabled"), "then there is nothing to press")
    check(not page.complaints(), "the page has made no errors", page.complaints())


def of_folder(browser, top):
    where = os.path.join(top, "folder")
    run("run", "--model", "plummer", "-n", "500", "--step", "0.0625", "--end", "1", "--every", "0.125", "--output", where, "--quiet")
    view = View("view", where)
    page = browser.open(view.address)
    check(page.until("view.frames === 1") and page.value("view.lit()") > 500, "the page shows the first snapshot")
    check(page.value("element('of-run').hidden && element('colour').options[2].disabled"), "without the buttons of a run")
    rows = rows_of(where)
    check(page.until(f"view.rows.length === {len(rows)}") and json.loads(page.value("JSON.stringify(view.rows)")) == rows, "with the energies of the run")
    page.click("forward")
    check(page.until("view.text.number === 2 && element('facts').textContent.includes('snapshot 2 of 9')"), "a button shows the next one", page.value(FACTS))
    page.key("ArrowLeft")
    check(page.until("view.text.number === 1"), "a key the one before")
    page.value("element('which').value = 7; element('which').oninput()")
    check(page.until("view.text.number === 7 && view.text.time === 0.75"), "the slider any of them", page.value(FACTS))
    page.click("play")
    check(page.until("view.text.number === 9 && !folder.plays"), "play goes on to the last one", page.value(FACTS))
    check(not page.complaints(), "the page has made no errors", page.complaints())
    view.end(signal.SIGINT)
    page.value("folder.go(3)")
    check(page.until("element('message').textContent.includes('has ended')"), "and says when the program has ended")


if not chromium.find():
    skip("the page in a browser", "chromium is not installed")
else:
    with folder() as place, chromium.Browser() as made:
        of_run(made, place)
        of_folder(made, place)
finish()
