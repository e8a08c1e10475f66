#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "CImageTransportCurl.h"

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
