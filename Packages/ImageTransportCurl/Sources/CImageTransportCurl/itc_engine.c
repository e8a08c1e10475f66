#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "itc_internal.h"

/* MARK: Sockets and timer of libcurl */

static int slot_of(const itc_engine *engine, curl_socket_t socket) {
    for (int i = 1; i < engine->watched_count; i++)
        if (engine->watched[i].fd == socket) return i;
    return -1;
}

static bool grow(itc_engine *engine) {
    int capacity = engine->watched_capacity * 2 + 8;
    struct pollfd *watched = realloc(engine->watched, (size_t)capacity * sizeof *watched);
    if (watched != NULL) engine->watched = watched;
    struct pollfd *ready = realloc(engine->ready, (size_t)capacity * sizeof *ready);
    if (ready != NULL) engine->ready = ready;
    if (watched == NULL || ready == NULL) return false;
    engine->watched_capacity = capacity;
    return true;
}

static int watch(CURL *easy, curl_socket_t socket, int what, void *raw, void *unused) {
    (void)easy, (void)unused;
    itc_engine *engine = raw;
    int slot = slot_of(engine, socket);
    if (what == CURL_POLL_REMOVE) {
        if (slot > 0) engine->watched[slot] = engine->watched[--engine->watched_count];
        return 0;
    }
    if (slot < 0) {
        if (engine->watched_count == engine->watched_capacity && !grow(engine)) return -1;
        slot = engine->watched_count++;
    }
    short events = (short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0));
    engine->watched[slot] = (struct pollfd){.fd = socket, .events = events};
    return 0;
}

static int set_timer(CURLM *multi, long milliseconds, void *raw) {
    (void)multi;
    ((itc_engine *)raw)->due_ms = milliseconds < 0 ? -1 : itc_now_ms() + milliseconds;
    return 0;
}

/* MARK: Creation */

/* Opens a non-blocking pipe. Returns its read end, or -1. */
static int open_pipe(int *writer) {
    int ends[2];
    if (pipe(ends) != 0) return -1;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    *writer = ends[1];
    return ends[0];
}

static void set_options(itc_engine *engine, long host_connections, long total_connections) {
    CURLM *multi = engine->multi;
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, host_connections);
    curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, total_connections);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, total_connections);
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, engine);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, engine);
}

itc_engine *itc_engine_make(long host_connections, long total_connections) {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return NULL;
    itc_engine *engine = calloc(1, sizeof *engine);
    if (engine == NULL) return NULL;
    engine->due_ms = -1;
    engine->wake_writer = -1;
    int reader = open_pipe(&engine->wake_writer);
    engine->multi = curl_multi_init();
    if (reader < 0 || engine->multi == NULL || !grow(engine)) {
        if (reader >= 0) close(reader);
        itc_engine_free(engine);
        return NULL;
    }
    engine->watched[engine->watched_count++] = (struct pollfd){.fd = reader, .events = POLLIN};
    set_options(engine, host_connections, total_connections);
    return engine;
}

void itc_engine_free(itc_engine *engine) {
    while (engine->spare_count > 0) itc_transfer_destroy(engine->spare[--engine->spare_count]);
    /* Closing connections calls `watch`, so the engine must still be valid. */
    if (engine->multi != NULL) curl_multi_cleanup(engine->multi);
    if (engine->watched_count > 0) close(engine->watched[0].fd);
    if (engine->wake_writer >= 0) close(engine->wake_writer);
    free(engine->connections);
    free(engine->watched);
    free(engine->ready);
    free(engine);
}

/* MARK: Event loop */

void itc_engine_wake(itc_engine *engine) {
    /* If the pipe is full, the engine is already woken. */
    while (write(engine->wake_writer, "", 1) < 0 && errno == EINTR) {}
}

static bool is_due(const itc_engine *engine) { return engine->due_ms >= 0 && engine->due_ms <= itc_now_ms(); }

void itc_engine_run_timers(itc_engine *engine) {
    enum { MAX_ROUNDS = 16 };
    int running;
    for (int i = 0; i < MAX_ROUNDS && is_due(engine); i++) {
        engine->due_ms = -1;
        curl_multi_socket_action(engine->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

static void notify(itc_engine *engine, struct pollfd polled) {
    int what = 0, running;
    /* The socket was closed without a notification. Remove it, or poll() would always return at once. */
    if (polled.revents & POLLNVAL) watch(NULL, polled.fd, CURL_POLL_REMOVE, engine, NULL);
    if (polled.revents & (POLLIN | POLLHUP | POLLERR)) what |= CURL_CSELECT_IN;
    if (polled.revents & POLLIN) itc_connection_note_bytes(engine, polled.fd);
    if (polled.events & POLLOUT && polled.revents & (POLLOUT | POLLHUP | POLLERR)) what |= CURL_CSELECT_OUT;
    if (polled.revents & POLLNVAL) what |= CURL_CSELECT_ERR;
    curl_multi_socket_action(engine->multi, polled.fd, what, &running);
}

static void drain_wakes(int reader) {
    char bytes[64];
    while (read(reader, bytes, sizeof bytes) == (ssize_t)sizeof bytes) {}
}

void itc_engine_poll(itc_engine *engine, int milliseconds) {
    if (engine->due_ms >= 0) {
        int64_t left = engine->due_ms - itc_now_ms();
        if (left < milliseconds) milliseconds = left < 0 ? 0 : (int)left;
    }
    if (poll(engine->watched, (nfds_t)engine->watched_count, milliseconds) <= 0) return;
    if (engine->watched[0].revents) drain_wakes(engine->watched[0].fd);
    int count = 0;
    for (int i = 1; i < engine->watched_count; i++)
        if (engine->watched[i].revents) engine->ready[count++] = engine->watched[i];
    for (int i = 0; i < count; i++) notify(engine, engine->ready[i]);
}

/* MARK: Outcomes */

static itc_outcome outcome_of(const itc_transfer *transfer) {
    if (transfer->refused_address && !transfer->connected && transfer->code != CURLE_OK) return ITC_ADDRESS_REFUSED;
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
    case CURLE_OPERATION_TIMEDOUT: return ITC_CONNECT_TIMEOUT; /* the only timeout that libcurl applies */
    case CURLE_RECV_ERROR:
        /* libcurl before 8.7 has no separate code for a malformed chunk. */
        if (strstr(transfer->error, "chunked-encoding") != NULL) return ITC_MALFORMED;
        return transfer->connected ? ITC_CONNECTION_BROKEN : ITC_NOT_CONNECTED;
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return ITC_CONNECTION_BROKEN;
    case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9: there is no HTTP head */
    case CURLE_WEIRD_SERVER_REPLY: return ITC_MALFORMED;
    case CURLE_WRITE_ERROR: return ITC_REJECTED_BY_CALLBACK;
    case CURLE_OUT_OF_MEMORY: /* a header line that is too long, before libcurl 8.6 */
#if LIBCURL_VERSION_NUM >= 0x080600
    case CURLE_TOO_LARGE:
#endif
        return transfer->connected ? ITC_HEADER_LINE_TOO_LONG : ITC_OTHER;
    default: return ITC_OTHER;
    }
}

void *itc_engine_next_completed(itc_engine *engine, itc_outcome *outcome) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(engine->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        char *raw = NULL;
        CURLcode code = message->data.result;
        if (curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &raw) != CURLE_OK || raw == NULL) continue;
        itc_transfer *transfer = (itc_transfer *)(void *)raw;
        transfer->code = code;
        *outcome = outcome_of(transfer);
        return transfer->context;
    }
    return NULL;
}
