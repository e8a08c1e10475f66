#if __has_include(<png.h>)
#include <png.h>
#else
#error "png.h is missing: install libpng-dev (Debian), libpng-devel (Fedora) or libpng (Homebrew)"
#endif
