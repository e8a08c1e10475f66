#include "CImageTransportCurl.h"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

_Static_assert(ITC_PAUSE == CURL_WRITEFUNC_PAUSE, "the pause answer goes to libcurl as it is");

struct itc_engine {
    CURLM *multi;
};

struct itc_transfer {
    CURL *easy;
    struct curl_slist *headers;
    itc_callbacks callbacks;
    void *context;
    CURLcode code;
    bool connected;
    bool started;
    char error[CURL_ERROR_SIZE];
};

itc_engine *itc_engine_make(long host_connections, long total_connections) {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return NULL;
    itc_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL) return NULL;
    engine->multi = curl_multi_init();
    if (engine->multi == NULL) {
        free(engine);
        return NULL;
    }
    curl_multi_setopt(engine->multi, CURLMOPT_MAX_HOST_CONNECTIONS, host_connections);
    curl_multi_setopt(engine->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, total_connections);
    curl_multi_setopt(engine->multi, CURLMOPT_MAXCONNECTS, total_connections);
    curl_multi_setopt(engine->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    return engine;
}

void itc_engine_free(itc_engine *engine) {
    curl_multi_cleanup(engine->multi);
    free(engine);
}

void itc_engine_wake(itc_engine *engine) { curl_multi_wakeup(engine->multi); }

void itc_engine_perform(itc_engine *engine) {
    int running = 0;
    curl_multi_perform(engine->multi, &running);
}

void itc_engine_poll(itc_engine *engine, int milliseconds) {
    curl_multi_poll(engine->multi, NULL, 0, milliseconds, NULL);
}

static itc_ending ending_of(const itc_transfer *transfer) {
    switch (transfer->code) {
    case CURLE_OK: return ITC_COMPLETE;
    case CURLE_URL_MALFORMAT: return ITC_INVALID_URL;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY: return ITC_UNRESOLVED;
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY: return ITC_NOT_CONNECTED;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_USE_SSL_FAILED: return ITC_TLS;
    case CURLE_OPERATION_TIMEDOUT: return ITC_CONNECT_TIMEOUT; /* the only time limit that is libcurl's */
    case CURLE_RECV_ERROR:
        /* A broken chunk has no code of its own before libcurl 8.7. */
        if (strstr(transfer->error, "chunked-encoding") != NULL) return ITC_MALFORMED;
        return transfer->connected ? ITC_CONNECTION_BROKEN : ITC_NOT_CONNECTED;
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return ITC_CONNECTION_BROKEN;
    case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9, that is: no HTTP head at all */
    case CURLE_WEIRD_SERVER_REPLY: return ITC_MALFORMED;
    case CURLE_WRITE_ERROR: return ITC_REFUSED_BY_OWNER;
    case CURLE_OUT_OF_MEMORY: /* so libcurl calls it before 8.6 */
#if LIBCURL_VERSION_NUM >= 0x080600
    case CURLE_TOO_LARGE:
#endif
        return transfer->connected ? ITC_HEADER_LINE_TOO_LONG : ITC_OTHER;
    default: return ITC_OTHER;
    }
}

void *itc_engine_next_ended(itc_engine *engine, itc_ending *ending) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(engine->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        char *raw = NULL;
        CURLcode code = message->data.result;
        if (curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &raw) != CURLE_OK || raw == NULL) continue;
        itc_transfer *transfer = (itc_transfer *)(void *)raw;
        transfer->code = code;
        *ending = ending_of(transfer);
        return transfer->context;
    }
    return NULL;
}

static int prerequest(void *raw, char *a, char *b, int c, int d) {
    (void)a, (void)b, (void)c, (void)d;
    itc_transfer *transfer = raw;
    transfer->connected = true;
    transfer->callbacks.on_connected(transfer->context);
    return CURL_PREREQFUNC_OK;
}

static size_t header(char *bytes, size_t size, size_t count, void *raw) {
    itc_transfer *transfer = raw;
    size_t all = size * count;
    return transfer->callbacks.on_header(transfer->context, (const uint8_t *)bytes, all) ? all : 0;
}

static size_t body(char *bytes, size_t size, size_t count, void *raw) {
    itc_transfer *transfer = raw;
    return transfer->callbacks.on_body(transfer->context, (const uint8_t *)bytes, size * count);
}

static void set_method(CURL *easy, const char *method) {
    if (strcmp(method, "HEAD") == 0)
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    else
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

static void set_fixed_options(CURL *easy) {
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* ending a transfer never waits for a name to be resolved */
#endif
}

itc_transfer *itc_transfer_make(const itc_request *request, const itc_callbacks *callbacks, void *context) {
    itc_transfer *transfer = calloc(1, sizeof *transfer);
    if (transfer == NULL) return NULL;
    CURL *easy = transfer->easy = curl_easy_init();
    if (easy == NULL) {
        free(transfer);
        return NULL;
    }
    transfer->callbacks = *callbacks;
    transfer->context = context;
    set_fixed_options(easy);
    curl_easy_setopt(easy, CURLOPT_URL, request->url);
    /* Waiting to share a connection pays where HTTP/2 may be agreed on; without TLS it would wait for another's whole answer. */
    if (strncasecmp(request->url, "https:", 6) == 0) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    set_method(easy, request->method);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, request->connect_timeout_ms);
    if (request->roots_file != NULL) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, request->roots_file);
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    }
    if (!request->uses_environment_proxy) curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->error);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, prerequest);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    return transfer;
}

bool itc_transfer_add_header(itc_transfer *transfer, const char *line) {
    struct curl_slist *longer = curl_slist_append(transfer->headers, line);
    if (longer == NULL) return false;
    transfer->headers = longer;
    return true;
}

bool itc_transfer_set_body(itc_transfer *transfer, const uint8_t *bytes, size_t count) {
    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    const char *body = count > 0 ? (const char *)bytes : "";
    return curl_easy_setopt(transfer->easy, CURLOPT_COPYPOSTFIELDS, body) == CURLE_OK;
}

bool itc_transfer_start(itc_transfer *transfer, itc_engine *engine) {
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
    transfer->started = curl_multi_add_handle(engine->multi, transfer->easy) == CURLM_OK;
    return transfer->started;
}

void itc_transfer_pause(itc_transfer *transfer) { curl_easy_pause(transfer->easy, CURLPAUSE_RECV); }

void itc_transfer_resume(itc_transfer *transfer) { curl_easy_pause(transfer->easy, CURLPAUSE_CONT); }

void itc_transfer_free(itc_transfer *transfer, itc_engine *engine) {
    if (transfer->started) curl_multi_remove_handle(engine->multi, transfer->easy);
    curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->headers);
    free(transfer);
}

const char *itc_transfer_error(const itc_transfer *transfer) {
    return transfer->error[0] != 0 ? transfer->error : curl_easy_strerror(transfer->code);
}

struct thread_start {
    void (*body)(void *);
    void *context;
};

static void *thread_main(void *raw) {
    struct thread_start start = *(struct thread_start *)raw;
    free(raw);
    start.body(start.context);
    return NULL;
}

bool itc_thread_start(void (*body)(void *context), void *context) {
    struct thread_start *start = malloc(sizeof *start);
    if (start == NULL) return false;
    start->body = body;
    start->context = context;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    bool started = pthread_create(&thread, NULL, thread_main, start) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started)
        pthread_detach(thread);
    else
        free(start);
    return started;
}

int64_t itc_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
