#if __has_include(<xxhash.h>)
#include <xxhash.h>
#else
#error "xxhash.h is missing: install libxxhash-dev (Debian), xxhash-devel (Fedora) or xxhash (Homebrew)"
#endif
