#include "CImageCodecWebP.h"
