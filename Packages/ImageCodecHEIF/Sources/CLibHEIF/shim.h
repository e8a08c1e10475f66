#if __has_include(<libheif/heif.h>)
#include <libheif/heif.h>
#else
#error "libheif/heif.h is missing: install libheif-dev (Debian), libheif-devel (Fedora) or libheif (Homebrew)"
#endif
