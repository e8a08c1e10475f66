public import ImageCore

/// Whether a request may use a stored response, must ask the server, and may store what it receives. Transports without
/// a cache ignore it.
public struct CacheUse: Hashable, Sendable {
    /// The stored responses that the request can use.
    ///
    /// - `standard`: as the rules of HTTP caching say (RFC 9111).
    /// - `revalidate`: those that the server confirms.
    /// - `reload`: none.
    /// - `onlyIfCached`: all, even stale ones. Without one, the response has status 504. The server is not asked.
    /// - `ignoringStoredErrors`: those that the server confirms. If the server fails, also a fresh one, and a stale one as
    ///   the policy allows; but never a stored error.
    public var mode: ImageLoadMode
    /// Whether the cache is read and written. `readOnly` uses only what needs no validation.
    public var access: CacheAccess

    /// Creates a use. By default, the rules of HTTP caching apply.
    public init(_ mode: ImageLoadMode = .standard, access: CacheAccess = .readWrite) {
        self.mode = mode
        self.access = access
    }

    /// Neither uses stored responses nor stores the new one.
    package static let none = CacheUse(access: .disabled)

    /// Whether the cache is neither read nor written.
    package var isNone: Bool { access == .disabled || access == .readOnly && asksServer }

    /// Whether the server must answer, or confirm what is stored.
    package var asksServer: Bool { mode.needsServer || mode == .ignoringStoredErrors }

    /// The use by another attempt after a failure, which the cache may have stored.
    package var afterFailure: CacheUse {
        guard access.writes else { return .none }
        return mode == .reload ? self : CacheUse(.ignoringStoredErrors)
    }
}
