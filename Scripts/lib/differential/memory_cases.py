"""Memory: what decoding large images adds to the process, and that a bomb is refused before anything is taken."""

import json
import struct
import subprocess
import time
import zlib

import numpy

import netpbm
import images
import png_cases

MIB = 1 << 20
#: What a thumbnail of a sequential image may add, whatever the image's size.
THUMBNAIL = 5 * MIB
#: What an image in full may add, by the bytes of its pixels.
IN_FULL = 1.1


def outcomes(tool, folder, only):
    """Name and, where something is wrong, the reason; of all of them or those whose names begin with `only`."""
    for name, file, width, height in large(folder, only):
        small = peak(tool, file, "--size", "300x300")
        yield f"{name} to 300 pixels", None if small <= THUMBNAIL else f"adds {small / MIB:.1f} MiB, 5 are allowed"
        full, pixels = peak(tool, file), width * height * 4
        yield f"{name} in full", None if full <= IN_FULL * pixels else f"adds {full / pixels:.2f} times its pixels"
    if "memory-blank".startswith(only):
        file = folder / "blank.png"
        file.write_bytes(blank(10_000))
        small = peak(tool, file, "--size", "300x300")
        reason = None if small <= THUMBNAIL else f"adds {small / MIB:.1f} MiB, 5 are allowed"
        yield "memory-blank 10,000 x 10,000 to 300 pixels", reason
    if "memory-bomb".startswith(only):
        file = folder / "bomb.png"
        file.write_bytes(blank(50_000))
        for options in [[], ["--size", "300x300"]]:
            yield f"memory-bomb 50,000 x 50,000 {' '.join(options)}", refused(tool, file, options)


def large(folder, only):
    """A small image in rows and columns, so that drawing takes no time."""
    for name, width, height, options in [
        ("jpeg-12-megapixels", 4032, 3024, []), ("jpeg-24-megapixels", 6000, 4000, ["-sample", "2x1"])]:
        if f"memory-{name}".startswith(only):
            image = numpy.tile(images.scene(width // 4, height // 4), (4, 4, 1))
            file = folder / f"{name}.jpg"
            file.write_bytes(netpbm.run("cjpeg", "-quality", "85", *options, data=netpbm.ppm(image)))
            yield f"memory-{name}", file, width, height
    if "memory-png-15-megapixels".startswith(only):
        image = numpy.tile(images.scene(1280, 720), (4, 4, 1))
        file = folder / "png-15-megapixels.png"
        file.write_bytes(png_cases.encoded(image, png_cases.RGBA, 8, level=1))
        yield "memory-png-15-megapixels", file, 5120, 2880


def peak(tool, file, *options):
    command = [tool, "bench", "decode", file, *options, "--iterations", "1", "--json"]
    return json.loads(netpbm.run(*command))["peakBytes"]


def blank(side):
    """A square PNG of one colour, one bit a pixel."""
    compressor, row = zlib.compressobj(1), bytes(1 + (side + 7) // 8)
    body = b"".join(compressor.compress(row * 100) for _ in range(side // 100)) + compressor.flush()
    header = struct.pack(">IIBBBBB", side, side, 1, png_cases.GREY, 0, 0, 0)
    return png_cases.assembled([(b"IHDR", header), *png_cases.pieces(body, 8192), (b"IEND", b"")])


def refused(tool, file, options):
    """Refused by a limit at once, in an address space that has no room for a tenth of its pixels."""
    started = time.monotonic()
    command = ["sh", "-c", 'ulimit -v 1000000; exec "$@"', "sh", tool, "decode", file, *options]
    status = subprocess.run(command, capture_output=True, timeout=60).returncode
    if status != 100:
        return f"exit code {status}, 100 is expected: refused by a limit"
    if time.monotonic() - started > 10:
        return "took more than 10 s to be refused"
    return None
