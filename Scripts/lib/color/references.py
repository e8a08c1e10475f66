"""What other programs make of pixels with a profile: Little CMS called by itself, and libvips. Both with the rendering intent relative
colorimetric, without black point compensation."""

import io

import numpy
from PIL import Image, ImageCms

import icc
import spaces

INTENT = ImageCms.Intent.RELATIVE_COLORIMETRIC
TARGETS = {name: icc.matrix_profile(spaces.SPACES[name]) for name in ("srgb", "p3")}


def has_libvips():
    try:
        import pyvips
    except ImportError:
        return False
    return (pyvips.version(0), pyvips.version(1)) >= (8, 18)


def of_little_cms(values, profile, target):
    """Returns pixels from 0 to 255. 16-bit samples, because sources can have more than 8 bits."""
    import imagecodecs

    samples = numpy.rint(numpy.asarray(values) * 65535).astype(numpy.uint16)
    kind = {1: "gray", 3: "rgb", 4: "cmyk"}[samples.shape[2]]
    # Little CMS takes the amount of ink, and imagecodecs passes the samples on.
    converted = imagecodecs.cms_transform(
        samples[..., 0] if kind == "gray" else samples, profile, TARGETS[target], colorspace=kind, outcolorspace="rgb",
        intent=int(INTENT), outdtype="uint16")
    return converted / 257


def of_pillow(values, profile, target):
    """Returns pixels from 0 to 255, by the Little CMS of Pillow, which takes 8 bits."""
    samples = numpy.rint(numpy.asarray(values) * 255).astype(numpy.uint8)
    mode = {1: "L", 3: "RGB", 4: "CMYK"}[samples.shape[2]]
    picture = Image.fromarray(samples[..., 0] if mode == "L" else samples, mode)
    profiles = [ImageCms.ImageCmsProfile(io.BytesIO(data)) for data in (profile, TARGETS[target])]
    return numpy.asarray(ImageCms.profileToProfile(picture, *profiles, renderingIntent=INTENT, outputMode="RGB")).astype(float)


def of_libvips(values, profile, target, folder):
    """Returns pixels from 0 to 255, not rounded."""
    import pyvips

    samples = numpy.rint(numpy.asarray(values) * 65535).astype(numpy.uint16)
    interpretation = {1: "grey16", 3: "rgb16", 4: "cmyk"}[samples.shape[2]]
    if interpretation == "cmyk":  # libvips has 8 bits for CMYK
        samples = numpy.rint(numpy.asarray(values) * 255).astype(numpy.uint8)
    picture = pyvips.Image.new_from_array(samples).copy(interpretation=interpretation)
    picture.set_type(pyvips.GValue.blob_type, "icc-profile-data", profile)
    return transformed(picture, target, folder)


def of_libvips_file(file, target, folder):
    """Returns pixels from 0 to 255 of a file that libvips decodes itself. None if it can't."""
    import pyvips

    try:
        picture = pyvips.Image.new_from_file(str(file))
        if not picture.get_typeof("icc-profile-data"):
            return None
        has_alpha = picture.hasalpha()
        return transformed(picture[:picture.bands - 1] if has_alpha else picture, target, folder)
    except pyvips.Error:
        return None


def transformed(picture, target, folder):
    path = folder / f"{target}.icc"
    path.write_bytes(TARGETS[target])
    result = picture.icc_transform(str(path), embedded=True, intent="relative", black_point_compensation=False, depth=16)
    return result.numpy() / 257
