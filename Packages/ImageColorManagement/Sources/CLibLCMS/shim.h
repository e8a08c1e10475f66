#if __has_include(<lcms2.h>)
#include <lcms2.h>
#else
#error "lcms2.h is missing: install liblcms2-dev (Debian), lcms2-devel (Fedora) or little-cms2 (Homebrew)"
#endif
