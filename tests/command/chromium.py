# Chromium without a window, driven over its DevTools protocol (a WebSocket, RFC 6455) by the standard library alone. Not a test.
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request

# WebGL by the processor (SwiftShader): there is no graphics card. A user who is root needs --no-sandbox.
FLAGS = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run",
         "--disable-extensions", "--disable-dev-shm-usage", "--remote-debugging-port=0"]


def find():
    """The program; None where there is none."""
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome")) if path), None)


class Browser:
    def __init__(self, width=800, height=600):
        self.home = tempfile.mkdtemp(prefix="kyoho-chromium-")
        self.process = subprocess.Popen([find(), *FLAGS, f"--window-size={width},{height}", f"--user-data-dir={self.home}", "about:blank"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env=dict(os.environ, HOME=self.home))
        self.port = self.wait_for_port()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def wait_for_port(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with open(os.path.join(self.home, "DevToolsActivePort"), encoding="ascii") as file:
                    return int(file.readline())
            except (OSError, ValueError):
                time.sleep(0.05)
        raise RuntimeError("chromium does not start")

    def open(self, address, width=800, height=600):
        """A page that has begun to load the address."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request, timeout=60) as answer:
            tab = json.load(answer)
        page = Page(self.port, tab["webSocketDebuggerUrl"])
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.call("Emulation.setFocusEmulationEnabled", enabled=True)  # several pages can be seen at once
        page.call("Log.enable")
        page.call("Runtime.enable")
        page.call("Page.enable")
        page.call("Page.navigate", url=address)
        return page


class Page:
    def __init__(self, port, url):
        self.count, self.events = 0, []
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.buffer = b""
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(f"GET /{url.split('/', 3)[3]} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(4096)
        self.buffer = self.buffer.split(b"\r\n\r\n", 1)[1]

    def take(self, count):
        while len(self.buffer) < count:
            more = self.socket.recv(1 << 16)
            if not more:
                raise EOFError("chromium has closed the page")
            self.buffer += more
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def receive(self):
        """The next message."""
        whole = b""
        while True:
            first, length = self.take(2)
            if length == 126:
                length, = struct.unpack(">H", self.take(2))
            elif length == 127:
                length, = struct.unpack(">Q", self.take(8))
            whole += self.take(length)
            if first & 128:
                return json.loads(whole)

    def call(self, method, **parameters):
        self.count += 1
        text = json.dumps({"id": self.count, "method": method, "params": parameters}).encode()
        size = (bytes([128 | len(text)]) if len(text) < 126 else struct.pack(">BH", 254, len(text)) if len(text) < 65536
                else struct.pack(">BQ", 255, len(text)))
        mask = os.urandom(4)
        self.socket.sendall(b"\x81" + size + mask + bytes(byte ^ mask[k & 3] for k, byte in enumerate(text)))
        while True:
            message = self.receive()
            if message.get("id") != self.count:
                self.events.append(message)
            elif "error" in message:
                raise RuntimeError(f"{method}: {message['error']}")
            else:
                return message["result"]

    def value(self, expression):
        """The value of an expression of JavaScript in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, expression, seconds=60):
        """Waits until the expression is true; returns whether it became so. It may have no value before the page is there."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if self.value(expression):
                    return True
            except RuntimeError:
                pass
            time.sleep(0.02)
        return False

    def click(self, name):
        """Presses the mouse on the element with that id."""
        x, y = self.value(f"(box => [box.x + box.width / 2, box.y + box.height / 2])(document.getElementById('{name}').getBoundingClientRect())")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, begin, end, modifiers=0):
        """Moves the mouse with the left button down."""
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=begin[0], y=begin[1], button="left", clickCount=1, modifiers=modifiers)
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=end[0], y=end[1], button="left", buttons=1, modifiers=modifiers)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", clickCount=1, modifiers=modifiers)

    def wheel(self, amount):
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=400, y=300, deltaX=0, deltaY=amount)

    def key(self, key):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key)

    def picture(self):
        """A PNG of the page."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def complaints(self):
        """Errors of the page and of its policy up to now."""
        self.value("1")
        return [event for event in self.events if event["method"] == "Runtime.exceptionThrown"
                or (event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error")]
