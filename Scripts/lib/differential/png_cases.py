"""PNG: all color types, depths, interlacing and transparency. Compares with the written pixels. pngtopam verifies the writer."""

import struct
import zlib

import numpy
from PIL import Image

import netpbm
import images
from harness import Check

GRAY, RGB, PALETTE, GRAY_ALPHA, RGBA = 0, 2, 3, 4, 6
DEPTHS = {GRAY: [1, 2, 4, 8, 16], RGB: [8, 16], PALETTE: [1, 2, 4, 8], GRAY_ALPHA: [8, 16], RGBA: [8, 16]}
NAMES = {GRAY: "gray", RGB: "rgb", PALETTE: "palette", GRAY_ALPHA: "gray-alpha", RGBA: "rgba"}
CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGBA: 4}
SIZES = [(1, 1), (1, 11), (13, 1), (17, 9), (40, 33)]
#: The passes of Adam7 (PNG 8.2): first column, first row, column step, row step.
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def checks(folder):
    for width, height in SIZES:
        for kind, depths in DEPTHS.items():
            for depth in depths:
                for is_interlaced in [False, True]:
                    for is_transparent in [False, True] if kind in (GRAY, RGB, PALETTE) else [False]:
                        yield color_type_check(folder, width, height, kind, depth, is_interlaced, is_transparent)
    for orientation in range(1, 9):
        yield orientation_check(folder, orientation)


def color_type_check(folder, width, height, kind, depth, is_interlaced, is_transparent):
    samples = drawn(width, height, kind, depth)
    extra, expected = [], to_rgba(samples, kind, depth)
    if kind == PALETTE:
        colors = [(index * 37 % 256, index * 91 % 256, 255 - index % 256) for index in range(1 << depth)]
        table = numpy.array([(*color, 255) for color in colors])
        extra.append((b"PLTE", bytes(channel for color in colors for channel in color)))
        if is_transparent:  # fewer entries than the palette; the other colors are opaque
            alphas = [(index * 53 + 7) % 256 for index in range(max(1, len(colors) * 3 // 4))]
            table[:len(alphas), 3] = alphas
            extra.append((b"tRNS", bytes(alphas)))
        expected = table[samples[..., 0]]
    elif is_transparent:  # a color of the image, at full depth
        key = samples[height // 2, width // 2]
        extra.append((b"tRNS", struct.pack(f">{len(key)}H", *key)))
        expected[(samples == key).all(axis=2), 3] = 0
    name = f"png-{NAMES[kind]}-{depth}{'-transparent' if is_transparent else ''}{'-interlaced' if is_interlaced else ''}"
    file = folder / f"{name}-{width}x{height}.png"
    file.write_bytes(encoded(samples, kind, depth, is_interlaced, extra))
    has_alpha = is_transparent or kind in (GRAY_ALPHA, RGBA)
    # pngtopam ignores the transparent color of RGB images, and Pillow ignores the low bytes of 16-bit samples.
    verify = verify_color if kind == RGB and is_transparent else verify_all
    verify(file, expected, depth)
    return Check(file.stem, file, lambda: expected, facts={"format": "png", "hasAlpha": has_alpha})


def verify_all(file, expected, depth):
    """Verifies the writer with pngtopam."""
    require(file, netpbm.decoded("pngtopam", "-alphapam", file), expected)


def verify_color(file, expected, depth):
    require(file, netpbm.decoded("pngtopam", file)[..., :3], expected[..., :3])
    if depth == 8:
        with Image.open(file) as image:
            require(file, numpy.asarray(image.convert("RGBA")), expected)


def require(file, seen, expected):
    if not numpy.array_equal(seen, expected):
        raise SystemExit(f"{file}: an independent decoder returns other pixels than were written")


def drawn(width, height, kind, depth):
    """Returns samples of the given depth as height x width x channels."""
    if kind == PALETTE:
        samples = images.noise(width, height, depth)[..., None] * ((1 << depth) - 1)
    else:
        scene = images.scene(width, height, depth) * 257.0
        fine = images.noise(width, height, 5)[..., None] * 256  # the low byte of 16-bit samples
        chosen = {GRAY: [1], RGB: [0, 1, 2], GRAY_ALPHA: [1, 3], RGBA: [0, 1, 2, 3]}[kind]
        samples = numpy.minimum(scene[..., chosen] + fine, 65535) * ((1 << depth) - 1) / 65535
    return numpy.rint(samples).astype(int)


def to_rgba(samples, kind, depth):
    return netpbm.rgba(samples, (1 << depth) - 1) if kind != PALETTE else None


def encoded(samples, kind, depth, is_interlaced=False, extra=(), level=6):
    """Returns a PNG whose rows use all five filters in turn."""
    height, width = samples.shape[:2]
    raw = bytearray()
    for x, y, dx, dy in PASSES if is_interlaced else [(0, 0, 1, 1)]:
        part = samples[y::dy, x::dx]
        if part.size:
            raw += filtered(packed(part, depth), max(1, CHANNELS[kind] * depth // 8))
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, is_interlaced)
    return assembled([(b"IHDR", header), *extra, *idat_chunks(zlib.compress(bytes(raw), level), 1000), (b"IEND", b"")])


def idat_chunks(data, length):
    return [(b"IDAT", data[at:at + length]) for at in range(0, len(data), length)]


def assembled(chunks):
    file = b"\x89PNG\r\n\x1a\n"
    for kind, body in chunks:
        file += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return file


def packed(samples, depth):
    """Packs samples into rows of bytes, with the leftmost sample in the high bits."""
    height = samples.shape[0]
    if depth == 16:
        return numpy.ascontiguousarray(samples.astype(">u2").reshape(height, -1)).view(numpy.uint8)
    if depth == 8:
        return samples.astype(numpy.uint8).reshape(height, -1)
    bits = (samples.reshape(height, -1, 1) >> numpy.arange(depth)[::-1]) & 1
    return numpy.packbits(bits.reshape(height, -1).astype(numpy.uint8), axis=1)


def filtered(rows, step):
    """Filters rows (PNG 9.2). A pixel has `step` bytes."""
    out, above = bytearray(), numpy.zeros(rows.shape[1], int)
    for number, row in enumerate(rows.astype(int)):
        left = numpy.concatenate([numpy.zeros(step, int), row])[:len(row)]
        corner = numpy.concatenate([numpy.zeros(step, int), above])[:len(row)]
        kind = (number + 1) % 5
        predicted = [0, left, above, (left + above) // 2, paeth(left, above, corner)][kind]
        out.append(kind)
        out += ((row - predicted) & 255).astype(numpy.uint8).tobytes()
        above = row
    return out


def paeth(left, above, corner):
    by_left, by_above, by_corner = abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)
    nearer = numpy.where(by_above <= by_corner, above, corner)
    return numpy.where((by_left <= by_above) & (by_left <= by_corner), left, nearer)


def orientation_check(folder, orientation):
    """Checks that eXIf determines the orientation, as in JPEG."""
    samples = images.scene(31, 22).astype(int)
    file = folder / f"png-orientation-{orientation}.png"
    file.write_bytes(encoded(samples, RGBA, 8, extra=[(b"eXIf", images.exif(orientation, orientation % 2 == 0))]))
    return Check(
        file.stem, file, lambda: images.oriented(samples, orientation), facts={"orientation": orientation})
