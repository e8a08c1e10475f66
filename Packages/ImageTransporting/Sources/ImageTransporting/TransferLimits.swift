/// Limits for each transfer.
public struct TransferLimits: Sendable, Hashable {
    /// The longest time until the connection is established.
    public var connectTimeout: Duration
    /// The longest time without a byte.
    public var stallTimeout: Duration
    /// The longest time for the whole transfer; nil for no limit.
    public var totalTimeout: Duration?
    /// The largest original, in bytes.
    public var maxBodyBytes: Int
    public var maxRedirects: Int

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
