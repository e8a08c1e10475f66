#include "CImageCodecGIF.h"
