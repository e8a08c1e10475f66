/// The limits of each transfer. See `TransportRequest` for their exact meaning.
public struct TransferOptions: Sendable, Hashable {
    /// The maximum time to establish a connection.
    public var connectTimeout: Duration
    /// The maximum time without a byte.
    public var stallTimeout: Duration
    /// The minimum number of bytes per second, averaged over `stallTimeout`. 0 means no limit.
    public var minBytesPerSecond = Self.defaultMinBytesPerSecond
    /// The maximum time for the whole transfer. `nil` means no limit.
    public var totalTimeout: Duration?
    /// The maximum size of an original in bytes, after content decoding. A larger one fails with `ImageError.tooLarge`, at
    /// once if the server announces its size.
    public var bodyByteLimit: Int
    /// The maximum number of redirects.
    public var maxRedirects: Int

    /// 64: over a GPRS link of 1,000 bytes per second, twelve downloads at a time pass.
    static let defaultMinBytesPerSecond = 64

    /// Creates limits.
    public init(
        connectTimeout: Duration = .seconds(15), stallTimeout: Duration = .seconds(30),
        totalTimeout: Duration? = .seconds(600), bodyByteLimit: Int = 256 << 20, maxRedirects: Int = 10
    ) {
        self.connectTimeout = connectTimeout
        self.stallTimeout = stallTimeout
        self.totalTimeout = totalTimeout
        self.bodyByteLimit = bodyByteLimit
        self.maxRedirects = maxRedirects
    }
}
