"""Makes thumbnails with the calls of vipsthumbnail: vips_thumbnails.py FOLDER SUFFIX SIZE QUALITY FILE…"""

import pathlib
import sys

import pyvips

folder, suffix, size, quality = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
for file in sys.argv[5:]:
    image = pyvips.Image.thumbnail(file, size, height=size)
    image.write_to_file(str(folder / f'{pathlib.Path(file).stem}.{suffix}'), Q=quality, keep='none')
