"""When a rival's clock is steady, by the rule that Ablate has for its own cases (harness/timing/steady_clock.h)."""
import rival_record

WINDOW_SECONDS = 0.2
WINDOWS_BELOW_THE_CAP, TOLERANCE_BELOW_THE_CAP = 2, 0.005
WINDOWS_AT_THE_CAP, TOLERANCE = 5, 0.01
SHARE_OF_CAP = 0.9
SWING_SECONDS, TOLERANCE_OF_SWINGS = 0.99, 0.005
IDLE = "gpu_idle"


def spread(values):
    if not values:
        return None
    return {"median": round(rival_record.median(sorted(values)), 1), "min": round(min(values), 1),
            "max": round(max(values), 1)}


class Window:
    def __init__(self, seconds, first_sample):
        self.begin, self.end, self.first_sample = seconds, seconds, first_sample
        self.cycles = self.nanoseconds = 0
        self.clocks_mhz, self.powers_w, self.event_reasons = [], [], None

    def mhz(self):
        return mhz_over([self])


def mhz_over(windows):
    cycles, nanoseconds = sum(w.cycles for w in windows), sum(w.nanoseconds for w in windows)
    return 1e3 * cycles / nanoseconds if cycles > 0 and nanoseconds > 0 else None


def reasons_over(windows):
    """None where one of the windows does not know."""
    told = [w.event_reasons for w in windows]
    return None if None in told else set().union(*told)


def within(tolerance, windows):
    clocks = [window.mhz() for window in windows]
    return None not in clocks and max(clocks) - min(clocks) <= tolerance * min(clocks)


class SteadyClockWatch:
    def __init__(self, power_cap_w, longest_wait_seconds):
        self.power_cap_w, self.longest_wait_seconds = power_cap_w, longest_wait_seconds
        self.windows, self.open, self.run, self.seconds = [], Window(0, 0), 0, 0

    def look(self, seconds, samples, cycles, nanoseconds, load):
        self.seconds = seconds
        window = self.open
        window.cycles += cycles
        window.nanoseconds += nanoseconds
        if cycles > 0 and nanoseconds > 0:
            window.clocks_mhz.append(1e3 * cycles / nanoseconds)
        if load["power_w"] is not None:
            window.powers_w.append(load["power_w"])
        if load["event_reasons"] is not None:
            window.event_reasons = (window.event_reasons or set()) | (set(load["event_reasons"]) - {IDLE})
        window.end = seconds
        if seconds - window.begin < WINDOW_SECONDS:
            return
        if not self.goes_on(window):
            self.run = len(self.windows)
        self.windows.append(window)
        self.open = Window(seconds, samples)

    def goes_on(self, window):
        of_run = self.windows[self.run:]
        if not within(TOLERANCE, [*of_run, window]):
            return False
        known = set().union(*(w.event_reasons or () for w in of_run))
        return window.event_reasons is None or window.event_reasons <= known

    def may_reach_the_cap(self):
        return any(self.power_cap_w is None or not w.powers_w or w.event_reasons is None or w.event_reasons or
                   not w.powers_w[-1] < SHARE_OF_CAP * self.power_cap_w for w in self.windows[self.run:])

    def steady(self):
        of_run = self.windows[self.run:]
        return len(of_run) >= WINDOWS_AT_THE_CAP or \
            (len(of_run) >= WINDOWS_BELOW_THE_CAP and not self.may_reach_the_cap() and
             within(TOLERANCE_BELOW_THE_CAP, of_run))

    def swing_before(self, end):
        """The first of the windows before `end` that make up a swing."""
        return next((first for first in reversed(range(end))
                     if self.windows[end - 1].end - self.windows[first].begin >= SWING_SECONDS), None)

    def swings_from(self):
        """The first window of two swings about one level; None if the last two are none."""
        last = self.swing_before(len(self.windows))
        before = None if last is None else self.swing_before(last)
        if before is None:
            return None
        earlier, later = self.windows[before:last], self.windows[last:]
        mhz_before, mhz = mhz_over(earlier), mhz_over(later)
        if mhz is None or mhz_before is None or not abs(mhz - mhz_before) <= TOLERANCE_OF_SWINGS * mhz_before:
            return None
        reasons_before, reasons = reasons_over(earlier), reasons_over(later)
        return before if None not in (reasons_before, reasons) and reasons <= reasons_before else None

    def level(self):
        return self.steady() or self.swings_from() is not None

    def time_is_up(self):
        return self.seconds >= self.longest_wait_seconds

    def settled(self):
        return self.level() or self.time_is_up()

    def counting(self):
        """The windows that count, the open one at their end."""
        if self.steady():
            return [*self.windows[self.run:], self.open]
        if (swings := self.swings_from()) is not None:
            return [*self.windows[swings:], self.open]
        return [w for w in self.windows if w.begin >= self.seconds / 2] + [self.open]

    def first_sample(self):
        return self.counting()[0].first_sample

    def first_seconds(self):
        return self.counting()[0].begin

    def json(self):
        counting = self.counting()
        told = [w.event_reasons for w in counting if w.event_reasons is not None]
        return {"steady": self.steady(), "level": self.level(),
                "sm_mhz": spread([mhz for w in counting for mhz in w.clocks_mhz]),
                "power_w": spread([watts for w in counting for watts in w.powers_w]), "power_cap_w": self.power_cap_w,
                "event_reasons": sorted(set().union(*told)) if told else None, "seconds": round(self.seconds, 3),
                "dropped_samples": self.first_sample()}
