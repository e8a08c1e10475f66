#include "CImageColorManaging.h"
