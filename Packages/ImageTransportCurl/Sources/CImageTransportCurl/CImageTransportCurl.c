#include "CImageTransportCurl.h"
