"""Checks that the comparison accepts right images, and finds wrong conversions, wrong labels and banding."""

import numpy

import banding
import cases
import hdr
import spaces
from comparison import Comparison
from tool import Failure, Picture


class Planted:
    """In place of the tool: makes images from the references, and plants errors."""

    def __init__(self, convert):
        self.convert_case, self.cases = convert, {}

    def convert(self, files, color, folder, *options):
        return [self.convert_case(self.cases[file], color) for file in files]


def right(case, color):
    space = (case.automatic or "srgb") if color == "auto" else color
    _, pixels = next(Comparison(None, None, with_libvips=False).expected(case, space))
    return picture(pixels, space)


def picture(pixels, space):
    rounded = numpy.clip(numpy.rint(pixels), 0, 255).astype(numpy.uint8)
    return Picture(numpy.concatenate([rounded, numpy.full_like(rounded[..., :1], 255)], axis=2), space, spaces.SPACES[space])


def in_srgb(case, color):
    """Ignores that P3 was asked for, but claims it."""
    return Picture(right(case, "srgb").pixels, color, spaces.SPACES[color])


def unlabelled(case, color):
    return Picture(right(case, "p3").pixels, "srgb", spaces.SPACES["srgb"])


def unconverted(case, color):
    """Shows the values of the file as they are."""
    values = case.values()
    return picture(255 * numpy.broadcast_to(values, (*values.shape[:2], 3)), "srgb")


def one_patch(case, color):
    """Changes a few pixels, by a difference of more than 3."""
    made = right(case, color)
    made.pixels[100:104, 120:124, :3] ^= 32
    return made


def without_knee(case, color):
    """Clips highlights in place of compressing them."""
    return shown(case.meaning.luminance(case.values()), case, color)


def per_channel(case, color):
    """Compresses each channel by itself, which changes the hue of highlights."""
    return shown(hdr.mapped(case.meaning.luminance(case.values()), case.meaning.peak), case, color)


def without_ootf(case, color):
    """Takes the scene light of HLG for the light of a display."""
    return shown(hdr.mapped(1000 * hdr.hlg_scene_light(case.values()), 1000), case, color)


def shown(luminance, case, color):
    light = spaces.converted(luminance / hdr.DIFFUSE_WHITE, case.meaning.space, spaces.SPACES[color])
    return picture(255 * spaces.encoded_srgb(light), color)


def is_hdr(case):
    return isinstance(case.meaning, hdr.Conversion)


#: The name of an error, how it is made, in which color, and in which images it can be seen.
ERRORS = [
    ("the profile is ignored", unconverted, "srgb", lambda case: not is_hdr(case) and case.automatic == "p3"),
    ("P3 has the values of sRGB", in_srgb, "p3", lambda case: "gray" not in case.name),
    ("P3 is not labelled", unlabelled, "p3", lambda case: True),
    ("sRGB where the gamut is larger", lambda case, color: right(case, "srgb"), "auto", lambda case: case.automatic == "p3"),
    ("P3 where the gamut is not larger", lambda case, color: right(case, "p3"), "auto", lambda case: case.automatic == "srgb"),
    ("some pixels are wrong", one_patch, "srgb", lambda case: True),
    ("PQ or HLG is not tone-mapped", unconverted, "srgb", is_hdr),
    ("highlights are clipped", without_knee, "srgb", is_hdr),
    ("the curve is applied to each channel", per_channel, "srgb", is_hdr),
    ("the OOTF of HLG is missing", without_ootf, "srgb", lambda case: is_hdr(case) and case.meaning.transfer == "hlg"),
    ("there is no image", lambda case, color: Failure("refused"), "srgb", lambda case: True),
]


def problems(folder):
    """Yields what the comparison does wrong."""
    chosen = list(cases.all_cases(folder))[::3]
    for color in ["srgb", "p3", "auto"]:
        yield from (f"a right image fails: {row.text}" for row in outcomes(right, color, chosen, folder) if not row.passes)
    for name, plant, color, is_visible in ERRORS:
        wrong = [case for case in chosen if is_visible(case)]
        if not wrong:
            yield f"{name}: there is no image to see it in"
        yield from (f"{name}: not found in {row.name}" for row in outcomes(plant, color, wrong, folder) if row.passes)
    yield from banding_problems()


def outcomes(plant, color, chosen, folder):
    planted = Planted(plant)
    planted.cases = {case.file: case for case in chosen}
    return Comparison(planted, folder, with_libvips=False).rows(chosen, [color])


def banding_problems():
    conversion = hdr.Conversion("pq", spaces.SPACES["bt2020"])
    signal = numpy.linspace(0, hdr.pq_signal(hdr.USUAL_PEAK), banding.WIDTH)[:, None] * numpy.ones(3)
    exact, coarse = (
        conversion.pixels(numpy.rint(signal * levels) / levels, spaces.SPACES["srgb"])[:, 0] for levels in (1023, 255))
    if banding.fault(numpy.rint(exact), exact):
        yield f"a smooth gradient fails: {banding.fault(numpy.rint(exact), exact)}"
    if not banding.fault(numpy.rint(coarse), exact):
        yield "a gradient that is cut to 8 bits before it is tone-mapped is not found"
    repeated = numpy.rint(exact)
    repeated[300:320] = repeated[300]
    if not banding.fault(repeated, exact):
        yield "a band in a gradient is not found"
