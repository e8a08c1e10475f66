import HTTPTypes
import ImageCore
import ImageThumbHash
import ImageTransporting

/// Adds a `User-Agent` to requests without one, and the priority.
struct FieldsTransport: DataTransport {
    let base: any DataTransport
    let userAgent: String?
    let sendsPriority: Bool

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        var request = request
        request.headers[.userAgent] = request.headers[.userAgent] ?? userAgent
        #if !canImport(ImageIO)
            // URLSession sends its own.
            if sendsPriority { request.addPriority() }
        #endif
        return try await base.send(request)
    }

    func closeIdleConnections() { base.closeIdleConnections() }
}

extension TransportRequest {
    /// Adds the `Priority` (RFC 9218, section 4), unless it is that of requests without the field.
    fileprivate mutating func addPriority() {
        guard let name = HTTPField.Name("Priority"), headers[name] == nil else { return }
        let urgency =
            switch priority {
            case .veryHigh: 1
            case .high: 2
            case .normal: 3
            case .low: 5
            case .veryLow: 7
            }
        let members = (urgency == 3 ? [] : ["u=\(urgency)"]) + (isIncremental ? ["i"] : [])
        if !members.isEmpty { headers[name] = members.joined(separator: ", ") }
    }
}

extension ThumbHash {
    /// Reads a response field: bytes in Base64 between colons (RFC 9651, 3.3.5).
    init?(field: String?) {
        guard let field, field.count <= 50, field.hasPrefix(":"), field.hasSuffix(":") else { return nil }
        try? self.init(base64: String(field.dropFirst().dropLast()))
    }
}
