#if __has_include(<webp/mux.h>)
#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>
#else
#error "webp/mux.h is missing: install libwebp-dev (Debian), libwebp-devel (Fedora) or webp (Homebrew)"
#endif
