"""Smaller sizes, compared with Lanczos3 in floating point from all pixels, on gamma-coded values as in browsers and most tools.

The codec's scaling and rounding to eight bits cause differences, which are limited by a signal-to-noise ratio. The images have harder
edges and more texture than photographs, which score 5 to 10 dB more.
"""

import math

import numpy

import gif_cases
import jpeg_cases
import netpbm
import images
import png_cases
from harness import Check

#: The target size, and whether the image covers it (fill) or fits into it.
TARGETS = [((300, 300), False), ((97, 31), False), ((64, 64), True), ((200, 40), True), ((1, 90), False), ((150, 113), False)]
JPEG, QUARTER_CHROMA, WEBP, EXACT = 36.0, 33.0, 40.0, 50.0


def checks(folder):
    yield from jpegs(folder)
    yield from pngs(folder)
    yield from webps(folder)
    yield from gifs(folder)


def jpegs(folder):
    for sampling in ["444", "422", "440", "420", "411", "gray"]:
        for coding in ["baseline", "progressive"]:
            factors = jpeg_cases.SAMPLINGS[sampling]
            shape = ["-grayscale"] if factors is None else ["-sample", factors]
            file = folder / f"size-jpeg-{sampling}-{coding}.jpg"
            source = netpbm.ppm(images.scene(803, 601))
            file.write_bytes(netpbm.run("cjpeg", "-quality", "90", *shape, *jpeg_cases.CODINGS[coding], data=source))
            floor = QUARTER_CHROMA if sampling == "411" else JPEG
            yield from each(file, netpbm.decoded("djpeg", "-pnm", file), floor)
    upright = folder / "size-jpeg-420-baseline.jpg"
    for orientation in range(2, 9):
        file = folder / f"size-jpeg-orientation-{orientation}.jpg"
        file.write_bytes(jpeg_cases.with_exif(upright.read_bytes(), images.exif(orientation, True)))
        whole = images.oriented(netpbm.decoded("djpeg", "-pnm", file), orientation)
        yield from each(file, whole, JPEG, TARGETS[1:4])


def pngs(folder):
    whole = images.scene(611, 409).astype(int)
    for name, kind, samples in [
        ("rgb", png_cases.RGB, whole[..., :3]), ("rgba", png_cases.RGBA, whole), ("gray", png_cases.GRAY, whole[..., :1])]:
        for is_interlaced in [False, True]:
            file = folder / f"size-png-{name}{'-interlaced' if is_interlaced else ''}.png"
            file.write_bytes(png_cases.encoded(samples, kind, 8, is_interlaced))
            yield from each(file, netpbm.rgba(samples, 255), EXACT)
    # Colors with zero alpha must not be visible in the result.
    hidden = images.opaque(images.scene(400, 300)).astype(int)
    hidden[:, :200, 3] = 0
    hidden[:, :200, :3] = [255, 0, 255]
    file = folder / "size-png-hidden-color.png"
    file.write_bytes(png_cases.encoded(hidden, png_cases.RGBA, 8))
    yield from each(file, hidden, EXACT)


def webps(folder):
    source = folder / "source.pam"
    for name, options, is_opaque in [
        ("lossy", ["-q", "85"], True), ("lossy-alpha", ["-q", "85"], False), ("lossless", ["-lossless", "-exact"], False)]:
        image = images.scene(803, 601)
        source.write_bytes(netpbm.pam(images.opaque(image) if is_opaque else image))
        file = folder / f"size-webp-{name}.webp"
        netpbm.run("cwebp", "-quiet", *options, source, "-o", file)
        whole = netpbm.decoded("dwebp", "-quiet", "-pam", file, "-o", "-")
        yield from each(file, whole, EXACT if name == "lossless" else WEBP)


def gifs(folder):
    for place in ["global", "local"]:
        file = folder / f"size-gif-{place}.gif"
        palette = gif_cases.colors(64)
        frame = gif_cases.Frame(0, 0, gif_cases.drawn(311, 207, 64), palette if place == "local" else None)
        frame.transparent = 20 if place == "local" else None
        animation = gif_cases.Animation(311, 207, [frame], palette if place == "global" else None)
        file.write_bytes(gif_cases.encoded(animation))
        [whole] = gif_cases.composition(animation)
        yield from each(file, whole, EXACT)


def each(file, whole, psnr, targets=None):
    for (width, height), fills in targets or TARGETS:
        options = ["--size", f"{width}x{height}", *(["--fill"] if fills else [])]

        def expected(width=width, height=height, fills=fills):
            return resized(whole, width, height, fills)

        yield Check(f"{file.stem} {' '.join(options)}", file, expected, options=options, psnr=psnr)


def resized(whole, width, height, fills):
    """Returns the image fitted into the target, or its center covering the target. Never enlarges."""
    full = (whole.shape[1], whole.shape[0])
    scales = (width / full[0], height / full[1])
    if fills and max(scales) <= 1:
        size, taken = (width, height), (width / max(scales), height / max(scales))
    elif fills:
        size = tuple(min(side, max(1, rounded(wanted / max(scales)))) for side, wanted in zip(full, (width, height)))
        taken = size
    elif min(scales) >= 1:
        return whole
    else:
        size, taken = tuple(max(1, rounded(side * min(scales))) for side in full), full
    start = ((full[0] - taken[0]) / 2, (full[1] - taken[1]) / 2)
    if taken == size:
        start = (full[0] - size[0]) // 2, (full[1] - size[1]) // 2
    rows, columns = (weights(full[axis], size[axis], start[axis], taken[axis]) for axis in (1, 0))
    alpha = whole[..., 3:] / 255
    weighted = numpy.concatenate([whole[..., :3] * alpha, alpha * 255], axis=2)
    narrow = columns @ weighted.reshape(full[1], full[0], 4)
    small = (rows @ narrow.reshape(full[1], -1)).reshape(size[1], size[0], 4)
    seen = small[..., 3:] > 0.25
    small[..., :3] = numpy.where(seen, small[..., :3] * 255 / numpy.where(seen, small[..., 3:], 1), 0)
    return numpy.clip(numpy.rint(small), 0, 255)


def rounded(value):
    """Rounds to nearest, and halves up."""
    return math.floor(value + 0.5)


def weights(source, output, start, length):
    """Returns rows of Lanczos weights with three lobes, wide enough to prevent aliasing. Each row's sum is 1."""
    scale = length / output
    reach = max(1.0, scale)
    middles = start + (numpy.arange(output) + 0.5) * scale
    distances = (numpy.arange(source) + 0.5 - middles[:, None]) / reach
    found = numpy.where(abs(distances) < 3, numpy.sinc(distances) * numpy.sinc(distances / 3), 0)
    return found / found.sum(axis=1, keepdims=True)
