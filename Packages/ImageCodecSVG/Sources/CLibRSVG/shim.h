#if __has_include(<librsvg/rsvg.h>)
#include <librsvg/rsvg.h>
#else
#error "librsvg/rsvg.h is missing: install librsvg2-dev (Debian), librsvg2-devel (Fedora) or librsvg (Homebrew)"
#endif
