public import ImageTransporting

#if os(Linux)
    import ImageTransportCurl
#endif
#if AsyncHTTPClient
    import ImageTransportAsyncHTTPClient
#endif

/// The HTTP transports that are available on this platform and with the enabled traits. Tests over sockets run with
/// each.
public enum HTTPTransport: Sendable, CaseIterable {
    #if os(Linux)
        case curl
    #endif
    #if AsyncHTTPClient
        case asyncHTTPClient
    #endif

    /// Long enough for a busy machine, on which minutes can pass between two requests of a test.
    private static let maxIdleTime = Duration.seconds(3_600)

    /// Creates a transport with its own connections, which ignores the environment's proxy settings.
    public func make(perHost: Int = 6, rootsFile: String? = nil) -> any DataTransport {
        switch self {
        #if os(Linux)
            case .curl:
                CurlTransport(
                    options: .init(
                        maxConnectionsPerServer: perHost, maxIdleTime: Self.maxIdleTime, rootsFile: rootsFile,
                        usesEnvironmentProxy: false))
        #endif
        #if AsyncHTTPClient
            case .asyncHTTPClient:
                AsyncHTTPClientTransport(
                    options: .init(
                        maxConnectionsPerServer: perHost, maxIdleTime: Self.maxIdleTime, rootsFile: rootsFile))
        #endif
        }
    }

    /// Whether received but unread bytes are lost when the connection fails.
    public var losesUnreadBytes: Bool {
        switch self {
        #if os(Linux)
            case .curl: false
        #endif
        #if AsyncHTTPClient
            case .asyncHTTPClient: true
        #endif
        }
    }
}
