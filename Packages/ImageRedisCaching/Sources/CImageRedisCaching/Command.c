#ifdef RedisCaching
#include "CImageRedisCaching.h"

#include <hiredis.h>
#include <limits.h>
#include <stdlib.h>

long irc_command_format(const uint8_t *bytes, const size_t *lengths, size_t count, char **command) {
    if (count == 0 || count > INT_MAX) return -1;
    const char **arguments = calloc(count, sizeof *arguments);
    if (arguments == NULL) return -1;
    const char *next = (const char *)bytes;
    for (size_t index = 0; index < count; index++) {
        arguments[index] = next;
        next += lengths[index];
    }
    long length = (long)redisFormatCommandArgv(command, (int)count, arguments, lengths);
    free(arguments);
    return length;
}

void irc_command_free(char *command) { redisFreeCommand(command); }
#endif
