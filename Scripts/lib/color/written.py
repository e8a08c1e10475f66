"""Checks the files that the tool writes: that they say in which space they are, and that other decoders find the colors of the
reference."""

import io
import struct

import numpy
from PIL import Image, ImageCms

import files
import icc
import scenes
import spaces
from cases import Case, profile
from comparison import LARGEST, Comparison, Row
from tool import Picture

#: The largest difference of a pixel in a lossy file, because coding loses more than the conversion.
LARGEST_OF_LOSSY = 6.0
SUFFIXES = {"png": "png", "jpeg": "jpg", "webp": "webp", "avif": "avif", "heic": "heic", "jxl": "jxl"}
CODE_POINTS = {(1, 13): "srgb", (12, 13): "p3"}


def rows(tool, folder, only, colors):
    """Yields a result for each format and color space."""
    data, automatic = profile("p3")
    file = folder / "written.png"
    values = files.write_png(file, scenes.smooth(), 8, [files.profile_chunk(data)])
    for format in SUFFIXES:
        case = Case(f"{format} written", file, lambda: values, data, automatic)
        if only not in case.name or not tool.can_write(format):
            continue
        for color in colors:
            yield from checked(tool, folder, case, format, color)


def checked(tool, folder, case, format, color):
    output = folder / f"written-{color}"
    failure = tool.write(case.file, format, color, output)
    if failure:
        return [Row(case.name, color, "-", fault=str(failure))]
    path = output / f"{case.file.stem}.{SUFFIXES[format]}"
    try:
        picture = read(path, format)
    except (ValueError, OSError, ImageCms.PyCMSError) as error:
        return [Row(case.name, color, "-", fault=f"the written file can't be read: {error}")]
    found = Comparison(tool, folder).rows_of(case, color, picture)
    for row in found:
        row.limit = LARGEST if format == "png" else LARGEST_OF_LOSSY
    if picture.name == "srgb" and picture.is_labelled:
        found.append(Row(case.name, color, "-", fault="the file has a profile of sRGB, which needs none"))
    return found


class Labelled(Picture):
    #: Whether the file has an ICC profile.
    is_labelled = False


def read(path, format):
    """Decodes a file with Pillow and its plugins, and reads its profile or code points."""
    import pillow_heif
    import pillow_jxl  # noqa: F401

    pillow_heif.register_heif_opener()
    with Image.open(path) as opened:
        data = opened.info.get("icc_profile")
        pixels = numpy.asarray(opened.convert("RGBA"))
    if data:
        ImageCms.getProfileDescription(ImageCms.ImageCmsProfile(io.BytesIO(data)))
    points = code_points(path.read_bytes()) if format in ("avif", "heic") else None
    # libjxl makes a profile of its description of a color space, also of sRGB.
    is_described = points is not None or format == "jxl"
    space = spaces.SPACES[CODE_POINTS[points]] if points and not data else icc.MatrixProfile(data) if data else spaces.SPACES["srgb"]
    name = CODE_POINTS[points] if points and not data else space.gamut if data else "srgb"
    picture = Labelled(pixels, name, space)
    picture.is_labelled = data is not None and not is_described
    if points and data and CODE_POINTS.get(points) != name:
        raise ValueError(f"the profile is of {name}, but the code points are {points}")
    return picture


def code_points(data):
    """Returns the primaries and the transfer function of an nclx box."""
    start = data.find(b"colrnclx")
    return struct.unpack_from(">2H", data, start + 8) if start > 0 else None
