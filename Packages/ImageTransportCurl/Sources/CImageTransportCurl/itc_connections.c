#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "itc_internal.h"

/* libcurl reuses a connection until the system reports an error, which takes a quarter of an hour if the peer has
   vanished. Therefore the engine knows who uses each connection and for how long nothing has arrived. It ends a silent one
   by shutdown(2): libcurl sees its end, and the transfers on it fail or are sent again on another connection. */

enum { KEEP_ALIVE_SECONDS = 20, UNACKNOWLEDGED_MS = 30000, CANCEL_PATIENCE_MS = 1000 };

static itc_connection *with_id(itc_engine *engine, uint64_t id) {
    for (int i = 0; i < engine->connection_count; i++)
        if (engine->connections[i].id == id) return &engine->connections[i];
    return NULL;
}

itc_connection *itc_connection_with_socket(itc_engine *engine, curl_socket_t socket) {
    for (int i = 0; i < engine->connection_count; i++)
        if (engine->connections[i].socket == socket) return &engine->connections[i];
    return NULL;
}

curl_socket_t itc_connection_socket(const itc_transfer *transfer) {
    itc_connection *connection = with_id(transfer->engine, transfer->connection);
    return connection != NULL ? connection->socket : CURL_SOCKET_BAD;
}

bool itc_connection_add(itc_engine *engine, curl_socket_t socket) {
    if (engine->connection_count == engine->connection_capacity) {
        int capacity = engine->connection_capacity * 2 + 8;
        itc_connection *longer = realloc(engine->connections, (size_t)capacity * sizeof *longer);
        if (longer == NULL) return false;
        engine->connections = longer;
        engine->connection_capacity = capacity;
    }
    engine->connections[engine->connection_count++] = (itc_connection){.id = ++engine->last_id, .socket = socket};
    int on = 1, seconds = KEEP_ALIVE_SECONDS;
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
#ifdef TCP_KEEPIDLE
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof seconds);
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof seconds);
#endif
#ifdef TCP_USER_TIMEOUT
    unsigned milliseconds = UNACKNOWLEDGED_MS;
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
#endif
    return true;
}

int itc_connection_close(void *raw, curl_socket_t socket) {
    itc_engine *engine = raw;
    itc_connection *connection = itc_connection_with_socket(engine, socket);
    if (connection != NULL) *connection = engine->connections[--engine->connection_count];
    return close(socket);
}

/* MARK: Users */

typedef struct {
    struct sockaddr_storage bytes;
    char host[NI_MAXHOST];
    int port;
} address;

typedef int name_function(int socket, struct sockaddr *name, socklen_t *size);

/* Reads a name of a socket: getsockname or getpeername. */
static bool read_name(name_function *read, int socket, address *name) {
    char port[NI_MAXSERV];
    socklen_t size = sizeof name->bytes;
    struct sockaddr *any = (struct sockaddr *)(void *)&name->bytes;
    if (read(socket, any, &size) != 0) return false;
    int flags = NI_NUMERICHOST | NI_NUMERICSERV;
    if (getnameinfo(any, size, name->host, sizeof name->host, port, sizeof port, flags) != 0) return false;
    name->port = atoi(port);
    return true;
}

static bool is_named(name_function *read, int socket, const char *host, int port) {
    address name;
    return read_name(read, socket, &name) && name.port == port && strcmp(name.host, host) == 0;
}

/* Returns whether the system would reach the peer from another address now. Connecting a datagram socket sends nothing. */
static bool has_moved(curl_socket_t socket_of_connection) {
    address peer, local, now;
    if (!read_name(getpeername, socket_of_connection, &peer)) return true;
    if (!read_name(getsockname, socket_of_connection, &local)) return true;
    int probe = socket(peer.bytes.ss_family, SOCK_DGRAM, 0);
    if (probe < 0) return false;
    socklen_t size = peer.bytes.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    bool has_route = connect(probe, (struct sockaddr *)(void *)&peer.bytes, size) == 0;
    bool is_other = has_route && read_name(getsockname, probe, &now) && strcmp(local.host, now.host) != 0;
    close(probe);
    return is_other;
}

void itc_connection_use(
    itc_transfer *transfer, const char *local, int local_port, const char *peer, int peer_port) {
    itc_engine *engine = transfer->engine;
    itc_connection_leave(transfer); /* libcurl has sent the request again, on another connection */
    for (int i = 0; i < engine->connection_count; i++) {
        itc_connection *connection = &engine->connections[i];
        if (!is_named(getsockname, connection->socket, local, local_port)) continue;
        if (!is_named(getpeername, connection->socket, peer, peer_port)) continue;
        if (connection->users++ == 0) connection->silent_since = itc_now_ms();
        connection->is_established = true;
        connection->server = transfer->server;
        transfer->connection = connection->id;
        return;
    }
}

void itc_connection_leave(itc_transfer *transfer) {
    itc_connection *connection = with_id(transfer->engine, transfer->connection);
    transfer->connection = 0;
    if (connection != NULL && --connection->users == 0) connection->silent_since = 0;
}

/* MARK: Silence */

void itc_transfer_note_waiting(itc_transfer *transfer) {
    itc_connection *connection = with_id(transfer->engine, transfer->connection);
    if (connection != NULL && connection->silent_since == 0) connection->silent_since = itc_now_ms();
}

void itc_connection_note_bytes(itc_engine *engine, curl_socket_t socket) {
    itc_connection *connection = itc_connection_with_socket(engine, socket);
    if (connection == NULL) return;
    connection->silent_since = 0;
    connection->last_bytes = itc_now_ms();
}

static bool is_idle(const itc_connection *connection) { return connection->is_established && connection->users == 0; }

void itc_engine_close_idle(itc_engine *engine) {
    for (int i = 0; i < engine->connection_count; i++)
        if (is_idle(&engine->connections[i])) shutdown(engine->connections[i].socket, SHUT_RDWR);
}

void itc_engine_close_moved(itc_engine *engine, uint64_t server) {
    for (int i = 0; i < engine->connection_count; i++) {
        itc_connection *connection = &engine->connections[i];
        if (!is_idle(connection) || connection->server != server || !has_moved(connection->socket)) continue;
        shutdown(connection->socket, SHUT_RDWR);
    }
}

void itc_transfer_give_up(itc_transfer *transfer, itc_engine *engine, int64_t stall_timeout_ms) {
    itc_connection *found = with_id(engine, transfer->connection);
    if (found == NULL) return itc_transfer_free(transfer, engine);
    itc_connection silent = *found;
    int64_t patience = silent.users == 1 && stall_timeout_ms > CANCEL_PATIENCE_MS ? CANCEL_PATIENCE_MS : stall_timeout_ms;
    bool is_dead = silent.silent_since != 0 && itc_now_ms() - silent.silent_since >= patience;
    if (is_dead) curl_easy_setopt(transfer->easy, CURLOPT_FORBID_REUSE, 1L);
    itc_transfer_free(transfer, engine);
    if (!is_dead) return;
    for (int i = 0; i < engine->connection_count; i++) {
        itc_connection *other = &engine->connections[i];
        bool is_suspect = is_idle(other) && other->server == silent.server && other->last_bytes <= silent.silent_since;
        if (other->id == silent.id || is_suspect) shutdown(other->socket, SHUT_RDWR);
    }
}
