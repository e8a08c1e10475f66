"""Files of the newest encoders that PyPI has, compared with the newest decoders, or with the samples if the file is lossless.

The other groups use the encoders of the distribution, which are as old as the libraries of the tool. Those of pillow-heif are in the group
heif. Needs the PyPI package imagecodecs."""

import importlib.util
import pathlib
import tempfile

import numpy

import images
import jxl_cases
import netpbm
from harness import Check, decodes

#: libjxl stores the sections of lossy images above 2,048 pixels in another order since version 0.10.
LARGE = [(2304, 2304), (4096, 1024), (517, 2051)]
TOLERANCES = {"jxl": jxl_cases.TOLERANCE, "avif": 3, "webp": 1, "jpeg": 2, "png": 0}


def unavailable(tool):
    """Returns why the checks can't run, or None."""
    if importlib.util.find_spec("imagecodecs") is None:
        return "imagecodecs is not installed (from PyPI)"
    with tempfile.TemporaryDirectory() as folder:
        small = images.scene(8, 8)
        files = [coded(pathlib.Path(folder), kind, "file", small).file for kind in ["jxl", "avif"]]
        return None if all(decodes(tool, file) for file in files) else "the tool is built without the traits AVIF and JXL"


def checks(folder):
    yield from jxl(folder)
    yield from avif(folder)
    yield from webp(folder)
    yield from jpeg(folder)
    yield from png(folder)


def jxl(folder):
    for width, height in LARGE:
        for distance in [0.1, 1.5, 4.0]:
            yield coded(folder, "jxl", f"lossy-{distance}", gradient(width, height), distance=distance, effort=3, lossless=False)
    scene = images.scene(2304, 700)
    yield coded(folder, "jxl", "large-alpha", scene, distance=1.0, effort=3, lossless=False)
    yield coded(folder, "jxl", "large-gray", scene[..., 0], distance=1.0, effort=3, lossless=False)
    yield coded(folder, "jxl", "large-boxed", scene[..., :3], distance=1.0, effort=3, lossless=False, usecontainer=True)
    yield coded(folder, "jxl", "large-lossless", scene, effort=1, lossless=True)
    small = images.scene(300, 281)
    for effort in [1, 4, 5, 7, 9]:
        for is_lossless in [False, True]:
            name = f"effort-{effort}{'-lossless' if is_lossless else ''}"
            options = {"lossless": True} if is_lossless else {"lossless": False, "distance": 1.0}
            yield coded(folder, "jxl", name, small if is_lossless else small[..., :3], effort=effort, **options)
    for speed in range(1, 5):
        yield coded(folder, "jxl", f"speed-{speed}", small[..., :3], decodingspeed=speed, effort=3, lossless=False, distance=1.0)
    yield coded(folder, "jxl", "16-bit", small[..., :3].astype(numpy.uint16) * 257, effort=3, lossless=False, distance=1.0)
    for name, width, height in [("animation", 300, 281), ("large-animation", 2304, 560)]:
        frames = numpy.stack([images.scene(width, height, seed)[..., :3] for seed in range(2)])
        for number in range(len(frames)):
            result = coded(folder, "jxl", name, frames, frame=number, effort=3, lossless=False, distance=1.0, photometric="rgb")
            result.facts["frames"] = len(frames)
            yield result


def avif(folder):
    for width, height in [(130, 131), (1025, 700)]:
        scene = images.scene(width, height)
        for sampling in ["yuv420", "yuv422", "yuv444"]:
            for name, pixels in [("", scene[..., :3]), ("-alpha", scene)]:
                yield coded(folder, "avif", f"{sampling}{name}", pixels, level=80, speed=9, pixelformat=sampling)
    yield coded(folder, "avif", "gray", scene[..., 0], level=80, speed=9)


def webp(folder):
    for width, height in [(75, 58), (700, 525)]:
        scene = images.scene(width, height)
        for name, pixels in [("", scene[..., :3]), ("-alpha", scene)]:
            yield coded(folder, "webp", f"lossy{name}", pixels, level=75)
            yield coded(folder, "webp", f"lossless{name}", pixels, lossless=True)


def jpeg(folder):
    for width, height in [(75, 58), (700, 525)]:
        scene = images.scene(width, height)
        yield coded(folder, "jpeg", "gray", scene[..., 0], level=90)
        for sampling in ["444", "422", "420", "411", "440"]:
            yield coded(folder, "jpeg", sampling, scene[..., :3], level=90, subsampling=sampling, optimize=sampling == "420")


def png(folder):
    scene = images.scene(130, 131)
    kinds = {"gray": scene[..., 0], "gray-alpha": scene[..., [0, 3]], "rgb": scene[..., :3], "rgba": scene}
    for name, pixels in kinds.items():
        for level in [1, 9]:
            yield coded(folder, "png", f"{name}-{level}", pixels, level=level)
    yield coded(folder, "png", "rgb-16-bit", scene[..., :3].astype(numpy.uint16) * 257)


def gradient(width, height):
    y, x = numpy.mgrid[0:height, 0:width]
    return numpy.stack([x * 255 // width, y * 255 // height, (x + y) * 255 // (width + height)], axis=2).astype(numpy.uint8)


def coded(folder, kind, name, pixels, frame=None, **options):
    """Writes a file and returns its check."""
    import imagecodecs

    names = {"jxl": "jpegxl", "jpeg": "jpeg8"}
    encode = getattr(imagecodecs, f"{names.get(kind, kind)}_encode")
    height, width = pixels.shape[:2] if frame is None else pixels.shape[1:3]
    file = folder / f"newest-{kind}-{name}-{width}x{height}.{kind}"
    if frame in (None, 0):
        file.write_bytes(encode(numpy.ascontiguousarray(pixels), **options))
    is_exact = kind == "png" or options.get("lossless", False)
    expected = (lambda: rgba(pixels)) if is_exact else (lambda: decoded(file, kind, names.get(kind, kind), frame))
    check = Check(
        file.stem, file, expected, tolerance=0 if is_exact else TOLERANCES[kind], compares_hidden_colors=is_exact,
        facts={"format": kind, "frames": 1})
    if frame is not None:
        check.name += f", frame {frame}"
        check.options = ["--frame", str(frame)]
    return check


def decoded(file, kind, name, frame):
    import imagecodecs

    pixels = getattr(imagecodecs, f"{name}_decode")(file.read_bytes())
    pixels = pixels if frame is None else pixels[frame]
    # libjxl stores more than 8 bits in linear light, unless it is told otherwise.
    if kind == "jxl" and pixels.dtype == numpy.uint16:
        value = pixels / 65535
        pixels = numpy.rint(255 * numpy.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055))
    return rgba(pixels)


def rgba(pixels):
    """Returns gray, gray with alpha, RGB or RGBA samples of 8 or 16 bits as RGBA of 8 bits."""
    pixels = pixels if pixels.ndim == 3 else pixels[..., None]
    return netpbm.rgba(pixels.astype(int), 65535 if pixels.dtype == numpy.uint16 else 255)
