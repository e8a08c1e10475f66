#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#else
#error "curl/curl.h is missing: install libcurl4-openssl-dev (Debian), libcurl-devel (Fedora) or curl (Homebrew)"
#endif
