"""Runs the tool on files and compares its output with the expected results."""

import concurrent.futures
import dataclasses
import json
import math
import pathlib
import subprocess
import tempfile
from collections.abc import Callable

import numpy


@dataclasses.dataclass
class Check:
    """A run of the tool on a file."""

    name: str
    file: pathlib.Path
    #: Returns the expected pixels, height x width x 4 in straight RGBA. Called when the check runs.
    expected: Callable[[], numpy.ndarray]
    options: list[str] = dataclasses.field(default_factory=list)
    #: The maximum difference of a channel. 0 if the format is exact.
    tolerance: int = 0
    #: Replaces the tolerance: the minimum peak signal-to-noise ratio over white, in dB.
    psnr: float | None = None
    #: Whether to compare colors with zero alpha.
    compares_hidden_colors: bool = True
    #: Other values that the tool's JSON must have.
    facts: dict = dataclasses.field(default_factory=dict)


class Mismatch(Exception):
    """A description of a difference."""


def decodes(tool, file):
    """Returns whether the tool can decode a file. It can't if it is built without the trait of the format."""
    with tempfile.NamedTemporaryFile() as raw:
        command = [str(tool), "decode", str(file), "--raw", raw.name, "--json"]
        return subprocess.run(command, capture_output=True).returncode == 0


class Harness:
    def __init__(self, tool, folder, corrupts=False):
        self.tool, self.folder, self.corrupts = str(tool), folder, corrupts

    def run(self, checks, workers=3):
        """Returns the failed checks, each with its reason."""
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            outcomes = pool.map(self.outcome, checks, range(len(checks)))
            return [(check, reason) for check, reason in zip(checks, outcomes) if reason]

    def outcome(self, check, number):
        try:
            pixels, facts = self.decode(check, number)
            if self.corrupts:
                pixels = corrupted(pixels, check)
            compare(pixels, check.expected(), check)
            for key, value in check.facts.items():
                if facts[key] != value:
                    raise Mismatch(f"{key} is {facts[key]}, expected {value}")
        except Mismatch as mismatch:
            return str(mismatch)
        return None

    def decode(self, check, number):
        raw = self.folder / f"raw-{number}"
        command = [self.tool, "decode", str(check.file), *check.options, "--raw", str(raw), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise Mismatch(f"exit code {done.returncode}: {done.stderr.strip()}")
        if done.stderr:
            raise Mismatch(f"it wrote to standard error: {done.stderr.strip()}")
        facts = json.loads(done.stdout)
        pixels = numpy.fromfile(raw, numpy.uint8)
        raw.unlink()
        return pixels.reshape(facts["height"], facts["width"], 4), facts


def corrupted(pixels, check):
    """Returns the pixels with an error that the check must detect: one wrong channel, or noise if the check uses PSNR."""
    wrong = pixels.copy()
    if check.psnr is None:
        y, x = pixels.shape[0] // 2, pixels.shape[1] // 2
        wrong[y, x, 3] = 255 - wrong[y, x, 3] if wrong[y, x, 3] in (0, 255) else 0
    else:
        wrong[::2, :, :3] ^= 32
    return wrong


def compare(pixels, expected, check):
    if pixels.shape != expected.shape:
        raise Mismatch(f"size is {size_text(pixels)}, expected {size_text(expected)}")
    if check.psnr is not None:
        found = psnr(pixels, expected)
        if found < check.psnr:
            raise Mismatch(f"PSNR is {found:.1f} dB, expected at least {check.psnr}")
        return
    difference = numpy.abs(pixels.astype(int) - expected)
    if not check.compares_hidden_colors:
        difference[..., :3][(pixels[..., 3] == 0) & (expected[..., 3] == 0)] = 0
    if difference.max(initial=0) > check.tolerance:
        wrong = (difference > check.tolerance).any(axis=2)
        y, x = numpy.argwhere(wrong)[0]
        raise Mismatch(
            f"{wrong.sum()} of {wrong.size} pixels differ by more than {check.tolerance}; at {x},{y} "
            f"{pixels[y, x].tolist()}, expected {expected[y, x].tolist()}")


def psnr(pixels, expected):
    error = numpy.square(over_white(pixels) - over_white(expected)).mean()
    return math.inf if error == 0 else 10 * math.log10(255 * 255 / error)


def over_white(pixels):
    alpha = pixels[..., 3:] / 255
    return pixels[..., :3] * alpha + 255 * (1 - alpha)


def size_text(pixels):
    return f"{pixels.shape[1]}x{pixels.shape[0]}"
