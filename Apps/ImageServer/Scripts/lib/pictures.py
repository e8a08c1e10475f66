"""Compares pixels of the image server with those that libvips makes by the calls of imgproxy. See Apps/ImageServer/Scripts/check-imgproxy.

imgproxy's own pictures are digests of the pixels of its version of libvips, so they can't be compared with other pixels. Prints a table for
Apps/ImageServer/Documentation/MigratingFromImgproxy.md: the average and the largest difference of the channels, from 0 to 255."""

import io
import sys
import tempfile

import numpy
import pyvips
from PIL import Image

from processes import Process, free_port, get

# Why options differ by more than a level, and the largest average difference.
REASONS = {
    "w:150": (1.5, "libvips keeps the scale, this server stretches 112.5 rows to 113"),
    "rs:force:200:200": (0.5, "the reason is not known"),
    "el:1": (1, "libvips enlarges by bicubic interpolation, this server by Lanczos"),
    "bl:3": (2, "libvips ends the mask at a fifth of its maximum"),
    "sh:1": (0.5, "libvips sharpens the lightness in LAB, with a mask that ends early"),
    "alpha": (1, "libvips rounds the premultiplied pixels"),
}


def source(alpha):
    """Returns edges, gradients and a texture."""
    y, x = numpy.mgrid[0:300, 0:400].astype(float)
    wave = 40 * numpy.sin(x / 7) * numpy.cos(y / 11)
    disc = ((x - 130) ** 2 + (y - 140) ** 2 < 80**2) * 120
    channels = [x * 0.5 + disc * 0.4 + 20, y * 0.6 + wave + 40, 200 - x * 0.3 + disc * 0.2 - wave]
    if alpha:
        channels.append(numpy.clip(x, 0, 255))
    return numpy.clip(numpy.stack(channels, 2), 0, 255).astype(numpy.uint8)


def resized(image, scale):
    if not image.hasalpha():
        return image.resize(scale)
    return image.premultiply().resize(scale).unpremultiply().cast("uchar")


def pixelated(image, side):
    wide = -(-image.width // side) * side, -(-image.height // side) * side
    padded = image.embed(0, 0, *wide, extend="copy")
    return padded.shrink(side, side).zoom(side, side).crop(0, 0, image.width, image.height)


# Each option with the calls of imgproxy. The source has 400 x 300 pixels.
OPTIONS = {
    "w:200": lambda image: resized(image, 0.5),
    "w:150": lambda image: resized(image, 0.375),
    "w:600/el:1": lambda image: resized(image, 1.5),
    "rs:fill:100:100/g:we": lambda image: resized(image, 1 / 3).crop(0, 0, 100, 100),
    "rs:force:200:200": lambda image: image.resize(0.5, vscale=2 / 3),
    "c:101:99": lambda image: image.crop(150, 101, 101, 99),
    "c:100:100:soea:10:20": lambda image: image.crop(290, 180, 100, 100),
    "rot:90": lambda image: image.rot90(),
    "fl:1": lambda image: image.fliphor(),
    "w:200/pd:10": lambda image: resized(image, 0.5).embed(10, 10, 220, 170, background=[0, 0, 0]),
    "w:200/bl:3": lambda image: resized(image, 0.5).gaussblur(3),
    "w:200/sh:1": lambda image: resized(image, 0.5).sharpen(sigma=1),
    "pix:10": lambda image: pixelated(image, 10),
    "alpha w:200": lambda image: resized(image, 0.5),
    "alpha bg:ff0000": lambda image: image.flatten(background=[255, 0, 0]),
    "alpha w:200/bg:ff0000": lambda image: resized(image, 0.5).flatten(background=[255, 0, 0]),
}


def pixels(image):
    array = numpy.asarray(image).astype(float)
    if array.shape[2] == 4:
        array[..., :3] *= array[..., 3:] / 255
    return array


def main(binary):
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for alpha in [False, True]:
            Image.fromarray(source(alpha)).save(f"{folder}/{'alpha' if alpha else 'plain'}.png")
        port = free_port()
        flags = {"port": port, "allow-unsigned": "true", "file-roots": folder, "auto-webp": "false"}
        with Process([binary, *[f"--{name}={value}" for name, value in flags.items()]], port):
            print("| options | average | largest | |\n|---|---|---|---|")
            for name, calls in OPTIONS.items():
                kind, _, options = name.rpartition(" ")
                file = f"{folder}/{kind or 'plain'}.png"
                status, _, body = get(port, f"/_/{options}/f:png/plain/file://{file}")
                if status != 200:
                    raise SystemExit(f"error: {name}: status {status}")
                own = pixels(Image.open(io.BytesIO(body)).convert("RGBA" if kind and "bg" not in options else "RGB"))
                theirs = pixels(calls(pyvips.Image.new_from_file(file)).numpy())
                if own.shape != theirs.shape:
                    raise SystemExit(f"error: {name}: {own.shape} is not {theirs.shape}")
                difference = abs(own - theirs)
                parts = [*options.split("/"), kind]
                most, reason = next((REASONS[part] for part in parts if part in REASONS), (0, "no reason is known"))
                if difference.max() <= 1:
                    most, reason = 1, "within a level" if difference.any() else "equal"
                failures += difference.mean() > most
                print(f"| {kind} `{options}` | {difference.mean():.2f} | {difference.max():.0f} | {reason} |".replace("|  `", "| `"))
    return f"{failures} options differ more than the table says" if failures else 0


sys.exit(main(*sys.argv[1:]))
