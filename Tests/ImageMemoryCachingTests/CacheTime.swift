import ImageMemoryCaching
import Synchronization

/// A clock that changes only when it is set.
final class CacheTime: Sendable {
    private let moment = Mutex(Duration.zero)

    var now: Duration {
        get { moment.withLock { $0 } }
        set { moment.withLock { $0 = newValue } }
    }

    var clock: CacheClock { CacheClock { self.now } }
}
