"""Makes 200 photographs out of the wallpapers of Debian packages: parts of about 4000 by 3000 pixels, as JPEG.

    photographs.py FOLDER OUT

FOLDER has the unpacked packages. OUT gets p000.jpg to p199.jpg.
"""

import pathlib
import sys

from PIL import Image

COUNT, SIZE = 200, (4000, 3000)
Image.MAX_IMAGE_PIXELS = None


def parts(image):
    """Yields ten rectangles with the shape of a photograph: as large as fits, and of half the sides in nine places."""
    width, height = image.size
    scale = min(1, width / SIZE[0], height / SIZE[1])
    w, h = int(SIZE[0] * scale), int(SIZE[1] * scale)
    left, top = (width - w) // 2, (height - h) // 2
    yield (left, top, left + w, top + h)
    for row in range(3):
        for column in range(3):
            x, y = (width - w // 2) * column // 2, (height - h // 2) * row // 2
            yield (x, y, x + w // 2, y + h // 2)


def main(folder, out):
    # Packages have links from other sizes to the same file.
    files = {path.resolve() for path in folder.rglob('*.jp*g') if path.exists() and not path.is_symlink()}
    sources = sorted(path for path in files if path.stat().st_size > 250_000)
    out.mkdir(parents=True, exist_ok=True)
    number = 0
    # The first part of each source, then the second parts, and so on.
    for index in range(10):
        for path in sources:
            if number == COUNT:
                return
            image = Image.open(path)
            if image.mode != 'RGB' or image.width * image.height < 3_000_000:
                continue
            area = list(parts(image))[index]
            image.crop(area).save(out / f'p{number:03}.jpg', quality=90)
            number += 1
    raise SystemExit(f'only {number} photographs can be made of {len(sources)} files')


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
