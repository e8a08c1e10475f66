"""Finds images in a folder whose color is not plain sRGB, and how to interpret them."""

import io
import pathlib
import shutil
import struct
import warnings

import numpy
from PIL import Image, ImageCms, ImageOps

import files
import hdr
import icc
import spaces
from cases import Case

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".avif", ".heic", ".heif"}
PRIMARIES = {1: "srgb", 9: "bt2020", 12: "p3"}
TRANSFERS = {16: "pq", 18: "hlg"}
CHANNELS = {"GRAY": 1, "RGB ": 3, "CMYK": 4}
MOST_PIXELS = 4_000_000


def all_cases(source, folder):
    """Yields the images of a source folder that Pillow can decode, and that have a readable profile or code points. Copies them, because
    their names may not be unique."""
    try:
        import pillow_heif

        pillow_heif.register_heif_opener()
    except ImportError:
        pass
    warnings.simplefilter("ignore")  # of Pillow, about damaged files
    number = 0
    for file in sorted(source.rglob("*")):
        if file.suffix.lower() not in SUFFIXES or not file.is_file():
            continue
        try:
            case = case_of(file, str(file.relative_to(source)))
        except (OSError, SyntaxError, ValueError, ImageCms.PyCMSError, Image.DecompressionBombError):
            continue
        if case:
            number += 1
            case.file = pathlib.Path(shutil.copy(file, folder / f"sample-{number}{file.suffix}"))
            yield case


def case_of(file, name):
    data = file.read_bytes()
    with Image.open(file) as picture:
        if picture.width * picture.height > MOST_PIXELS:
            return None
        profile = picture.info.get("icc_profile")
        points = code_points(data)
        if points and points[1] in TRANSFERS:
            return hdr_case(file, name, data, points)
        if points and data.startswith(b"\x89PNG"):
            profile = None
        if profile is None and points in (None, (1, 13)):
            return None
        if profile is None:
            profile = icc.matrix_profile(spaces.SPACES[PRIMARIES[points[0]]])
        values, alpha = pixels(picture, profile)
    return Case(name, file, lambda: values, profile, None, alpha=alpha) if values is not None else None


def code_points(data):
    """Returns the primaries and the transfer function of a cICP chunk or an nclx box."""
    if data.startswith(b"\x89PNG"):
        start = data.find(b"cICP", 0, max(0, data.find(b"IDAT")))
        return tuple(data[start + 4:start + 6]) if start > 0 else None
    start = data.find(b"colrnclx", 0, 8192)
    return struct.unpack_from(">2H", data, start + 8) if start > 0 else None


def hdr_case(file, name, data, points):
    if data.startswith(b"\x89PNG"):
        import imagecodecs

        samples = numpy.atleast_3d(imagecodecs.png_decode(data))
        values = samples / numpy.iinfo(samples.dtype).max
    else:
        values = files.decoded_by_libavif(file) if b"ftypavif" in data[:32] else files.decoded_by_libheif(file, 10)
    peak = data.find(b"clli")
    stated = struct.unpack_from(">H", data, peak + 4)[0] if peak > 0 else 0
    conversion = hdr.Conversion(TRANSFERS[points[1]], spaces.SPACES[PRIMARIES[points[0]]], stated or hdr.USUAL_PEAK)
    return Case(name, file, lambda: values[..., :3], conversion, None)


def pixels(picture, profile):
    """Returns the upright pixels in the color model of the profile, and the opacity. None if the profile is for others."""
    model = ImageCms.ImageCmsProfile(io.BytesIO(profile)).profile.xcolor_space
    upright = ImageOps.exif_transpose(picture)
    has_alpha = "A" in upright.mode or "transparency" in upright.info
    alpha = numpy.asarray(upright.convert("RGBA"))[..., 3] if has_alpha else None
    is_gray = upright.mode in ("1", "L", "LA", "I;16")
    if CHANNELS.get(model) != (1 if is_gray else 4 if upright.mode == "CMYK" else 3):
        return None, None
    mode = {"GRAY": "L", "RGB ": "RGB", "CMYK": "CMYK"}[model]
    if upright.mode == "I;16":
        return numpy.atleast_3d(numpy.asarray(upright)) / 65535, alpha
    return numpy.atleast_3d(numpy.asarray(upright.convert(mode))) / 255, alpha
