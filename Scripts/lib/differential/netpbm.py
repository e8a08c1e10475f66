"""Reads and writes the formats of djpeg, dwebp and pngtopam: PGM, PPM and PAM."""

import re
import subprocess

import numpy


def ppm(pixels):
    """Returns a PPM with the RGB channels of an RGBA image."""
    height, width = pixels.shape[:2]
    return b"P6\n%d %d\n255\n" % (width, height) + pixels[..., :3].tobytes()


def pam(pixels):
    height, width = pixels.shape[:2]
    head = "P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" % (width, height)
    return head.encode() + pixels.tobytes()


def read(data):
    """Returns the samples as height x width x channels, and the maximum sample value."""
    kind = data[:2]
    if kind == b"P7":
        head, _, body = data.partition(b"ENDHDR\n")
        fields = dict(line.split(None, 1) for line in head.decode().splitlines()[1:] if " " in line)
        width, height, depth, maximum = (int(fields[key]) for key in ["WIDTH", "HEIGHT", "DEPTH", "MAXVAL"])
    else:
        # The tools don't write comments.
        head = re.match(rb"P[56]\s+(\d+)\s+(\d+)\s+(\d+)\s", data)
        width, height, maximum = (int(number) for number in head.groups())
        body, depth = data[head.end():], {b"P5": 1, b"P6": 3}[kind]
    samples = numpy.frombuffer(body, ">u2" if maximum > 255 else numpy.uint8, width * height * depth)
    return samples.reshape(height, width, depth).astype(int), maximum


def rgba(samples, maximum):
    """Converts samples to RGBA with 8 bits per channel, rounded to nearest. Without an alpha channel, the result is opaque."""
    eight = (samples * 255 + maximum // 2) // maximum
    if eight.shape[2] in (1, 2):
        eight = eight[..., [0, 0, 0, 1] if eight.shape[2] == 2 else [0, 0, 0]]
    if eight.shape[2] == 3:
        eight = numpy.concatenate([eight, numpy.full_like(eight[..., :1], 255)], axis=2)
    return eight


def decoded(*command, data=None):
    """Runs a decoder and returns its standard output as RGBA."""
    return rgba(*read(run(*command, data=data)))


def run(*command, data=None):
    done = subprocess.run([str(part) for part in command], input=data, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.decode(errors='replace')}")
    return done.stdout
