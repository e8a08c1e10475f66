"""APNG: frames of all color types, with each disposal and blending, composed by numpy or by Pillow, files that Pillow writes, and files
that the tool writes, read by Pillow."""

import itertools
import struct
import subprocess

import numpy
from PIL import Image

import images
import png_cases
from harness import Check

KEEP, CLEAR, RESTORE = range(3)
COPY, BLEND = range(2)
PLACES = [(0, 0, 40, 33), (3, 2, 17, 9), (25, 9, 15, 20), (0, 12, 40, 3), (39, 0, 1, 33), (8, 8, 24, 16)]
DISPOSALS = {"keep": [KEEP], "clear": [CLEAR], "restore": [RESTORE], "mixed": [RESTORE, KEEP, CLEAR]}
BLENDINGS = {"copy": [COPY], "blend": [BLEND], "both": [BLEND, COPY]}


def checks(folder):
    for disposal, blending, is_hidden in itertools.product(DISPOSALS, BLENDINGS, [False, True]):
        name = f"apng-{disposal}-{blending}{'-hidden' if is_hidden else ''}"
        yield from composed(folder / f"{name}.png", DISPOSALS[disposal], BLENDINGS[blending], is_hidden)
    for kind, depths in png_cases.DEPTHS.items():
        for depth, is_interlaced in itertools.product(depths, [False, True]):
            yield from color_type(folder, kind, depth, is_interlaced)
    yield from written_by_pillow(folder)


def animation(header, extra, frames, is_hidden=False, plays=3):
    """Returns a file. A frame is its place, its chunks of pixels, its disposal and its blending. A hidden default image is all 0."""
    chunks, sequence = [header, *extra, (b"acTL", struct.pack(">II", len(frames), plays))], 0
    if is_hidden:
        chunks += [(b"IDAT", data) for data in frames[0][1]]
    for number, ((x, y, width, height), stream, disposal, blending) in enumerate(frames):
        control = (sequence, width, height, x, y, 50 + number, 1000, disposal, blending)
        chunks.append((b"fcTL", struct.pack(">IIIIIHHBB", *control)))
        sequence += 1
        for data in stream:
            if number == 0 and not is_hidden:
                chunks.append((b"IDAT", data))
            else:
                chunks.append((b"fdAT", struct.pack(">I", sequence) + data))
                sequence += 1
    return png_cases.assembled([*chunks, (b"IEND", b"")])


def pieces(samples, kind, depth, is_interlaced=False):
    """Returns the data of the IDAT chunks of an image."""
    file, at, found = png_cases.encoded(samples, kind, depth, is_interlaced), 8, []
    while at < len(file):
        length, name = struct.unpack(">I4s", file[at:at + 8])
        if name == b"IDAT":
            found.append(file[at + 8:at + 8 + length])
        at += 12 + length
    return found


def composed(path, disposals, blendings, is_hidden):
    """Yields checks of RGBA frames, composed as in the specification."""
    screen, frames, shown, last = numpy.zeros((33, 40, 4)), [], [], None
    for number, place in enumerate(PLACES):
        if is_hidden and number == 0:
            place = (2, 3, 30, 25)
        x, y, width, height = place
        pixels = images.scene(width, height, number)
        disposal, blending = disposals[number % len(disposals)], blendings[number % len(blendings)]
        frames.append((place, pieces(pixels.astype(int), png_cases.RGBA, 8), disposal, blending))
        if last is not None:
            (left, top, right, bottom), before, how = last
            if how == CLEAR:
                screen[top:bottom, left:right] = 0
            elif how == RESTORE:
                screen = before
        if number == 0 and disposal == RESTORE:
            disposal = CLEAR
        last = (x, y, x + width, y + height), screen.copy(), disposal
        area = screen[y:y + height, x:x + width]
        area[...] = over(pixels, area) if blending == BLEND else pixels
        shown.append(numpy.rint(screen))
        screen = numpy.rint(screen)
    header = (b"IHDR", struct.pack(">IIBBBBB", 40, 33, 8, png_cases.RGBA, 0, 0, 0))
    path.write_bytes(animation(header, [], frames, is_hidden))
    yield from each(path, shown, tolerance=1, delays=[50 + number for number in range(len(PLACES))], loopCount=3)


def over(pixels, below):
    """Composites straight RGBA over another (PNG third edition, 12.4)."""
    alpha, alpha_below = pixels[..., 3:] / 255, below[..., 3:] / 255
    total = alpha + alpha_below * (1 - alpha)
    colors = (pixels[..., :3] * alpha + below[..., :3] * alpha_below * (1 - alpha)) / numpy.where(total > 0, total, 1)
    return numpy.concatenate([colors, 255 * total], axis=2)


