#!/usr/bin/env python3
# The page of the view in a browser: what it shows, and what its buttons, the mouse and the keys do; and pictures of the page at three
# sizes beside those in tests/pictures (KYOHO_TEST_PICTURES=write replaces them: look at them).
import base64
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


ROWS = "JSON.stringify(view.rows.map(row => ['time', 'energy', 'de'].map(name => row[view.names.indexOf(name)])))"
MEAN, FAR = 0.5, 0.004
PICTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pictures")
# Of two pictures a quarter as large: the mean difference of a channel, and the part of the pixels where one differs by more than 40.
# Without a stored picture: the small one.
COMPARE = """(async (now, stored) => {
  const read = async data => { const image = new Image(); image.src = 'data:image/png;base64,' + data; await image.decode(); return image; };
  const paper = (image, w, h) => { const made = new OffscreenCanvas(w, h), pen = made.getContext('2d'); pen.imageSmoothingQuality = 'high';
    pen.drawImage(image, 0, 0, w, h); return [made, pen.getImageData(0, 0, w, h).data]; };
  const image = await read(now), [w, h] = [image.width / 4, image.height / 4], [small, a] = paper(image, w, h);
  if (!stored) return [...new Uint8Array(await (await small.convertToBlob()).arrayBuffer())];
  const b = paper(await read(stored), w, h)[1];
  let sum = 0, far = 0;
  for (let k = 0; k < a.length; k += 4) {
    const d = [0, 1, 2].map(c => Math.abs(a[k + c] - b[k + c]));
    sum += d[0] + d[1] + d[2];
    far += Math.max(...d) > 40;
  }
  return [sum / (3 * w * h), far / (w * h)];
})"""


def rows_of(where):
    """time, energy and de of the rows of energy.csv."""
    with open(os.path.join(where, "energy.csv"), encoding="utf-8") as file:
        names, *rows = [line.split(",") for line in file.read().splitlines() if line[0] != "#"]
    return [[float(row[names.index(name)]) for name in ("time", "energy", "de")] for row in rows]


def picture(page, colour):
    """Shows the bodies so; returns lit pixels, those of white, and the print of the picture."""
    page.value(f"element('colour').value = '{colour}'")
    pixels = page.value("view.lit()")
    return pixels["lit"], pixels["burnt"], page.value(PRINT)


