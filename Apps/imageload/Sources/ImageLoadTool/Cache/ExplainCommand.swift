import ArgumentParser
import Foundation
import HTTPTypes
import ImageCore
import ImageHTTPCaching
import ImageLoaderKit
import ImageTransporting

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explain whether a URL would be loaded from the disk cache, and why.",
        discussion: """
            Prints the key, the stored response, its age, how long it is fresh and by which rule, the headers that \
            decide, and what fetch would do. A stored redirect is followed. Sends nothing without --ask.

            EXAMPLES
              imageload explain https://example.com/a.jpg
              imageload explain https://example.com/a.jpg --header 'Accept: image/webp'
              imageload explain https://example.com/a.jpg --ask --json
            """)

    @Argument(help: "The URL.")
    var url: String

    @Option(name: .customLong("header"), help: "A request header as \"Name: value\". Can be repeated.")
    var headers: [HeaderArgument] = []

    @Flag(
        help:
            "Ask the server, too, and say whether its response may be stored, and which header decides. Stores nothing."
    )
    var ask = false

    @OptionGroup var options: CacheOptions

    func run() async throws {
        let request = try CacheExplaining.request(to: url, headers)
        do {
            if ask { return try await explainAsking(request) }
        } catch let failure as TransportError {
            throw ToolFailure(status: .network, line: "\(url): \(failure). Check the address and the connection.")
        }
        for explanation in await CacheExplaining.explanations(of: request, options.cache) {
            try print(explanation, nil)
        }
    }

    /// Follows the redirects of the server, not those that are stored.
    private func explainAsking(_ request: TransportRequest) async throws {
        let network = ImageLoaderOptions(cacheDirectory: nil).makeNetwork()
        var chain = RedirectChain(request)
        var isRedirected = true
        while isRedirected {
            let explanation = await CacheExplaining.explanations(of: chain.request, options.cache).first
            let time = Date()
            let response = try await network.send(chain.request)
            response.body.discard()
            let answer = StoredHTTPResponse(
                response.head, to: chain.request.headers, requestTime: time, responseTime: Date())
            if let explanation { try print(explanation, ServerAnswer(answer, to: chain.request)) }
            isRedirected = try chain.follow(response.head)
        }
    }

    private func print(_ explanation: CacheExplanation, _ answer: ServerAnswer?) throws {
        let report = ExplanationReport(explanation, answer, at: Date())
        try options.printing.print(report, lines: report.lines)
    }
}

/// What the server answers now.
struct ServerAnswer: Encodable {
    var status: Int
    var isStored: Bool
    /// Which field or rule decides whether and how long it is stored.
    var reason: String
    var headers: [String]

    init(_ response: StoredHTTPResponse, to request: TransportRequest) {
        let request = HTTPCacheRequest(headers: request.headers)
        status = response.status
        isStored = RFC9111Policy().mayStore(response, to: request)
        reason = isStored ? "fresh by \(FreshnessRule.text(response))" : Self.refusal(response, request)
        headers = response.headers.map { "\($0.name.rawName): \($0.value)" }
    }

    private static func refusal(_ response: StoredHTTPResponse, _ request: HTTPCacheRequest) -> String {
        var other = response
        other.headers[.cacheControl] = "max-age=60"
        if RFC9111Policy().mayStore(response, to: HTTPCacheRequest()) { return "the fields of the request forbid it" }
        if CacheDirectives(response.headers).contains("no-store") { return "Cache-Control has no-store" }
        if response.headers[.vary]?.contains("*") == true { return "Vary: * matches no other request" }
        if !RFC9111Policy().mayStore(other, to: HTTPCacheRequest()) { return "the status is never stored" }
        return "with this status, it needs max-age, Expires, public or private"
    }
}

