import ArgumentParser
import Foundation
import HTTPTypes
import ImageCore
import ImageHTTPCaching
import ImageLoaderKit

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explain whether a URL would be loaded from the disk cache, and why.",
        discussion: """
            Sends nothing. Prints the key, the stored response, its age, how long it is fresh, the headers that \
            decide, and what fetch would do. A stored redirect is followed.

            EXAMPLES
              imageload explain https://example.com/a.jpg
              imageload explain https://example.com/a.jpg --header 'Accept: image/webp'
              imageload explain https://example.com/a.jpg --json
            """)

    @Argument(help: "The URL.")
    var url: String

    @Option(name: .customLong("header"), help: "A request header as \"Name: value\". Can be repeated.")
    var headers: [HeaderArgument] = []

    @OptionGroup var options: CacheOptions

    func run() async throws {
        for explanation in try await CacheExplaining.explanations(of: url, headers, options.cache) {
            let report = ExplanationReport(explanation, at: Date())
            try options.printing.print(report, lines: report.lines)
        }
    }
}

/// Asks the disk cache about a URL.
enum CacheExplaining {
    static func explanations(
        of address: String, _ headers: [HeaderArgument], _ cache: String?
    ) async throws -> [CacheExplanation] {
        guard let url = URL(webAddress: address), ["http", "https"].contains(url.scheme) else {
            throw ToolFailure(
                status: .usage, line: "\(address): is not cached. Only http:// and https:// URLs are.")
        }
        var fields = HTTPFields()
        for header in headers {
            guard let name = HTTPField.Name(header.name) else {
                throw ToolFailure(status: .usage, line: "\(header.name): is no name of a header. Check the spelling.")
            }
            fields.append(HTTPField(name: name, value: header.value))
        }
        return await ImageLoaderOptions(cacheDirectory: CacheFolder.url(cache)).cacheExplanations(
            of: url, headers: fields)
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
    /// When the response becomes stale.
    var expires: String?
    /// The names of the request headers that the response depends on (Vary).
    var requestHeaders: [String]
    var headers: [String]

    init(_ variant: CacheExplanation.Variant, at now: Date) {
        let response = variant.response
        let age = response.age(at: now)
        url = response.url.absoluteString
        status = response.status
        bytes = variant.byteCount
        stored = response.responseTime.ISO8601Format()
        self.age = age.isFinite ? Int(age) : nil
        let lifetime = variant.lifetime.map { min($0, 3_155_760_000) }
        freshSeconds = lifetime.map { Int($0) }
        if age.isFinite { expires = lifetime.map { (now + ($0 - age)).ISO8601Format() } }
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

    private static let decidingNames: [HTTPField.Name] = [
        .cacheControl, .expires, .date, .age, .lastModified, .eTag, .vary,
    ]

    init(_ explanation: CacheExplanation, at now: Date) {
        url = explanation.url.absoluteString
        key = explanation.key
        variants = explanation.variants.count
        let selected = explanation.selected.map { explanation.variants[$0] }
        response = selected.map { StoredResponseReport($0, at: now) }
        let fields = selected?.response.headers ?? explanation.variants.first?.response.headers ?? [:]
        deciding = fields.filter { Self.decidingNames.contains($0.name) }.map { "\($0.name.rawName): \($0.value)" }
        (outcome, reason) = Self.verdict(explanation.outcome, response, fields)
    }

    private static func verdict(
        _ outcome: CacheExplanation.Outcome, _ response: StoredResponseReport?, _ fields: HTTPFields
    ) -> (String, String) {
        switch outcome {
        case .hit(isStale: false, _):
            let left = response.flatMap { response in response.freshSeconds.map { $0 - (response.age ?? 0) } }
            return ("hit", "the stored response is fresh" + (left.map { " for another \($0) s" } ?? ""))
        case .hit(_, revalidates: true):
            return ("stale", "stale-while-revalidate allows the stored response while it is validated")
        case .hit: return ("stale", "the request accepts a stale response")
        case .validation(let conditions):
            let names = conditions.map(\.name.rawName).joined(separator: ", ")
            return ("revalidate", "\(staleness(response, fields)); the server is asked with \(names)")
        case .miss(.stale): return ("miss", "\(staleness(response, fields)), and has no ETag or Last-Modified")
        case .miss(.absent):
            return ("miss", "nothing is stored: it was never loaded, was removed, or may not be stored (no-store)")
        case .miss(.otherVariant):
            return ("miss", "the stored responses are for other request headers, by Vary: \(fields[.vary] ?? "")")
        case .miss(.missingBytes): return ("miss", "the stored bytes are missing or damaged")
        case .miss(let miss): return ("miss", "the cache can't be used: \(miss.rawValue)")
        }
    }

    /// Why a stored response is not returned.
    private static func staleness(_ response: StoredResponseReport?, _ fields: HTTPFields) -> String {
        let directives = fields[.cacheControl]?.lowercased() ?? ""
        if directives.contains("no-cache") { return "no-cache demands validation" }
        guard let response, let age = response.age else { return "the clock was set back" }
        guard let lifetime = response.freshSeconds else { return "the response is stale" }
        if lifetime == 0, !directives.contains("max-age"), fields[.expires] == nil {
            return "the response says nothing about how long it is fresh"
        }
        let isFresh = lifetime > age
        return isFresh ? "the request demands validation" : "fresh for \(lifetime) s, stale for \(age - lifetime) s"
    }

    /// Human-readable lines.
    var lines: [String] {
        var lines = ["\(url): \(outcome)", "  why: \(reason)", "  key: \(key)"]
        if let response {
            lines.append("  stored: \(response.stored), status \(response.status)")
            if let age = response.age { lines.append("  age: \(age) s") }
            if let expires = response.expires { lines.append("  expires: \(expires)") }
        }
        if variants > 1 { lines.append("  variants: \(variants)") }
        if !deciding.isEmpty { lines.append("  decided by:") }
        return lines + deciding.map { "    \($0)" }
    }
}
