import Foundation
import HTTPTypes
import ImageCore
import ImageMemoryCaching
import ImageObserving
import Logging

/// Writes a line for each request.
struct AccessLog: Sendable {
    /// What is written.
    struct Settings: Hashable, Sendable {
        /// Whether lines are written.
        var isEnabled = true
        /// The number of proxies in front of this server. Each appends the address of its client to X-Forwarded-For, so
        /// that the address of the first client is this far from its end. 0 ignores the field.
        var trustedProxies = 0
    }

    let logger: Logger
    let settings: Settings
    /// The texts of the last paths.
    let paths = MemoryCache<String, String>(limits: CacheLimits(cost: 4 << 20))

    /// Writes the line of a request.
    ///
    /// - Parameters:
    ///   - id: The identity of the request, which the client receives, too.
    ///   - trace: The identity of its trace; nil for a request that needed no work.
    ///   - time: The time until the response was made.
    func record(
        _ request: ServerRequest, _ response: ServerResponse, id: String, trace: String?, time: Duration
    ) {
        let level = level(of: request, response)
        guard settings.isEnabled, logger.logLevel <= level else { return }
        var metadata: Logger.Metadata = [
            "request": .string(id), "method": .string(request.method.rawValue),
            "path": .string(path(of: request)), "status": .stringConvertible(response.status),
            "bytes": .stringConvertible(response.body.count),
            "ms": .stringConvertible((time.seconds * 1e6).rounded() / 1e3),
        ]
        if let trace { metadata["trace"] = .string(trace) }
        if let cacheLevel = response.headers[.cacheLevel] { metadata["cache"] = .string(cacheLevel) }
        if let client = client(of: request) { metadata["client"] = .string(client) }
        if let failure = response.failure {
            metadata["reason"] = .string(failure.reason)
            metadata["error"] = .string(LoaderInstrumentation.redacted(failure.logText))
        } else if response.status >= 400 {
            metadata["reason"] = "request"
            metadata["error"] = .string(String(decoding: response.body, as: UTF8.self).trimmed)
        }
        logger.log(level: level, "request", metadata: metadata)
    }

    /// Writes the line of a request that can't be parsed, and was answered with status 400.
    func recordMalformed(_ error: String, client: String?) {
        guard settings.isEnabled else { return }
        var metadata: Logger.Metadata = ["status": "400", "reason": "request", "error": .string(error)]
        if let client { metadata["client"] = .string(client) }
        logger.info("request", metadata: metadata)
    }

    /// Requests of load balancers and of Prometheus are written at the level `debug`.
    private func level(of request: ServerRequest, _ response: ServerResponse) -> Logger.Level {
        if response.status >= 500, response.failure != nil { return .warning }
        return request.isHealthCheck || request.path == "/metrics" ? .debug : .info
    }

    private func path(of request: ServerRequest) -> String {
        let key = String(request.path)
        if let known = paths.value(for: key) { return known }
        let text = LoggedPath.text(request.path)
        paths.insert(text, cost: key.utf8.count + text.utf8.count, for: key)
        return text
    }

    private func client(of request: ServerRequest) -> String? {
        guard settings.trustedProxies > 0, let field = request.headers[.forwardedFor] else { return request.client }
        let addresses = field.split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
        let address = addresses.suffix(settings.trustedProxies).first
        return address.map { String($0.prefix(64)) } ?? request.client
    }
}

extension HTTPField.Name {
    static let forwardedFor = HTTPField.Name("X-Forwarded-For") ?? .via
}

/// Paths in logs, without what their readers must not learn.
enum LoggedPath {
    /// Returns a path without its signature, and without the credentials and the query of its source.
    ///
    /// A source in Base64 is written as a plain one, and the URL of a watermark not at all. What may be a secret is `…`.
    static func text(_ path: Substring) -> String {
        if ServerRequest.healthPaths.contains(path) { return String(path) }
        var segments = path.prefix(8_192).split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var shown: [String] = []
        if let first = segments.first, ["info", "purge"].contains(first) {
            shown.append(String(first))
            segments.removeFirst()
        }
        if shown != ["purge"], segments.count > 1 {
            shown.append("_")
            segments.removeFirst()
        }
        let restored = RestoredPath.candidates(for: "/\(segments.joined(separator: "/"))"[...])[0]
        shown += optionsAndSource(restored.split(separator: "/", omittingEmptySubsequences: false).dropFirst())
        return String(shown.reduce(into: "") { $0 += "/\($1)" }.prefix(1_000))
    }

    private static func optionsAndSource(_ segments: ArraySlice<Substring>) -> [String] {
        // Base64 has no colons.
        let start = segments.firstIndex(of: "plain") ?? segments.lastIndex { $0.contains(":") }.map { $0 + 1 }
        let options = segments[..<(start ?? segments.startIndex)]
        let rest = segments.dropFirst(options.count)
        let isBasic = rest.first.flatMap { ProcessingOptions.ResizingType(rawValue: String($0)) } != nil
        // Options without colons are the five of the basic format, or presets in one segment.
        for count in isBasic ? [5] : [0, 1] {
            guard let source = source(rest.dropFirst(count)) else { continue }
            return (options + rest.prefix(count)).map(option) + [source]
        }
        return options.map(option) + (rest.joined().utf8.count < shortest ? rest.map(option) : ["…"])
    }

    /// The bytes of the shortest text that may be a source in Base64 or a signature.
    private static let shortest = 16

    /// Returns an option, or `…` for what may be a signature or a part of a URL.
    private static func option(_ segment: Substring) -> String {
        let name = segment.prefix { $0 != ":" }
        let isSignature = name == segment && name.utf8.count >= shortest
        if isSignature || segment.contains(where: { $0 == "@" || $0 == "%" }) { return "…" }
        // Those of imgproxy that this server doesn't have, too.
        let isURL = ["watermark_url", "wmu", "fallback_image_url", "fiu"].contains(name)
        return isURL ? name + ":…" : String(segment)
    }

    /// Returns a plain source or one in Base64; nil if the text is neither.
    private static func source(_ segments: ArraySlice<Substring>) -> String? {
        if segments.first == "plain" {
            let text = segments.dropFirst().joined(separator: "/")
            let ascii = Array(text.utf8).percentDecoded { $0 < 0x80 }
            return "plain/" + shown(text.percentDecoded ?? String(decoding: ascii, as: UTF8.self))
        }
        let parts = segments.joined().split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0].utf8.count >= shortest, let bytes = Base64URL.decode(parts[0]),
            let text = String(bytes: bytes, encoding: .utf8)
        else { return nil }
        return "plain/" + shown(text) + (parts.count > 1 ? "@" + option(parts[1]) : "")
    }

    /// Returns the text of a URL, which is one even if it has spaces.
    private static func shown(_ text: String) -> String {
        // Credentials need no slashes before them: `http:user@host` is a URL.
        if let url = URL(webAddress: text), url.user() != nil { return LoaderInstrumentation.redacted(url) }
        return LoaderInstrumentation.redacted(text.replacing(" ", with: "%20"))
    }
}
