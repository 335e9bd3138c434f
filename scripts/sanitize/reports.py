"""What compute-sanitizer says, as findings.

A report begins with an unindented line after the prefix and goes on with indented ones:

    ========= Invalid __global__ read of size 4 bytes
    =========     at void ablate::f<(int)4>(T1)+0x90 in f.cu:12
    =========     by thread (3,0,0) in block (0,0,0)
"""
import re

PREFIX = "========="
_BEGINS = re.compile(r"^=========\s?(\S.*)$")
_GOES_ON = re.compile(r"^=========\s{2,}(\S.*)$")
_FRAME = re.compile(r"\b(?:at|Device Frame:)\s*(?P<function>[^+\s].*?)\+0x[0-9a-f]+(?: in (?P<place>\S+:\d+))?")
_COUNTED = re.compile(r"^ERROR SUMMARY: (\d+) errors?$|^RACECHECK SUMMARY: (\d+) hazards? displayed")
_NOT_PRINTED = re.compile(r"^ERROR SUMMARY: \d+ errors? (?:were|was) not printed")
_NO_REPORT = re.compile(r"^(COMPUTE-SANITIZER$|(ERROR|RACECHECK|LEAK) SUMMARY\b|Target application returned an error"
                        r"|Saved host backtrace|Host Frame)")


def function_name(kernel):
    """ablate::matmul::multiply of `void ablate::matmul::multiply<(int)4>(T1)`, however its parameters are written."""
    return re.split(r"[<(]", kernel.removeprefix("void ").replace("(anonymous namespace)::", ""), maxsplit=1)[0].strip()


class Report:
    """One report of the tool: its lines without the prefix, and where the program was when it came."""

    def __init__(self, first_line, case, kernel):
        self.lines = [first_line]
        self.case, self.kernel = case, kernel

    @property
    def text(self):
        return "\n".join(self.lines)

    @property
    def frames(self):
        """[(function, "file:line" or None)]: accesses and the frames around them, the innermost first."""
        found = []
        for line in self.lines:
            if not line.startswith("Host Frame"):
                found += [(function_name(m["function"]), m["place"]) for m in _FRAME.finditer(line)]
        return found

    @property
    def what(self):
        """The first line without what differs from run to run, and the places that take part."""
        first = re.sub(r"\s*\bat .*", "", self.lines[0])
        first = re.sub(r"\b0x[0-9a-f]+", "0x…", first)
        places = dict.fromkeys(place for _, place in self.frames if place)
        return first + (" at " + ", ".join(places) if places else "")

    def attribute(self, launched):
        """Names the kernel by the frames, where one is of `launched` (function names); else the one announced
        last before the report came."""
        for function, _ in self.frames:
            if function in launched:
                self.kernel = function
                return


class Log:
    """Takes a process's output line by line. `case` and `kernel` are where the program says it is."""

    def __init__(self):
        self.reports = []
        self.counted = None   # by the tool's own summary; None: it printed none
        self.is_cut = False   # the tool counted more than it printed
        self._open = False    # indented lines belong to the last report

    def feed(self, line, case, kernel):
        """Whether the line is the tool's."""
        if not line.startswith(PREFIX):
            return False
        if begins := _BEGINS.match(line):
            self._begin(begins[1].rstrip(), case, kernel)
        elif (goes_on := _GOES_ON.match(line)) and self._open:
            self.reports[-1].lines.append(goes_on[1].rstrip())
        return True

    def _begin(self, text, case, kernel):
        if counted := _COUNTED.match(text):
            self.counted = int(counted[1] or counted[2])
        self.is_cut = self.is_cut or bool(_NOT_PRINTED.match(text))
        # "and Read access at …" goes on with a race where the tool does not indent it.
        if self._open and text.startswith("and "):
            self.reports[-1].lines.append(text)
            return
        self._open = not _NO_REPORT.match(text)
        if self._open:
            self.reports.append(Report(text, case, kernel))
