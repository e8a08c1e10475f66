"""quality.py TOOL PHOTO…: prints the mean SSIM and size of photographs in each format at equal qualities.

The encoders of AVIF, HEIC and JPEG XL have their scales from here: equal numbers look alike, so SSIM is within 0.01 of JPEG's. Run it with the Python
of check-differential, on ten or more photographs: .build-python/bin/python Scripts/lib/differential/quality.py TOOL PHOTO…
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy
from PIL import Image, ImageOps

QUALITIES = [30, 40, 50, 60, 70, 80, 90, 95]
FORMATS = ["jpeg", "webp", "avif", "heic", "jxl"]
LONGEST_SIDE = 448


def blurred(samples):
    """Returns the means of windows of 11 pixels with Gaussian weights (Wang et al. 2004)."""
    weights = numpy.exp(-((numpy.arange(11) - 5) ** 2) / (2 * 1.5**2))
    for axis in (0, 1):
        samples = numpy.apply_along_axis(numpy.convolve, axis, samples, weights / weights.sum(), "valid")
    return samples


def ssim(first, second):
    first, second = (numpy.asarray(image.convert("L"), float) for image in (first, second))
    means = blurred(first), blurred(second)
    variance = blurred(first * first) - means[0] ** 2 + blurred(second * second) - means[1] ** 2
    covariance = blurred(first * second) - means[0] * means[1]
    likeness = (2 * means[0] * means[1] + 6.5025) * (2 * covariance + 58.5225)
    return (likeness / ((means[0] ** 2 + means[1] ** 2 + 6.5025) * (variance + 58.5225))).mean()


def measured(tool, folder, image, kind, quality):
    """Returns the SSIM and the number of bytes."""
    source, coded, decoded = (folder / name for name in ["source.png", f"coded.{kind}", "decoded.png"])
    image.save(source)
    subprocess.run([tool, "convert", source, "--to", kind, "--quality", str(quality), "-o", coded, "--force"], check=True, capture_output=True)
    subprocess.run([tool, "convert", coded, "--to", "png", "-o", decoded, "--force"], check=True, capture_output=True)
    return ssim(image, Image.open(decoded)), coded.stat().st_size


def main(tool, *files):
    photographs = [ImageOps.exif_transpose(Image.open(file)).convert("RGB") for file in files]
    for photograph in photographs:
        photograph.thumbnail((LONGEST_SIDE, LONGEST_SIDE), Image.LANCZOS)
    with tempfile.TemporaryDirectory() as folder:
        for kind in FORMATS:
            for quality in QUALITIES:
                results = [measured(tool, pathlib.Path(folder), image, kind, quality) for image in photographs]
                likeness, size = numpy.mean(results, axis=0)
                print(f"{kind} {quality}: SSIM {likeness:.4f}, {size:.0f} bytes", flush=True)


main(*sys.argv[1:])