/// The rule by which a response is fresh (RFC 9111, 4.2.1, 4.2.2).
enum FreshnessRule {
    static func text(_ response: StoredHTTPResponse) -> String {
        let policy = RFC9111Policy()
        if CacheDirectives(response.headers).contains("max-age") { return "max-age" }
        if response.headers.contains(.expires) { return "Expires" }
        if [404, 410].contains(response.status), let lifetime = policy.negativeLifetime {
            return
                "the rule for a \(response.status) without a lifetime: remembered for \(Int(lifetime / .seconds(1))) s"
        }
        guard response.headers.contains(.lastModified) else { return "no rule: it must be validated each time" }
        let longest = Int(policy.maxHeuristicLifetime / .seconds(3_600))
        let percentage = Int(policy.heuristicFraction * 100)
        return "heuristics: \(percentage) % of the time from Last-Modified to Date, at most \(longest) h"
    }
}

/// Asks the disk cache about a URL.
enum CacheExplaining {
    static func request(to address: String, _ headers: [HeaderArgument]) throws(ToolFailure) -> TransportRequest {
        guard let url = URL(webAddress: address), ["http", "https"].contains(url.scheme) else {
            throw ToolFailure(
                status: .usage, line: "\(address): is not cached. Only http:// and https:// URLs are.")
        }
        var fields = HTTPFields()
        for (name, value) in headers.fields {
            guard let fieldName = HTTPField.Name(name) else {
                throw ToolFailure(status: .usage, line: "\(name): is no name of a header. Check the spelling.")
            }
            fields.append(HTTPField(name: fieldName, value: value))
        }
        return TransportRequest(url: url, headers: fields)
    }

    static func explanations(of request: TransportRequest, _ cache: String?) async -> [CacheExplanation] {
        await ImageLoaderOptions(cacheDirectory: CacheFolder.url(cache)).cacheExplanations(
            of: request.url, headers: request.headers)
    }
}

/// What is printed about a stored response.
struct StoredResponseReport: Encodable {
    var url: String
    var status: Int
    var bytes: Int?
    var stored: String
    /// In seconds. Nil if the clock was set back since the response arrived.
    var age: Int?
    /// How long the response is fresh, in seconds from its age 0.
    var freshSeconds: Int?
    /// What says how long it is fresh.
    var rule: String
    /// When the response becomes stale.
    var expires: String?
    /// What the server's caches did (Cache-Status, RFC 9211).
    var cacheStatus: String?
    /// How long the server's work took (Server-Timing).
    var serverTiming: String?
    /// The names of the request headers that the response depends on (Vary).
    var requestHeaders: [String]
    var headers: [String]

    init(_ variant: CacheExplanation.Variant, at now: Date) {
        let response = variant.response
        let age = response.ageInSeconds(at: now)
        url = response.url.absoluteString
        status = response.status
        bytes = variant.byteCount
        stored = response.responseTime.ISO8601Format()
        self.age = age.isFinite ? Int(age) : nil
        let lifetime = variant.lifetime.map { min($0, 3_155_760_000) }
        freshSeconds = lifetime.map { Int($0) }
        rule = FreshnessRule.text(response)
        if age.isFinite { expires = lifetime.map { (now + ($0 - age)).ISO8601Format() } }
        cacheStatus = HTTPField.Name("Cache-Status").flatMap { response.headers[$0] }
        serverTiming = HTTPField.Name("Server-Timing").flatMap { response.headers[$0] }
        requestHeaders = response.selectingFields.sorted()
        headers = response.headers.map { "\($0.name.rawName): \($0.value)" }
    }

    /// Human-readable lines.
    var lines: [String] {
        let size = bytes.map(ByteCount.text) ?? "body missing"
        let fresh = expires.map { ", fresh until \($0)" } ?? ""
        let lines = ["\(url): status \(status), \(size), stored \(stored)\(fresh)"]
        return lines + headers.map { "  \($0)" }
    }
}

/// What `explain` prints about a request.
struct ExplanationReport: Encodable {
    /// `hit`, `stale`, `revalidate` or `miss`.
    var outcome: String
    var reason: String
    var url: String
    var key: String
    /// The number of stored responses for the key.
    var variants: Int
    var response: StoredResponseReport?
    /// The stored headers that decide.
    var deciding: [String]
    /// With `--ask`.
    var server: ServerAnswer?

