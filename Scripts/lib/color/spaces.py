"""The color spaces of the test images, and the measure of differences: CIEDE2000 in CIELAB with the white D50."""

import dataclasses
import warnings

import numpy

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it tells of packages that only other functions need
    import colour

WHITE_D50 = numpy.array([0.9642, 1.0, 0.8249])
D65, D50 = (0.3127, 0.3290), (0.3457, 0.3585)


@dataclasses.dataclass(frozen=True)
class Curve:
    """A transfer function in the form of ICC.1, 10.18, type 3: a power above a threshold, a line below."""

    exponent: float
    scale: float = 1
    offset: float = 0
    slope: float = 0
    threshold: float = 0

    def light(self, value):
        power = numpy.maximum(self.scale * value + self.offset, 0) ** self.exponent
        return numpy.where(value < self.threshold, self.slope * value, power)


SRGB_CURVE = Curve(2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
#: ROMM RGB (ISO 22028-2).
PROPHOTO_CURVE = Curve(1.8, slope=1 / 16, threshold=16 * 0.001953)


@dataclasses.dataclass(frozen=True)
class Space:
    """A color space of red, green and blue, by its chromaticities."""

    curve: Curve
    red: tuple[float, float]
    green: tuple[float, float]
    blue: tuple[float, float]
    white: tuple[float, float] = D65

    @property
    def to_own_xyz(self):
        """The matrix from linear light to XYZ under the white of the space (SMPTE RP 177)."""
        primaries = numpy.array([xyz(point) for point in (self.red, self.green, self.blue)]).T
        return primaries * numpy.linalg.solve(primaries, xyz(self.white))

    @property
    def to_xyz(self):
        """The matrix from linear light to XYZ under D50."""
        return adaptation(xyz(self.white)) @ self.to_own_xyz


def xyz(point):
    x, y = point
    return numpy.array([x / y, 1, (1 - x - y) / y])


def adaptation(white):
    """The linear Bradford adaptation to D50 (ICC.1, annex E)."""
    return colour.adaptation.matrix_chromatic_adaptation_VonKries(white, WHITE_D50, transform="Bradford")


BT709 = {"red": (0.64, 0.33), "green": (0.30, 0.60), "blue": (0.15, 0.06)}
P3 = {"red": (0.680, 0.320), "green": (0.265, 0.690), "blue": (0.150, 0.060)}
BT2020 = {"red": (0.708, 0.292), "green": (0.170, 0.797), "blue": (0.131, 0.046)}
SPACES = {
    "srgb": Space(SRGB_CURVE, **BT709),
    "p3": Space(SRGB_CURVE, **P3),
    "adobe": Space(Curve(563 / 256), (0.64, 0.33), (0.21, 0.71), (0.15, 0.06)),
    "prophoto": Space(PROPHOTO_CURVE, (0.7347, 0.2653), (0.1596, 0.8404), (0.0366, 0.0001), D50),
    "bt2020": Space(SRGB_CURVE, **BT2020),
    "bt2020-2.4": Space(Curve(2.4), **BT2020),
    "gamma-1.8": Space(Curve(1.8), (0.625, 0.34), (0.28, 0.595), (0.155, 0.07)),
    "gamma-1.8-srgb-primaries": Space(Curve(1.8), **BT709),
    "gamma-2.2-p3": Space(Curve(2.2), **P3),
    "linear-p3": Space(Curve(1), **P3),
}


def encoded_srgb(light):
    """The curve of sRGB and Display P3, from linear light."""
    light = numpy.clip(light, 0, 1)
    return numpy.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def converted(light, source, target):
    """Returns linear light of one space in another, not clipped. Whites are mapped to each other."""
    return light @ (numpy.linalg.inv(target.to_xyz) @ source.to_xyz).T


def lab(pixels, space):
    """Returns CIELAB of pixels from 0 to 255."""
    return lab_of_xyz(space.curve.light(numpy.asarray(pixels, float) / 255) @ space.to_xyz.T)


def lab_of_xyz(values):
    ratio = values / WHITE_D50
    root = numpy.where(ratio > (6 / 29) ** 3, numpy.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = root[..., 0], root[..., 1], root[..., 2]
    return numpy.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def difference(first, second):
    """Returns CIEDE2000 of two arrays of CIELAB (ISO/CIE 11664-6)."""
    return colour.difference.delta_E_CIE2000(first, second)
