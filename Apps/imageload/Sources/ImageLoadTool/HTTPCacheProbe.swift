import Foundation
import HTTPTypes
import ImageTransportCaching
import ImageTransporting

/// Turns a line into a request, and what becomes of it into a line.
struct HTTPCacheProbe: Sendable {
    /// How a request uses the cache, by the Fetch standard's names.
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

    struct Question: Decodable {
        var id: String
        var method: String?
        var url: String
        var headers: [[String]]?
        var body: String?
        var redirect: RedirectMode?
        var cache: CacheMode?
    }

    /// A line that can't be understood may still say whose it is.
    private struct Sender: Decodable {
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

    /// One line of JSON, whatever the line is.
    func reply(to line: String) async -> String {
        let data = Data(line.utf8)
        let id = (try? JSONDecoder().decode(Sender.self, from: data))?.id ?? ""
        var reply: Reply
        do {
            let question = try JSONDecoder().decode(Question.self, from: data)
            reply = try await Reply(
                question.id, answer(to: TransportRequest(question), mode: question.cache ?? .standard))
        } catch {
            reply = Reply(id: id, error: "\(error)".split(whereSeparator: \.isNewline).joined(separator: " "))
        }
        return (try? reply.json()) ?? #"{"error":"the reply is no JSON","id":""}"#
    }

    private func answer(to request: TransportRequest, mode: CacheMode) async throws -> TransportResponse {
        switch mode {
        case .forceCache, .onlyIfCached:
            if let stored = try? await transport.storedResponse(to: request, acceptsStale: true) { return stored }
            guard mode == .forceCache else { throw RuleFailure("nothing is stored for \(request.url.absoluteString)") }
            return try await transport.send(request)
        default: return try await transport.send(request)
        }
    }
}

/// Why a line has no answer.
struct RuleFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

extension TransportRequest {
    init(_ question: HTTPCacheProbe.Question) throws {
        guard let url = URL(string: question.url) else { throw RuleFailure("no URL: \(question.url)") }
        guard let method = HTTPRequest.Method(question.method ?? "GET") else {
            throw RuleFailure("no method: \(question.method ?? "")")
        }
        self.init(
            url: url, method: method, headers: try HTTPFields(lines: question.headers ?? []),
            body: question.body.map { Data($0.utf8) }, followsRedirects: question.redirect != .manual)
        decodesContent = false
        apply(question.cache ?? .standard)
    }

    /// The Fetch standard, HTTP-network-or-cache fetch, on cache modes.
    private mutating func apply(_ mode: HTTPCacheProbe.CacheMode) {
        switch mode {
        case .standard, .forceCache, .onlyIfCached: return
        case .noCache:
            if headers[.cacheControl] == nil { headers[.cacheControl] = "max-age=0" }
            return
        case .noStore: cacheUse = .bypass
        case .reload: cacheUse = .reload
        }
        if let pragma = HTTPField.Name("Pragma"), headers[pragma] == nil { headers[pragma] = "no-cache" }
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-cache" }
    }
}

extension HTTPFields {
    fileprivate init(lines: [[String]]) throws {
        self.init()
        for line in lines {
            guard line.count == 2, let name = HTTPField.Name(line[0]) else { throw RuleFailure("no header: \(line)") }
            append(HTTPField(name: name, value: line[1]))
        }
    }
}

extension HTTPCacheProbe.Reply {
    fileprivate init(_ id: String, _ response: TransportResponse) async throws {
        var body = Data()
        for try await piece in response.body { body.append(piece) }
        self.init(
            id: id, status: response.head.status.code,
            headers: response.head.headers.map { [$0.name.rawName, $0.value] }, bodyBase64: body.base64EncodedString(),
            fromCache: response.source == .cache ? "disk" : response.source.rawValue)
    }
}
