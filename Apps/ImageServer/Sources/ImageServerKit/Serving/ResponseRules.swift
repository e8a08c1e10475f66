import Foundation
public import HTTPTypes

/// What the operator decides about requests and responses, apart from the images.
public struct ResponseRules: Sendable {
    /// The token of requests that purge; nil if there are none.
    public var purgeSecret: String?
    /// The origin whose scripts may read responses, or `*`; nil for none (Fetch standard, "CORS protocol").
    public var allowedReader: String?
    /// Header fields of all responses. They replace those of the server.
    public var headers: HTTPFields
    /// What precedes all paths, without a slash at its end. Health checks are also answered without it.
    public var pathPrefix: String

    /// Creates rules. By default, there are none.
    public init(
        purgeSecret: String? = nil, allowedReader: String? = nil, headers: HTTPFields = [:], pathPrefix: String = ""
    ) {
        self.purgeSecret = purgeSecret
        self.allowedReader = allowedReader
        self.headers = headers
        self.pathPrefix = pathPrefix
    }

    /// Returns a request without the prefix of its path; nil if it has another one.
    func request(_ request: ServerRequest) -> ServerRequest? {
        guard !pathPrefix.isEmpty else { return request }
        if request.isHealthCheck { return request }
        guard request.target.hasPrefix(pathPrefix) else { return nil }
        let target = String(request.target.dropFirst(pathPrefix.count))
        guard target.hasPrefix("/") else { return nil }
        return ServerRequest(
            method: request.method, target: target, headers: request.headers, client: request.client)
    }

    /// Adds the header fields of all responses.
    func apply(to response: inout ServerResponse) {
        if let allowedReader { response.headers[.accessControlAllowOrigin] = allowedReader }
        for field in headers { response.headers[field.name] = field.value }
    }

    /// The methods that this server supports.
    var methods: String {
        "GET, HEAD" + (allowedReader == nil ? "" : ", OPTIONS") + (purgeSecret == nil ? "" : ", DELETE")
    }

    /// The response to a request of a browser whether it may send another one; nil if scripts may read nothing.
    var preflightResponse: ServerResponse? {
        guard allowedReader != nil else { return nil }
        return ServerResponse(status: 204, headers: [.accessControlAllowMethods: "GET, HEAD, OPTIONS"])
    }
}

extension SettingsReader {
    func responseRules() throws(SettingsFailure) -> ResponseRules {
        for name in ["pathPrefix", "allowOrigin"] where try text(name).contains(where: \.isWhitespace) {
            throw .invalid(name, "it has a space")
        }
        let prefix = try text("pathPrefix").split(separator: "/").map { "/\($0)" }.joined()
        return ResponseRules(
            purgeSecret: try optionalText("purgeSecret"), allowedReader: try optionalText("allowOrigin"),
            headers: try responseFields(), pathPrefix: prefix)
    }

    private func responseFields() throws(SettingsFailure) -> HTTPFields {
        let fields = try headerFields("responseHeaders")
        let own = Self.messageFields.union(["date", "content-range"])
        try check(fields.map(\.name), "responseHeaders", without: own)
        return fields
    }

    func optionalText(_ name: String) throws(SettingsFailure) -> String? {
        let value = try text(name)
        return value.isEmpty ? nil : value
    }

    /// Returns header fields that are written as `Name: value` or, as in imgproxy, `Name=value`, with `\;` between
    /// them.
    func headerFields(_ name: String) throws(SettingsFailure) -> HTTPFields {
        var fields: HTTPFields = [:]
        for text in anyText(name).split(separator: "\\;") {
            let field = text.prefix { $0 != ":" && $0 != "=" }
            let value = text.dropFirst(field.count + 1).drop { $0 == " " }
            guard let key = HTTPField.Name(String(field.drop { $0 == " " })), field.count < text.count,
                HTTPField.isValidValue(String(value))
            else { throw .invalid(name, "\(text) is not a header field such as Name: value") }
            fields[key] = String(value)
        }
        return fields
    }
}
