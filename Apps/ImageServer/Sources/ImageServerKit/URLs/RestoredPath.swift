import Foundation

/// Undoes what proxies do to the path of a URL: they merge `//`, and encode `:`.
///
/// A signature is that of the path as the client wrote it. As imgproxy does, what a proxy changed is restored before
/// the signature is verified.
enum RestoredPath {
    /// Returns the paths that a client may have written, the most likely one first. Each begins with a slash.
    ///
    /// - Parameter path: What follows the signature, from its leading slash.
    static func candidates(for path: Substring) -> [String] {
        let (options, source) = split(path)
        let colons = options.map { $0.contains(":") ? String($0) : $0.withColons }.joined(separator: "/")
        guard let source else { return [colons] }
        // A proxy that encodes colons does so in the whole source, too.
        let sources = [withBothSlashes(String(source)), withBothSlashes(source.withColons)]
        return Set(sources).count == 1 ? [colons + sources[0]] : sources.map { colons + $0 }
    }

    /// Returns the segments before the source, and a plain source after them, with its slash.
    private static func split(_ path: Substring) -> (options: [Substring], source: Substring?) {
        guard let plain = path.firstRange(of: "/plain/") else { return (segments(path), nil) }
        let (options, source) = (path[..<plain.upperBound].dropLast(), path[plain.upperBound...])
        return (segments(options), source)
    }

    private static func segments(_ path: Substring) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }

    /// Returns a source with the slashes after its scheme: `http:/host` becomes `http://host`, and `file:/folder`
    /// becomes `file:///folder`. The result begins with the slash before the source.
    private static func withBothSlashes(_ source: String) -> String {
        let scheme = source.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let rest = source.dropFirst(scheme.count)
        let separator = [":", "%3A", "%3a"].first { rest.hasPrefix($0 + "/") }
        guard !scheme.isEmpty, let separator else { return "/" + source }
        let path = rest.dropFirst(separator.count).drop { $0 == "/" }
        let count = rest.dropFirst(separator.count).prefix { $0 == "/" }.count
        let isFile = ["file", "local"].contains(scheme.lowercased())
        // Two slashes before a host that is named are as they were.
        let slashes = count == 1 ? (isFile ? "///" : "//") : String(repeating: "/", count: count)
        return "/\(scheme):\(slashes)\(path)"
    }
}

extension StringProtocol {
    /// The text with its encoded colons decoded.
    fileprivate var withColons: String { String(self).replacing("%3A", with: ":").replacing("%3a", with: ":") }
}
