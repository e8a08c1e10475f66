#include <curl/curl.h>
#include <stdio.h>

#include "CTransportFloor.h"

enum { MAX_AT_A_TIME = 64 };

typedef struct {
    CURLM *multi;
    int port, next, count, active;
    long bytes;
} download;

static size_t discard(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    ((download *)context)->bytes += (long)(size * count);
    return size * count;
}

// Starts the next transfer on a reused handle. Returns false if all transfers have started.
static bool start_next(download *all, CURL *easy) {
    char url[64];
    if (all->next == all->count) return false;
    snprintf(url, sizeof url, "http://127.0.0.1:%d/%d", all->port, all->next++);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_multi_add_handle(all->multi, easy);
    all->active++;
    return true;
}

static CURL *make_handle(download *all) {
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, all);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    return easy;
}

// Handles the finished transfers. Returns false if one has failed.
static bool handle_finished(download *all) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(all->multi, &left))) {
        CURL *easy = message->easy_handle;
        bool succeeded = message->data.result == CURLE_OK;
        curl_multi_remove_handle(all->multi, easy);
        all->active--;
        if (!start_next(all, easy)) curl_easy_cleanup(easy);
        if (!succeeded) return false;
    }
    return true;
}

long floor_curl_fetch(int port, int count, int connections) {
    download all = {.multi = curl_multi_init(), .port = port, .count = count};
    if (!all.multi) return -1;
    for (int i = 0; i < connections && i < count; i++) start_next(&all, make_handle(&all));
    bool succeeded = true;
    while (all.active > 0 && succeeded) {
        int running;
        succeeded = curl_multi_perform(all.multi, &running) == CURLM_OK && handle_finished(&all);
        if (running == all.active) curl_multi_poll(all.multi, NULL, 0, 1000, NULL);
    }
    curl_multi_cleanup(all.multi);
    return succeeded ? all.bytes : -1;
}
