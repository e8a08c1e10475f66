/// The limits of each transfer. See `TransportRequest` for their exact meaning.
public struct TransferLimits: Sendable, Hashable {
    /// The maximum time to establish a connection.
    public var connectTimeout: Duration
    /// The maximum time without a byte.
    public var stallTimeout: Duration
    /// The maximum time for the whole transfer. `nil` means no limit.
    public var totalTimeout: Duration?
    /// The maximum size of an original in bytes.
    public var maxBodyBytes: Int
    /// The maximum number of redirects.
    public var maxRedirects: Int

    /// Creates limits.
    public init(
        connectTimeout: Duration = .seconds(15), stallTimeout: Duration = .seconds(30),
        totalTimeout: Duration? = .seconds(600), maxBodyBytes: Int = 256 << 20, maxRedirects: Int = 10
    ) {
        self.connectTimeout = connectTimeout
        self.stallTimeout = stallTimeout
        self.totalTimeout = totalTimeout
        self.maxBodyBytes = maxBodyBytes
        self.maxRedirects = maxRedirects
    }
}
