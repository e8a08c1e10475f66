"""GIF: writes files and composites their frames by the rules of browsers. giftopnm verifies the writer."""

import dataclasses
import struct

import numpy

import netpbm
import images
from harness import Check


@dataclasses.dataclass
class Frame:
    """A frame: indices into `palette`, or into the global palette if that is None. Its position may be outside the screen."""

    x: int
    y: int
    indices: numpy.ndarray
    palette: list | None = None
    transparent: int | None = None
    disposal: int = 0
    #: In hundredths of a second.
    delay: int = 7
    is_interlaced: bool = False


@dataclasses.dataclass
class Animation:
    width: int
    height: int
    frames: list
    palette: list | None
    #: The number in the NETSCAPE extension, or None to omit the extension.
    loops: int | None = None
    version: bytes = b"89a"
    #: Whether a full LZW table is kept instead of cleared, which the format allows.
    defers_clearing: bool = False


def checks(folder):
    for name, animation in {**stills(), **animations()}.items():
        file = folder / f"gif-{name}.gif"
        file.write_bytes(encoded(animation))
        verify(animation)
        composed = list(composition(animation))
        facts = {"format": "gif", "frames": len(composed), "width": animation.width, "height": animation.height}
        if len(composed) > 1:
            # Browsers treat delays of 0 and 1 as 10. They play once without a loop count, else one time more than the count.
            facts["delays"] = [100 if frame.delay < 2 else frame.delay * 10 for frame in animation.frames]
            facts["loopCount"] = {None: 1, 0: 0}.get(animation.loops, (animation.loops or 0) + 1)
        for number, canvas in enumerate(composed):
            yield Check(
                f"{file.stem}, frame {number}", file, lambda canvas=canvas: canvas, options=["--frame", str(number)],
                compares_hidden_colors=False, facts=facts)


def colors(count, seed=0):
    return [((index * 67 + seed) % 256, (index * 29 + 3 * seed) % 256, (255 - index * 11) % 256) for index in range(count)]


def drawn(width, height, count, seed=0):
    """Returns indices below `count` with areas, edges and noise."""
    scene = images.scene(width, height, seed)[..., 0].astype(float)
    scene += 40 * images.noise(width, height, seed + 1)
    return numpy.minimum(scene * count / 296, count - 1).astype(int)


def stills():
    """Returns images with all palette sizes, with and without interlacing and transparency, with local and global palettes."""
    found = {}
    for bits in range(1, 9):
        for is_interlaced in [False, True]:
            for place in ["global", "local"]:
                for width, height in [(1, 1), (17, 9), (40, 33)]:
                    count, palette = 1 << bits, colors(1 << bits, bits)
                    frame = Frame(0, 0, drawn(width, height, count), is_interlaced=is_interlaced)
                    frame.palette = palette if place == "local" else None
                    frame.transparent = (1 << bits) // 2 if place == "local" else None
                    name = f"{bits}-bits-{place}{'-interlaced' if is_interlaced else ''}-{width}x{height}"
                    shared = palette if place == "global" else None
                    version = b"87a" if place == "global" else b"89a"
                    found[name] = Animation(width, height, [frame], shared, version=version)
    noise = numpy.rint(images.noise(140, 90) * 255).astype(int)  # fills the LZW table several times
    for defers in [False, True]:
        found[f"noise{'-deferred-clear' if defers else ''}"] = Animation(
            140, 90, [Frame(0, 0, noise)], colors(256), defers_clearing=defers)
    for height in range(1, 10):  # images of few rows lack some interlacing passes
        frame = Frame(0, 0, drawn(5, height, 8), is_interlaced=True)
        found[f"interlaced-5x{height}"] = Animation(5, height, [frame], colors(8))
    for name, (x, y) in {"shifted": (4, 3), "beyond-right": (20, 2), "beyond-below": (2, 12), "outside": (40, 40)}.items():
        found[name] = Animation(30, 20, [Frame(x, y, drawn(16, 12, 16))], colors(16))
    return found


ORDERS = {"keep": [0, 1], "clear": [2], "restore": [3], "all": [1, 2, 3, 0], "mixed": [3, 3, 2, 1, 2], "first-3": [3, 0, 2]}
WITHIN = [(0, 0, 24, 18), (3, 2, 9, 7), (15, 9, 9, 9), (0, 5, 24, 3), (20, 14, 4, 4), (8, 0, 1, 18), (5, 5, 12, 9)]
BEYOND = [(0, 0, 24, 18), (3, 2, 9, 7), (15, 9, 16, 16), (0, 5, 24, 3), (30, 30, 4, 4), (8, 0, 1, 18), (5, 5, 12, 9)]


def animations():
    """Returns animations with various disposals, frame sizes and positions, palettes and transparency."""
    found = {}
    for order, disposals in ORDERS.items():
        found[f"within-{order}"] = Animation(24, 18, frames(WITHIN, disposals), colors(16), 0)
        for loops in [None, 0, 4]:
            name = f"beyond-{order}-{'once' if loops is None else loops}"
            found[name] = Animation(24, 18, frames(BEYOND, disposals), colors(16), loops)
    small = [Frame(6, 4, drawn(5, 6, 4, number), transparent=1, disposal=number % 4) for number in range(4)]
    found["first-smaller"] = Animation(20, 14, small, colors(4), 1)
    return found


