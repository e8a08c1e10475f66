/* A wrapper of libcurl's multi interface without variadic functions, which Swift can't call. It hides libcurl's types.
   Call the functions of an engine only on the thread that runs it, except where a comment says otherwise. */
#ifndef C_IMAGE_TRANSPORT_CURL_H
#define C_IMAGE_TRANSPORT_CURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct itc_engine itc_engine;
typedef struct itc_transfer itc_transfer;

/* How a transfer ended. */
typedef enum {
    ITC_COMPLETE,
    ITC_INVALID_URL,
    ITC_UNRESOLVED,
    ITC_NOT_CONNECTED,
    ITC_ADDRESS_REFUSED, /* on_address refused an address, and no other could be connected */
    ITC_TLS,
    ITC_CONNECT_TIMEOUT,
    ITC_CONNECTION_BROKEN, /* reset or closed inside the head, the body or a chunk, or an HTTP/2 error */
    ITC_MALFORMED,
    ITC_HEADER_LINE_TOO_LONG, /* longer than libcurl's limit of 100 KiB */
    ITC_REJECTED_BY_CALLBACK, /* a callback ended the transfer */
    ITC_OTHER
} itc_outcome;

/* Results of on_body other than the number of bytes. */
enum { ITC_STOP = 0, ITC_PAUSE = 0x10000001 };

/* Called on the engine's thread, during itc_engine_run_timers, itc_engine_poll and itc_transfer_resume. */
typedef struct {
    /* A connection to this address is about to be opened. Return false to refuse it. `bytes` has 4 bytes for IPv4 and 16
       for IPv6, in network order. NULL if every address is allowed. */
    bool (*on_address)(void *context, const uint8_t *bytes, size_t count);
    /* The connection is established and the request is about to be sent. */
    void (*on_connected)(void *context);
    /* A line of a head or trailer, including the line end. Return false to end the transfer. */
    bool (*on_header)(void *context, const uint8_t *line, size_t count);
    /* Bytes of the body before content decoding. Return `count`, ITC_PAUSE to receive them again later, or ITC_STOP. */
    size_t (*on_body)(void *context, const uint8_t *bytes, size_t count);
} itc_callbacks;

typedef struct {
    const char *url;
    const char *method;
    const char *roots_file; /* a PEM file that replaces the system's roots, or NULL */
    long connect_timeout_ms;
    uint64_t server; /* equal for the requests to one server */
    long max_idle_seconds; /* the maximum idle time of a connection for reuse */
    bool uses_environment_proxy;
} itc_request;

/* Returns NULL if there is no memory. */
itc_engine *itc_engine_make(long host_connections, long total_connections);
/* Call on any thread, when no other thread uses the engine. */
void itc_engine_free(itc_engine *engine);
/* Wakes itc_engine_poll. Call on any thread, at any time. */
void itc_engine_wake(itc_engine *engine);
/* Runs libcurl's expired timers. This also begins transfers that were started. */
void itc_engine_run_timers(itc_engine *engine);
/* Waits until a socket is ready, itc_engine_wake is called, a timer of libcurl expires or `milliseconds` have passed.
   Then lets libcurl read from and write to the ready sockets. */
void itc_engine_poll(itc_engine *engine, int milliseconds);
/* Closes the connections without transfers. */
void itc_engine_close_idle(itc_engine *engine);
/* Returns the context of a completed transfer, each only once. Returns NULL if there are no more. */
void *itc_engine_next_completed(itc_engine *engine, itc_outcome *outcome);

/* Returns NULL if there is no memory. `context` is passed to the callbacks. */
itc_transfer *itc_transfer_make(
    itc_engine *engine, const itc_request *request, const itc_callbacks *callbacks, void *context);
/* Adds a header line "Name: value". Returns false if there is no memory. */
bool itc_transfer_add_header(itc_transfer *transfer, const char *line);
/* Copies the body to send. Returns false if there is no memory. */
bool itc_transfer_set_body(itc_transfer *transfer, const uint8_t *bytes, size_t count);
bool itc_transfer_start(itc_transfer *transfer, itc_engine *engine);
/* Delivers the body without decoding its transfer coding, unless it is chunked. Call in on_header. */
void itc_transfer_skip_decoding(itc_transfer *transfer);
/* Stops reading from the sender until itc_transfer_resume. */
void itc_transfer_pause(itc_transfer *transfer);
/* Resumes a paused transfer. Calls on_body with the bytes that it didn't accept before. Returns false if that ended the transfer,
   which itc_engine_next_completed doesn't tell. */
bool itc_transfer_resume(itc_transfer *transfer);
/* Ends the transfer if it is in progress: closes its connection or resets its HTTP/2 stream. */
void itc_transfer_free(itc_transfer *transfer, itc_engine *engine);
/* Ends a transfer that timed out or was cancelled, like itc_transfer_free. Closes its connection too if nothing has arrived
   on it while transfers waited for `stall_timeout_ms`, or for a second if it has no other transfer. Then also closes the
   server's idle connections from before. */
void itc_transfer_give_up(itc_transfer *transfer, itc_engine *engine, int64_t stall_timeout_ms);
/* The consumer of a transfer waits for bytes. */
void itc_transfer_note_waiting(itc_transfer *transfer);
/* Returns libcurl's description of the failure. */
const char *itc_transfer_error(const itc_transfer *transfer);

/* Runs `body(context)` on a detached thread with all signals blocked. Returns false if no thread can be created. */
bool itc_thread_start(void (*body)(void *context), void *context);
/* Returns the monotonic time in milliseconds. */
int64_t itc_now_ms(void);

#endif
