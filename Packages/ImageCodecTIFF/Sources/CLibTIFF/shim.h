#if __has_include(<tiffio.h>)
#include <tiffio.h>
#else
#error "tiffio.h is missing: install libtiff-dev (Debian), libtiff-devel (Fedora) or libtiff (Homebrew)"
#endif
