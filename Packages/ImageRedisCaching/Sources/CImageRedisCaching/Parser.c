#ifdef RedisCaching
#include "CImageRedisCaching.h"

#include <ctype.h>
#include "../CLibHiredis/shim.h"
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include "../CLibXXHash/shim.h"

struct irc_parser {
    redisReader *reader;
    irc_limits limits;
    /* The functions of hiredis, and the same ones with a limit of the elements. */
    redisReplyObjectFunctions *original, limited;
    size_t elements; /* elements of the current reply so far */
    bool is_too_large;
};

/* hiredis 1.0 changed the type of the number of elements and the storage of the tasks. */
#if HIREDIS_MAJOR >= 1
typedef size_t element_count;
#else
typedef int element_count;
#endif

static const redisReadTask *current_task(const redisReader *reader) {
    if (reader->ridx < 0) return NULL;
#if HIREDIS_MAJOR >= 1
    return reader->task[reader->ridx];
#else
    return &reader->rstack[reader->ridx];
#endif
}

/* Allocates an array if the limit allows it. */
static void *create_array(const redisReadTask *task, element_count elements) {
    irc_parser *parser = task->privdata;
    if ((size_t)elements > parser->limits.elements - parser->elements) {
        parser->is_too_large = true;
        return NULL;
    }
    parser->elements += (size_t)elements;
    return parser->original->createArray(task, elements);
}

irc_parser *irc_parser_make(irc_limits limits) {
    irc_parser *parser = calloc(1, sizeof *parser);
    if (parser == NULL) return NULL;
    parser->reader = redisReaderCreate();
    if (parser->reader == NULL) {
        free(parser);
        return NULL;
    }
    parser->limits = limits;
    parser->original = parser->reader->fn;
    parser->limited = *parser->original;
    parser->limited.createArray = create_array;
    parser->reader->fn = &parser->limited;
    parser->reader->privdata = parser;
    return parser;
}

void irc_parser_free(irc_parser *parser) {
    redisReaderFree(parser->reader);
    free(parser);
}

irc_status irc_parser_feed(irc_parser *parser, const uint8_t *bytes, size_t count) {
    /* The largest incomplete value is a bulk string with its length and two line ends. */
    size_t buffered = parser->reader->len - parser->reader->pos;
    if (buffered > parser->limits.bulk + parser->limits.line) return IRC_TOO_LARGE;
    return redisReaderFeed(parser->reader, (const char *)bytes, count) == REDIS_OK ? IRC_PARSED : IRC_NO_MEMORY;
}

/* Returns true if the line of digits at the start of `bytes` is complete, and sets *length to its number. Saturates. */
static bool read_length(const char *bytes, size_t count, size_t *length) {
    *length = 0;
    for (size_t index = 0; index < count; index++) {
        if (!isdigit((unsigned char)bytes[index])) return bytes[index] == '\r' && index > 0;
        size_t digit = (size_t)(bytes[index] - '0');
        *length = *length > (SIZE_MAX - digit) / 10 ? SIZE_MAX : *length * 10 + digit;
    }
    return false;
}

/* Checks the value that is incomplete: a bulk string by its announced length, and any other by the length of its line. */
static irc_status check_incomplete(const irc_parser *parser) {
    const redisReader *reader = parser->reader;
    const redisReadTask *task = current_task(reader);
    const char *rest = reader->buf + reader->pos;
    size_t count = reader->len - reader->pos, length;
    if (task != NULL && task->type == REDIS_REPLY_STRING && read_length(rest, count, &length)) {
        return length > parser->limits.bulk ? IRC_TOO_LARGE : IRC_INCOMPLETE;
    }
    return count > parser->limits.line ? IRC_TOO_LARGE : IRC_INCOMPLETE;
}

/* Checks the lengths of a complete reply, because a value can arrive in one piece. */
static bool is_within_limits(const redisReply *reply, const irc_limits *limits) {
    switch (reply->type) {
    case REDIS_REPLY_STRING: return reply->len <= limits->bulk;
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR: return reply->len <= limits->line;
    case REDIS_REPLY_ARRAY:
        for (size_t index = 0; index < reply->elements; index++) {
            if (!is_within_limits(reply->element[index], limits)) return false;
        }
        return true;
    default: return true;
    }
}

irc_status irc_parser_next(irc_parser *parser, irc_reply **reply) {
    void *parsed = NULL;
    if (redisReaderGetReply(parser->reader, &parsed) != REDIS_OK) {
        if (parser->is_too_large) return IRC_TOO_LARGE;
        return parser->reader->err == REDIS_ERR_OOM ? IRC_NO_MEMORY : IRC_MALFORMED;
    }
    if (parsed == NULL) return check_incomplete(parser);
    parser->elements = 0;
    if (!is_within_limits(parsed, &parser->limits)) {
        freeReplyObject(parsed);
        return IRC_TOO_LARGE;
    }
    *reply = parsed;
    return IRC_PARSED;
}

/* irc_reply is redisReply under a name that needs no header of hiredis. */
static const redisReply *of(const irc_reply *reply) { return (const redisReply *)reply; }

void irc_reply_free(irc_reply *reply) { freeReplyObject(reply); }

irc_type irc_reply_type(const irc_reply *reply) {
    switch (of(reply)->type) {
    case REDIS_REPLY_STATUS: return IRC_STATUS;
    case REDIS_REPLY_ERROR: return IRC_ERROR;
    case REDIS_REPLY_INTEGER: return IRC_INTEGER;
    case REDIS_REPLY_STRING: return IRC_BULK;
    case REDIS_REPLY_ARRAY: return IRC_ARRAY;
    default: return IRC_NULL;
    }
}

int64_t irc_reply_integer(const irc_reply *reply) { return of(reply)->integer; }

const uint8_t *irc_reply_bytes(const irc_reply *reply, size_t *count) {
    *count = of(reply)->len;
    return (const uint8_t *)of(reply)->str;
}

size_t irc_reply_count(const irc_reply *reply) { return of(reply)->elements; }

const irc_reply *irc_reply_element(const irc_reply *reply, size_t index) {
    return (const irc_reply *)of(reply)->element[index];
}

uint64_t irc_checksum(const uint8_t *bytes, size_t count) { return XXH3_64bits(bytes, count); }
#endif
