"""Files that the tool writes at each kind of size, and animations, opened with the newest decoders that PyPI has: of libheif, libavif, libjxl
and libwebp."""

import importlib.util
import io
import itertools
import subprocess

import numpy
from PIL import Image

SIDES = [1, 2, 3, 16, 31, 63, 64, 65, 67, 131, 257]
SIZES = [(side, side) for side in SIDES] + [(side, 3) for side in SIDES] + [(1, side) for side in SIDES] + [
    (300, 201), (201, 300), (127, 509), (1000, 7), (5000, 2), (2, 5000), (4500, 31), (16383, 1), (1, 16383)]
FORMATS = ["jpeg", "png", "gif", "webp", "avif", "heic", "jxl"]
#: The largest mean error of a lossy file. Chroma of half the resolution blurs images of a few pixels.
TOLERANCE = 12
#: Delays of frames in milliseconds.
DELAYS = [20, 70, 65000, 70, 40]


def outcomes(tool, folder, only):
    """Yields the name of each check, and why it failed or None."""
    if importlib.util.find_spec("pillow_heif") is None or importlib.util.find_spec("pillow_jxl") is None:
        return
    import pillow_heif
    import pillow_jxl  # registers itself

    pillow_heif.register_heif_opener()
    for kind in FORMATS:
        for width, height in SIZES:
            for has_alpha in [False, True]:
                for is_lossless in [False, True] if kind in ["webp", "avif", "heic", "jxl"] else [False]:
                    name = f"encoded-{kind}-{width}x{height}{'-alpha' if has_alpha else ''}{'-lossless' if is_lossless else ''}"
                    if only in name:
                        yield name, failure(tool, folder, kind, scene(width, height, has_alpha), is_lossless)
    for kind, size, loops, is_lossless in itertools.product(["webp", "avif", "jxl"], [(9, 8), (67, 31), (300, 201)], [0, 1, 7], [False, True]):
        for has_alpha in [False, True]:
            name = f"encoded-animation-{kind}-{size[0]}x{size[1]}-{loops}{'-alpha' if has_alpha else ''}{'-lossless' if is_lossless else ''}"
            if only in name:
                yield name, animation_failure(tool, folder, kind, [moved(*size, has_alpha, by) for by in range(len(DELAYS))], loops, is_lossless)


def scene(width, height, has_alpha):
    """Returns smooth RGBA samples, so that a lossy file is close to them. Alpha is 0 or 255, which each format but JPEG keeps."""
    y, x = numpy.mgrid[0:height, 0:width]
    gray = 40 + 170 * (x + y) // max(1, width + height - 1)
    alpha = numpy.where((x // 8 + y // 8) % 2 == 0, 255, 0) if has_alpha else numpy.full_like(x, 255)
    return numpy.stack([gray, gray, gray, alpha], axis=2).astype(numpy.uint8)


def moved(width, height, has_alpha, by):
    """Returns a scene with a darker square, which moves, and rests in the third frame."""
    samples = scene(width, height, has_alpha)
    left = width * min(by, 1 + by // 3) // 8
    samples[height // 4:height // 2, left:left + width // 4, :3] //= 2
    return samples


def animation_failure(tool, folder, kind, frames, loops, is_lossless):
    source, target = folder / "encoded-source.png", folder / f"encoded.{kind}"
    target.unlink(missing_ok=True)
    images = [Image.fromarray(frame) for frame in frames]
    # Pillow joins equal frames unless they differ in what isn't shown.
    images[0].save(source, save_all=True, append_images=images[1:], duration=DELAYS, loop=loops, default_image=False)
    options = ["--lossless"] if is_lossless else ["--quality", "90"]
    run = subprocess.run([tool, "convert", source, "--to", kind, "-o", target, *options, "--force", "--strict"], capture_output=True, text=True)
    if run.returncode != 0 or not target.exists():
        return None if "--to" in run.stderr and "invalid" in run.stderr else f"the tool failed: {run.stderr.strip()}"
    try:
        decoded, delays = jxl_frames(target) if kind == "jxl" else pillow_frames(target)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    expected, expected_delays = pillow_frames(source)
    if len(decoded) != len(expected) or delays is not None and delays != expected_delays:
        return f"{len(decoded)} of {len(expected)} frames, with the delays {delays}"
    for index, (frame, other) in enumerate(zip(decoded, expected)):
        shown = other[..., 3] > 0
        error = abs(frame.astype(int) - other)[..., :3][shown].mean() if shown.any() else 0
        if error > (0 if is_lossless else TOLERANCE):
            return f"a mean error of {error:.1f} in frame {index}"
    return None


def pillow_frames(file):
    """Returns the frames as RGBA samples, and their delays in milliseconds."""
    frames, delays = [], []
    with Image.open(file) as image:
        for index in range(getattr(image, "n_frames", 1)):
            image.seek(index)
            frames.append(numpy.asarray(image.convert("RGBA")))
            delays.append(round(image.info["duration"]))
    return frames, delays


def jxl_frames(file):
    """Returns the frames as RGBA samples. imagecodecs tells no delays."""
    import imagecodecs

    decoded = imagecodecs.jpegxl_decode(file.read_bytes())
    alpha = numpy.full((*decoded.shape[:3], 4 - decoded.shape[3]), 255, numpy.uint8)
    return list(numpy.concatenate([decoded, alpha], axis=3)), None


def failure(tool, folder, kind, samples, is_lossless):
    source, target = folder / "encoded-source.png", folder / f"encoded.{kind}"
    target.unlink(missing_ok=True)
    Image.fromarray(samples).save(source)
    options = ["--lossless"] if is_lossless else ["--quality", "90"]
    run = subprocess.run([tool, "convert", source, "--to", kind, "-o", target, *options, "--force"], capture_output=True, text=True)
    if run.returncode != 0 or not target.exists():
        return None if "--to" in run.stderr and "invalid" in run.stderr else f"the tool failed: {run.stderr.strip()}"
    try:
        decoded = numpy.asarray(Image.open(io.BytesIO(target.read_bytes())).convert("RGBA")).astype(int)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if decoded.shape != samples.shape:
        return f"{decoded.shape[1]}x{decoded.shape[0]} pixels"
    if kind != "jpeg" and (abs(decoded[..., 3] - samples[..., 3]).mean() > 0 if is_lossless else abs(decoded[..., 3] - samples[..., 3]).mean() > 4):
        return "other alpha"
    shown = samples[..., 3] > 0
    error = abs(decoded - samples)[..., :3][shown].mean() if shown.any() else 0
    return f"a mean error of {error:.1f}" if error > (0 if is_lossless else TOLERANCE) else None
