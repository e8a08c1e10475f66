public import ImageTransporting

#if os(Linux)
    import ImageTransportCurl
#endif
#if AsyncHTTPClient
    import ImageTransportAsyncHTTPClient
#endif

/// The transports for HTTP that are compiled in and run here. What is tested over sockets is tested on each.
public enum HTTPTransport: Sendable, CaseIterable {
    #if os(Linux)
        case curl
    #endif
    #if AsyncHTTPClient
        case asyncHTTPClient
    #endif

    /// On a machine that has much else to do, minutes may go by between two requests of a test.
    private static let maxIdleTime = Duration.seconds(3_600)

    /// One with connections of its own, that no environment can lead astray.
    public func make(perHost: Int = 6, rootsFile: String? = nil) -> any DataTransport {
        switch self {
        #if os(Linux)
            case .curl:
                CurlTransport(
                    configuration: .init(
                        maxConnectionsPerHost: perHost, maxIdleTime: Self.maxIdleTime, rootsFile: rootsFile,
                        usesEnvironmentProxy: false))
        #endif
        #if AsyncHTTPClient
            case .asyncHTTPClient:
                AsyncHTTPClientTransport(
                    configuration: .init(
                        maxConnectionsPerHost: perHost, maxIdleTime: Self.maxIdleTime, rootsFile: rootsFile))
        #endif
        }
    }

    /// Whether bytes that have come, but that nobody has taken yet, are lost when the connection breaks.
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
