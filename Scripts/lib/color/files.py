"""Writes and decodes test images with encoders and decoders that are independent of the library."""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy
from PIL import Image

sys.path.append(str(pathlib.Path(__file__).parent.parent / "differential"))
import png_cases  # noqa: E402

MODES = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}
PNG_KINDS = {1: png_cases.GRAY, 2: png_cases.GRAY_ALPHA, 3: png_cases.RGB, 4: png_cases.RGBA}
#: The weights of red and blue in luma (ITU-T H.273, table 4).
WEIGHTS = {1: (0.2126, 0.0722), 5: (0.299, 0.114), 6: (0.299, 0.114), 9: (0.2627, 0.0593)}


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.decode(errors='replace')[-600:]}")
    return done.stdout


def coded(values, depth):
    """Returns values of 0 to 1 as integers of a depth."""
    return numpy.rint(numpy.asarray(values) * ((1 << depth) - 1)).astype(int)


def image(values):
    """Returns a Pillow image of 8 bits with one to four channels."""
    samples = coded(values, 8).astype(numpy.uint8)
    channels = samples.shape[2]
    return Image.fromarray(samples[..., 0] if channels == 1 else samples, MODES[channels])


# PNG


def write_png(file, values, depth=8, chunks=(), is_interlaced=False):
    """Writes a PNG with chunks between the header and the pixels. Returns the written values."""
    samples = coded(values, depth)
    file.write_bytes(png_cases.encoded(samples, PNG_KINDS[samples.shape[2]], depth, is_interlaced, list(chunks)))
    return samples / ((1 << depth) - 1)


def write_palette(file, values, chunks=()):
    palette = image(values).quantize(200, dither=Image.Dither.NONE)
    colors = numpy.array(palette.getpalette(), numpy.uint8).reshape(-1, 3)
    samples = numpy.asarray(palette).astype(int)
    file.write_bytes(
        png_cases.encoded(samples[..., None], png_cases.PALETTE, 8, False, [*chunks, (b"PLTE", colors.tobytes())]))
    return colors[samples] / 255


def profile_chunk(profile):
    return b"iCCP", b"profile\0\0" + zlib.compress(profile)


def cicp(primaries, transfer, is_full=1):
    return b"cICP", bytes([primaries, transfer, 0, is_full])


def gamma_chunk(gamma):
    return b"gAMA", struct.pack(">I", round(100000 / gamma))


def chromaticities(space):
    points = [space.white, space.red, space.green, space.blue]
    return b"cHRM", struct.pack(">8I", *[round(100000 * value) for point in points for value in point])


def light_levels(largest):
    """A cLLI chunk with a peak in cd/m² (PNG 3rd edition, 11.3.2.8)."""
    return b"cLLI", struct.pack(">2I", largest * 10000, largest * 2000)


SRGB_CHUNK = b"sRGB", b"\0"


# JPEG and WebP


def write_pillow(file, values, **options):
    image(values).save(file, **options)
    return lambda: decoded_by_pillow(file)


def decoded_by_pillow(file):
    with Image.open(file) as opened:
        return numpy.atleast_3d(numpy.asarray(opened)) / 255


# AVIF


def write_avif(file, values, depth=8, nclx=None, is_full=True, profile=None, sampling="444", more_frames=()):
    """Writes an AVIF with avifenc, as exactly as the coding allows. Returns a function that decodes it."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "source.png")
        write_png(source, values, 8 if depth == 8 else 16)
        command = ["avifenc", "-s", "8", "-j", "1", "-d", depth, "-y", sampling, "-r", "full" if is_full else "limited"]
        command += ["--min", "0", "--max", "0", "--minalpha", "0", "--maxalpha", "0"]
        if nclx:
            command += ["--cicp", "/".join(map(str, nclx))]
        if profile:
            path = pathlib.Path(folder, "profile.icc")
            path.write_bytes(profile)
            command += ["--icc", path]
        run(*command, source, *more_frames, file)
    if sampling in ("444", "400") and numpy.asarray(values).shape[2] == 3:
        return lambda: decoded_planes(file, (nclx or (1, 13, 6))[2], is_full)
    return lambda: decoded_by_libavif(file)


def decoded_planes(file, matrix, is_full):
    """Decodes with avifdec to samples of Y, Cb and Cr, and converts them to RGB with the formulas of H.273, 8.3."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "decoded.y4m")
        run("avifdec", file, path)
        planes, depth = y4m(path.read_bytes())
    unit, largest = 1 << (depth - 8), (1 << depth) - 1
    black = 0 if is_full else 16 * unit
    luma = (planes[0] - black) / (largest if is_full else 219 * unit)
    if len(planes) == 1:
        return numpy.clip(luma, 0, 1)[..., None]
    if matrix == 0:
        chroma = [(plane - black) / (largest if is_full else 219 * unit) for plane in planes[1:]]
        return numpy.clip(numpy.stack([chroma[1], luma, chroma[0]], axis=2), 0, 1)
    cb, cr = [(plane - 128 * unit) / (largest if is_full else 224 * unit) for plane in planes[1:]]
    red, blue = WEIGHTS[matrix]
    r, b = luma + 2 * (1 - red) * cr, luma + 2 * (1 - blue) * cb
    return numpy.clip(numpy.stack([r, (luma - red * r - blue * b) / (1 - red - blue), b], axis=2), 0, 1)


