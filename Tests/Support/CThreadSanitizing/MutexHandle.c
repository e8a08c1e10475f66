// Lets the thread sanitizer see how Synchronization.Mutex waits.
//
// On Linux the quick path of Mutex is inlined, and instrumented with everything else. Waiting happens inside the standard
// library, which is not: the sanitizer misses that a thread which had to wait comes after the one that held the lock, and
// reports races on whatever the lock guards. Here the wait is made of atomic operations that it sees. A thread which waits so leaves
// no mark in the word, so that unlocking always takes the quick path.
#include "CThreadSanitizing.h"

#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

// Synchronization._MutexHandle._lockSlow(_: UInt32) of Swift 6: the word holds the owner's thread number, or 0.
__attribute__((swiftcall)) void mutex_handle_lock_slow(
    uint32_t owner, __attribute__((swift_context)) _Atomic(uint32_t) *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void mutex_handle_lock_slow(
    uint32_t owner, __attribute__((swift_context)) _Atomic(uint32_t) *word) {
    uint32_t nobody = 0;
    while (!atomic_compare_exchange_weak_explicit(word, &nobody, owner, memory_order_acquire, memory_order_relaxed)) {
        nobody = 0;
        sched_yield();
    }
}

#endif
#endif
