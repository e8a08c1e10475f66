#if __has_include(<libde265/de265.h>)
#include <libde265/de265.h>
#else
#error "libde265/de265.h is missing: install libde265-dev (Debian), libde265-devel (Fedora) or libde265 (Homebrew)"
#endif
