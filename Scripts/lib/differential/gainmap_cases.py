"""HDR JPEGs of libultrahdr, converted by the tool: libultrahdr finds the same gain in the result.

The gain of a pixel is the brightness of the HDR image over that of the standard one, in stops. Needs the PyPI package imagecodecs."""

import importlib.util
import io
import itertools
import subprocess

import numpy
import PIL.Image

SIZES = [(640, 480), (801, 603)]
CONVERSIONS = {
    "quality": [],
    "crop": ["--crop", "301x203+40+60"],
    "half": ["--size", "50%"],
    "crop-half": ["--crop", "400x300+10+20", "--size", "50%"],
}
#: The highest difference of 99 of 100 values, in stops, for each reduction of the gain map. A result has the same reduction.
TOLERANCES = {1: 0.1, 4: 0.2}


def outcomes(tool, folder, only):
    """Yields the name of each conversion, and what is wrong with it, or None."""
    if importlib.util.find_spec("imagecodecs") is None:
        return
    for (width, height), (scale, tolerance) in itertools.product(SIZES, TOLERANCES.items()):
        source = folder / f"gainmap-{width}x{height}-{scale}.jpg"
        for name, options in CONVERSIONS.items():
            case = f"{source.stem}-{name}"
            if only not in case:
                continue
            if not source.exists():
                source.write_bytes(encoded(scene(width, height), scale))
            yield case, failure(tool, source, folder / f"{case}.jpg", options, tolerance)


def encoded(pixels, scale):
    import imagecodecs

    return imagecodecs.ultrahdr_encode(pixels, level=95, scale=scale)


def scene(width, height):
    """Returns linear light with a highlight of up to seven times white."""
    y, x = numpy.mgrid[0:height, 0:width] / numpy.reshape([height, width], (2, 1, 1))
    base = numpy.stack([0.1 + 0.6 * x * (1 - y), 0.15 + 0.5 * y, 0.2 + 0.5 * (1 - x), numpy.ones_like(x)], axis=2)
    highlight = numpy.exp(-((x - 0.3) ** 2 + (y - 0.4) ** 2) / 0.02)[..., None]
    return (base + highlight * [6, 4, 2, 0]).astype(numpy.float16)


def failure(tool, source, result, options, tolerance):
    import imagecodecs

    command = [str(tool), "convert", str(source), "--output", str(result), "--color", "auto", "--quality", "95", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        return done.stderr.strip()
    try:
        found = gain(result.read_bytes())
    except imagecodecs.UltrahdrError as error:
        return str(error)
    expected = gain(source.read_bytes())
    if "--crop" in options:
        size, x, y = options[options.index("--crop") + 1].split("+")
        width, height = map(int, size.split("x"))
        expected = expected[int(y) : int(y) + height, int(x) : int(x) + width]
    expected = resized(expected, found.shape[1::-1])
    difference = numpy.quantile(numpy.abs(found - expected), 0.99)
    return f"the gain differs by {difference:.3f} stops" if difference > tolerance else None


def gain(data):
    import imagecodecs

    hdr = imagecodecs.ultrahdr_decode(data, dtype="float16")[..., :3].astype(float)
    value = numpy.asarray(PIL.Image.open(io.BytesIO(data)).convert("RGB")) / 255
    standard = numpy.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    return numpy.log2((hdr + 1 / 64) / (standard + 1 / 64))


def resized(values, size):
    channels = [PIL.Image.fromarray(values[..., index].astype(numpy.float32)) for index in range(3)]
    return numpy.stack([numpy.asarray(channel.resize(size, PIL.Image.Resampling.BOX)) for channel in channels], axis=2)
