#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CTransportFloor.h"

enum { MAX_CLIENTS = 64, FIRST_CLIENT = 2, HEAD_BYTES = 4096 };

typedef struct {
    char request[HEAD_BYTES];
    size_t received;
    size_t left;  // bytes of the response still to send
} client;

static struct pollfd polled[FIRST_CLIENT + MAX_CLIENTS];
static client clients[FIRST_CLIENT + MAX_CLIENTS];
static char *response;
static size_t response_bytes;

int floor_origin_listen(int *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0) return -1;
    if (bind(listener, (struct sockaddr *)&address, length) != 0 || listen(listener, MAX_CLIENTS) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &length) != 0) {
        close(listener);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return listener;
}

static bool make_response(size_t body_bytes) {
    char head[512];
    int length = snprintf(
        head, sizeof head,
        "HTTP/1.1 200 OK\r\nServer: floor\r\nDate: Sun, 01 Nov 2026 12:00:00 GMT\r\nContent-Type: image/jpeg\r\n"
        "Content-Length: %zu\r\nLast-Modified: Sun, 01 Nov 2026 11:00:00 GMT\r\nConnection: keep-alive\r\n"
        "ETag: \"68f0c4d2-c350\"\r\nCache-Control: max-age=86400\r\nAccept-Ranges: bytes\r\n\r\n",
        body_bytes);
    response_bytes = (size_t)length + body_bytes;
    response = malloc(response_bytes);
    if (!response) return false;
    memcpy(response, head, (size_t)length);
    for (size_t i = 0; i < body_bytes; i++) response[(size_t)length + i] = (char)(i * 31 + i / 251);
    return true;
}

static void accept_client(int listener) {
    int socket = accept(listener, NULL, NULL), one = 1;
    if (socket < 0) return;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    for (int i = FIRST_CLIENT; i < FIRST_CLIENT + MAX_CLIENTS; i++) {
        if (polled[i].fd >= 0) continue;
        polled[i] = (struct pollfd){.fd = socket, .events = POLLIN};
        clients[i].received = clients[i].left = 0;
        return;
    }
    close(socket);
}

// Returns false if the client has closed the connection.
static bool read_request(client *client, int socket) {
    ssize_t count = read(socket, client->request + client->received, HEAD_BYTES - 1 - client->received);
    if (count <= 0) return false;
    client->received += (size_t)count;
    client->request[client->received] = 0;
    if (!strstr(client->request, "\r\n\r\n")) return client->received < HEAD_BYTES - 1;
    client->received = 0;
    client->left = response_bytes;
    return true;
}

static bool write_response(client *client, int socket) {
    ssize_t count = send(socket, response + response_bytes - client->left, client->left, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) client->left -= (size_t)count;
    return count > 0;
}

static void handle_events(int index) {
    struct pollfd *poll = &polled[index];
    client *client = &clients[index];
    bool is_open = client->left > 0 || read_request(client, poll->fd);
    if (is_open && client->left > 0) is_open = write_response(client, poll->fd);
    poll->events = client->left > 0 ? POLLOUT : POLLIN;
    if (is_open) return;
    close(poll->fd);
    poll->fd = -1;
}

void floor_origin_serve(int listener, size_t body_bytes) {
    if (!make_response(body_bytes)) return;
    polled[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    polled[1] = (struct pollfd){.fd = listener, .events = POLLIN};
    for (int i = FIRST_CLIENT; i < FIRST_CLIENT + MAX_CLIENTS; i++) polled[i].fd = -1;
    while (poll(polled, FIRST_CLIENT + MAX_CLIENTS, -1) >= 0 && polled[0].revents == 0) {
        if (polled[1].revents) accept_client(listener);
        for (int i = FIRST_CLIENT; i < FIRST_CLIENT + MAX_CLIENTS; i++)
            if (polled[i].fd >= 0 && polled[i].revents) handle_events(i);
    }
}
