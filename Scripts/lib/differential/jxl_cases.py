"""JPEG XL: each coding of cjxl, compared with the samples if it is lossless, or with pillow-jxl-plugin, which decodes with its own, newer libjxl.

Needs cjxl and djxl, the PyPI package pillow-jxl-plugin, and a tool that was built with the trait JXL."""

import importlib.util
import io
import pathlib
import shutil
import struct
import tempfile

import numpy
from PIL import Image, ImageCms

import images
import netpbm
from harness import Check, decodes

SIZES = [(1, 1), (17, 9), (75, 58), (300, 281)]
LOSSY = {
    "blocks-e3": ["-e", "3"], "blocks": [], "blocks-low": ["-d", "6"], "blocks-high": ["-d", "0.3"], "modular": ["-m", "1"],
    "progressive": ["-p"], "low-frequency-frame": ["--progressive_dc=1"], "no-filters": ["--epf=0", "--gaborish=0"],
    "all-filters": ["--epf=3", "--gaborish=1"], "patches": ["--patches=1"], "quarter-size": ["--resampling=4"],
    "center-first": ["--group_order=1"], "boxed": ["--container=1"],
}
LOSSLESS = {
    "e1": ["-e", "1"], "e3": ["-e", "3"], "e7": [], "e9": ["-e", "9"], "resolutions": ["-p"], "groups": ["-e", "4", "-g", "0"],
    "boxed": ["--container=1"],
}
#: The rounding of lossy decoding differs between versions of libjxl, and that of 16-bit and float samples to 8 bits.
TOLERANCE = 2


def unavailable(tool):
    """Returns why the checks can't run, or None."""
    if shutil.which("cjxl") is None or shutil.which("djxl") is None:
        return "cjxl and djxl are not installed (libjxl-tools)"
    if importlib.util.find_spec("pillow_jxl") is None:
        return "pillow-jxl-plugin is not installed (from PyPI)"
    with tempfile.TemporaryDirectory() as folder:
        file = lossless(pathlib.Path(folder, "file.jxl"), netpbm.pam(images.scene(8, 8)))
        return None if decodes(tool, file) else "the tool is built without the trait JXL"


def checks(folder):
    for width, height in SIZES:
        for is_opaque in [True, False]:
            yield from codings(folder, width, height, is_opaque)
    yield from reordered(folder)
    yield from depths(folder)
    yield premultiplied(folder)
    yield from jpegs(folder)
    yield from colors(folder)
    yield from animations(folder)


def codings(folder, width, height, is_opaque):
    scene = images.scene(width, height)
    scene = images.opaque(scene) if is_opaque else scene
    source = netpbm.ppm(scene) if is_opaque else netpbm.pam(scene)
    suffix = f"{'' if is_opaque else '-alpha'}-{width}x{height}"
    for coding, options in LOSSY.items():
        file = encode(folder / f"jxl-{coding}{suffix}.jxl", source, *options)
        yield check(file, lambda file=file: decoded(file), TOLERANCE, hasAlpha=not is_opaque)
    for coding, options in LOSSLESS.items():
        file = lossless(folder / f"jxl-lossless-{coding}{suffix}.jxl", source, *options)
        yield check(file, lambda: scene, hasAlpha=not is_opaque)


def reordered(folder):
    """Yields checks of a frame of low frequencies with several groups, which are stored from the center."""
    scene = images.opaque(images.scene(2304, 560))
    for name, options in [("", []), ("-lossless", ["-d", "0", "-p"])]:
        file = encode(folder / f"jxl-reordered{name}.jxl", netpbm.ppm(scene), "--progressive_dc=1", "--group_order=1", "-e", "3", *options)
        yield check(file, lambda file=file: decoded(file), 0 if options else TOLERANCE)


