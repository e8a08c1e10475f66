"""Memory: measures how much decoding large images adds, and checks that decompression bombs are rejected before any allocation."""

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
#: The most that a thumbnail of a sequential image may add, for any image size.
THUMBNAIL = 5 * MIB
#: The most that a full-size image may add, as a multiple of its pixel bytes.
IN_FULL = 1.1


def outcomes(tool, folder, only):
    """Yields the name and the reason of failure, or None, of the checks whose names start with `only`."""
    for name, file, width, height in large(folder, only):
        small = peak(tool, file, "--size", "300x300")
        yield f"{name} to 300 pixels", None if small <= THUMBNAIL else f"adds {small / MIB:.1f} MiB, more than the allowed 5"
        full, pixels = peak(tool, file), width * height * 4
        yield f"{name} in full", None if full <= IN_FULL * pixels else f"adds {full / pixels:.2f} times its pixels"
    if "memory-blank".startswith(only):
        file = folder / "blank.png"
        file.write_bytes(blank(10_000))
        small = peak(tool, file, "--size", "300x300")
        reason = None if small <= THUMBNAIL else f"adds {small / MIB:.1f} MiB, more than the allowed 5"
        yield "memory-blank 10,000 x 10,000 to 300 pixels", reason
    if "memory-bomb".startswith(only):
        file = folder / "bomb.png"
        file.write_bytes(blank(50_000))
        for options in [[], ["--size", "300x300"]]:
            yield f"memory-bomb 50,000 x 50,000 {' '.join(options)}", rejection_failure(tool, file, options)


def large(folder, only):
    """Returns a large image tiled from a small one, which is fast to draw."""
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
    """Returns a square PNG of one color with one bit per pixel."""
    compressor, row = zlib.compressobj(1), bytes(1 + (side + 7) // 8)
    body = b"".join(compressor.compress(row * 100) for _ in range(side // 100)) + compressor.flush()
    header = struct.pack(">IIBBBBB", side, side, 1, png_cases.GRAY, 0, 0, 0)
    return png_cases.assembled([(b"IHDR", header), *png_cases.idat_chunks(body, 8192), (b"IEND", b"")])


def rejection_failure(tool, file, options):
    """Checks that the file is rejected quickly, in an address space too small for a tenth of its pixels."""
    started = time.monotonic()
    command = ["sh", "-c", 'ulimit -v 1000000; exec "$@"', "sh", tool, "decode", file, *options]
    status = subprocess.run(command, capture_output=True, timeout=60).returncode
    if status != 100:
        return f"exit code {status}, expected 100 (limit exceeded)"
    if time.monotonic() - started > 10:
        return "not rejected within 10 s"
    return None
