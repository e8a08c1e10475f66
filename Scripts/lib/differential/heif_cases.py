"""HEIF: each coding of heif-enc and pillow-heif, compared with pillow-heif, which decodes with its own, newer libheif and libde265.

libheif repeats subsampled chroma, but the tool interpolates it. Repeating loses nothing, so the samples of chroma are restored from the
pixels of libheif, and interpolated again. The colors of the images are moderate, because limiting a color to 0 or 255 would change them.

Needs heif-enc, the PyPI package pillow-heif, and a tool that was built with the trait HEIF."""

import importlib.util
import pathlib
import shutil
import tempfile

import numpy

import images
import netpbm
import png_cases
from harness import Check, decodes
from jxl_cases import TO_SRGB, converted, to_srgb, wide_profile

SIZES = [(1, 1), (17, 9), (130, 131)]
DEPTHS = [8, 10, 12]
SAMPLINGS = ["400", "420", "422", "444"]
#: The channels of RGBA that are in an image, by their number.
CHANNELS = {1: [0], 2: [0, 3], 3: [0, 1, 2], 4: [0, 1, 2, 3]}
PNG_KINDS = {1: png_cases.GRAY, 2: png_cases.GRAY_ALPHA, 3: png_cases.RGB, 4: png_cases.RGBA}
MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
#: The weights of red and blue in luma, for matrix coefficients of H.273 (table 4).
WEIGHTS = {1: (0.2126, 0.0722), 5: (0.299, 0.114), 6: (0.299, 0.114), 9: (0.2627, 0.0593)}
#: libheif and the tool round at different steps, and restored chroma samples are rounded, too.
TOLERANCE = 2
#: The conversion to sRGB enlarges differences.
CONVERTED_TOLERANCE = 3


def unavailable(tool):
    """Returns why the checks can't run, or None."""
    if shutil.which("heif-enc") is None:
        return "heif-enc is not installed (libheif-examples)"
    if importlib.util.find_spec("pillow_heif") is None:
        return "pillow-heif is not installed (from PyPI)"
    with tempfile.TemporaryDirectory() as folder:
        file = heif_enc(pathlib.Path(folder, "file.heic"), scene(8, 8, 3), 8)
        return None if decodes(tool, file) else "the tool is built without the trait HEIF"


def checks(folder):
    for width, height in SIZES:
        for depth in DEPTHS:
            for sampling in SAMPLINGS:
                for is_opaque in [True, False]:
                    yield of_heif_enc(folder, width, height, depth, sampling, is_opaque)
    for depth in DEPTHS:
        for sampling in SAMPLINGS:
            for is_opaque in [True, False]:
                for extent in ["full", "limited"]:
                    yield of_pillow(folder, depth, sampling, is_opaque, extent)
            yield grid(folder, depth, sampling)
    yield from matrices(folder)
    yield from lossless(folder)
    yield from orientations(folder)
    yield from colors(folder)
    yield premultiplied(folder)


def of_heif_enc(folder, width, height, depth, sampling, is_opaque):
    """Returns a check of an image whose color is described in the HEVC data, without a `colr` box."""
    source = scene(width, height, channels(sampling, is_opaque))
    name = f"heif-{depth}-{sampling}{'' if is_opaque else '-alpha'}-{width}x{height}"
    chroma = [] if sampling == "400" else ["-p", f"chroma={sampling}"]
    file = heif_enc(folder / f"{name}.heic", source, depth, "-q", "80", *chroma)
    return check(file, sampling, hasAlpha=not is_opaque)


def of_pillow(folder, depth, sampling, is_opaque, extent):
    source = scene(83, 59, channels(sampling, is_opaque))
    name = f"heif-{depth}-{sampling}-{extent}{'' if is_opaque else '-alpha'}"
    file = pillow(folder / f"{name}.heic", source, depth, sampling, full_range_flag=int(extent == "full"))
    return check(file, sampling, is_limited_gray=(sampling, extent) == ("400", "limited"), hasAlpha=not is_opaque)


