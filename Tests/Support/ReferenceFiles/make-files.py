#!/usr/bin/env python3
"""Makes images for the tests of codecs, and their pixels as NAME.png, as Pillow, ImageMagick and tifffile see them.

    python3 -m venv venv && venv/bin/pip install pillow numpy tifffile imagecodecs
    venv/bin/python make-files.py FOLDER        # needs Debian's imagemagick, too

bmp-* and ico-* belong to ImageCodecBMPTests/Files, tiff-* to ImageCodecTIFFTests/Files.
"""
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import tifffile
from PIL import Image, ImageCms

out = Path(sys.argv[1])
out.mkdir(exist_ok=True)
W, H = 37, 23
y, x = np.mgrid[0:H, 0:W]
rgb = np.stack([x * 255 // (W - 1), y * 255 // (H - 1), (x * 7 + y * 13) % 256], 2).astype(np.uint8)
alpha = ((x + y) * 255 // (W + H - 2)).astype(np.uint8)
rgba = np.dstack([rgb, alpha])
gray = rgb[..., 1]


def expect(name, pixels, mode="RGBA"):
    Image.fromarray(np.ascontiguousarray(pixels)).convert(mode).save(out / f"{name}.png")


def magick(name, *options, source=rgb):
    """Lets ImageMagick write a file, and another process of it read the file."""
    Image.fromarray(source).save("/tmp/source.png")
    path = f"{name.rsplit('.', 1)[1]}:{out / name}" if ":" not in name else name
    subprocess.run(["convert", "/tmp/source.png", *options, path], check=True)
    subprocess.run(["convert", f"{out / name}[0]", "-depth", "8", f"PNG32:{out / name}.png"], check=True)


def bmp(name, bits, compression, body, palette=b"", width=W, height=H, header=40, masks=b"", extra=b""):
    """Writes a bitmap by hand, as no library writes these kinds."""
    info = struct.pack("<IiiHHIIiiII", header, width, height, 1, bits, compression, len(body), 2835, 2835, len(palette) // 4, 0)
    info += masks + extra
    offset = 14 + len(info) + len(palette)
    (out / name).write_bytes(b"BM" + struct.pack("<IHHI", offset + len(body), 0, 0, offset) + info + palette + body)


def rows(lines):
    return b"".join(line + b"\0" * (-len(line) % 4) for line in lines)


# ---- BMP
indexed = Image.fromarray(rgb).quantize(200)
for name, image in {"p8": indexed, "p4": Image.fromarray(rgb).quantize(15), "gray": Image.fromarray(gray)}.items():
    image.save(out / f"bmp-{name}.bmp")
    expect(f"bmp-{name}.bmp", np.array(image.convert("RGB")))
Image.fromarray(gray).convert("1").save(out / "bmp-p1.bmp")
expect("bmp-p1.bmp", np.array(Image.fromarray(gray).convert("1").convert("RGB")))
Image.fromarray(rgb).save(out / "bmp-24.bmp")
expect("bmp-24.bmp", rgb)
Image.fromarray(rgba).save(out / "bmp-32-fields.bmp")
expect("bmp-32-fields.bmp", np.array(Image.open(out / "bmp-32-fields.bmp").convert("RGBA")))
magick("bmp-v5.bmp", source=rgba)
magick("bmp-v3.bmp", "-define", "bmp:format=bmp3")
magick("bmp-565.bmp", "-define", "bmp:subtype=RGB565")
magick("bmp-555.bmp", "-define", "bmp:subtype=RGB555")
magick("bmp-4444.bmp", "-define", "bmp:subtype=ARGB4444", source=rgba)
expect("bmp-4444.bmp", np.array(Image.open(out / "bmp-4444.bmp.png")) // 16 * 17)  # it reads 4 bits as 8 with zeros
magick("bmp-rle8.bmp", "-colors", "60", "-compress", "RLE")
expected = np.array(Image.open(out / "bmp-rle8.bmp").convert("RGB"))
bmp("bmp-top-down.bmp", 24, 0, rows(row[:, ::-1].tobytes() for row in rgb), height=-H)
expect("bmp-top-down.bmp", rgb)
dark = (rgb // 64 * 64).astype(np.uint8)
bmp("bmp-2-10-10-10.bmp", 32, 3, b"".join(
    struct.pack("<I", int(p[0]) * 4 << 20 | int(p[1]) * 4 << 10 | int(p[2]) * 4) for row in dark[::-1] for p in row),
    masks=struct.pack("<III", 1023 << 20, 1023 << 10, 1023))
expect("bmp-2-10-10-10.bmp", np.round(dark * 4.0 * 255 / 1023).astype(np.uint8))
palette16 = b"".join(bytes([i * 16, 255 - i * 16, i * 8, 0]) for i in range(16))
colors16 = np.frombuffer(palette16, np.uint8).reshape(16, 4)[:, 2::-1]
index = (x // 4 + y) % 16
body = b""
for line in index[::-1]:
    at = 0
    while at < W:
        count = min(4, W - at)
        if (at // 4) % 3 == 2 and count >= 3:  # absolute
            pixels = [int(v) for v in line[at:at + count]] + [0]
            packed = bytes(pixels[i] << 4 | pixels[i + 1] for i in range(0, count, 2))
            body += bytes([0, count]) + packed + b"\0" * (len(packed) % 2)
        else:
            body += bytes([count, int(line[at]) << 4 | int(line[at + 1 if count > 1 else at])])
        at += count
    body += b"\0\0"
bmp("bmp-rle4.bmp", 4, 2, body + b"\0\1", palette16)
expect("bmp-rle4.bmp", colors16[index])
delta = np.zeros((H, W), int)
delta[H - 1, :3] = 5
delta[H - 4, 7:10] = 6
bmp("bmp-rle8-delta.bmp", 8, 1, bytes([3, 5, 0, 2, 4, 3, 3, 6, 0, 1]), palette16)
expect("bmp-rle8-delta.bmp", colors16[delta])
core = struct.pack("<IHHHH", 12, W, H, 1, 24)
body = rows(row[:, ::-1].tobytes() for row in rgb[::-1])
(out / "bmp-core.bmp").write_bytes(b"BM" + struct.pack("<IHHI", 26 + len(body), 0, 0, 26) + core + body)
expect("bmp-core.bmp", rgb)
profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
v5 = struct.pack("<IIII", 0, 0, 0, 0) + b"DEBM" + b"\0" * 48 + struct.pack("<IIII", 4, 124 + len(body), len(profile), 0)
bmp("bmp-profile.bmp", 24, 0, body, header=124, extra=v5)
with open(out / "bmp-profile.bmp", "ab") as file:
    file.write(profile)
expect("bmp-profile.bmp", rgb)

# ---- ICO
for kind in ["png", "bmp"]:
    name = f"ico-{kind}.ico"
    Image.fromarray(rgba).resize((48, 48), 0).save(out / name, sizes=[(16, 16), (48, 48), (32, 32)], bitmap_format=kind)
    expect(name, np.array(Image.open(out / name).convert("RGBA")))
magick("ico-24.ico", "-alpha", "off", "-resize", "32x32!")
magick("ico-mask.ico", "-resize", "32x32!", "-channel", "A", "-threshold", "50%", "+channel", "-colors", "16", source=rgba)
data = (out / "ico-bmp.ico").read_bytes()
(out / "ico-cursor.ico").write_bytes(data[:2] + b"\2" + data[3:])
expect("ico-cursor.ico", np.array(Image.open(out / "ico-bmp.ico").convert("RGBA")))

# ---- TIFF
def tiff(name, pixels, expected, **options):
    tifffile.imwrite(out / name, pixels, **options)
    expect(name, expected)


for compression in ["none", "lzw", "deflate", "packbits", "zstd", "lerc", "webp"]:
    options = {} if compression == "none" else {"compression": compression}
    if compression == "webp":
        options["compressionargs"] = {"lossless": True}
    tiff(f"tiff-{compression}.tiff", rgb, rgb, photometric="rgb", **options)
tiff("tiff-predictor.tiff", rgb, rgb, photometric="rgb", compression="deflate", predictor=True, rowsperstrip=5)
tiff("tiff-big.tiff", rgb, rgb, photometric="rgb", bigtiff=True)
tiff("tiff-motorola.tiff", rgb, rgb, photometric="rgb", byteorder=">")
tiff("tiff-alpha.tiff", rgba, rgba, photometric="rgb", extrasamples=["unassalpha"])
multiplied = np.dstack([np.round(rgb * (alpha[..., None] / 255.0)).astype(np.uint8), alpha])
a = alpha[..., None].astype(int)
straight = np.where(a == 0, 0, np.minimum(255, (multiplied[..., :3].astype(int) * 255 + a // 2) // np.maximum(a, 1)))
tiff("tiff-associated.tiff", multiplied, np.dstack([straight.astype(np.uint8), alpha]), photometric="rgb", extrasamples=["assocalpha"])
tiff("tiff-16.tiff", rgb.astype(np.uint16) * 257, rgb, photometric="rgb")
tiff("tiff-16-motorola.tiff", rgb.astype(np.uint16) * 257, rgb, photometric="rgb", byteorder=">", compression="lzw", predictor=True)
tiff("tiff-gray.tiff", gray, gray, photometric="minisblack")
tiff("tiff-gray16.tiff", gray.astype(np.uint16) * 257, gray, photometric="minisblack")
tiff("tiff-gray-alpha.tiff", np.dstack([gray, alpha]), np.dstack([gray, gray, gray, alpha]), photometric="minisblack", extrasamples=["unassalpha"])
tiff("tiff-white.tiff", 255 - gray, gray, photometric="miniswhite")
tiff("tiff-tiles.tiff", rgb, rgb, photometric="rgb", tile=(16, 16), compression="deflate")
tiff("tiff-planes.tiff", np.moveaxis(rgb, 2, 0), rgb, photometric="rgb", planarconfig="separate")
tiff("tiff-planes-tiles.tiff", np.moveaxis(rgb, 2, 0), rgb, photometric="rgb", planarconfig="separate", tile=(16, 16))
tiff("tiff-pages.tiff", np.stack([rgb, 255 - rgb]), rgb, photometric="rgb")
for orientation in range(2, 9):
    turned = {2: rgb[:, ::-1], 3: rgb[::-1, ::-1], 4: rgb[::-1], 5: rgb.transpose(1, 0, 2), 6: np.rot90(rgb, -1),
              7: np.rot90(rgb, 2).transpose(1, 0, 2), 8: np.rot90(rgb)}[orientation]
    tiff(f"tiff-orientation{orientation}.tiff", rgb, turned, photometric="rgb", extratags=[(274, 3, 1, orientation, True)])
planes = [(274, 3, 1, 6, True)]
tiff("tiff-planes-turned.tiff", np.moveaxis(rgb, 2, 0), np.rot90(rgb, -1), photometric="rgb", planarconfig="separate", extratags=planes)
cmyk = np.dstack([rgb, alpha])
k, c = 255 - cmyk[..., 3:].astype(int), 255 - cmyk[..., :3].astype(int)
tiff("tiff-cmyk.tiff", cmyk, ((c * k + 127) // 255).astype(np.uint8), photometric="separated")
indexed.save(out / "tiff-palette.tiff")
expect("tiff-palette.tiff", np.array(indexed.convert("RGB")))
bilevel = Image.fromarray(gray).convert("1")
for compression in ["raw", "group3", "group4"]:
    bilevel.save(out / f"tiff-{compression}.tiff", compression=compression)
    expect(f"tiff-{compression}.tiff", np.array(bilevel.convert("RGB")))
Image.fromarray(rgb).save(out / "tiff-jpeg.tiff", compression="jpeg")
expect("tiff-jpeg.tiff", np.array(Image.open(out / "tiff-jpeg.tiff").convert("RGB")))
magick("tiff-gray4.tiff", "-colorspace", "Gray", "-depth", "4", "-compress", "LZW")