def frames(places, disposals):
    found = []
    for number, (x, y, width, height) in enumerate(places):
        count = [16, 4, 2, 64, 8][number % 5]
        palette = colors(count, number) if number % 2 else None
        indices = numpy.minimum(drawn(width, height, count, number), (count if palette else 16) - 1)
        found.append(Frame(
            x, y, indices, palette, transparent=None if number % 3 == 0 else int(indices[height // 2, width // 2]),
            disposal=disposals[number % len(disposals)], delay=[0, 1, 2, 3, 10, 7, 400][number],
            is_interlaced=number % 4 == 2))
    return found


def composition(animation):
    """Returns the screen after each frame as RGBA. It starts transparent."""
    screen = numpy.zeros((animation.height, animation.width, 4), int)
    before, last = screen, None
    for frame in animation.frames:
        if last is not None and last.disposal == 2:
            target(screen, last)[...] = 0
        elif last is not None and last.disposal == 3:
            screen = before
        if frame.disposal == 3:
            before = screen.copy()
        area = target(screen, frame)
        shown = frame.indices[:area.shape[0], :area.shape[1]]
        is_seen = shown != (-1 if frame.transparent is None else frame.transparent)
        table = numpy.array([(*color, 255) for color in frame.palette or animation.palette])
        area[is_seen] = table[shown[is_seen]]
        yield screen.copy()
        last = frame


def target(screen, frame):
    """Returns the part of the screen that a frame covers, which may be empty."""
    height, width = frame.indices.shape
    return screen[frame.y:frame.y + height, frame.x:frame.x + width]


def verify(animation):
    """Verifies the writer with giftopnm. Frames are checked individually, because giftopnm doesn't support frames beyond the screen."""
    for frame in animation.frames:
        height, width = frame.indices.shape
        alone = dataclasses.replace(animation, width=width, height=height, loops=None)
        alone.frames = [dataclasses.replace(frame, x=0, y=0)]
        seen = netpbm.decoded("giftopnm", "-quiet", data=encoded(alone))[..., :3]
        if not numpy.array_equal(seen, numpy.array(frame.palette or animation.palette)[frame.indices]):
            raise SystemExit("giftopnm decodes other pixels than were written")


def encoded(animation):
    file = b"GIF" + animation.version + struct.pack("<HH", animation.width, animation.height)
    file += bytes([table_flags(animation.palette), 0, 0]) + table(animation.palette)
    if animation.loops is not None:
        file += b"\x21\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", animation.loops) + b"\0"
    for frame in animation.frames:
        if animation.version == b"89a":
            is_transparent = frame.transparent is not None
            flags = frame.disposal << 2 | is_transparent
            file += b"\x21\xf9\x04" + struct.pack("<BHBB", flags, frame.delay, frame.transparent or 0, 0)
        height, width = frame.indices.shape
        flags = table_flags(frame.palette) | frame.is_interlaced << 6
        file += b"\x2c" + struct.pack("<HHHHB", frame.x, frame.y, width, height, flags) + table(frame.palette)
        file += image_data(frame, len(frame.palette or animation.palette), animation.defers_clearing)
    return file + b"\x3b"


def table_flags(palette):
    return 0 if palette is None else 0x80 | (len(palette) - 1).bit_length() - 1


def table(palette):
    return b"" if palette is None else bytes(channel for color in palette for channel in color)


def image_data(frame, count, defers_clearing):
    rows = range(frame.indices.shape[0])
    if frame.is_interlaced:
        rows = [*rows[0::8], *rows[4::8], *rows[2::4], *rows[1::2]]
    width = max(2, (count - 1).bit_length())
    data = compressed(frame.indices[list(rows)].ravel().tolist(), width, defers_clearing)
    blocks = (data[at:at + 255] for at in range(0, len(data), 255))
    return bytes([width]) + b"".join(bytes([len(block)]) + block for block in blocks) + b"\0"


def compressed(indices, width, defers_clearing):
    """Compresses with the LZW variant of GIF (GIF89a, appendix F)."""
    clear, bits, length, out = 1 << width, 0, 0, bytearray()

    def put(code, size):
        nonlocal bits, length
        bits |= code << length
        length += size
        while length >= 8:
            out.append(bits & 255)
            bits >>= 8
            length -= 8

    codes, size, following = {}, width + 1, clear + 2
    put(clear, size)
    prefix = indices[0]
    for index in indices[1:]:
        known = codes.get((prefix, index))
        if known is not None:
            prefix = known
            continue
        put(prefix, size)
        if following < 4096:
            codes[prefix, index] = following
            if following == 1 << size and size < 12:
                size += 1
            following += 1
        elif not defers_clearing:
            put(clear, size)
            codes, size, following = {}, width + 1, clear + 2
        prefix = index
    put(prefix, size)
    if following == 1 << size and size < 12:  # the decoder has one more entry at this point
        size += 1
    put(clear + 1, size)
    if length:
        out.append(bits & 255)
    return bytes(out)
