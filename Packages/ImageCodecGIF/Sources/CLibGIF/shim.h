#if __has_include(<gif_lib.h>)
#include <gif_lib.h>
#else
#error "gif_lib.h is missing: install libgif-dev (Debian), giflib-devel (Fedora) or giflib (Homebrew)"
#endif
