"""Draws the test images as values from 0 to 1 in the color space of the file. They are the same in each run."""

import numpy

WIDTH, HEIGHT = 240, 176
#: Skin tones from light to dark.
SKIN = numpy.array([
    [246, 237, 228], [243, 231, 219], [247, 234, 208], [234, 218, 186], [215, 189, 150], [194, 150, 130], [160, 126, 86],
    [130, 92, 67], [115, 72, 50], [96, 65, 52], [58, 49, 42], [41, 36, 32]]) / 255


def chart(width=WIDTH, height=HEIGHT):
    """Returns saturated colors, a gradient of each primary and secondary color, skin tones, highlights and a gray ramp."""
    rows = height // 11
    return numpy.concatenate([
        patches(saturated(), width, 2 * rows), *[gradient(color, width, rows // 2) for color in corners()[1:7]],
        patches(SKIN, width, rows), highlights(width, 2 * rows), patches(muted(), width, 2 * rows),
        gradient((1, 1, 1), width, height - 7 * rows - 6 * (rows // 2))])


def corners():
    return [tuple(number >> bit & 1 for bit in range(3)) for number in range(8)]


def saturated():
    """The corners of the cube, and colors between the neighbors of the circle of hues."""
    hues = numpy.linspace(0, 6, 24, endpoint=False)[:, None]
    wheel = numpy.clip(numpy.abs((hues + [0, 4, 2]) % 6 - 3) - 1, 0, 1)
    return numpy.concatenate([wheel, 0.75 * wheel, 0.15 + 0.8 * wheel])


def muted():
    steps = numpy.array([0.2, 0.5, 0.8])
    return numpy.stack(numpy.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)


def patches(colors, width, height):
    """Returns the colors in one row of patches, or in several if they would be narrower than 8 pixels."""
    lines = max(1, -(-len(colors) * 8 // width))
    per_line = -(-len(colors) // lines)
    heights = numpy.diff(numpy.linspace(0, height, lines + 1).astype(int))
    result = []
    for line, line_height in enumerate(heights):
        own = colors[line * per_line:(line + 1) * per_line]
        row = numpy.asarray(own)[numpy.arange(width) * len(own) // width]
        result.append(numpy.repeat(row[None], line_height, axis=0))
    return numpy.concatenate(result)


def gradient(color, width, height):
    ramp = numpy.linspace(0, 1, width)[None, :, None]
    return numpy.repeat(ramp * numpy.asarray(color, float), height, axis=0)


def highlights(width, height):
    """Returns spots of light on a dark ground, from a color at the edge to white in the center."""
    y, x = numpy.mgrid[0:height, 0:width].astype(float)
    pixels = numpy.full((height, width, 3), 0.08)
    for number, color in enumerate([(1, 0.4, 0.1), (1, 0.9, 0.3), (0.2, 0.5, 1), (0.4, 1, 0.5), (1, 0.2, 0.7)]):
        distance = numpy.hypot(x - width * (number + 0.5) / 5, y - height / 2) / (height / 2)
        glow = numpy.clip(1 - distance, 0, 1)[..., None]
        edge, center = numpy.asarray(color) * numpy.minimum(1, 2 * glow), (1 - numpy.asarray(color)) * numpy.maximum(0, 2 * glow - 1)
        pixels = numpy.maximum(pixels, edge + center)
    return numpy.clip(pixels, 0, 1)


def gray(width=WIDTH, height=HEIGHT):
    return numpy.concatenate([gradient((1, 1, 1), width, height // 2), gradient((1, 1, 1), width, height - height // 2)[:, ::-1]])


def ramp(first, last, width, height, color=(1, 1, 1)):
    """Returns a slow gradient between two values of a channel."""
    values = numpy.linspace(first, last, width)[None, :, None] * numpy.asarray(color, float)
    return numpy.repeat(values, height, axis=0)


def smooth(width=480, height=352):
    """Returns colors that change so slowly that the way of resampling doesn't matter."""
    y, x = numpy.mgrid[0:height, 0:width].astype(float)
    u, v = (x + 0.5) / width, (y + 0.5) / height
    return numpy.stack([0.15 + 0.8 * u, 0.9 - 0.7 * v, 0.2 + 0.6 * (u + v) / 2], axis=2)


def photograph(width=640, height=420):
    """Returns a landscape in scene light, 1 at diffuse white, in Display P3: a low sun, water, a field and saturated flowers."""
    y, x = numpy.mgrid[0:height, 0:width].astype(float)
    u, v = x / width, y / height
    sky = mixed((0.08, 0.2, 0.75), (1.6, 0.45, 0.08), numpy.clip(v / 0.5, 0, 1) ** 1.5)
    distance = numpy.hypot((u - 0.68) * width / height, v - 0.36)
    disc, glow = numpy.exp(-((distance / 0.045) ** 4))[..., None], (0.25 / (0.05 + distance))[..., None]
    sun = disc * numpy.array([14, 10, 5]) + glow * numpy.array([0.5, 0.25, 0.08])
    waves = 0.6 + 0.4 * numpy.sin(v * 260 + 5 * numpy.sin(u * 40))
    water = mixed((0.02, 0.16, 0.25), (0.9, 0.35, 0.08), numpy.exp(-(((u - 0.68) / 0.12) ** 2)) * waves)
    field = mixed((0.02, 0.25, 0.02), (0.15, 0.5, 0.03), 0.5 + 0.5 * numpy.sin(u * 90 + 30 * v) * numpy.sin(v * 70))
    pixels = numpy.where((v < 0.5)[..., None], sky + sun, numpy.where((v < 0.68)[..., None], water, field))
    return flowers(pixels, u, v, width / height)


def flowers(pixels, u, v, aspect):
    colors = [(1.0, 0.0, 0.0), (1.0, 0.0, 0.55), (1.0, 0.75, 0.0), (0.5, 0.0, 0.9), (1.0, 0.25, 0.0), (0.0, 0.35, 1.0)]
    for number in range(42):
        column, row = number * 0.6180339887 % 1, 0.72 + 0.26 * (number * 0.7548776662 % 1)
        radius = 0.012 + 0.05 * (row - 0.68)
        distance = numpy.hypot((u - column) * aspect, v - row) / radius
        petal = (distance < 0.8 + 0.2 * numpy.cos(5 * numpy.arctan2(v - row, (u - column) * aspect)))[..., None]
        pixels = numpy.where(petal, numpy.asarray(colors[number % 6]) * (1.15 - 0.5 * numpy.minimum(distance, 1))[..., None], pixels)
        pixels = numpy.where((distance < 0.25)[..., None], (1.0, 0.8, 0.1), pixels)
    return numpy.maximum(pixels, 0)


def mixed(first, second, share):
    return numpy.asarray(first) * (1 - share[..., None]) + numpy.asarray(second) * share[..., None]
