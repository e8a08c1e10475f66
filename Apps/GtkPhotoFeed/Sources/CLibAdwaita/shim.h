/* Otherwise, GTK's declarations would be in two modules, and Swift would find them in one only. */
#pragma clang module import CLibGTK
#include <adwaita.h>
