#!/usr/bin/env python3
r"""Draws medians against an axis, a curve a variant with its 95 % intervals, as SVG: what one does with a record in Python.

    python3 docs/examples/draw_curves.py results/h200/voxelization voxelize points --out curves.svg cache_state=cold-clean \
        distribution=lidar mode=count_i32 order=natural cell_by=division layout=x_fastest region=clear_kernel \
        variant=global_atomic,smem_hashed,warp_match,smem_bricks

Needs no package. Further words choose among the cases: axis=value, cache_state=value or variant=one,other. In those chosen only
the variant and the axis drawn may differ; a line says which other axes are still to be fixed.
"""
import argparse
import html
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "reports/python"))  # a copy beside the script needs no such line

import ablate_record  # noqa: E402

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 440, 70, 180, 60, 50
COLORS = ("#4c78a8", "#f58518", "#54a24b", "#e45756", "#72b7b2", "#b279a2", "#9d755d", "#ff9da6", "#79706e", "#bab0ac")


def is_above_0(word):
    try:
        return float(word) > 0
    except ValueError:
        return False


def curves_of(record, operation, axis, fixed):
    """Variant -> its cases by increasing value of the axis."""
    cases = record.select(operation, **fixed)
    if not cases:
        raise ValueError("no measured case has these values")
    for c in cases:
        if not is_above_0(c.axes.get(axis, "")):
            raise ValueError(f"expected '{axis}' to be a number above 0 in every case, found '{c.axes.get(axis, '')}' in {c.name}")
    open_axes = sorted({name for c in cases for name in c.axes if name != axis and len({d.axes.get(name) for d in cases}) > 1})
    if len({c.cache_state for c in cases}) > 1:
        open_axes.append("cache_state")
    if open_axes:
        raise ValueError(f"several workloads at one {axis}; fix {', '.join(open_axes)}")
    variants = list(dict.fromkeys(c.variant for c in cases))
    if len(variants) > len(COLORS):
        raise ValueError(f"{len(variants)} variants; choose up to {len(COLORS)} by variant={variants[0]},…")
    return {variant: sorted((c for c in cases if c.variant == variant), key=lambda c: float(c.axes[axis]))
            for variant in variants}


class LogScale:
    """From the powers of two around the values to a range of pixels."""

    def __init__(self, values, start, end):
        self.start, self.end = start, end
        self.low, self.high = math.floor(math.log2(min(values))), math.ceil(math.log2(max(values)))
        self.high = max(self.high, self.low + 1)

    def __call__(self, value):
        share = (math.log2(value) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self):
        step = math.ceil((self.high - self.low) / 6)
        return [2.0 ** power for power in range(self.low, self.high + 1, step)]


def svg_of(curves, axis, title, subtitle):
    every = [c for curve in curves.values() for c in curve]
    x = LogScale([float(c.axes[axis]) for c in every], LEFT, WIDTH - RIGHT)
    y = LogScale([c.ci95_low_us for c in every] + [c.ci95_high_us for c in every], HEIGHT - BOTTOM, TOP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', f'<text x="{LEFT}" y="24" font-weight="bold">{html.escape(title)}</text>'
           f'<text x="{LEFT}" y="44" font-size="10">{html.escape(subtitle)}</text>']
    for value in x.ticks():
        out.append(f'<path d="M{x(value):.2f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>'
                   f'<text x="{x(value):.2f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{value:.10g}</text>')
    for value in y.ticks():
        out.append(f'<path d="M{LEFT} {y(value):.2f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 6}" y="{y(value) + 4:.2f}" text-anchor="end">{value:.10g}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{html.escape(axis)}</text>'
               f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">median, µs</text>')
    for i, (variant, curve) in enumerate(curves.items()):
        color = COLORS[i % len(COLORS)]
        points = [(x(float(c.axes[axis])), y(c.median_us), c) for c in curve]
        out.append(f'<g class="curve" stroke="{color}" fill="{color}">'
                   f'<polyline fill="none" points="{" ".join(f"{px:.2f},{py:.2f}" for px, py, _ in points)}"/>')
        for px, py, c in points:
            tip = f"{c.name}: {c.median_us:.4g} µs ({c.ci95_low_us:.4g} to {c.ci95_high_us:.4g})"
            out.append(f'<path d="M{px:.2f} {y(c.ci95_low_us):.2f}V{y(c.ci95_high_us):.2f}"/>'
                       f'<circle cx="{px:.2f}" cy="{py:.2f}" r="3"><title>{html.escape(tip)}</title></circle>')
        out.append(f'<text stroke="none" x="{WIDTH - RIGHT + 12}" y="{TOP + 10 + 16 * i}">{html.escape(variant)}</text></g>')
    return "\n".join(out) + "\n</svg>\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("record", help="a record, or a folder with record.json")
    parser.add_argument("operation")
    parser.add_argument("axis", help="an axis of numbers above 0")
    parser.add_argument("--out", required=True, metavar="FILE", help="the SVG file")
    parser.add_argument("fixed", nargs="*", metavar="NAME=VALUE,…", help="the cases to draw")
    # The words may precede or follow the options.
    arguments = parser.parse_intermixed_args()
    try:
        record = ablate_record.load(arguments.record)
        fixed = {}
        for word in arguments.fixed:
            name, is_given, values = word.partition("=")
            if not is_given:
                raise ValueError(f"expected NAME=VALUE, found '{word}'")
            fixed[name] = values.split(",")
        curves = curves_of(record, arguments.operation, arguments.axis, fixed)
        title = f"{arguments.operation} on {record.device['name']}, {record.date[:10]}"
        drawn = svg_of(curves, arguments.axis, title, ", ".join(word for word in arguments.fixed if not word.startswith("variant=")))
        pathlib.Path(arguments.out).write_text(drawn, encoding="utf-8")
    except (ValueError, KeyError, OSError) as error:
        print(error.args[0] if isinstance(error, KeyError) else error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
