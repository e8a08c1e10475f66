"""Compares what the tool makes of the test images with the references."""

import dataclasses

import numpy

import hdr
import references
import spaces
from tool import Failure

#: The largest difference (CIEDE2000) of an image on average, and of a pixel.
MEAN, LARGEST = 1.0, 3.0
COLORS = ["srgb", "p3", "auto"]


@dataclasses.dataclass
class Row:
    """The result of one image, in one color space, against one reference."""

    name: str
    color: str
    reference: str
    mean: float = 0
    largest: float = 0
    #: Why there is no measurement, or what is wrong besides.
    fault: str = ""
    limit: float = LARGEST

    @property
    def passes(self):
        return not self.fault and self.mean <= MEAN and self.largest <= self.limit

    @property
    def text(self):
        numbers = " " * 15 if self.reference == "-" else f"{self.mean:7.3f} {self.largest:7.3f}"
        return f"{self.name:44} {self.color:5} {self.reference:9} {numbers}  {'pass' if self.passes else 'FAIL'}  {self.fault}".rstrip()


class Comparison:
    def __init__(self, tool, folder, with_libvips=True):
        self.tool, self.folder = tool, folder
        self.has_libvips = with_libvips and references.has_libvips()

    def rows(self, cases, colors, options=()):
        for color in colors:
            results = self.tool.convert([case.file for case in cases], color, self.folder / f"out-{color}", *options)
            for case, result in zip(cases, results):
                yield from self.rows_of(case, color, result)

    def rows_of(self, case, color, picture):
        if isinstance(picture, Failure):
            return [Row(case.name, color, "-", fault=str(picture).replace(str(self.folder), ""))]
        wanted = case.automatic if color == "auto" else color
        if picture.name not in ([wanted] if wanted else ["srgb", "p3"]):
            return [Row(case.name, color, "-", fault=f"the image is in {picture.name}, expected {wanted}")]
        return [self.row(case, color, picture, name, pixels) for name, pixels in self.expected(case, picture.name)]

    def row(self, case, color, picture, reference, pixels):
        if pixels.shape[:2] != picture.pixels.shape[:2]:
            return Row(case.name, color, reference, fault=f"the size is {picture.pixels.shape[1::-1]}, expected {pixels.shape[1::-1]}")
        found = spaces.difference(picture.lab, spaces.lab(pixels, spaces.SPACES[picture.name]))
        if case.alpha is not None:
            found = found[case.alpha > 0]
        return Row(case.name, color, reference, float(found.mean()), float(found.max()))

    def expected(self, case, target):
        """Yields the name and the pixels of each reference."""
        values = case.values()
        if isinstance(case.meaning, hdr.Conversion):
            yield "formulas", case.meaning.pixels(numpy.broadcast_to(values, (*values.shape[:2], 3)), spaces.SPACES[target])
            return
        yield "lcms", references.of_little_cms(values, case.meaning, target)
        if self.has_libvips:
            own = references.of_libvips_file(case.file, target, self.folder) if case.is_for_libvips else None
            pixels = references.of_libvips(values, case.meaning, target, self.folder) if own is None else own
            yield "libvips" if own is None else "libvips*", numpy.broadcast_to(numpy.atleast_3d(pixels), (*pixels.shape[:2], 3))
