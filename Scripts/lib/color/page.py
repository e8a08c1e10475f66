"""Writes a page of images: what another build of the tool makes of them, what this one does, and the reference."""

import html
import shutil
import subprocess

import numpy
from PIL import Image

import files
import hdr
import icc
import references
import scenes
import spaces
from cases import Case
from comparison import Comparison
from spaces import SPACES
from tool import Failure

STYLE = """
body { margin: 24px; background: #202020; color: #e0e0e0; font: 15px/1.4 system-ui, sans-serif }
table { border-collapse: collapse } td, th { padding: 6px 12px 12px 0; text-align: left; vertical-align: top }
td.image { width: 400px } img { display: block; width: 400px; image-rendering: auto }
.missing { width: 400px; height: 120px; display: grid; place-items: center; background: #303030; text-align: center }
"""


def photographs(folder):
    """Yields scenes with saturated colors and highlights, as cameras and programs store them."""
    light = scenes.photograph()
    p3, prophoto, bt2020 = (SPACES[name] for name in ("p3", "prophoto", "bt2020"))
    chart = scenes.chart(600, 440)
    for name, meaning, write in [
            ("P3 photograph.jpg", icc.matrix_profile(p3), lambda file, data: files.write_pillow(
                file, encoded(light, p3), quality=95, subsampling=0, icc_profile=data)),
            ("ProPhoto photograph.png", icc.matrix_profile(prophoto), lambda file, data: files.constant(files.write_png(
                file, encoded(light, prophoto), 16, [files.profile_chunk(data)]))),
            ("BT.2020 photograph.avif", icc.matrix_profile(bt2020), lambda file, data: files.write_avif(
                file, encoded(light, bt2020), 10, nclx=(9, 13, 9), is_full=False)),
            ("PQ photograph.avif", hdr.Conversion("pq", bt2020), lambda file, _: files.write_avif(
                file, hdr.pq_signal(luminance(light)), 10, nclx=(9, 16, 9), is_full=False, sampling="420")),
            ("HLG photograph.heic", hdr.Conversion("hlg", bt2020), lambda file, _: files.write_heic(
                file, hdr.hlg_of_luminance(luminance(light), bt2020.to_own_xyz[1]), 10, nclx=(9, 18, 9))),
            ("PQ photograph.jxl", hdr.Conversion("pq", bt2020), lambda file, _: files.write_jxl(
                file, hdr.pq_signal(luminance(light)), 16, "RGB_D65_202_Rel_PeQ", options=["--intensity_target=1000"])),
            ("PQ chart.png", hdr.Conversion("pq", bt2020), lambda file, _: files.constant(files.write_png(
                file, chart * hdr.pq_signal(hdr.USUAL_PEAK), 16, [files.cicp(9, 16)]))),
            ("P3 chart.webp", icc.matrix_profile(p3), lambda file, data: files.write_pillow(file, chart, lossless=True, icc_profile=data)),
            ("HLG highlights.jxl", hdr.Conversion("hlg", p3), lambda file, _: files.write_jxl(
                file, scenes.highlights(600, 300), 16, "RGB_D65_DCI_Rel_HLG", options=["--intensity_target=1000"])),
            ("Adobe RGB chart.jpg", icc.matrix_profile(SPACES["adobe"]), lambda file, data: files.write_pillow(
                file, chart, quality=95, subsampling=0, icc_profile=data))]:
        file = folder / f"{name.split('.')[-1]}-{name.replace(' ', '-')}"
        yield Case(name, file, write(file, meaning), meaning, "p3")


def encoded(light, space):
    """Returns a photograph of standard dynamic range, whose highlights roll off like those of a camera."""
    rolled = numpy.where(light < 0.7, light, 0.7 + 0.3 * (1 - numpy.exp(-(light - 0.7) / 0.3)))
    linear = numpy.clip(spaces.converted(rolled, SPACES["p3"], space), 0, 1)
    levels = numpy.linspace(0, 1, 65536)
    return numpy.interp(linear, space.curve.light(levels), levels)


def luminance(light):
    """Returns the light of a photograph in cd/m² and the primaries of BT.2020, up to the peak."""
    return numpy.clip(spaces.converted(light, SPACES["p3"], SPACES["bt2020"]) * hdr.DIFFUSE_WHITE, 0, hdr.USUAL_PEAK)


def write(folder, tool, before, extra=()):
    """Writes the page. `before` is another tool, or None. Returns its path, the number of its rows, and whether all images are close to
    the reference."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [*photographs(folder), *extra]
    comparison = Comparison(tool, folder)
    results = {label: made(one, chosen, folder / label) for label, one in [("before", before), ("after", tool)] if one}
    rows, passes = [], True
    for number, case in enumerate(chosen):
        found = comparison.rows_of(case, "auto", results["after"][number])
        passes = passes and all(row.passes for row in found)
        cells = [cell(results[label][number], folder, f"{label}/{case.file.stem}.png") for label in results]
        space = getattr(results["after"][number], "name", None) or "p3"
        cells.append(reference_cell(comparison, case, space, folder))
        numbers = "; ".join(row.fault or f"{row.reference}: {row.mean:.2f} on average, {row.largest:.2f} at most" for row in found)
        title = html.escape(f"{case.name} ({space}): ΔE2000 {numbers}")
        rows.append(f"<tr><th colspan={len(cells)}>{title}</th></tr><tr>{''.join(cells)}</tr>")
    heads = "".join(f"<th>{label}</th>" for label in [*results, "reference"])
    page = folder / "index.html"
    head = f"<!doctype html><meta charset=utf-8><title>Colors</title><style>{STYLE}</style>"
    page.write_text(f"{head}<table><tr>{heads}</tr>{''.join(rows)}</table>")
    return page, len(rows), passes


def made(tool, chosen, folder):
    return tool.convert([case.file for case in chosen], "auto", folder)


def cell(result, folder, path):
    if isinstance(result, Failure):
        reason = str(result).replace(str(folder) + "/", "")
        return f"<td class=image><div class=missing>{html.escape(reason)}</div></td>"
    return f"<td class=image><img src='{html.escape(path)}'></td>"


def reference_cell(comparison, case, space, folder):
    _, pixels = next(iter(comparison.expected(case, space)))
    path = folder / "reference" / f"{case.file.stem}.png"
    path.parent.mkdir(exist_ok=True)
    options = {"icc_profile": references.TARGETS["p3"]} if space == "p3" else {}
    Image.fromarray(numpy.clip(numpy.rint(pixels), 0, 255).astype(numpy.uint8)).save(path, **options)
    return f"<td class=image><img src='reference/{html.escape(path.name)}'></td>"


def render(page, rows):
    """Renders the page with Chromium, on a display with the gamut of P3. Returns the image, or None without Chromium."""
    browser = shutil.which("chromium")
    if browser is None:
        return None
    image = page.with_name("page.png")
    profile = page.parent / ".chromium"
    subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=display-p3-d65",
         f"--user-data-dir={profile}", f"--window-size=1320,{100 + 345 * rows}", f"--screenshot={image}", page.as_uri()],
        check=True, capture_output=True, timeout=120)
    shutil.rmtree(profile, ignore_errors=True)
    with Image.open(image) as shot:
        picture = shot.convert("RGB")
    picture.save(image, icc_profile=references.TARGETS["p3"])
    return image
