/* libcurl's multi interface without its variadic functions, and with nothing of it in sight: Swift can't call varargs.
   Only the thread that runs an engine may call its functions, except where a comment says otherwise. */
#ifndef C_IMAGE_TRANSPORT_CURL_H
#define C_IMAGE_TRANSPORT_CURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct itc_engine itc_engine;
typedef struct itc_transfer itc_transfer;

/* How a transfer ended, in the terms in which its owner must tell failures apart. */
typedef enum {
    ITC_COMPLETE,
    ITC_INVALID_URL,
    ITC_UNRESOLVED,
    ITC_NOT_CONNECTED,
    ITC_TLS,
    ITC_CONNECT_TIMEOUT,
    ITC_CONNECTION_BROKEN, /* reset, closed inside head, body or chunk, HTTP/2 stream or framing error */
    ITC_MALFORMED,
    ITC_HEADER_LINE_TOO_LONG, /* longer than libcurl's own limit, 100 KiB */
    ITC_REFUSED_BY_OWNER, /* a callback said no */
    ITC_OTHER
} itc_ending;

/* Answers of on_body beside the number of bytes taken. */
enum { ITC_STOP = 0, ITC_PAUSE = 0x10000001 };

/* Called on the engine's thread, from within itc_engine_run_due, itc_engine_work and itc_transfer_resume. */
typedef struct {
    /* The connection stands, the request goes out next. */
    void (*on_connected)(void *context);
    /* A line of a head or trailer, line end included; false ends the transfer. */
    bool (*on_header)(void *context, const uint8_t *line, size_t count);
    /* Bytes of the body, as they are coded; returns `count`, ITC_PAUSE (nothing taken) or ITC_STOP. */
    size_t (*on_body)(void *context, const uint8_t *bytes, size_t count);
} itc_callbacks;

typedef struct {
    const char *url;
    const char *method;
    const char *roots_file; /* PEM, and nothing but it; NULL for the system's */
    long connect_timeout_ms;
    long max_idle_seconds; /* of a kept connection that is used again */
    bool uses_environment_proxy;
} itc_request;

/* NULL when memory is short. */
itc_engine *itc_engine_make(long host_connections, long total_connections);
/* Any thread, when no other uses the engine any more. */
void itc_engine_free(itc_engine *engine);
/* Any thread, at any time. */
void itc_engine_wake(itc_engine *engine);
/* Lets libcurl do what it wanted to do by now: begin transfers that were started, for one. */
void itc_engine_run_due(itc_engine *engine);
/* Sleeps until a socket is ready, a wake comes, libcurl wants itc_engine_run_due, or `milliseconds` are over. Then lets libcurl
   work on what is ready. */
void itc_engine_work(itc_engine *engine, int milliseconds);
/* The context of a transfer that has ended, or NULL when there is none left; each is told once. */
void *itc_engine_next_ended(itc_engine *engine, itc_ending *ending);

/* NULL when memory is short. `context` goes to the callbacks. */
itc_transfer *itc_transfer_make(
    itc_engine *engine, const itc_request *request, const itc_callbacks *callbacks, void *context);
/* `line` is "Name: value". False when memory is short. */
bool itc_transfer_add_header(itc_transfer *transfer, const char *line);
/* What goes up; copied. False when memory is short. */
bool itc_transfer_set_body(itc_transfer *transfer, const uint8_t *bytes, size_t count);
bool itc_transfer_start(itc_transfer *transfer, itc_engine *engine);
/* Holds the sender back until itc_transfer_resume. */
void itc_transfer_pause(itc_transfer *transfer);
/* Lets a paused transfer go on; calls on_body with what was held back. */
void itc_transfer_resume(itc_transfer *transfer);
/* Ends the transfer if it is under way: closes its connection, or resets its HTTP/2 stream. */
void itc_transfer_free(itc_transfer *transfer, itc_engine *engine);
/* What libcurl says about the failure, for people. */
const char *itc_transfer_error(const itc_transfer *transfer);

/* Runs `body(context)` on a detached thread with all signals blocked. False when no thread can be had. */
bool itc_thread_start(void (*body)(void *context), void *context);
/* Monotonic time. */
int64_t itc_now_ms(void);

#endif