def depths(folder):
    """Yields checks of lossless samples of each depth, as gray, gray with alpha, RGB and RGBA, and of floats."""
    for channels in range(1, 5):
        for depth in [8, 10, 12, 16]:
            maximum = (1 << depth) - 1
            samples = numpy.rint(ramps(channels) * maximum).astype(int)
            file = folder / f"jxl-depth-{depth}-{channels}-channels.jxl"
            # cjxl 0.7 reads all samples of more than 8 bits as fractions of 65,535.
            source = pnm(samples, 255) if depth == 8 else pnm(numpy.rint(samples * (65535 / maximum)), 65535)
            lossless(file, source, f"--override_bitdepth={depth}")
            yield check(
                file, lambda samples=samples, maximum=maximum: netpbm.rgba(samples, maximum), 0 if depth == 8 else 1,
                hasAlpha=channels in (2, 4))
    for channels, kind in [(1, "Pf"), (3, "PF")]:
        samples = ramps(channels).astype("<f4")
        head = f"{kind}\n{samples.shape[1]} {samples.shape[0]}\n-1.0\n".encode()
        # The rows of a PFM are from the bottom to the top.
        file = lossless(folder / f"jxl-depth-float-{channels}-channels.jxl", head + samples[::-1].tobytes(), kind="pfm")
        yield check(file, lambda samples=samples: netpbm.rgba(numpy.rint(samples * 255).astype(int), 255), 1)


def ramps(channels):
    """Returns samples from 0 to 1 that grow in another direction in each channel."""
    y, x = numpy.mgrid[0:59, 0:83] / numpy.array([58, 82])[:, None, None]
    return numpy.stack([x, 1 - y, (x + y) / 2, 1 - x][:channels], axis=2)


def pnm(samples, maximum):
    height, width, channels = samples.shape
    kind = {1: "GRAYSCALE", 2: "GRAYSCALE_ALPHA", 3: "RGB", 4: "RGB_ALPHA"}[channels]
    head = f"P7\nWIDTH {width}\nHEIGHT {height}\nDEPTH {channels}\nMAXVAL {maximum}\nTUPLTYPE {kind}\nENDHDR\n"
    if channels in (1, 3):
        head = f"P{5 if channels == 1 else 6}\n{width} {height}\n{maximum}\n"
    return head.encode() + samples.astype(">u2" if maximum > 255 else "u1").tobytes()


