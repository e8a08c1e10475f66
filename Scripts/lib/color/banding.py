"""Checks that a gradient of 10 bits in high dynamic range has no steps but those of the 8 bits of the output."""

import numpy

import files
import hdr
import scenes
import spaces
from comparison import Row
from tool import Failure

#: How far a level may be from the exact value: half for rounding, and half for the arithmetic.
LARGEST_ERROR = 1.0
#: How much longer a run of equal pixels may be than in the exact gradient, rounded to 8 bits: some pixels at its ends, where the exact
#: value is close to the middle of two levels, and a share where the gradient is almost level.
LONGER_RUN, LONGER_SHARE = 4, 0.1
WIDTH, HEIGHT = 1024, 16
COLORS = {"gray": (1, 1, 1), "orange": (1, 0.7, 0.35), "blue": (0.5, 0.6, 1)}


def fault(levels, exact):
    """Returns what is wrong with a row of one channel, or an empty text. `exact` has the values before rounding."""
    if numpy.abs(levels - exact).max() > LARGEST_ERROR:
        return f"a level is {numpy.abs(levels - exact).max():.2f} from the exact value"
    steps, exact_steps = numpy.diff(levels), numpy.diff(exact)
    if (steps < numpy.floor(numpy.minimum(exact_steps, 0))).any():
        return "the gradient goes back"
    too_high = steps > numpy.floor(numpy.maximum(exact_steps, 0)) + 1
    if too_high.any():
        return f"{too_high.sum()} steps are higher than one level of 8 bits, up to {steps.max():.0f}"
    found, wanted = longest_runs(levels), longest_runs(numpy.rint(exact))
    for level, length in found.items():
        longest = wanted.get(level, 0) * (1 + LONGER_SHARE) + LONGER_RUN
        if length > longest:
            return f"a run of level {level:.0f} has {length} pixels, expected at most {longest:.0f}"
    return ""


def longest_runs(levels):
    """Returns the length of the longest run of each level."""
    edges = numpy.flatnonzero(numpy.diff(levels)) + 1
    starts, ends = numpy.concatenate([[0], edges]), numpy.concatenate([edges, [len(levels)]])
    runs = {}
    for start, end in zip(starts, ends):
        runs[levels[start]] = max(runs.get(levels[start], 0), end - start)
    return runs


def gradients(folder):
    """Yields the name, file, values and conversion of each gradient."""
    for transfer, code in [("pq", 16), ("hlg", 18)]:
        conversion = hdr.Conversion(transfer, spaces.SPACES["bt2020"])
        for color, factors in COLORS.items():
            scene = scenes.ramp(0, hdr.pq_signal(hdr.USUAL_PEAK) if transfer == "pq" else 1, WIDTH, HEIGHT, factors)
            ten_bits = numpy.rint(scene * 1023) / 1023
            encoding = f"RGB_D65_202_Rel_{'PeQ' if transfer == 'pq' else 'HLG'}"
            for format, write in [
                    ("png", lambda file: files.constant(files.write_png(file, ten_bits, 16, [files.cicp(9, code)]))),
                    ("avif", lambda file: files.write_avif(file, ten_bits, 10, nclx=(9, code, 0))),
                    ("heic", lambda file: files.write_heic(file, ten_bits, 10, nclx=(9, code, 0), quality=-1)),
                    ("jxl", lambda file: files.write_jxl(file, ten_bits, 16, encoding, options=["--intensity_target=1000"]))]:
                file = folder / f"gradient-{transfer}-{color}-{format}.{format}"
                yield f"{format} {transfer} gradient {color}", file, write(file), conversion


def rows(tool, folder, only, colors):
    """Yields a result for each gradient."""
    chosen = [gradient for gradient in gradients(folder) if only in gradient[0]]
    for color in colors if chosen else []:
        results = tool.convert([file for _, file, _, _ in chosen], color, folder / f"out-{color}")
        for (name, _, values, conversion), result in zip(chosen, results):
            yield row(name, color, values(), conversion, result)


def row(name, color, values, conversion, picture):
    if isinstance(picture, Failure):
        return Row(name, color, "-", fault=str(picture))
    exact = conversion.pixels(values, spaces.SPACES[picture.name])
    faults = [
        fault(picture.pixels[line, :, channel].astype(float), exact[line, :, channel]) for line in (0, HEIGHT // 2) for channel in range(3)]
    found = spaces.difference(picture.lab, spaces.lab(exact, spaces.SPACES[picture.name]))
    return Row(name, color, "formulas", float(found.mean()), float(found.max()), next((text for text in faults if text), ""))
