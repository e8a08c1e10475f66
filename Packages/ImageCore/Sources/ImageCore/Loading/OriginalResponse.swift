/// The head of a response that delivered an original or redirected to it, from the network or from the disk cache.
public struct OriginalResponse: Hashable, Sendable {
    /// The address that was asked.
    public var url: URL
    /// The status code.
    public var status: Int
    /// The header fields. The values of a repeated field are joined by ", ". A stored response has its current Age
    /// (RFC 9111, 5.1).
    public var headers: HeaderFields
    /// The time until which the loader uses the response without asking the server, by the policy of its HTTP cache. It
    /// is in the past for a stale response, and nil without an HTTP cache.
    public var freshUntil: Date?

    /// Creates the head of a response.
    public init(url: URL, status: Int = 200, headers: HeaderFields = [:], freshUntil: Date? = nil) {
        self.url = url
        self.status = status
        self.headers = headers
        self.freshUntil = freshUntil
    }
}