def premultiplied(folder):
    """Returns a check of premultiplied alpha. cjxl can't write it, so the header is replaced."""
    scene = images.scene(83, 59)
    alpha = scene[..., 3:].astype(int)
    stored = numpy.concatenate([scene[..., :3] * alpha // 255, alpha], axis=2)
    straight = numpy.rint(stored[..., :3] * 255 / numpy.maximum(alpha, 1))
    srgb = ["-x", "color_space=RGB_D65_SRG_Rel_SRG", "--container=0"]
    file = lossless(folder / "jxl-premultiplied.jxl", netpbm.pam(stored.astype(numpy.uint8)), *srgb)
    # The signature and the header of this file have 7 bytes.
    file.write_bytes(premultiplied_header(83, 59) + file.read_bytes()[7:])
    return check(file, lambda: numpy.concatenate([straight, alpha], axis=2).astype(int), 1, hasAlpha=True)


def premultiplied_header(width, height):
    """Returns the header of an image in 8-bit sRGB with premultiplied alpha (ISO/IEC 18181-1, annex D)."""
    fields = [
        (3, 0), (9, height - 1), (5, 0), (9, width - 1),  # sizes of 9 bits, no ratio
        (5, 0), (1, 1), (2, 1),  # not the default metadata, 8 bits, 16 bits suffice to decode, one extra channel
        (10, 0), (1, 1),  # alpha of 8 bits without a name, premultiplied
        (1, 0), (1, 1), (2, 0), (1, 1),  # not XYB, sRGB, no extensions, default transforms
    ]
    value = position = 0
    for length, field in fields:
        value |= field << position
        position += length
    return b"\xff\x0a" + value.to_bytes((position + 7) // 8, "little")


def jpegs(folder):
    """Yields checks of JPEG files in each chroma format that were recompressed without loss, upright and rotated."""
    jpeg = folder / "source.jpg"
    source = folder / "source.ppm"
    source.write_bytes(netpbm.ppm(images.scene(93, 71)))
    for sampling in ["1x1", "2x1", "1x2", "2x2"]:
        for options in [[], ["-progressive"], ["-grayscale"]]:
            netpbm.run("cjpeg", "-quality", "90", "-sample", sampling, *options, "-outfile", jpeg, source)
            yield from recompressed(folder, jpeg, "".join([sampling, *options]))
    for orientation in range(1, 9):
        exif = b"Exif\0\0" + images.exif(orientation, True)
        Image.fromarray(images.scene(93, 71)[..., :3]).save(jpeg, quality=90, exif=exif)
        yield from recompressed(folder, jpeg, f"orientation-{orientation}")


def recompressed(folder, jpeg, name):
    """Yields checks with and without the data from which the JPEG can be restored. The pixels are the same.

    The plugin would decode a restored JPEG with libjpeg, so it receives the file without that data."""
    plain, restorable = folder / f"jxl-of-jpeg-{name}.jxl", folder / f"jxl-of-jpeg-{name}-restorable.jxl"
    netpbm.run("cjxl", jpeg, plain, "--quiet", "--lossless_jpeg=1", "--jpeg_store_metadata=0", "--container=0")
    netpbm.run("cjxl", jpeg, restorable, "--quiet", "--lossless_jpeg=1")
    for file in [plain, restorable]:
        yield check(file, lambda: decoded(plain), TOLERANCE)


#: The matrices from linear light of a color space to that of sRGB (CSS Color 4, 19).
TO_SRGB = {
    "display-p3": [[1.2249401763, -0.2249401763, 0], [-0.0420569547, 1.0420569547, 0], [-0.0196375546, -0.0786360456, 1.0982736001]],
    "bt2020": [
        [1.6604910021, -0.5876411388, -0.0728498633], [-0.1245504745, 1.1328998971, -0.0083494226],
        [-0.0181507634, -0.1005788980, 1.1187296614]],
}
PRIMARIES = {"display-p3": "DCI", "bt2020": "202"}


def colors(folder):
    """Yields checks of color spaces that are stored as primaries or as an ICC profile, lossless and lossy.

    Lossy images are rounded twice, in the primaries of the file and in sRGB. Their colors are inside sRGB, because libjxl and the expected values limit others differently."""
    for space, matrix in TO_SRGB.items():
        hint = ["-x", f"color_space=RGB_D65_{PRIMARIES[space]}_Rel_SRG"]
        scene = images.opaque(images.scene(61, 47))
        file = lossless(folder / f"jxl-{space}-lossless.jxl", netpbm.ppm(scene), *hint)
        yield check(file, lambda scene=scene, matrix=matrix: to_srgb(scene, matrix), TOLERANCE)
        file = encode(folder / f"jxl-{space}-lossy.jxl", pnm((scene[..., :3] // 4 + 110.0) * 257, 65535), *hint)
        netpbm.run("djxl", file, file.with_suffix(".ppm"), "--quiet", "--bits_per_sample=16")
        samples, _ = netpbm.read(file.with_suffix(".ppm").read_bytes())
        result = check(file, lambda samples=samples, matrix=matrix: to_srgb(samples / 257, matrix), TOLERANCE)
        # Near black, a level of BT.2020 is several levels in sRGB.
        if space == "bt2020":
            result.psnr = 50
        yield result
    profile = folder / "wide.icc"
    profile.write_bytes(wide_profile())
    for name, source in [("rgb", scene), ("alpha", images.scene(61, 47))]:
        file = folder / f"jxl-profile-{name}.jxl"
        pixels = netpbm.ppm(source) if name == "rgb" else netpbm.pam(source)
        lossless(file, pixels, "-x", f"icc_pathname={profile}")
        yield check(file, lambda source=source: converted(source, profile), TOLERANCE)


def to_srgb(pixels, matrix):
    """Converts RGB or RGBA whose transfer function is that of sRGB (IEC 61966-2-1) to RGBA."""
    value = pixels[..., :3] / 255
    linear = numpy.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4) @ numpy.transpose(matrix)
    linear = linear.clip(0, 1)
    encoded = numpy.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    alpha = pixels[..., 3:] if pixels.shape[2] == 4 else numpy.full_like(pixels[..., :1], 255)
    return numpy.concatenate([numpy.rint(encoded * 255), alpha], axis=2).astype(numpy.uint8)


def wide_profile():
    """Returns the sRGB profile of Little CMS with the primaries of Adobe RGB (1998), adapted to D50."""
    profile = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    primaries = {b"rXYZ": (0.60974, 0.31111, 0.01947), b"gXYZ": (0.20528, 0.62567, 0.06087), b"bXYZ": (0.14919, 0.06322, 0.74457)}
    for number in range(struct.unpack(">I", profile[128:132])[0]):
        tag, offset, _ = struct.unpack(">4sII", profile[132 + 12 * number:144 + 12 * number])
        if tag in primaries:
            profile[offset + 8:offset + 20] = struct.pack(">3i", *(round(value * 65536) for value in primaries[tag]))
    return bytes(profile)


def converted(pixels, profile):
    """Returns RGBA pixels of a profile in sRGB, converted by Pillow's Little CMS."""
    image = Image.fromarray(numpy.ascontiguousarray(pixels[..., :3]))
    color = ImageCms.profileToProfile(image, str(profile), ImageCms.createProfile("sRGB"), ImageCms.Intent.RELATIVE_COLORIMETRIC)
    return numpy.concatenate([numpy.asarray(color), pixels[..., 3:]], axis=2)


def animations(folder):
    """Yields checks of animations that cjxl makes of an APNG: whole frames without loss, and layers that djxl composes."""
    for is_opaque in [True, False]:
        name = f"jxl-animation{'' if is_opaque else '-alpha'}"
        scenes = [images.scene(52, 37, seed) for seed in range(4)]
        frames = [images.opaque(scene) if is_opaque else scene for scene in scenes]
        file = animated(folder / f"{name}-lossless.jxl", frames, 1, "-d", "0", "--keep_invisible=1")
        yield from frame_checks(file, frames)
        for coding, options in {"layers": ["-d", "0"], "lossy-layers": ["-d", "1"]}.items():
            # The frames differ in a part, so Pillow and cjxl store only that part.
            frames = [frames[0].copy() for _ in range(4)]
            for number, frame in enumerate(frames):
                frame[5 * number:5 * number + 9, 4:30, :3] = [200, 30 * number, 90]
            file = animated(folder / f"{name}-{coding}.jxl", frames, 0, *options)
            netpbm.run("djxl", file, file.with_suffix(".png"), "--quiet")
            yield from frame_checks(file, apng_frames(file.with_suffix(".png")), TOLERANCE)


def animated(file, frames, disposal, *options):
    """Writes frames as an APNG and converts it. cjxl 0.7 makes layers black around their area, which djxl shows, too."""
    source = file.with_name("source.png")
    first, *others = [Image.fromarray(frame) for frame in frames]
    first.save(source, save_all=True, append_images=others, duration=[50, 70, 90, 110], disposal=disposal, blend=0)
    netpbm.run("cjxl", source, file, "--quiet", *options)
    return file


def frame_checks(file, frames, tolerance=0):
    for number, frame in enumerate(frames):
        result = check(file, lambda frame=frame: frame, tolerance, frames=len(frames), delays=[50, 70, 90, 110])
        result.name += f", frame {number}"
        result.options = ["--frame", str(number)]
        yield result


def apng_frames(file):
    with Image.open(file) as image:
        return [frame_of(image, number) for number in range(image.n_frames)]


def frame_of(image, number):
    image.seek(number)
    return numpy.asarray(image.convert("RGBA"))


def check(file, expected, tolerance=0, **facts):
    return Check(
        file.stem, file, expected, tolerance=tolerance, compares_hidden_colors=tolerance == 0,
        facts={"format": "jxl", "frames": 1, **facts})


def decoded(file):
    """Returns the pixels as RGBA, in the color space of the file."""
    import pillow_jxl  # registers the plugin

    with Image.open(io.BytesIO(file.read_bytes())) as image:
        return numpy.asarray(image.convert("RGBA"))


def encode(file, source, *options, kind="pnm"):
    """Writes a PNM or PFM as JPEG XL and returns the file."""
    path = file.with_suffix(f".{kind}")
    path.write_bytes(source)
    netpbm.run("cjxl", path, file, "--quiet", *options)
    path.unlink()
    return file


def lossless(file, source, *options, kind="pnm"):
    return encode(file, source, "-d", "0", "--keep_invisible=1", *options, kind=kind)
