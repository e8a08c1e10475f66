#include "CImageCodecJPEG.h"
