#if __has_include(<jpeglib.h>)
#include <stdio.h>
#include <jpeglib.h>
#else
#error "jpeglib.h is missing: install libjpeg62-turbo-dev (Debian), libjpeg-turbo-devel (Fedora) or jpeg-turbo (Homebrew)"
#endif
