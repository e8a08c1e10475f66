import Foundation
import HTTPTypes
import ImageCore
import ImageHTTPCaching
import ImageTransporting

/// Parses a request from a line, sends it through the cache, and formats the response as a line.
struct HTTPCacheProbe: Sendable {
    /// A cache mode of the Fetch standard.
    enum CacheMode: String, Decodable {
        case standard = "default"
        case noCache = "no-cache"
        case noStore = "no-store"
        case reload
        case forceCache = "force-cache"
        case onlyIfCached = "only-if-cached"
    }

    enum RedirectMode: String, Decodable {
        case follow, manual
    }

    struct Request: Decodable {
        var id: String
        var method: String?
        var url: String
        var headers: [[String]]?
        var body: String?
        var redirect: RedirectMode?
        var cache: CacheMode?
    }

    /// The `id` of a line, read even if the rest of the line is invalid.
    private struct RequestID: Decodable {
        var id: String
    }

    struct Reply: Encodable {
        var id: String
        var status: Int?
        var headers: [[String]]?
        var bodyBase64: String?
        var fromCache: String?
        var error: String?
    }

    let transport: CachingTransport

    /// Returns the response or the error as one line of JSON. Never fails, even for an invalid line.
    func reply(to line: String) async -> String {
        let data = Data(line.utf8)
        let id = (try? JSONDecoder().decode(RequestID.self, from: data))?.id ?? ""
        var reply: Reply
        do {
            let request = try JSONDecoder().decode(Request.self, from: data)
            reply = try await Reply(
                request.id, answer(to: TransportRequest(request), mode: request.cache ?? .standard))
        } catch {
            reply = Reply(id: id, error: "\(error)".split(whereSeparator: \.isNewline).joined(separator: " "))
        }
        return (try? reply.json()) ?? #"{"error":"the reply can't be encoded as JSON","id":""}"#
    }

    private func answer(to request: TransportRequest, mode: CacheMode) async throws -> TransportResponse {
        if mode == .forceCache || mode == .onlyIfCached {
            var lookup = request
            lookup.cacheUse.mode = .onlyIfCached
            if case .stored(let stored) = try? await transport.answer(to: lookup) { return stored }
        }
        if mode == .onlyIfCached { throw InvalidRequest("nothing is stored for \(request.url.absoluteString)") }
        return try await transport.send(request)
    }
}

/// Explains why a line has no response.
struct InvalidRequest: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

extension TransportRequest {
    init(_ request: HTTPCacheProbe.Request) throws {
        guard let url = URL(webAddress: request.url) else { throw InvalidRequest("invalid URL: \(request.url)") }
        guard let method = HTTPRequest.Method(request.method ?? "GET") else {
            throw InvalidRequest("invalid method: \(request.method ?? "")")
        }
        self.init(
            url: url, method: method, headers: try HTTPFields(lines: request.headers ?? []),
            body: request.body.map { Data($0.utf8) }, followsRedirects: request.redirect != .manual)
        decodesContent = false
        apply(request.cache ?? .standard)
    }

    /// Sets the headers and the cache use of the mode, as in "HTTP-network-or-cache fetch" of the Fetch standard.
    private mutating func apply(_ mode: HTTPCacheProbe.CacheMode) {
        switch mode {
        case .standard, .forceCache, .onlyIfCached: return
        case .noCache:
            if headers[.cacheControl] == nil { headers[.cacheControl] = "max-age=0" }
            return
        case .noStore: cacheUse = .none
        case .reload: cacheUse.mode = .reload
        }
        if let pragma = HTTPField.Name("Pragma"), headers[pragma] == nil { headers[pragma] = "no-cache" }
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-cache" }
    }
}

extension HTTPFields {
    fileprivate init(lines: [[String]]) throws {
        self.init()
        for line in lines {
            guard line.count == 2, let name = HTTPField.Name(line[0]) else {
                throw InvalidRequest("invalid header: \(line)")
            }
            append(HTTPField(name: name, value: line[1]))
        }
    }
}

extension HTTPCacheProbe.Reply {
    fileprivate init(_ id: String, _ response: TransportResponse) async throws {
        var body = Data()
        for try await chunk in response.body { body.append(chunk) }
        self.init(
            id: id, status: response.head.status.code,
            headers: response.head.headers.map { [$0.name.rawName, $0.value] }, bodyBase64: body.base64EncodedString(),
            fromCache: response.source == .cache ? "disk" : response.source.rawValue)
    }
}
