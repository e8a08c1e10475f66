#if __has_include(<isa-l/igzip_lib.h>)
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#else
#error "isa-l/igzip_lib.h is missing: install libisal-dev (Debian), isa-l-devel (Fedora) or isa-l (Homebrew)"
#endif
