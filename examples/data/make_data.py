#!/usr/bin/env python3
"""examples/data/make_data.py -- makes the data beside it, from what Debian's python3-sklearn ships. Needs python3-sklearn and python3-pil.

digits_images.npy, digits_labels.npy: 1797 handwritten digits of 8 x 8 pixels with values 0 to 16 (uint8), and which digit each is.
    E. Alpaydin, C. Kaynak: Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998, CC BY 4.0.
flower.png: flower.jpg, 480 pixels wide. A photograph by vultilion, https://www.flickr.com/photos/vultilion/6056698931/,
    CC BY 2.0 (https://creativecommons.org/licenses/by/2.0/).
"""
import pathlib

import numpy
import sklearn.datasets
from PIL import Image

here = pathlib.Path(__file__).parent
digits = sklearn.datasets.load_digits()
numpy.save(here / "digits_images.npy", digits.data.astype(numpy.uint8))
numpy.save(here / "digits_labels.npy", digits.target.astype(numpy.uint8))

image = Image.fromarray(sklearn.datasets.load_sample_image("flower.jpg"))
image.resize((480, image.height * 480 // image.width), Image.LANCZOS).save(here / "flower.png", optimize=True)