def looks(page):
    """What the page shows of the bodies. The run waits, so that only the looks change."""
    kinds = [picture(page, colour) for colour in ("one", "speed", "component", "density")]
    check(all(2000 < lit < 300000 and burnt < 0.01 * lit for lit, burnt, _ in kinds) and len({one for *_, one in kinds}) == 4,
          "bodies are seen in four kinds of colours, and no centre is burnt out", kinds)
    page.value("element('bright').value = -3")
    dark = page.value(PRINT)
    page.value("element('bright').value = 0")
    check(dark != kinds[3][2] == page.value(PRINT), "brightness changes the picture, and back")
    names = page.value("[...document.querySelectorAll('#legend button')].map(button => button.textContent)")
    check(names == ["halo", "disk", "bulge"], "the legend has the components", names)
    lit = picture(page, "component")[0]
    page.click("kind-1")
    check(page.until(f"view.lit().lit < {0.9 * lit}") and page.value("shown.hidden") == 2, "a switch hides one of them", page.value("view.lit()"))
    page.key("1")
    check(page.until(f"view.lit().lit === {lit}"), "and a key shows it again")
    page.click("trails")
    check(page.value("card.past.length > 2 && view.lit().lit") > lit, "bodies have trails", (lit, page.value("view.lit()")))
    page.key("t")
    check(page.until(f"view.lit().lit === {lit}"), "until they are switched off")
    page.key("s")
    check(page.until("view.saved && view.saved.bytes > 5000"), "the picture is saved", page.value("view.saved"))
    page.key("?")
    check(page.until("element('keys').open && element('keys').textContent.includes('full screen')"), "a key lists the keys")
    page.value("element('keys').close()")
    page.key("y")
    turn, tilt, extent = page.value("[camera.turn, camera.tilt, camera.extent]")
    check((turn, tilt) == (0, 0), "a key turns the camera to an axis", (turn, tilt))
    page.drag((300, 300), (400, 340))
    page.until(f"camera.turn !== {turn}")
    new = page.value("[camera.turn, camera.tilt]")
    check(math.isclose(new[0], turn - 0.8) and math.isclose(new[1], tilt + 0.32), "dragging turns the bodies", (turn, tilt, new))
    page.drag((300, 300), (400, 300), modifiers=8)  # shift
    page.until("camera.moved[0] !== 0")
    check(math.isclose(math.hypot(*page.value("camera.moved")), 2 * extent * 100 / 600), "with shift it moves them", page.value("camera.moved"))
    page.wheel(-300)
    check(page.until(f"Math.abs(camera.extent / {extent} - 0.5) < 1e-9"), "the wheel enlarges", page.value("camera.extent"))
    page.key("z")
    page.click("whole")
    check(page.until("camera.moved[0] === 0") and math.isclose(page.value("camera.extent"), extent, rel_tol=0.05), "a button shows the whole again")
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
    page.until("!element('curves').hidden && card.past.length > 3")  # the curves move the buttons; trails need frames
    page.click("pause")
    check(page.until("view.text.paused && element('pause').disabled"), "a button pauses the run")
    before = text_of(page)
    page.click("step")
    check(page.until(f"view.text.steps === {before['steps'] + 1}") and text_of(page)["paused"], "another makes a step")
    page.click("snapshot")
    check(page.until(f"view.text.snapshots === {before['snapshots'] + 1}"), "another writes a snapshot")
    page.value("ask_rows(true)")
    check(json.loads(page.value(ROWS)) == rows_of(where), "the rows are those of energy.csv", page.value("view.rows.length"))
    shown = text_of(page)
    facts = page.value(FACTS)
    check(all(word in facts for word in (f"{shown['bodies']} bodies", f"step {shown['steps']} of {shown['steps_at_end']}", "steps/s", "left ", "dE/E"))
          and f"{shown['energy_change']:.1e}".replace("e-0", "e-").replace("e+0", "e+") in facts, "the facts have dE/E, the step, the pace and the time left", facts)
    looks(page)
    survives(page)
    page.key(".")
    check(page.until(f"view.text.steps === {before['steps'] + 2}"), "a key makes a step")
    page.click("resume")
    check(page.until(f"view.text.steps > {before['steps'] + 4} && !view.text.paused"), "a button goes on")


def survives(page):
    """Camera and settings after a reload."""
    state = "JSON.stringify([camera.turn, camera.tilt, camera.extent, camera.moved, shown, element('colour').value, element('bright').value])"
    page.value("Object.assign(camera, {turn: 0.4, tilt: 0.2, moved: [1, 2, 3]}); shown.hidden = 4; shown.curves[1] = 'kinetic'; "
               "element('colour').value = 'speed'; element('bright').value = 1")
    before = page.value(state)
    page.call("Page.reload")
    check(page.until("view.frames > 0 && camera.turn === 0.4") and page.value(state) == before, "camera and settings survive a reload",
          (before, page.value(state)))
    check(page.until("document.querySelectorAll('#curves select')[1].value === 'kinetic'"), "so does the choice of a curve")
    page.value("toggle_kind(2)")


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
    check(page.until("view.frames === 1") and page.value("view.lit().lit") > 500, "the page shows the first snapshot")
    check(page.value("element('of-run').hidden && element('colour').options[1].disabled"), "without the buttons of a run")
    rows = rows_of(where)
    check(page.until(f"view.rows.length === {len(rows)}") and json.loads(page.value(ROWS)) == rows, "with the rows of the run")
    curve = "document.querySelectorAll('#curves output')[1].textContent"
    page.until("!!document.querySelector('#curves option[value=half_mass_radius]')")
    page.value("(select => { select.value = 'half_mass_radius'; select.oninput(); })(document.querySelectorAll('#curves select')[1])")
    check(0.5 < float(page.value(curve)) < 1, "and the half-mass radius as a curve", page.value(curve))
    page.click("forward")
    check(page.until("view.text.number === 2 && element('facts').textContent.includes('snapshot 2 of 9')"), "a button shows the next one", page.value(FACTS))
    page.key("ArrowLeft")
    check(page.until("view.text.number === 1"), "a key the one before")
    page.value("element('which').value = 7; element('which').oninput()")
    check(page.until("view.text.number === 7 && view.text.time === 0.75"), "the slider any of them", page.value(FACTS))
    page.value("element('speed').value = 30")
    page.click("play")
    check(page.until("view.text.number === 9 && !folder.plays"), "play goes on to the last one", page.value(FACTS))
    page.click("loop")
    page.click("play")
    check(page.until("view.text.number === 9") and page.until("view.text.number === 2 && folder.plays"), "in a loop it begins again", page.value(FACTS))
    page.click("play")
    page.value("folder.go(7)")
    page.until("view.text.number === 7")
    page.call("Page.reload")
    check(page.until("view.frames > 1 && view.text.number === 7"), "a page that is reloaded shows the same snapshot", page.value(FACTS))
    check(not page.complaints(), "the page has made no errors", page.complaints())
    os.kill(view.process.pid, signal.SIGSTOP)
    check(page.until("view.lost && element('message').textContent.includes('cannot be reached')"), "a page notices by itself that the server is silent")
    os.kill(view.process.pid, signal.SIGCONT)
    check(page.until("!view.lost && element('message').hidden"), "and that it is there again", page.value("element('message').textContent"))
    view.end(signal.SIGINT)
    check(page.until("element('message').textContent.includes('has ended')"), "and says when the program has ended")


