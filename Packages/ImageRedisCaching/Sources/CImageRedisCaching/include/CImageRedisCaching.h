/* Parses replies of the Redis protocol (RESP2) with hiredis, and computes checksums with xxHash. */
#ifndef C_IMAGE_REDIS_CACHING_H
#define C_IMAGE_REDIS_CACHING_H

#include <stddef.h>
#include <stdint.h>

/* Parsing. */

typedef struct irc_parser irc_parser;
typedef struct irc_reply irc_reply;

typedef enum {
    IRC_PARSED,     /* there is a reply */
    IRC_INCOMPLETE, /* more bytes are needed */
    IRC_TOO_LARGE,  /* a limit is exceeded */
    IRC_MALFORMED,  /* the bytes are no reply */
    IRC_NO_MEMORY
} irc_status;

typedef enum { IRC_STATUS, IRC_ERROR, IRC_INTEGER, IRC_BULK, IRC_ARRAY, IRC_NULL } irc_type;

/* Limits of one reply. They are checked before memory is allocated. hiredis limits the nesting to 7 arrays. */
typedef struct {
    size_t bulk;     /* bytes of a bulk string */
    size_t line;     /* bytes of any other value */
    size_t elements; /* elements of all arrays together */
} irc_limits;

/* Returns NULL if there is no memory. */
irc_parser *irc_parser_make(irc_limits limits);
void irc_parser_free(irc_parser *parser);
/* Adds received bytes. Call irc_parser_next until it returns IRC_INCOMPLETE before adding more. */
irc_status irc_parser_feed(irc_parser *parser, const uint8_t *bytes, size_t count);
/* Parses the next reply. After a result other than IRC_PARSED and IRC_INCOMPLETE, only call irc_parser_free. */
irc_status irc_parser_next(irc_parser *parser, irc_reply **reply);

void irc_reply_free(irc_reply *reply);
irc_type irc_reply_type(const irc_reply *reply);
int64_t irc_reply_integer(const irc_reply *reply);
/* The bytes of a status, an error or a bulk string, valid until irc_reply_free. */
const uint8_t *irc_reply_bytes(const irc_reply *reply, size_t *count);
/* The elements of an array, valid until irc_reply_free. */
size_t irc_reply_count(const irc_reply *reply);
const irc_reply *irc_reply_element(const irc_reply *reply, size_t index);

/* Checksums. */

/* Returns the XXH3 hash, 64 bits, without a seed. */
uint64_t irc_checksum(const uint8_t *bytes, size_t count);

#endif
