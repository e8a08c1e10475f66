/* Types shared by the files of the shim. */
#ifndef ITC_INTERNAL_H
#define ITC_INTERNAL_H

#include <curl/curl.h>
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
    curl_socket_t socket; /* of the connection; set when libcurl first waits for it */
    curl_off_t received; /* bytes of the body before content decoding */
    char error[CURL_ERROR_SIZE];
};

struct itc_engine {
    CURLM *multi;
    struct pollfd *watched; /* the first is the read end of the wake pipe */
    struct pollfd *ready; /* a copy of the ready entries, because notifying libcurl changes `watched` */
    int watched_count;
    int watched_capacity;
    int wake_writer;
    int64_t due_ms; /* when the timer of libcurl expires, or -1 */
    itc_transfer *spare[ITC_MAX_SPARES]; /* completed transfers for reuse */
    int spare_count;
};

/* Frees a transfer that isn't part of an engine. */
void itc_transfer_destroy(itc_transfer *transfer);

#endif
