#include "CImageDiskCaching.h"

#if defined(__linux__)
#include <linux/fs.h>
#include <sys/ioctl.h>

int disk_scatter_folders(int folder) {
    int attributes = 0;
    if (ioctl(folder, FS_IOC_GETFLAGS, &attributes) != 0) return -1;
    if (attributes & FS_TOPDIR_FL) return 0;
    attributes |= FS_TOPDIR_FL;
    return ioctl(folder, FS_IOC_SETFLAGS, &attributes);
}
#else
int disk_scatter_folders(int folder) {
    (void)folder;
    return -1;
}
#endif