def of_file(browser, top):
    """One snapshot, and its page at three sizes."""
    where = os.path.join(top, "pair")
    run("run", "--model", "merger", "-n", "8000", "--engine", "cpu", "--step", "0.0625", "--end", "4", "--every", "2", "--output", where, "--quiet")
    name = next(name for name in sorted(os.listdir(where)) if name.startswith("snapshot_0001"))
    view = View("view", os.path.join(where, name))
    page = browser.open(view.address)
    check(page.until("view.frames === 1 && view.text.bodies === 8000 && element('of-folder').hidden && element('curves').hidden"),
          "a file is shown without what only folders have", page.value(FACTS))
    check(page.value("[camera.turn, camera.tilt, element('follow').checked]") == [0, math.pi / 2, False],
          "the camera looks along z at both galaxies", page.value("JSON.stringify(camera)"))
    page.value("view.text.bodies = 1; show_facts()")
    check("1 body" in page.value(FACTS), "one body is not written as a plural", page.value(FACTS))
    check(not page.complaints(), "the page has made no errors", page.complaints())
    view.end(signal.SIGINT)
    view = View("view", where)
    for width, height in ((360, 640), (800, 600), (1920, 1080)):
        page = browser.open(view.address, width, height)
        page.until("view.frames >= 1 && view.rows.length > 0")
        page.value("folder.go(2)")
        page.until("view.text.number === 2")
        page.value("view.text.title = 'pair'; show_facts()")  # in place of a folder of this test
        outside = "[...document.querySelectorAll('body *')].filter(e => { const b = e.getBoundingClientRect(); " \
                  "return b.width && e.checkVisibility() && (b.left < 0 || b.right > innerWidth || b.bottom > innerHeight); }).map(e => e.id || e.tagName)"
        check(page.value(outside) == [], f"at {width} pixels all is in the window", page.value(outside))
        page.value("element('panel').open = element('curves').open = true")
        check(page.value(outside) == [], "also where all is open", page.value(outside))
        page.value(f"element('panel').open = element('curves').open = {str(width > 640).lower()}; document.activeElement.blur()")
        page.value("sleep(300)")
        compare(browser, page, f"view-{width}.png")
    view.end(signal.SIGINT)


def compare(browser, page, name):
    """Compares the page with a stored picture, or writes it."""
    now, path, desk = base64.b64encode(page.picture()).decode(), os.path.join(PICTURES, name), browser.open("about:blank")
    desk.until("!!document.body")
    if os.environ.get("KYOHO_TEST_PICTURES") == "write":
        with open(path, "wb") as file:
            file.write(bytes(desk.value(f"{COMPARE}('{now}')")))
    with open(path, "rb") as file:
        mean, far = desk.value(f"{COMPARE}('{now}', '{base64.b64encode(file.read()).decode()}')")
    check(mean < MEAN and far < FAR, f"the page looks like {name}", f"mean difference {mean}, part of the pixels that differ {far}")


if not chromium.find():
    skip("the page in a browser", "chromium is not installed")
else:
    with folder() as place, chromium.Browser() as made:
        of_run(made, place)
        of_folder(made, place)
        of_file(made, place)
finish()
