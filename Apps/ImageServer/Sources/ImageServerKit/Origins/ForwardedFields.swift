import Foundation
import HTTPTypes
import ImageCore
import ImageTransporting

/// The header fields that are sent to some origins: those of clients, and others that are always the same.
///
/// What was loaded with them is stored under an HMAC of their values, so nobody else receives it.
struct ForwardedFields: Sendable {
    /// The names of the fields of clients.
    var names: [HTTPField.Name] = []
    /// The fields that are the same for all clients. They replace those of clients.
    var constant: HTTPFields = [:]
    /// The origins that receive the fields.
    var destinations = OriginRules(allowedOrigins: [])

    /// The most bytes of names and values that a client can send.
    static let maxByteCount = 8_192

    /// Returns the fields of a client that may be sent. What its Connection field names is for this server only
    /// (RFC 9110, 7.6.1).
    func fields(of client: HTTPFields) -> [HTTPField] {
        guard !names.isEmpty else { return [] }
        let connection = Set((client[.connection] ?? "").lowercased().split { $0 == "," || $0 == " " })
        return names.compactMap { name in
            // Joins the fields of one name. `HTTPFields` would split cookies again.
            guard let value = client[name], !value.isEmpty, !connection.contains(name.canonicalName[...]) else {
                return nil
            }
            return HTTPField(name: name, value: value)
        }
    }

    /// Whether a client sends more than `maxByteCount`.
    func isTooLarge(_ client: HTTPFields) -> Bool {
        fields(of: client).reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count } > Self.maxByteCount
    }

    /// Returns whether an origin receives the fields.
    func reaches(_ url: URL) -> Bool { (try? destinations.check(url)) != nil }

    /// Restores the bytes of the fields of clients, which have a character for each byte in this server.
    func restoreBytes(in fields: inout HTTPFields) {
        for name in names where constant[name] == nil {
            let bytes = fields[name]?.unicodeScalars.map { UInt8(exactly: $0.value) }
            if let bytes, !bytes.contains(nil) {
                fields[fields: name] = [HTTPField(name: name, value: bytes.compactMap(\.self))]
            }
        }
    }

    /// Removes the fields from a request to another origin.
    func remove(from fields: inout HTTPFields) {
        for name in names { fields[name] = nil }
        for field in constant { fields[field.name] = nil }
    }

    /// The names for Vary in responses about a source; empty for none.
    func varyNames(for source: URL) -> [String] {
        names.isEmpty || !reaches(source) ? [] : names.map(\.rawName)
    }
}

/// For whom an original is loaded.
struct OriginalClient: Sendable {
    /// The values of the fields that are sent.
    private var values: [HTTPField.Name: String] = [:]
    /// Whether some of the fields are those of a client.
    private(set) var isPersonal = false
    /// A digest of the fields; empty without any.
    private(set) var identity = ""

    /// A header field with the identity and the time of a purge, which caches of originals tell apart. It is never sent.
    static let identityField = HTTPField.Name("X-Image-Server-Client") ?? .via

    /// Everybody: no fields are sent.
    init() {}

    /// - Parameter client: The fields of the client that may be sent.
    init(_ client: [HTTPField], for source: URL, _ forwarding: ForwardedFields) {
        guard !client.isEmpty || !forwarding.constant.isEmpty, forwarding.reaches(source) else { return }
        for field in client { values[field.name] = field.value }
        for field in forwarding.constant { values[field.name] = forwarding.constant[field.name] }
        isPersonal = !client.isEmpty
        // Neither names nor values have line breaks.
        let lines = values.map { "\($0.key.canonicalName): \($0.value)" }.sorted().joined(separator: "\n")
        identity = Digest.text(of: Data(lines.utf8))
    }

    /// Adds the fields to a request for an original.
    @Sendable static func addFields(to request: inout TransportRequest) {
        for (name, value) in request.userInfo[.clientFields, as: [HTTPField.Name: String].self] ?? [:] {
            request.headers[name] = value
        }
    }

    /// Returns the request for a source.
    ///
    /// - Parameter purge: The time of the last purge. The request has nothing in common with those before: it doesn't
    ///   join their downloads, and what they store, also later, is not used.
    func request(for source: URL, purgedAt purge: Date) -> ImageRequest {
        var request = ImageRequest(url: source)
        request.userInfo[.clientFields] = values
        let parts = [identity, purge == .distantPast ? "" : "\(purge.timeIntervalSince1970)"].filter { !$0.isEmpty }
        if !parts.isEmpty { request.headers[Self.identityField.rawName] = parts.joined(separator: " ") }
        return request
    }
}

extension ImageUserInfo.Key {
    /// The values of the fields that are sent, by name.
    fileprivate static let clientFields = Self(rawValue: "client fields")
}

extension SettingValues {
    /// - Parameter origins: The allowed sources.
    func forwardedFields(_ origins: OriginRules) throws(SettingsFailure) -> ForwardedFields {
        var fields = ForwardedFields()
        for text in self.forwardHeaders { fields.names.append(try fieldName(text, "forwardHeaders")) }
        guard fields.names.count <= 32 else { throw .invalid("forwardHeaders", "more than 32 names") }
        if fields.names.contains(.cookie) { throw .invalid("forwardHeaders", "set forwardCookies for Cookie") }
        if self.forwardCookies { fields.names.append(.cookie) }
        fields.constant = try headerFields(self.requestHeaders, "requestHeaders")
        try check(fields.constant.map(\.name), "requestHeaders", without: Self.ownFields)
        guard !fields.names.isEmpty || !fields.constant.isEmpty else { return fields }
        let destinations = try self.origins(self.forwardSources, "forwardSources") ?? origins.allowedOrigins
        guard let destinations else { throw .invalid("forwardSources", "name the sources that receive header fields") }
        fields.destinations = OriginRules(allowedOrigins: destinations, allowedPorts: origins.allowedPorts)
        return fields
    }

    /// Returns the name of a field that has no meaning for this server, its caches or its connections.
    private func fieldName(_ text: String, _ setting: String) throws(SettingsFailure) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            throw .invalid(setting, "\(text) is not the name of a header field")
        }
        try check([name], setting, without: Self.ownFields)
        return name
    }

    /// Throws if one of the names is in a list.
    func check(_ names: [HTTPField.Name], _ setting: String, without own: Set<String>) throws(SettingsFailure) {
        for name in names where own.contains(name.canonicalName) {
            throw .invalid(setting, "\(name) is written by this server itself")
        }
    }

    /// The fields of a connection and of a message, in requests and responses (RFC 9110, sections 7.6.1 and 8).
    static let messageFields: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "content-length", "content-encoding", "content-type",
    ]

    private static let ownFields = messageFields.union([
        "host", "expect", "proxy-authenticate", "proxy-authorization",
        // Of caches and of parts of the original.
        "accept-encoding", "cache-control", "pragma", "range", "if-range", "if-match", "if-none-match",
        "if-modified-since", "if-unmodified-since",
        "traceparent", "tracestate", OriginalClient.identityField.canonicalName,
    ])
}
