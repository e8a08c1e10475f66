"""Runs imageload, and reads the images that it writes."""

import dataclasses
import io
import json
import re
import subprocess

import numpy
from PIL import Image, ImageCms

import icc
import spaces


@dataclasses.dataclass
class Picture:
    #: RGBA of 0 to 255.
    pixels: numpy.ndarray
    #: The space that the embedded profile describes: "srgb", also without a profile, "p3", or None for another one.
    name: str | None
    #: The profile itself.
    space: spaces.Space | icc.MatrixProfile

    @property
    def lab(self):
        return spaces.lab(self.pixels[..., :3], self.space)


class Failure(Exception):
    """The reason why there is no image."""


class Tool:
    def __init__(self, path):
        self.path = str(path)
        help = subprocess.run([self.path, "fetch", "--help"], capture_output=True, text=True).stdout
        self.has_colors = "--color" in help
        self.formats = re.search(r"values: (png[\w\s,]*)\)", help)[1].replace(",", "").split()

    def convert(self, files, color, folder, *options):
        """Returns the image of each file, or the failure."""
        folder.mkdir(parents=True, exist_ok=True)
        chosen = ["--color", color] if self.has_colors else []
        command = [
            self.path, "fetch", "--json", "--policy", "none", "--cache", str(folder / "cache"), "--format", "png", "--output", str(folder),
            *chosen, *options, *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        reports = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if len(reports) != len(files):
            raise SystemExit(f"imageload ended with {done.returncode} after {len(reports)} of {len(files)} images: {done.stderr[-2000:]}")
        return [self.result(file, report, folder) for file, report in zip(files, reports)]

    def can_write(self, format):
        return format in self.formats

    def write(self, file, format, color, folder):
        """Writes a file to a folder. Returns the failure, or None."""
        chosen = ["--color", color] if self.has_colors else []
        command = [self.path, "fetch", "--json", "--policy", "none", "--format", format, "--output", str(folder), *chosen, str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        return None if done.returncode == 0 else Failure(done.stderr.strip())

    @staticmethod
    def result(file, report, folder):
        if report["status"] != "ok":
            return Failure(report["error"])
        return read(folder / f"{file.stem}.png")


def read(file):
    """Reads a PNG. Little CMS must accept the profile."""
    with Image.open(file) as picture:
        profile = picture.info.get("icc_profile")
        pixels = numpy.asarray(picture.convert("RGBA"))
    if profile is None:
        return Picture(pixels, "srgb", spaces.SPACES["srgb"])
    ImageCms.getProfileDescription(ImageCms.ImageCmsProfile(io.BytesIO(profile)))
    space = icc.MatrixProfile(profile)
    return Picture(pixels, space.gamut, space)