def grid(folder, depth, sampling):
    """Returns a check of a grid of 3 by 3 tiles, the last of which exceed the image."""
    file = folder / f"heif-grid-{depth}-{sampling}.heic"
    return check(pillow(file, scene(150, 131, channels(sampling, True)), depth, sampling, tile_size=64), sampling)


def matrices(folder):
    """Yields checks of matrix coefficients. libheif converts GBR of limited range (matrix 0) with wrong factors."""
    for sampling in ["420", "444"]:
        for matrix in WEIGHTS:
            for extent in ["full", "limited"]:
                file = folder / f"heif-matrix-{matrix}-{sampling}-{extent}.heic"
                options = {"matrix_coefficients": matrix, "full_range_flag": int(extent == "full")}
                yield check(pillow(file, scene(83, 59, 3), 8, sampling, **options), sampling, matrix)
    yield check(pillow(folder / "heif-matrix-0.heic", scene(83, 59, 3), 8, "444", matrix_coefficients=0), "444")


def lossless(folder):
    """Yields checks of lossless images, whose 8-bit samples must be those of the source."""
    for count in range(1, 5):
        source = images.scene(83, 59)[..., CHANNELS[count]]
        for depth in DEPTHS:
            file = folder / f"heif-lossless-{depth}-{count}-channels.heic"
            pillow(file, source, depth, "444", quality=-1, matrix_coefficients=0 if count > 2 else 6)
            result = check(file, "444", hasAlpha=count in (2, 4))
            if depth == 8:
                result.expected, result.tolerance = lambda source=source: netpbm.rgba(source.astype(int), 255), 0
            yield result


def orientations(folder):
    """Yields checks of the properties `irot` and `imir`, which pillow-heif writes for an Exif orientation."""
    for orientation in range(1, 9):
        for sampling, is_opaque in [("420", True), ("444", False)]:
            file = folder / f"heif-orientation-{orientation}-{sampling}.heic"
            exif = b"Exif\0\0" + images.exif(orientation, True)
            yield check(pillow(file, scene(94, 72, channels(sampling, is_opaque)), 8, sampling, exif=exif), sampling)


def colors(folder):
    """Yields checks of color spaces that are stored as code points (H.273) or as an ICC profile, with colors inside sRGB."""
    source = scene(83, 59, 4)
    source[..., :3] = 80 + source[..., :3] // 2
    for space, primaries, matrix in [("display-p3", 12, 6), ("bt2020", 9, 9)]:
        for depth in DEPTHS:
            for extent in ["full", "limited"]:
                file = folder / f"heif-{space}-{depth}-{extent}.heic"
                pillow(
                    file, source, depth, "444", color_primaries=primaries, matrix_coefficients=matrix,
                    full_range_flag=int(extent == "full"))
                yield check(file, "444", convert=lambda pixels, space=space: to_srgb(pixels, TO_SRGB[space]))
    profile = folder / "wide.icc"
    profile.write_bytes(wide_profile())
    for count in [3, 4]:
        file = folder / f"heif-profile-{count}-channels.heic"
        pillow(file, source[..., :count], 8, "444", icc_profile=profile.read_bytes())
        yield check(file, "444", convert=lambda pixels: converted(numpy.rint(pixels).astype(numpy.uint8), profile))


