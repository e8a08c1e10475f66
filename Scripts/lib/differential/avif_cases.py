"""AVIF: each coding of avifenc and Pillow, compared with Pillow, which decodes with its own libavif.

Needs avifenc, a Pillow with AVIF, and a tool that was built with the trait AVIF."""

import pathlib
import shutil
import tempfile

import numpy
from PIL import Image, ImageOps, features

import images
import netpbm
from harness import Check, decodes

SIZES = [(1, 1), (1, 19), (19, 1), (17, 9), (130, 131)]
DEPTHS = ["8", "10", "12"]
FORMATS = ["400", "420", "422", "444"]
#: Both decoders have different versions of libyuv. Our decoder uses it for 8 bits only, because its blue is less exact.
TOLERANCES = {"8": 2, "10": 4, "12": 5}
#: Pillow's libavif repeats chroma samples of 12 bits if there is alpha, and interpolates deep ones differently at the edges.
LEAST_PSNR_OF_INTERPOLATED_SAMPLES = {"10": 40, "12": 29}


def unavailable(tool):
    """Returns why the checks can't run, or None."""
    if shutil.which("avifenc") is None:
        return "avifenc is not installed (libavif-bin)"
    if not features.check("avif"):
        return "Pillow has no AVIF (install version 11.2 or newer from PyPI)"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "file.avif")
        encode(images.scene(8, 8), True, file)
        return None if decodes(tool, file) else "the tool is built without the trait AVIF"


def checks(folder):
    for width, height in SIZES:
        for is_opaque in [True, False]:
            for depth in DEPTHS:
                for sampling in FORMATS:
                    for extent in ["full", "limited"]:
                        yield coded(folder, width, height, is_opaque, depth, sampling, extent)
    yield from special(folder)
    yield from orientations(folder)
    yield from animations(folder)


def coded(folder, width, height, is_opaque, depth, sampling, extent):
    alpha = "" if is_opaque else "-alpha"
    name = f"avif-{depth}-{sampling}-{extent}{alpha}-{width}x{height}"
    file = folder / f"{name}.avif"
    encode(images.scene(width, height), is_opaque, file, "-d", depth, "-y", sampling, "-r", extent)
    result = check(name, file, TOLERANCES[depth], hasAlpha=not is_opaque)
    if sampling in ["420", "422"]:
        result.psnr = LEAST_PSNR_OF_INTERPOLATED_SAMPLES.get(depth)
    return result


def special(folder):
    """Yields checks of grids, premultiplied alpha, other matrices and several tiles."""
    scene = images.scene(256, 192)
    for name, is_opaque, options in [
            ("grid", True, ["--grid", "2x3", "-y", "420"]), ("grid-alpha", False, ["--grid", "4x2"]),
            ("premultiplied", False, ["-p"]), ("lossless", False, ["-l"]), ("matrix-709", True, ["--cicp", "1/13/1"]),
            ("matrix-ycgco", True, ["--cicp", "1/13/8"]), ("matrix-2020", True, ["--cicp", "1/13/9"]),
            ("tiles", True, ["--tilerowslog2", "1", "--tilecolslog2", "1"])]:
        file = folder / f"avif-{name}.avif"
        encode(scene, is_opaque, file, *options)
        # Without the premultiplication by a small alpha, a difference of 1 becomes a larger one.
        yield check(file.stem, file, tolerance=8 if name == "premultiplied" else TOLERANCES["8"])


def orientations(folder):
    for rotation in range(4):
        for mirror in [None, 0, 1]:
            name = f"avif-orientation-{rotation}-{mirror}"
            file = folder / f"{name}.avif"
            mirroring = [] if mirror is None else ["--imir", str(mirror)]
            encode(images.scene(53, 38), True, file, "--irot", str(rotation), *mirroring)
            yield check(name, file)


def animations(folder):
    for is_opaque in [True, False]:
        frames = [Image.fromarray(pixels(images.scene(40, 30, seed), is_opaque)) for seed in range(4)]
        file = folder / f"avif-animation{'' if is_opaque else '-alpha'}.avif"
        frames[0].save(file, save_all=True, append_images=frames[1:], duration=[40, 60, 80, 100], quality=90)
        for number in range(len(frames)):
            yield Check(
                f"{file.stem}, frame {number}", file, lambda file=file, number=number: decoded(file, number),
                options=["--frame", str(number)], tolerance=TOLERANCES["8"], compares_hidden_colors=False,
                facts={"format": "avif", "frames": len(frames)})


def check(name, file, tolerance=TOLERANCES["8"], **facts):
    return Check(
        name, file, lambda: decoded(file), tolerance=tolerance, compares_hidden_colors=False,
        facts={"format": "avif", "frames": 1, **facts})


def decoded(file, number=0):
    with Image.open(file) as image:
        image.seek(number)
        return numpy.asarray(ImageOps.exif_transpose(image).convert("RGBA"))


def pixels(scene, is_opaque):
    return numpy.asarray(images.opaque(scene) if is_opaque else scene).astype(numpy.uint8)


def encode(scene, is_opaque, file, *options):
    source = file.with_suffix(".png")
    Image.fromarray(pixels(scene, is_opaque)).convert("RGB" if is_opaque else "RGBA").save(source)
    netpbm.run("avifenc", "-s", "9", "-j", "1", *options, source, file)
