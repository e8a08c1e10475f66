public struct URLRequest: Hashable, Sendable {
    public enum CachePolicy: UInt, Sendable { case useProtocolCachePolicy, reloadIgnoringLocalCacheData }
    public init(url: URL) {}
    public var url: URL?
    public var httpMethod: String?
    public var httpBody: Data?
    public var httpShouldHandleCookies = true
    public var timeoutInterval: TimeInterval = 60
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
}

open class URLResponse: NSObject, @unchecked Sendable {}

open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    open var statusCode: Int { 0 }
    open var allHeaderFields: [AnyHashable: Any] { [:] }
}

open class URLCache: NSObject, @unchecked Sendable {}
open class URLCredential: NSObject, @unchecked Sendable {}
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {}
open class HTTPCookieStorage: NSObject, @unchecked Sendable {}

open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var ephemeral: URLSessionConfiguration { fatalError() }
    open var urlCache: URLCache?
    open var requestCachePolicy = URLRequest.CachePolicy.useProtocolCachePolicy
    open var httpCookieStorage: HTTPCookieStorage?
    open var httpShouldSetCookies = true
    open var httpMaximumConnectionsPerHost = 6
}

open class URLSessionTask: NSObject, @unchecked Sendable {
    public static let defaultPriority: Float = 0.5
    public static let lowPriority: Float = 0.25
    public static let highPriority: Float = 0.75
    open var taskIdentifier: Int { 0 }
    open var priority: Float = 0
    open func cancel() {}
    open func suspend() {}
    open func resume() {}
}

open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}

public protocol URLSessionDelegate: NSObjectProtocol, Sendable {}

public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}

open class URLSession: NSObject, @unchecked Sendable {
    public enum AuthChallengeDisposition: Int, Sendable {
        case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
    }
    public enum ResponseDisposition: Int, Sendable { case cancel, allow, becomeDownload, becomeStream }

    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue: OperationQueue?
    ) {}
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError() }
    open func flush(completionHandler: @escaping @Sendable () -> Void) {}
    open func finishTasksAndInvalidate() {}
}

public struct URLError: Error, Hashable {
    public enum Code: Int, Sendable {
        case cancelled, timedOut, badURL, unsupportedURL, cannotFindHost, dnsLookupFailed, cannotConnectToHost
        case notConnectedToInternet, dataNotAllowed, internationalRoamingOff, networkConnectionLost, badServerResponse
        case cannotParseResponse, cannotDecodeContentData, cannotDecodeRawData, dataLengthExceedsMaximum
        case secureConnectionFailed, serverCertificateHasBadDate, serverCertificateUntrusted
        case serverCertificateHasUnknownRoot, serverCertificateNotYetValid, clientCertificateRejected
        case clientCertificateRequired, appTransportSecurityRequiresSecureConnection, unknown
    }
    public init(_ code: Code) {}
    public var code: Code { .unknown }
}

extension Error {
    public var localizedDescription: String { "" }
}
