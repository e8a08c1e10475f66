import Foundation
import HTTPTypes

/// What the operator decides about requests and responses, apart from the images.
struct ResponseRules: Sendable {
    /// The token of requests that purge; nil if there are none.
    var purgeSecret: String?
    /// The origin whose scripts may read responses, or `*`; nil for none (Fetch standard, "CORS protocol").
    var allowedReader: String?
    /// Header fields of all responses. They replace those of the server.
    var headers: HTTPFields = [:]
    /// What precedes all paths, without a slash at its end. Health checks are also answered without it.
    var pathPrefix = ""
    /// A further path of the health check, without the prefix; nil for none.
    var healthPath: String?

    /// Returns a request without the prefix of its path, and with the path of this server's health check in place of
    /// another one; nil if it has another prefix.
    func request(_ request: ServerRequest) -> ServerRequest? {
        if request.isHealthCheck { return request }
        guard request.target.hasPrefix(pathPrefix) else { return nil }
        let target = String(request.target.dropFirst(pathPrefix.count))
        guard target.hasPrefix("/") else { return nil }
        let request = ServerRequest(
            method: request.method, target: target, headers: request.headers, client: request.client)
        guard let healthPath, request.path == healthPath else { return request }
        return ServerRequest(
            method: request.method, target: "/health", headers: request.headers, client: request.client)
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

extension SettingValues {
    func responseRules() throws(SettingsFailure) -> ResponseRules {
        let texts = [
            ("pathPrefix", self.pathPrefix), ("allowOrigin", self.allowOrigin), ("healthPath", self.healthPath),
        ]
        for (name, text) in texts where text?.contains(where: \.isWhitespace) == true {
            throw .invalid(name, "it has a space")
        }
        return ResponseRules(
            purgeSecret: self.purgeSecret, allowedReader: self.allowOrigin, headers: try responseFields(),
            pathPrefix: Self.path(self.pathPrefix),
            healthPath: self.healthPath.map { $0.hasPrefix("/") ? $0 : "/\($0)" })
    }

    /// Returns a path with a slash at its start and none at its end.
    private static func path(_ text: String) -> String { text.split(separator: "/").map { "/\($0)" }.joined() }

    private func responseFields() throws(SettingsFailure) -> HTTPFields {
        let fields = try headerFields(self.responseHeaders, "responseHeaders")
        let own = Self.messageFields.union(["date", "content-range"])
        try check(fields.map(\.name), "responseHeaders", without: own)
        return fields
    }

    /// Returns header fields that are written as `Name: value` or, as in imgproxy, `Name=value`, with `\;` between
    /// them.
    func headerFields(_ list: String, _ name: String) throws(SettingsFailure) -> HTTPFields {
        var fields: HTTPFields = [:]
        for text in list.split(separator: "\\;") {
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
