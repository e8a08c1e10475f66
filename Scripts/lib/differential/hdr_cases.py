"""HDR JPEGs of libultrahdr, converted by the tool: Chromium draws the result as the source, on a standard display and on one of high dynamic range.

A canvas shows an image with the headroom of `globalHDRHeadroom`, and has values above white. Needs Chromium, and the PyPI package imagecodecs."""

import base64
import html
import importlib.util
import json
import pathlib
import shutil
import subprocess

import numpy
import PIL.Image

import gainmap_cases

SIZE = (640, 480)
#: The stops above white of the display.
HEADROOM = 6
#: The largest mean difference, where white is 1.
TOLERANCE = 0.02
FEATURES = "--enable-blink-features=CanvasHDR,CanvasGlobalHDRHeadroom,CanvasFloatingPoint"
PAGE = """<pre></pre><script>
function draw(image, headroom) {
  const canvas = Object.assign(document.createElement("canvas"), {width: 32, height: 24})
  const context = canvas.getContext("2d", {colorType: "float16", willReadFrequently: true})
  context.globalHDRHeadroom = headroom
  context.drawImage(image, ...AREA, 0, 0, 32, 24)
  return Array.from(context.getImageData(0, 0, 32, 24, {pixelFormat: "rgba-float16"}).data)
}
</script><img src="SOURCE" onload="document.querySelector('pre').textContent = JSON.stringify([0, HEADROOM].map((stops) => draw(this, stops)))">"""


def outcomes(tool, folder, only):
    """Yields the name of each conversion, and what is wrong with it, or None."""
    if "hdr" not in only and only or importlib.util.find_spec("imagecodecs") is None or shutil.which("chromium") is None:
        return
    source = folder / "hdr-source.jpg"
    source.write_bytes(gainmap_cases.encoded(gainmap_cases.scene(*SIZE), 1))
    whole = drawn(source, folder, [0, 0, *SIZE])
    plain = folder / "hdr-plain.jpg"
    PIL.Image.open(source).convert("RGB").save(plain, quality=95)
    yield "hdr-plain", None if difference(whole, drawn(plain, folder, [])) else "a file without a gain map isn't noticed"
    for name, options in gainmap_cases.CONVERSIONS.items():
        result, expected = folder / f"hdr-{name}.jpg", whole
        if "--crop" in options:
            size, x, y = options[options.index("--crop") + 1].split("+")
            expected = drawn(source, folder, [int(x), int(y), *map(int, size.split("x"))])
        command = [tool, "convert", source, "--output", result, "--color", "auto", "--quality", "95", "--force", *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        yield f"hdr-{name}", done.stderr.strip() if done.returncode else difference(expected, drawn(result, folder, []))


def difference(expected, found):
    """Returns what is wrong with the samples on both displays, or None."""
    standard, high = found
    if standard.max() > 1.001 or high.max() < 1.2:
        return f"the largest value is {standard.max():.2f} on a standard display, and {high.max():.2f} with {HEADROOM} stops of headroom"
    error = numpy.abs(found - expected).mean(axis=1).max()
    return f"a mean difference of {error:.3f}" if error > TOLERANCE else None


def drawn(file, folder, area):
    """Returns what Chromium draws of an area, which is empty for the whole, on a standard display and on one with headroom."""
    page, profile = pathlib.Path(folder, "hdr.html").absolute(), folder / ".chromium"
    address = f"data:image/jpeg;base64,{base64.b64encode(file.read_bytes()).decode()}"
    page.write_text(PAGE.replace("HEADROOM", str(HEADROOM)).replace("AREA", str(area)).replace("SOURCE", address))
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", FEATURES, f"--user-data-dir={profile}", "--dump-dom", page.as_uri()]
    text = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    shutil.rmtree(profile, ignore_errors=True)
    return numpy.array(json.loads(html.unescape(text.split("<pre>")[1].split("</pre>")[0])))
