#if __has_include(<avif/avif.h>)
#include <avif/avif.h>
#else
#error "avif/avif.h is missing: install libavif-dev (Debian), libavif-devel (Fedora) or libavif (Homebrew)"
#endif
