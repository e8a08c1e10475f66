#include <curl/curl.h>
#include <stdio.h>

#include "CTransportFloor.h"

enum { MAX_AT_A_TIME = 64 };

typedef struct {
    CURLM *multi;
    int port, next, count, under_way;
    long bytes;
} fetching;

static size_t drop(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    ((fetching *)context)->bytes += (long)(size * count);
    return size * count;
}

// Starts the next fetch on a reused handle. Returns false if nothing is left to fetch.
static bool begin(fetching *all, CURL *easy) {
    char url[64];
    if (all->next == all->count) return false;
    snprintf(url, sizeof url, "http://127.0.0.1:%d/%d", all->port, all->next++);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_multi_add_handle(all->multi, easy);
    all->under_way++;
    return true;
}

static CURL *make(fetching *all) {
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, all);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    return easy;
}

// Handles the ended transfers. Returns false if one has failed.
static bool take_ended(fetching *all) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(all->multi, &left))) {
        CURL *easy = message->easy_handle;
        bool ended_well = message->data.result == CURLE_OK;
        curl_multi_remove_handle(all->multi, easy);
        all->under_way--;
        if (!begin(all, easy)) curl_easy_cleanup(easy);
        if (!ended_well) return false;
    }
    return true;
}

long floor_curl_fetch(int port, int count, int connections) {
    fetching all = {.multi = curl_multi_init(), .port = port, .count = count};
    if (!all.multi) return -1;
    for (int i = 0; i < connections && i < count; i++) begin(&all, make(&all));
    bool is_well = true;
    while (all.under_way > 0 && is_well) {
        int running;
        is_well = curl_multi_perform(all.multi, &running) == CURLM_OK && take_ended(&all);
        if (running == all.under_way) curl_multi_poll(all.multi, NULL, 0, 1000, NULL);
    }
    curl_multi_cleanup(all.multi);
    return is_well ? all.bytes : -1;
}
