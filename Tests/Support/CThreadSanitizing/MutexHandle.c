// Makes waiting for a Synchronization.Mutex visible to the thread sanitizer.
//
// On Linux, the fast path of Mutex is inlined and instrumented. Waiting happens inside the standard library, which isn't
// instrumented. So the sanitizer doesn't see that a waiting thread runs after the thread that held the lock, and reports false
// races. This replacement waits with instrumented atomic operations. It doesn't mark the word as contended, so unlocking always
// takes the fast path.
#include "CThreadSanitizing.h"

#if defined(__linux__) && defined(__has_feature)
#if __has_feature(thread_sanitizer)

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

// Synchronization._MutexHandle._lockSlow(_: UInt32) of Swift 6. The word contains the owner's thread ID, or 0.
__attribute__((swiftcall)) void mutex_handle_lock_slow(
    uint32_t owner, __attribute__((swift_context)) _Atomic(uint32_t) *word)
    __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");

__attribute__((swiftcall)) void mutex_handle_lock_slow(
    uint32_t owner, __attribute__((swift_context)) _Atomic(uint32_t) *word) {
    uint32_t unlocked = 0;
    while (!atomic_compare_exchange_weak_explicit(word, &unlocked, owner, memory_order_acquire, memory_order_relaxed)) {
        unlocked = 0;
        sched_yield();
    }
}

#endif
#endif
