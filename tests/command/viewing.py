# A program that shows a run or a folder, and requests to its server. Not a test.
import atexit
import http.client
import json
import os
import re
import socket
import struct
import subprocess
import threading
import time

from tap import KYOHO


class View:
    """A program that shows something, and requests to its server."""

    def __init__(self, *words):
        one = dict(os.environ, OMP_NUM_THREADS="1")  # what is shown goes on all the while: on one core
        self.process = subprocess.Popen([KYOHO, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=one)
        atexit.register(self.process.kill)
        self.said = ""
        stream = self.process.stdout if words[0] == "view" else self.process.stderr
        for line in stream:
            self.said += line
            found = re.match(r"view: (http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32}))\n", line)
            if found:
                self.address, self.port, self.token = found[1], int(found[2]), found[3]
                break
        else:
            raise RuntimeError(self.said)
        threading.Thread(target=self.listen, args=(stream,), daemon=True).start()

    def listen(self, stream):
        for line in stream:
            self.said += line

    def ask(self, path, method="GET", token=True, timeout=60, **fields):
        """The answer's code, fields and body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        if token:
            fields["X-Kyoho-Token"] = self.token
        connection.putrequest(method, path, skip_host="Host" in fields, skip_accept_encoding=True)
        for name, value in fields.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, answer.headers, body

    def code(self, path, method="GET", **fields):
        return self.ask(path, method, **fields)[0]

    def raw(self, data=b"", timeout=60):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        connection.sendall(data)
        return connection

    def frame(self, number=0):
        """The text of the first frame after this number, the bodies, and their types."""
        code, _, body = self.ask(f"/frame?from={number}")
        assert code == 200, (code, body)
        length = struct.unpack("<I", body[:4])[0]
        text = json.loads(body[4:4 + length])
        shown = text["shown"]
        rows = list(struct.iter_unpack("<4f", body[4 + length:4 + length + 16 * shown]))
        types = body[4 + length + 16 * shown:]
        assert len(rows) == shown and len(types) == (shown if text["types"] else 0)
        return text, rows, types

    def energies(self, begin=0):
        """The bytes of energy.csv from there on, which may come in several parts."""
        whole = b""
        while part := self.ask(f"/energy?from={begin + len(whole)}")[2]:
            whole += part
        return whole

    def until(self, condition, number=0):
        """The first frame of which that is true."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            frame = self.frame(number)
            if condition(frame[0]):
                return frame
            number = frame[0]["number"]
        raise RuntimeError("no such frame")

    def pause(self, number=0):
        """The frame at which the run waits."""
        assert self.code("/pause", "POST") == 200
        return self.until(lambda text: text["paused"], number)[0]

    def end(self, how=None):
        if how:
            self.process.send_signal(how)
        return self.process.wait(timeout=60)
