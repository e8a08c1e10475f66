"""The color spaces of the test images, and the measure of differences: CIEDE2000 in CIELAB with the white D50."""

import dataclasses

import numpy

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
    bradford = numpy.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
    return numpy.linalg.inv(bradford) @ numpy.diag((bradford @ WHITE_D50) / (bradford @ white)) @ bradford


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
    """Returns CIEDE2000 of two arrays of CIELAB (ISO/CIE 11664-6), after Sharma, Wu and Dalal, 2005."""
    light = (first[..., 0] + second[..., 0]) / 2
    chroma = (numpy.hypot(first[..., 1], first[..., 2]) + numpy.hypot(second[..., 1], second[..., 2])) / 2
    stretch = 1 + 0.5 * (1 - numpy.sqrt(chroma**7 / (chroma**7 + 25.0**7)))
    a1, a2 = first[..., 1] * stretch, second[..., 1] * stretch
    c1, c2 = numpy.hypot(a1, first[..., 2]), numpy.hypot(a2, second[..., 2])
    h1, h2 = hue(a1, first[..., 2]), hue(a2, second[..., 2])
    is_gray = c1 * c2 == 0
    turn = numpy.where(is_gray, 0, (h2 - h1 + 180) % 360 - 180)
    # A difference of exactly half a turn keeps its sign.
    turn = numpy.where(~is_gray & (numpy.abs(h2 - h1) <= 180), h2 - h1, turn)
    mean_hue = numpy.where(is_gray, h1 + h2, mean_of_hues(h1, h2))
    return combined(second[..., 0] - first[..., 0], c2 - c1, 2 * numpy.sqrt(c1 * c2) * sine(turn / 2), light, (c1 + c2) / 2, mean_hue)


def combined(dl, dc, dh, light, chroma, mean_hue):
    t = (1 - 0.17 * cosine(mean_hue - 30) + 0.24 * cosine(2 * mean_hue) + 0.32 * cosine(3 * mean_hue + 6)
         - 0.20 * cosine(4 * mean_hue - 63))
    rotation = 2 * numpy.sqrt(chroma**7 / (chroma**7 + 25.0**7)) * sine(60 * numpy.exp(-(((mean_hue - 275) / 25) ** 2)))
    sl = 1 + 0.015 * (light - 50) ** 2 / numpy.sqrt(20 + (light - 50) ** 2)
    l, c, h = dl / sl, dc / (1 + 0.045 * chroma), dh / (1 + 0.015 * chroma * t)
    return numpy.sqrt(numpy.maximum(l * l + c * c + h * h - rotation * c * h, 0))


def mean_of_hues(h1, h2):
    total = h1 + h2
    around = numpy.where(total < 360, total + 360, total - 360)
    return numpy.where(numpy.abs(h1 - h2) <= 180, total, around) / 2


def hue(a, b):
    return numpy.degrees(numpy.arctan2(b, a)) % 360


def sine(degrees):
    return numpy.sin(numpy.radians(degrees))


def cosine(degrees):
    return numpy.cos(numpy.radians(degrees))
