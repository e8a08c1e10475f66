#if __has_include(<hiredis.h>)
#include <hiredis.h>
#else
#error "hiredis.h is missing: install libhiredis-dev (Debian), hiredis-devel (Fedora) or hiredis (Homebrew)"
#endif
