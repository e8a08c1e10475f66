import HTTPTypes
import Synchronization

/// The header fields of a path that don't change as long as it has the same result.
final class PreparedFields: Sendable {
    private let latest = Mutex<(tag: String, fields: HTTPFields)?>(nil)

    /// Returns the fields for a result.
    ///
    /// - Parameter make: Makes the fields if they are of another result.
    func fields(for tag: String, _ make: () -> HTTPFields) -> HTTPFields {
        if let latest = latest.withLock({ $0 }), latest.tag == tag { return latest.fields }
        let fields = make()
        latest.withLock { $0 = (tag, fields) }
        return fields
    }
}
