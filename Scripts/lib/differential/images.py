"""Draws the test images. They are the same in each run and on each machine."""

import numpy


def scene(width, height, seed=0):
    """Returns an RGBA image with smooth shading, sharp edges, fine texture, and opaque, translucent and transparent areas."""
    y, x = numpy.mgrid[0:height, 0:width].astype(float)
    u, v = (x + 0.5) / width, (y + 0.5) / height
    pixels = numpy.empty((height, width, 4))
    pixels[..., 0] = 255 * u
    pixels[..., 1] = 128 + 100 * numpy.sin(5 * v + 3 * u + seed)
    pixels[..., 2] = 255 * (1 - v)
    disc = (u - 0.6) ** 2 + (v - 0.4) ** 2 < 0.06
    pixels[disc, :3] = [230, 60, 40]
    pixels[abs(u - v) < 0.03, :3] = [10, 20, 30]
    pixels[..., :3] += 24 * numpy.where(v > 0.6, numpy.sin(x * 1.3) * numpy.cos(y * 0.9), 0)[..., None]
    pixels[..., :3] += (noise(width, height, seed)[..., None] - 0.5) * 12
    pixels[..., 3] = numpy.clip(340 * u * (1.2 - v), 0, 255)
    pixels[u + v > 1.8, 3] = 255
    return numpy.clip(numpy.rint(pixels), 0, 255).astype(numpy.uint8)


def opaque(pixels):
    whole = pixels.copy()
    whole[..., 3] = 255
    return whole


def noise(width, height, seed=0):
    """Returns noise from 0 to 1, from a hash of the coordinates."""
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.uint64)
    value = (x * 0x9E3779B1 ^ y * 0x85EBCA77 ^ numpy.uint64(seed * 0xC2B2AE3D & 0xFFFFFFFF)) & 0xFFFFFFFF
    value ^= value >> numpy.uint64(15)
    value = value * 0x2C1B3C6D & 0xFFFFFFFF
    value ^= value >> numpy.uint64(13)
    return (value & 0xFFFF) / 65535


def oriented(pixels, orientation):
    """Returns the upright version of an image stored with this Exif orientation."""
    turns = {
        1: lambda a: a, 2: lambda a: a[:, ::-1], 3: lambda a: a[::-1, ::-1], 4: lambda a: a[::-1],
        5: lambda a: a.swapaxes(0, 1), 6: lambda a: a[::-1].swapaxes(0, 1), 7: lambda a: a[::-1, ::-1].swapaxes(0, 1),
        8: lambda a: a[:, ::-1].swapaxes(0, 1),
    }
    return numpy.ascontiguousarray(turns[orientation](pixels))


def exif(orientation, is_little_endian):
    """Returns a TIFF file that only has the orientation tag (TIFF 6.0, CIPA DC-008 4.6.4)."""
    order = "little" if is_little_endian else "big"

    def number(value, count):
        return value.to_bytes(count, order)

    entry = number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + b"\0\0"
    mark = b"II" if is_little_endian else b"MM"
    return mark + number(42, 2) + number(8, 4) + number(1, 2) + entry + number(0, 4)
