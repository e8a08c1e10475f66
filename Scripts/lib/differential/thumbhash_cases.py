"""ThumbHash, compared with two independent implementations, if they are installed: thash and fast-thumbhash.

Hashes must have the same bytes as those of thash. A frequency that an image doesn't have is halfway between two levels, and the last bit
of a cosine decides, so for drawings without most frequencies only the header is compared. Decoded pixels may differ by one from those of
fast-thumbhash, which computes in single precision.
"""

import base64
import subprocess

import numpy
from PIL import Image

import images
import png_cases

try:
    import thash
    import fast_thumbhash.fast_thumbhash as fast_thumbhash
except ImportError:
    thash = None

#: Sizes whose number of frequencies is not halfway between two numbers, which Python rounds differently.
SIZES = [(1, 1), (1, 100), (100, 1), (3, 2), (7, 7), (33, 97), (97, 33), (64, 64), (75, 100), (100, 75), (100, 100), (31, 29)]
EXACT, HEADER = ["scene", "noise", "gray"], ["gradient", "flat"]


def outcomes(tool, folder, only):
    """Yields the name and the reason of failure, or None, of each check whose name contains `only`."""
    selected = [case for case in cases() if only in case[0]]
    if not selected:
        return
    if thash is None:
        print("thumbhash: skipped, because thash and fast-thumbhash are not installed (from PyPI)")
        return
    files = [folder / f"{name}.png" for name, _, _ in selected]
    for file, (_, pixels, _) in zip(files, selected):
        file.write_bytes(png_cases.encoded(pixels.astype(int), png_cases.RGBA, 8))
    printed = run(tool, "thumbhash", *files).splitlines()
    for (name, pixels, is_exact), line in zip(selected, printed, strict=True):
        found = base64.b64decode(line.split("  ")[0])
        yield name, encoding_failure(found, pixels, is_exact) or decoding_failure(tool, folder, found)


def cases():
    for width, height in SIZES:
        for kind in EXACT + HEADER:
            for seed in range(2):
                pixels = drawn(kind, width, height, seed)
                yield f"thumbhash-{kind}-{width}x{height}-{seed}", images.opaque(pixels), kind in EXACT
                yield f"thumbhash-{kind}-alpha-{width}x{height}-{seed}", pixels, kind in EXACT


def drawn(kind, width, height, seed):
    pixels = images.scene(width, height, seed)
    if kind == "noise":
        pixels = numpy.stack([images.noise(width, height, seed * 4 + channel) * 255 for channel in range(4)], axis=2).astype(numpy.uint8)
    if kind == "gradient":
        pixels[..., :3] = (numpy.linspace(0, 250 - 40 * seed, width)[None, :, None] + [0, 3, 5]).astype(numpy.uint8)
    if kind == "gray":
        pixels[..., :3] = pixels[..., :1]
    if kind == "flat":
        pixels[..., :3] = [200 - 50 * seed, 100, 30 * seed]
    return pixels


def encoding_failure(found, pixels, is_exact):
    height, width = pixels.shape[:2]
    expected = bytes(thash.rgba_to_thumb_hash_pure(width, height, pixels.reshape(-1).tolist()))
    compared = len(expected) if is_exact else 5
    if len(found) == len(expected) and found[:compared] == expected[:compared]:
        return None
    return f"hash is {found.hex()}, expected {expected.hex()}"


def decoding_failure(tool, folder, hash):
    file = folder / "placeholder.png"
    run(tool, "thumbhash", "--decode", base64.b64encode(hash).decode(), file)
    with Image.open(file) as image:
        pixels = numpy.asarray(image.convert("RGBA")).astype(int)
    width, height, expected = fast_thumbhash.thumb_hash_to_rgba(hash)
    if pixels.shape != (height, width, 4):
        return f"placeholder has {pixels.shape[1]}x{pixels.shape[0]} pixels, expected {width}x{height}"
    difference = abs(pixels - numpy.frombuffer(bytes(expected), numpy.uint8).reshape(pixels.shape).astype(int)).max()
    return f"placeholder differs by {difference}" if difference > 1 else None


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout
