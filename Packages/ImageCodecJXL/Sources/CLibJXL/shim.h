#if __has_include(<jxl/decode.h>)
#include <jxl/decode.h>
#include <jxl/encode.h>
#else
#error "jxl/decode.h is missing: install libjxl-dev (Debian), libjxl-devel (Fedora) or jpeg-xl (Homebrew)"
#endif