def premultiplied(folder):
    source = scene(83, 59, 4).astype(int)
    alpha = source[..., 3:]
    stored = source[..., :3] * alpha // 255
    file = folder / "heif-premultiplied.heic"
    samples = numpy.concatenate([stored, alpha], axis=2).astype(numpy.uint8)
    pillow(file, samples, 8, "444", mode="RGBa", quality=-1, matrix_coefficients=0)
    straight = (stored * 255 + alpha // 2) // numpy.maximum(alpha, 1)
    expected = numpy.concatenate([straight, alpha], axis=2)
    return Check(file.stem, file, lambda: expected, compares_hidden_colors=False, facts={"format": "heic", "hasAlpha": True})


def scene(width, height, count):
    """Returns the gray, gray and alpha, RGB or RGBA of an image with moderate colors."""
    pixels = images.scene(width, height)
    pixels[..., :3] = 84 + pixels[..., :3] // 3
    return pixels[..., CHANNELS[count]]


def channels(sampling, is_opaque):
    return (1 if sampling == "400" else 3) + (0 if is_opaque else 1)


def heif_enc(file, samples, depth, *options):
    path = file.with_suffix(".png")
    is_deep = depth > 8
    path.write_bytes(png_cases.encoded(samples.astype(int) * (257 if is_deep else 1), PNG_KINDS[samples.shape[2]], 16 if is_deep else 8))
    netpbm.run("heif-enc", *options, "-b", depth, path, "-o", file)
    path.unlink()
    return file


def pillow(file, samples, depth, sampling, mode=None, quality=80, exif=None, **options):
    import pillow_heif

    mode = mode or MODES[samples.shape[2]]
    if depth > 8:
        mode, samples = f"{mode};16", samples.astype("<u2") * 257
    image = pillow_heif.from_bytes(mode=mode, size=(samples.shape[1], samples.shape[0]), data=samples.tobytes())
    image.info["exif"] = exif
    color = {"color_primaries": 1, "transfer_characteristics": 13, "matrix_coefficients": 6, "full_range_flag": 1, **options}
    image.save(file, quality=quality, chroma=None if sampling == "400" else sampling, bit_depth=depth, **color)
    return file


def check(file, sampling, matrix=6, is_limited_gray=False, convert=None, **facts):
    def expected():
        pixels = decoded(file)
        if is_limited_gray:  # libheif returns the samples
            pixels[..., :3] = (pixels[..., :3] - 16) * (255 / 219)
        if sampling in ["420", "422"]:
            pixels[..., :3] = interpolated(pixels[..., :3], sampling, WEIGHTS[matrix])
        return numpy.rint((convert or (lambda pixels: pixels))(pixels)).clip(0, 255).astype(int)

    tolerance = CONVERTED_TOLERANCE if convert else TOLERANCE
    return Check(file.stem, file, expected, tolerance=tolerance, facts={"format": "heic", "frames": 1, **facts})


def decoded(file):
    """Returns the pixels as RGBA from 0 to 255, in the color space of the file and at its depth."""
    import pillow_heif

    image = pillow_heif.open_heif(file, convert_hdr_to_8bit=False)
    samples = numpy.asarray(image) / (257 if image.mode.endswith(";16") else 1)
    samples = samples.reshape(image.size[1], image.size[0], -1)
    if samples.shape[2] < 3:
        samples = samples[..., [0, 0, 0, 1][:samples.shape[2] + 2]]
    opaque = numpy.full_like(samples[..., :1], 255)
    return samples if samples.shape[2] == 4 else numpy.concatenate([samples, opaque], axis=2)


def interpolated(pixels, sampling, weights):
    """Returns RGB whose chroma is interpolated in place of repeated (H.273, 8.3)."""
    red, blue = weights
    y = pixels @ [red, 1 - red - blue, blue]
    cb, cr = (pixels[..., channel] - y for channel in [2, 0])
    for_each = [interpolated_rows(plane.T).T for plane in [cb, cr]]
    cb, cr = [interpolated_rows(plane) for plane in for_each] if sampling == "420" else for_each
    green = y - (cb * blue + cr * red) / (1 - red - blue)
    return numpy.stack([y + cr, green, y + cb], axis=2)


def interpolated_rows(plane):
    """Restores the sample of each pair of rows. It is between both, so each row is 3/4 of the nearest and 1/4 of the next sample."""
    padded = numpy.pad(plane, [(0, len(plane) % 2), (0, 0)], "edge")
    samples = (padded[::2] + padded[1::2]) / 2
    around = numpy.pad(samples, [(1, 1), (0, 0)], "edge")
    pairs = [0.75 * samples + 0.25 * next_samples for next_samples in [around[:-2], around[2:]]]
    return numpy.stack(pairs, axis=1).reshape(padded.shape)[:len(plane)]
