"""Where a script's time goes, by part, so that a run on a dear machine tells what the next one can leave out."""
import contextlib
import time

REST = "the rest"


class SpentSeconds:
    """Time of a nested part counts in the inner part alone."""

    def __init__(self, now=time.monotonic):
        self.now, self.since = now, now()
        self.by_part, self.open = {}, [REST]

    def count(self):
        """Up to now, of the innermost part."""
        before, self.since = self.since, self.now()
        self.by_part[self.open[-1]] = self.by_part.get(self.open[-1], 0) + self.since - before

    @contextlib.contextmanager
    def on(self, part):
        """Also a decorator."""
        self.count()
        self.open.append(part)
        try:
            yield
        finally:
            self.count()
            self.open.pop()

    def text(self):
        """The longest first."""
        self.count()
        parts = sorted(self.by_part.items(), key=lambda of: -of[1])
        return f"{sum(self.by_part.values()):.1f} s: " + ", ".join(f"{part} {seconds:.1f}" for part, seconds in parts)


SPENT = SpentSeconds()  # the process's
