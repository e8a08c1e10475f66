/* What the shim's files know of each other. */
#ifndef ITC_INTERNAL_H
#define ITC_INTERNAL_H

#include <curl/curl.h>
#include <poll.h>

#include "CImageTransportCurl.h"

enum { ITC_MOST_SPARE = 16 };

struct itc_transfer {
    CURL *easy;
    struct curl_slist *headers;
    itc_callbacks callbacks;
    void *context;
    CURLcode code;
    bool connected;
    bool started;
    curl_socket_t socket; /* of its connection, as soon as libcurl waits for it */
    curl_off_t received; /* bytes of the body, as they are coded */
    char error[CURL_ERROR_SIZE];
};

struct itc_engine {
    CURLM *multi;
    struct pollfd *watched; /* the first is where wakes arrive */
    struct pollfd *ready; /* a copy while libcurl, which changes `watched`, is told */
    int watched_count;
    int watched_capacity;
    int wake_writer;
    int64_t due_ms; /* when libcurl wants to be called, or -1 */
    itc_transfer *spare[ITC_MOST_SPARE]; /* ended ones, whose memory is used again */
    int spare_count;
};

/* Gives back what a transfer has, which no engine knows any more. */
void itc_transfer_destroy(itc_transfer *transfer);

#endif
