// SwiftPM wants a C target to have a source.
#include "CLibFuzzer.h"
