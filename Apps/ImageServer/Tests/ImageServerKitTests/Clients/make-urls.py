"""Prints URLs made by the PyPI packages imgproxy 1.0.0 and imgproxy-python 0.0.2, for ClientURLTests.

Run it in a virtual environment: pip install imgproxy==1.0.0 imgproxy-python==0.0.2
"""

from imgproxy import ImgProxy
from imgproxy_python.urls import UrlGenerator

KEY, SALT = "736563726574", "68656c6c6f"
SOURCE = "https://example.com/images/curiosity.jpg?size=large&page=2"

print("imgproxy")
print(ImgProxy(SOURCE, key=KEY, salt=SALT))
print(ImgProxy(SOURCE, key=KEY, salt=SALT, resizing_type="fill", width=300, height=400, gravity="noea", enlarge=True,
               extension="png"))
print(ImgProxy(SOURCE, key=KEY, salt=SALT, width=300)("dpr:2", "q:70", "bg:ff8000"))
print(ImgProxy(SOURCE, width=120, extension="webp"))

print("imgproxy-python")
for options in [
    {"width": 300, "height": 400},
    {"width": 300, "height": 200, "resize": "fill", "gravity": "so", "enlarge": 1, "extension": ".png"},
]:
    config = {"imgproxy_key": KEY, "imgproxy_salt": SALT, "imgproxy_host": "", "options": options}
    print(UrlGenerator(SOURCE, config).generate_signed_url())
