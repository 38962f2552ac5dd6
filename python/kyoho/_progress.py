"""The progress of long calls: a line in a terminal and in a notebook, where it is a bar of tqdm if that is installed."""
import importlib.util
import sys
import time as clock

OFTEN, SELDOM, MOST = 0.2, 2.0, 60.0  # seconds between two lines: in a terminal; elsewhere at first, and at last


class _Bar:
    """A bar of tqdm."""

    def __init__(self):
        widgets = importlib.util.find_spec("ipywidgets")
        tqdm = importlib.import_module("tqdm.notebook" if widgets else "tqdm").tqdm
        self.bar = tqdm(total=1.0, bar_format="{percentage:3.0f} % {bar} {postfix}")

    def show(self, done, text):
        self.bar.n = min(1.0, done)
        self.bar.set_postfix_str(text)

    def close(self):
        self.bar.close()


class _Cell:
    """A line below the cell of a notebook, which the next one replaces."""

    def __init__(self, display):
        self.display, self.line = display, None

    def show(self, done, text):
        data = {"text/plain": text}
        if self.line is None:
            self.line = self.display(data, raw=True, display_id=True)
        else:
            self.line.update(data, raw=True)

    def close(self):
        pass


def _bar():
    """What shows progress in a notebook, a bar where there is tqdm; None elsewhere."""
    python = sys.modules.get("IPython")
    if "ZMQInteractiveShell" not in type(getattr(python, "get_ipython", lambda: None)()).__name__:
        return None
    return _Bar() if importlib.util.find_spec("tqdm") else _Cell(importlib.import_module("IPython.display").display)


class Progress:
    """What progress=True shows: with Progress(True) as shown: shown(0.5, "half"). Progress(False) shows nothing, and a function in
    the place of True is called with the fraction and the text."""

    def __init__(self, wanted):
        if not callable(wanted) and wanted not in (True, False, None):
            raise TypeError(f"progress must be True, False or a function of a fraction and a text, not {wanted!r}")
        self.wanted, self.bar = wanted, None
        self.began = self.told = clock.monotonic()
        self.open = False  # whether the cursor stands behind a line that the next one replaces

    def __enter__(self):
        self.bar = _bar() if self.wanted is True else None
        return self

    def __exit__(self, *_):
        if self.bar is not None:
            self.bar.close()
        if self.open:
            sys.stderr.write("\n")
            sys.stderr.flush()

    def __bool__(self):
        return bool(self.wanted)

    def __call__(self, done, text):
        """Shows that this fraction is done, where the last line is old enough or this is the end."""
        if callable(self.wanted):
            self.wanted(done, text)
        elif self.wanted and self._is_time(done):
            self._show(done, text)

    def _is_time(self, done):
        now = clock.monotonic()
        often = self.bar is not None or sys.stderr.isatty()
        wait = OFTEN if often else min(MOST, max(SELDOM, 0.2 * (now - self.began)))
        if now - self.told < wait and not (done >= 1 and often):
            return False
        self.told = now
        return True

    def _show(self, done, text):
        if self.bar is not None:
            self.bar.show(done, text)
            return
        terminal = sys.stderr.isatty()
        sys.stderr.write(("\r\033[K" if terminal else "") + text + ("" if terminal else "\n"))
        sys.stderr.flush()
        self.open = terminal

    def left(self, done):
        """The time that is left at the present rate, as left()."""
        return left((clock.monotonic() - self.began) * (1 - done) / done if 0 < done < 1 else float("nan"))


def left(seconds):
    """The end of a line of progress: "  left 90 s", "  left 12 min", "  left 3.5 h"; "" at the end, and where it is not known."""
    if not seconds > 0:
        return ""
    return "  left " + (f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h")
