/* Types shared by the files of the shim. */
#ifndef ITC_INTERNAL_H
#define ITC_INTERNAL_H

#include "../CLibCurl/shim.h"
#include <poll.h>

#include "CImageTransportCurl.h"

enum { ITC_MAX_SPARES = 16 };

struct itc_transfer {
    CURL *easy;
    struct curl_slist *headers;
    itc_callbacks callbacks;
    void *context;
    CURLcode code;
    bool refused_address;
    bool connected;
    bool started;
    itc_engine *engine;
    uint64_t server;
    uint64_t connection; /* the identifier of its connection, or 0 */
    curl_off_t received; /* bytes of the body before content decoding */
    char error[CURL_ERROR_SIZE];
};

/* A connection, from the creation of its socket to the end. Times are monotonic, in milliseconds. */
typedef struct {
    uint64_t id; /* from 1 */
    curl_socket_t socket;
    uint64_t server; /* of its latest transfer */
    int users; /* transfers in progress */
    bool is_established;
    int64_t silent_since; /* since when a transfer has waited and nothing has arrived, or 0 */
    int64_t last_bytes; /* when bytes arrived last */
} itc_connection;

struct itc_engine {
    CURLM *multi;
    struct pollfd *watched; /* the first is the read end of the wake pipe */
    struct pollfd *ready; /* a copy of the ready entries, because notifying libcurl changes `watched` */
    int watched_count;
    int watched_capacity;
    int wake_writer;
    itc_connection *connections;
    int connection_count;
    int connection_capacity;
    uint64_t last_id;
    int64_t due_ms; /* when the timer of libcurl expires, or -1 */
    itc_transfer *spare[ITC_MAX_SPARES]; /* completed transfers for reuse */
    int spare_count;
};

/* Frees a transfer that isn't part of an engine. */
void itc_transfer_destroy(itc_transfer *transfer);

itc_connection *itc_connection_with_socket(itc_engine *engine, curl_socket_t socket);
/* Returns the socket of a transfer's connection, or CURL_SOCKET_BAD. */
curl_socket_t itc_connection_socket(const itc_transfer *transfer);
/* Returns false if there is no memory. */
bool itc_connection_add(itc_engine *engine, curl_socket_t socket);
/* Closes a socket for libcurl. `raw` is the engine. */
int itc_connection_close(void *raw, curl_socket_t socket);
/* The transfer is about to send its request on the connection between these addresses. */
void itc_connection_use(
    itc_transfer *transfer, const char *local, int local_port, const char *peer, int peer_port);
void itc_connection_leave(itc_transfer *transfer);
/* Closes a server's idle connections from an address that the system doesn't use for it any more. */
void itc_engine_close_moved(itc_engine *engine, uint64_t server);
void itc_connection_note_bytes(itc_engine *engine, curl_socket_t socket);

#endif
