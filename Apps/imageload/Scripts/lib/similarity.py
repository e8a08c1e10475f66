"""Prints the similarity of each result to its source, resized with Lanczos3 if needed: similarity.py FOLDER SOURCE…

Results have the names of their sources with another extension. The parameters are those of imageload compare. The decoders
and the metric are other ones than those of imageload.
"""

import pathlib
import sys

import numpy
import pillow_heif
import pillow_jxl  # noqa: F401, registers itself
from PIL import Image
from skimage.metrics import structural_similarity

pillow_heif.register_heif_opener()
for source in map(pathlib.Path, sys.argv[2:]):
    result = next(pathlib.Path(sys.argv[1]).glob(f'{source.stem}.*'))
    with Image.open(result) as image:
        shown = image.convert('RGB')
    reference = Image.open(source).convert('RGB')
    if reference.size != shown.size:
        reference = reference.resize(shown.size, Image.Resampling.LANCZOS)
    luma = [numpy.asarray(image).astype(float) @ (0.299, 0.587, 0.114) for image in (reference, shown)]
    print(structural_similarity(
        luma[0], luma[1], data_range=255, gaussian_weights=True, sigma=1.5, use_sample_covariance=False))