def color_type(folder, kind, depth, is_interlaced):
    """Yields checks of two frames of a color type, the second within the first."""
    places, frames, expected, extra = [(0, 0, 40, 33), (7, 5, 17, 9)], [], [], []
    table = None
    if kind == png_cases.PALETTE:
        colors = [(index * 37 % 256, index * 91 % 256, 255 - index % 256) for index in range(1 << depth)]
        alphas = [(index * 53 + 7) % 256 for index in range(max(1, len(colors) * 3 // 4))]
        extra = [(b"PLTE", bytes(channel for color in colors for channel in color)), (b"tRNS", bytes(alphas))]
        table = numpy.array([(*color, 255) for color in colors])
        table[:len(alphas), 3] = alphas
    for x, y, width, height in places:
        samples = png_cases.drawn(width, height, kind, depth)
        frames.append(((x, y, width, height), pieces(samples, kind, depth, is_interlaced), KEEP, COPY))
        pixels = table[samples[..., 0]] if table is not None else png_cases.to_rgba(samples, kind, depth)
        whole = expected[-1].copy() if expected else numpy.zeros((33, 40, 4), int)
        whole[y:y + height, x:x + width] = pixels
        expected.append(whole)
    header = (b"IHDR", struct.pack(">IIBBBBB", 40, 33, depth, kind, 0, 0, is_interlaced))
    path = folder / f"apng-{png_cases.NAMES[kind]}-{depth}{'-interlaced' if is_interlaced else ''}.png"
    path.write_bytes(animation(header, extra, frames))
    yield from each(path, expected)


def written_by_pillow(folder):
    """Yields checks of files that Pillow writes, which have the frames that Pillow reads from them. It can't clear in other modes."""
    kinds = [("RGBA", disposal) for disposal in range(3)] + [("RGB", KEEP), ("L", KEEP), ("P", KEEP)]
    for (mode, disposal), blending in itertools.product(kinds, range(2)):
        if disposal == RESTORE and blending == BLEND:
            continue  # Pillow reads other frames than Chromium.
        frames = [Image.fromarray(frame).convert(mode) for frame in moving(mode == "RGBA")]
        path = folder / f"apng-pillow-{mode}-{disposal}-{blending}.png"
        frames[0].save(
            path, save_all=True, append_images=frames[1:], duration=[40, 50, 60, 70], loop=2, disposal=disposal, blend=blending)
        yield from each(path, read(path), delays=[40, 50, 60, 70], loopCount=2)


def moving(has_alpha):
    """Returns frames that differ in a part. Pixels are opaque or transparent: Pillow composites others in another way."""
    for number in range(4):
        frame = images.opaque(images.scene(60, 44))
        frame[4 * number:4 * number + 12, 5 + number:30, :3] = [220, 40 * number, 20]
        if has_alpha:
            frame[20:34, 3 * number:3 * number + 9, 3] = 0
        yield frame


def read(path):
    """Returns the frames as Pillow reads them."""
    with Image.open(path) as image:
        frames = []
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            frames.append(numpy.asarray(image.convert("RGBA")))
        return frames


def each(path, frames, tolerance=0, **facts):
    for number, canvas in enumerate(frames):
        yield Check(
            f"{path.stem}, frame {number}", path, lambda canvas=canvas: canvas, options=["--frame", str(number)],
            tolerance=tolerance, compares_hidden_colors=False, facts={"format": "png", "frames": len(frames), **facts})


def outcomes(tool, folder, only):
    """Yields the name of each check of a file that the tool writes, and why Pillow reads other frames, or None."""
    for kind, has_alpha in itertools.product(["gif", "webp", "png"], [False, True]):
        name = f"apng-written-from-{kind}{'-alpha' if has_alpha else ''}"
        if only not in name:
            continue
        first, *others = [Image.fromarray(frame) for frame in moving(has_alpha)]
        source, target = folder / f"{name}-source.{kind}", folder / f"{name}.png"
        first.save(source, save_all=True, append_images=others, duration=[40, 50, 60, 70], loop=0, lossless=True)
        run = subprocess.run([tool, "convert", source, "-o", target, "--force"], capture_output=True, text=True)
        expected, found = read(source), read(target) if run.returncode == 0 else []
        if len(found) != len(expected):
            yield name, f"{len(found)} frames of {len(expected)}: {run.stderr.strip()}"
            continue
        is_equal = all(same(pair) for pair in zip(found, expected))
        yield name, None if is_equal else "Pillow reads other frames"


def same(pair):
    found, expected = pair
    shown = expected[..., 3] > 0
    return numpy.array_equal(found[..., 3], expected[..., 3]) and numpy.array_equal(found[shown], expected[shown])
