#include "CImageCodecPNG.h"