    private static let decidingNames: [HTTPField.Name] = [
        .cacheControl, .expires, .date, .age, .lastModified, .eTag, .vary,
    ]

    init(_ explanation: CacheExplanation, _ server: ServerAnswer?, at now: Date) {
        self.server = server
        url = explanation.url.absoluteString
        key = explanation.key
        variants = explanation.variants.count
        let selected = explanation.selected
        response = selected.map { StoredResponseReport($0, at: now) }
        let fields = selected?.response.headers ?? explanation.variants.first?.response.headers ?? [:]
        deciding = fields.filter { Self.decidingNames.contains($0.name) }.map { "\($0.name.rawName): \($0.value)" }
        (outcome, reason) = Self.verdict(explanation, response, fields)
    }

    private static func verdict(
        _ explanation: CacheExplanation, _ response: StoredResponseReport?, _ fields: HTTPFields
    ) -> (String, String) {
        switch explanation.decision {
        case .use(_, isStale: false, _):
            let left = response.flatMap { response in response.freshSeconds.map { $0 - (response.age ?? 0) } }
            let status = response.map { $0.status == 200 ? "" : " (status \($0.status))" } ?? ""
            let time = left.map { " for another \($0) s" } ?? ""
            return ("hit", "the stored response\(status) is fresh\(time), by \(response?.rule ?? "the policy")")
        case .use(_, _, revalidates: true):
            return ("stale", "stale-while-revalidate allows the stored response while it is validated")
        case .use: return ("stale", "the request accepts a stale response")
        case .validate:
            let names = (explanation.selected?.response.validationFields ?? [:]).map(\.name.rawName)
            let staleness = staleness(response, fields)
            if names.isEmpty { return ("miss", "\(staleness), and has no ETag or Last-Modified") }
            return ("revalidate", "\(staleness); the server is asked with \(names.joined(separator: ", "))")
        case .send(.absent):
            return ("miss", "nothing is stored: never loaded, removed, or the server forbids it, as --ask can say")
        case .send(.otherVariant):
            return ("miss", "the stored responses are for other request headers, by Vary: \(fields[.vary] ?? "")")
        case .send(.missingBytes): return ("miss", "the stored bytes are missing or damaged")
        case .send(let miss), .unavailable(let miss): return ("miss", "the cache can't be used: \(miss.rawValue)")
        }
    }

    /// Why a stored response is not returned.
    private static func staleness(_ response: StoredResponseReport?, _ fields: HTTPFields) -> String {
        if CacheDirectives(fields).contains("no-cache") { return "no-cache demands validation" }
        guard let response, let age = response.age else { return "the clock was set back" }
        guard let lifetime = response.freshSeconds else { return "the response is stale" }
        if lifetime > age { return "the request demands validation" }
        return "fresh for \(lifetime) s, by \(response.rule); stale for \(age - lifetime) s"
    }

    /// Human-readable lines.
    var lines: [String] {
        var lines = ["\(url): \(outcome)", "  why: \(reason)", "  key: \(key)"]
        if let response {
            lines.append("  stored: \(response.stored), status \(response.status)")
            if let age = response.age { lines.append("  age: \(age) s") }
            if let expires = response.expires { lines.append("  expires: \(expires)") }
            if let status = response.cacheStatus { lines.append("  the server's caches: \(status)") }
            if let timing = response.serverTiming { lines.append("  the server's times: \(timing)") }
        }
        if variants > 1 { lines.append("  variants: \(variants)") }
        if let server {
            let verdict = server.isStored ? "may be stored" : "is not stored"
            lines.append("  server: status \(server.status), \(verdict): \(server.reason)")
            lines += server.headers.map { "    \($0)" }
        }
        if !deciding.isEmpty { lines.append("  decided by:") }
        return lines + deciding.map { "    \($0)" }
    }
}
