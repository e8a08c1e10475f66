#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "itc_internal.h"

_Static_assert(ITC_PAUSE == CURL_WRITEFUNC_PAUSE, "ITC_PAUSE is returned to libcurl unchanged");

static int prerequest(void *raw, char *peer, char *local, int peer_port, int local_port) {
    itc_transfer *transfer = raw;
    itc_connection_use(transfer, local, local_port, peer, peer_port);
    transfer->connected = true;
    transfer->callbacks.on_connected(transfer->context);
    return CURL_PREREQFUNC_OK;
}

/* Returns whether the transfer may connect to an address. Any family other than IPv4 and IPv6 is refused. */
static bool allows(const itc_transfer *transfer, const struct sockaddr *address) {
    if (address->sa_family == AF_INET) {
        const struct in_addr *bytes = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
        return transfer->callbacks.on_address(transfer->context, (const uint8_t *)bytes, sizeof *bytes);
    }
    if (address->sa_family == AF_INET6) {
        const struct in6_addr *bytes = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        return transfer->callbacks.on_address(transfer->context, (const uint8_t *)bytes, sizeof *bytes);
    }
    return false;
}

/* Opens the socket of a connection, unless its address is refused. libcurl then connects to exactly this address. */
static curl_socket_t open_socket(void *raw, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    itc_transfer *transfer = raw;
    if (transfer->callbacks.on_address != NULL && !allows(transfer, &address->addr)) {
        transfer->refused_address = true;
        return CURL_SOCKET_BAD;
    }
    int type = address->socktype;
#ifdef SOCK_CLOEXEC
    type |= SOCK_CLOEXEC;
#endif
    curl_socket_t made = socket(address->family, type, address->protocol);
    if (made < 0 || itc_connection_add(transfer->engine, made)) return made;
    close(made);
    return CURL_SOCKET_BAD;
}

/* Prevents the reuse of a connection with bytes beyond the body. libcurl stops reading at the length of the body, and
   would parse these bytes as the head of the next response. HTTP/2 isn't affected, because it has frames. */
static void reject_surplus(itc_transfer *transfer) {
    long version = CURL_HTTP_VERSION_NONE;
    curl_off_t length = -1;
    char byte;
    curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_VERSION, &version);
    curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (version != CURL_HTTP_VERSION_1_1 || length < 0 || transfer->received < length) return;
    if (recv(itc_connection_socket(transfer), &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0)
        curl_easy_setopt(transfer->easy, CURLOPT_FORBID_REUSE, 1L);
}

static size_t header(char *bytes, size_t size, size_t count, void *raw) {
    itc_transfer *transfer = raw;
    size_t all = size * count;
    return transfer->callbacks.on_header(transfer->context, (const uint8_t *)bytes, all) ? all : 0;
}

static size_t body(char *bytes, size_t size, size_t count, void *raw) {
    itc_transfer *transfer = raw;
    size_t all = size * count;
    size_t taken = transfer->callbacks.on_body(transfer->context, (const uint8_t *)bytes, all);
    if (taken != all) return taken;
    transfer->received += (curl_off_t)all;
    reject_surplus(transfer);
    return all;
}

static void set_method(CURL *easy, const char *method) {
    if (strcmp(method, "HEAD") == 0)
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    else
        curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
}

/* The maximum size of a read: enough for a small image and its head. */
enum { READ_BYTES = 64 << 10 };

static void set_fixed_options(CURL *easy) {
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)READ_BYTES);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* don't wait for name resolution when a transfer ends */
#endif
}

/* Returns a spare transfer, or creates one. */
static itc_transfer *take_spare(itc_engine *engine) {
    if (engine->spare_count > 0) return engine->spare[--engine->spare_count];
    itc_transfer *transfer = calloc(1, sizeof *transfer);
    if (transfer == NULL) return NULL;
    transfer->easy = curl_easy_init();
    if (transfer->easy != NULL) return transfer;
    free(transfer);
    return NULL;
}

static void set_callbacks(itc_transfer *transfer) {
    CURL *easy = transfer->easy;
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->error);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, prerequest);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, itc_connection_close);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, transfer->engine);
}

itc_transfer *itc_transfer_make(
    itc_engine *engine, const itc_request *request, const itc_callbacks *callbacks, void *context) {
    itc_transfer *transfer = take_spare(engine);
    if (transfer == NULL) return NULL;
    CURL *easy = transfer->easy;
    transfer->callbacks = *callbacks;
    transfer->context = context;
    transfer->engine = engine;
    transfer->server = request->server;
    set_fixed_options(easy);
    set_callbacks(transfer);
    curl_easy_setopt(easy, CURLOPT_URL, request->url);
    /* Wait for a connection that may negotiate HTTP/2, to share it. Without TLS, the wait would last until another
       transfer ends. */
    if (strncasecmp(request->url, "https:", 6) == 0) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    set_method(easy, request->method);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, request->connect_timeout_ms);
    curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, request->max_idle_seconds);
    if (request->roots_file != NULL) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, request->roots_file);
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    }
    if (!request->uses_environment_proxy) curl_easy_setopt(easy, CURLOPT_PROXY, "");
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
    itc_engine_close_moved(engine, transfer->server);
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
    transfer->started = curl_multi_add_handle(engine->multi, transfer->easy) == CURLM_OK;
    return transfer->started;
}

/* libcurl before 8.7 decodes transfer codings other than chunked together with content codings, and fails if it doesn't
   know one. Later versions deliver such bodies as they are. */
void itc_transfer_skip_decoding(itc_transfer *transfer) {
    curl_easy_setopt(transfer->easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);
}

void itc_transfer_pause(itc_transfer *transfer) { curl_easy_pause(transfer->easy, CURLPAUSE_RECV); }

bool itc_transfer_resume(itc_transfer *transfer) { return curl_easy_pause(transfer->easy, CURLPAUSE_CONT) == CURLE_OK; }

void itc_transfer_destroy(itc_transfer *transfer) {
    curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->headers);
    free(transfer);
}

/* Resets a transfer for reuse. */
static void clear(itc_transfer *transfer) {
    CURL *easy = transfer->easy;
    curl_easy_reset(easy);
    curl_slist_free_all(transfer->headers);
    *transfer = (itc_transfer){.easy = easy};
}

void itc_transfer_free(itc_transfer *transfer, itc_engine *engine) {
    if (transfer->started) curl_multi_remove_handle(engine->multi, transfer->easy);
    itc_connection_leave(transfer);
    if (engine->spare_count == ITC_MAX_SPARES) return itc_transfer_destroy(transfer);
    clear(transfer);
    engine->spare[engine->spare_count++] = transfer;
}

const char *itc_transfer_error(const itc_transfer *transfer) {
    return transfer->error[0] != 0 ? transfer->error : curl_easy_strerror(transfer->code);
}
