"""Prints the mean similarity of results to their sources, resized with Lanczos3: similarity.py FOLDER SOURCE…

Results have the names of their sources with another extension. The parameters are those of imageload compare.
"""

import pathlib
import sys

import numpy
from PIL import Image
from skimage.metrics import structural_similarity

scores = []
for source in map(pathlib.Path, sys.argv[2:]):
    result = next(pathlib.Path(sys.argv[1]).glob(f'{source.stem}.*'))
    with Image.open(result) as image:
        shown = image.convert('RGB')
    reference = Image.open(source).convert('RGB').resize(shown.size, Image.Resampling.LANCZOS)
    luma = [numpy.asarray(image).astype(float) @ (0.299, 0.587, 0.114) for image in (reference, shown)]
    scores.append(structural_similarity(
        luma[0], luma[1], data_range=255, gaussian_weights=True, sigma=1.5, use_sample_covariance=False))
print(sum(scores) / len(scores))