def y4m(data):
    """Returns the planes of a 4:4:4 or gray image, and its depth."""
    head, _, rest = data.partition(b"\n")
    width, height = (int(re.search(rb" %c(\d+)" % letter, head)[1]) for letter in b"WH")
    format = re.search(rb" C(\w+)", head)[1].decode()
    depth = int((re.search(r"(?:p|mono)(\d+)$", format) or [0, "8"])[1])
    samples = numpy.frombuffer(rest.partition(b"\n")[2], "<u2" if depth > 8 else numpy.uint8)
    planes = samples.reshape(-1, height, width)[:1 if format.startswith("mono") else 3]
    return planes.astype(float), depth


def decoded_by_libavif(file):
    import imagecodecs

    pixels = numpy.atleast_3d(imagecodecs.avif_decode(file.read_bytes()))
    depth = int(pixels.max()).bit_length() if pixels.dtype == numpy.uint16 else 8
    return pixels / ((1 << max(8, depth + depth % 2)) - 1)


# HEIC


def write_heic(file, values, depth=8, nclx=(1, 13, 6), is_full=True, profile=None, sampling="444", quality=95):
    """Writes a HEIC with pillow-heif. `quality` -1 is lossless, and exact for matrix 0."""
    import pillow_heif

    samples = coded(values, 8 if depth == 8 else 16)
    mode = MODES[samples.shape[2]] + ("" if depth == 8 else ";16")
    data = samples.astype(numpy.uint8 if depth == 8 else "<u2").tobytes()
    picture = pillow_heif.from_bytes(mode=mode, size=(samples.shape[1], samples.shape[0]), data=data)
    color = dict(zip(["color_primaries", "transfer_characteristics", "matrix_coefficients"], nclx))
    if profile:
        color["icc_profile"] = profile
    picture.save(file, quality=quality, chroma=sampling, bit_depth=depth, full_range_flag=int(is_full), **color)
    return lambda: decoded_by_libheif(file, depth)


def decoded_by_libheif(file, depth):
    import pillow_heif

    picture = pillow_heif.open_heif(file, convert_hdr_to_8bit=False)
    pixels = numpy.asarray(picture).reshape(picture.size[1], picture.size[0], -1)
    # libheif shifts samples of 10 and 12 bits to the left.
    return pixels / (255 if depth == 8 else ((1 << depth) - 1) << (16 - depth))


# JPEG XL


def write_jxl(file, values, depth=16, encoding=None, profile=None, distance=0, options=()):
    """Writes a JPEG XL with cjxl. Distance 0 is lossless. Returns a function that decodes it."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "source.png")
        written = write_png(source, values, depth, [profile_chunk(profile)] if profile else [])
        hint = ["-x", f"color_space={encoding}"] if encoding else []
        run("cjxl", source, file, "-d", distance, "-e", "4", "--num_threads=0", *hint, *options)
    return (lambda: written) if distance == 0 else (lambda: decoded_by_djxl(file))


def decoded_by_djxl(file):
    import imagecodecs

    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "decoded.png")
        run("djxl", file, path, "--num_threads=0")
        pixels = numpy.atleast_3d(imagecodecs.png_decode(path.read_bytes()))
    return pixels / numpy.iinfo(pixels.dtype).max


# Boxes of AVIF and HEIC


def with_property(data, name, content):
    """Returns an AVIF or HEIC whose first item has another property, not essential. Its `meta` box has offsets of four bytes, as libavif
    and libheif write them."""
    box = struct.pack(">I4s", 8 + len(content), name) + content
    ipco, ipma = data.index(b"ipco") - 4, data.index(b"ipma") - 4
    count = number_of_boxes(data[ipco + 8:ipco + size_at(data, ipco)])
    # The entry of the first item: its number, and then the number of its properties.
    entry = ipma + 16 + 2
    grown = bytearray(data)
    grown[entry] += 1
    insertions = [(ipma + 19 + data[entry], bytes([count + 1])), (ipco + size_at(data, ipco), box)]
    for parent, added in [("meta", 1 + len(box)), ("iprp", 1 + len(box)), ("ipco", len(box)), ("ipma", 1)]:
        start = data.index(parent.encode()) - 4
        struct.pack_into(">I", grown, start, size_at(data, start) + added)
    shift_locations(grown, 1 + len(box))
    for offset, inserted in sorted(insertions, reverse=True):
        grown[offset:offset] = inserted
    return bytes(grown)


def size_at(data, offset):
    return struct.unpack_from(">I", data, offset)[0]


def number_of_boxes(data):
    count = offset = 0
    while offset < len(data):
        offset += size_at(data, offset)
        count += 1
    return count


def shift_locations(data, distance):
    """Adds to the offsets in `iloc`: to the base offset of each item, which libheif writes, or to those of its extents."""
    start = data.index(b"iloc") - 4
    version, sizes = data[start + 8], struct.unpack_from(">H", data, start + 12)[0]
    has_base = sizes >> 4 & 15 != 0
    position = start + 16
    for _ in range(struct.unpack_from(">H", data, start + 14)[0]):
        position += 4 + (2 if version else 0)
        extents = position + (4 if has_base else 0)
        count = struct.unpack_from(">H", data, extents)[0]
        for offset in [position] if has_base else range(extents + 2, extents + 2 + 8 * count, 8):
            struct.pack_into(">I", data, offset, size_at(data, offset) + distance)
        position = extents + 2 + 8 * count


def content_light_level(largest):
    """The content of a `clli` box (ISO/IEC 14496-12, 12.1.6)."""
    return struct.pack(">2H", largest, largest // 5)


def constant(values):
    return lambda: values
