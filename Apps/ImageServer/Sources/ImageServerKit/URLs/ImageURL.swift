import Foundation
import ImageCore

/// A parsed path in imgproxy's format: options and the URL of the source.
///
/// - `/{signature}/{options}/plain/{source}@{extension}`, with a source in percent-encoding;
/// - `/{signature}/{options}/{source}.{extension}`, with a source in URL-safe Base64, which may contain slashes;
/// - `/{signature}/{type}/{width}/{height}/{gravity}/{enlarge}/{source}`, the basic format of imgproxy 2.
struct ImageURL: Hashable, Sendable {
    /// The options, without those of the delivery if two URLs differ only in them.
    var options: ProcessingOptions
    var source: URL
    /// The key of the options without hints of a client, by which results for all clients are purged; nil if it is that
    /// of `options`.
    var unhintedKey: String?
}

/// What URLs may have in place of the options that they ask for.
struct OptionRules: Hashable, Sendable {
    /// Whether the segment before the source has names of presets, such as `small:sharp`.
    var onlyPresets = false
    /// The names of the options that URLs may have, as they are written there; nil for all. Presets may have others.
    var allowed: Set<String>?
}

/// Parses and verifies the paths of image URLs.
struct ImageURLParser: Sendable {
    /// Verifies the paths; nil to accept any text in place of a signature.
    let signature: URLSignature?
    var presets = Presets()
    var base = SourceBase()
    /// The options that presets and URLs change.
    var options = ProcessingOptions()
    var rules = OptionRules()
    /// The length of the longest path in bytes.
    var maxByteCount = 8_192

    /// Parses a path.
    ///
    /// - Parameters:
    ///   - path: The path as it was received, still percent-encoded, without the query.
    ///   - hints: What the client says about itself, in place of defaults of options.
    ///   - now: The time with which `expires` is compared.
    func parse(_ path: some StringProtocol, hints: ClientHints = ClientHints(), now: Date) throws(URLFailure)
        -> ImageURL
    {
        guard path.utf8.count <= maxByteCount, path.hasPrefix("/") else { throw .missingSource }
        let rest = path.dropFirst()
        guard let slash = rest.firstIndex(of: "/") else { throw .missingSource }
        let written = try written(String(rest[slash...]), signature: rest[..<slash])
        var url = try parseSigned(written, hints)
        if hints.key != nil { url.unhintedKey = try parseSigned(written, ClientHints()).options.cacheKey }
        if url.options.expires > 0, Double(url.options.expires) < now.timeIntervalSince1970 {
            throw .expired(url.options.expires)
        }
        return url
    }

    /// Returns the source of a path that has neither a signature nor options, for example `/plain/http://host/a.jpg`.
    func source(of path: some StringProtocol) throws(URLFailure) -> URL {
        let restored = RestoredPath.candidates(for: Substring(path))[0]
        let segments = restored.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return try SourceText(segments).url(relativeTo: base)
    }

    /// Returns the path as the client wrote it and, if there is a key, signed it.
    private func written(_ path: String, signature given: some StringProtocol) throws(URLFailure) -> String {
        let restored = RestoredPath.candidates(for: path[...])
        guard let signature, !signature.trusts(given) else { return restored[0] }
        let written = [path] + restored
        // Raw UTF-8 arrives percent-encoded.
        let candidates = written + written.compactMap(\.withRawUTF8)
        guard let signed = candidates.first(where: { signature.verify(given, of: $0) }) else {
            throw .wrongSignature
        }
        return signed
    }

    private func parseSigned(_ path: String, _ hints: ClientHints) throws(URLFailure) -> ImageURL {
        var options = options
        hints.apply(to: &options)
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var parser = OptionParser(presets: presets, options: options)
        try parser.applyStandardPreset()
        let rest =
            try rules.onlyPresets
            ? apply(presetsIn: segments, to: &parser) : apply(optionsIn: segments, to: &parser)
        let source = try SourceText(rest)
        if let format = source.format { try parser.setFormat(format) }
        return ImageURL(options: parser.options, source: try source.url(relativeTo: base))
    }

    /// Applies the presets of the first segment, and returns the others.
    private func apply(
        presetsIn segments: ArraySlice<Substring>, to parser: inout OptionParser
    ) throws(URLFailure) -> ArraySlice<Substring> {
        guard let first = segments.first else { throw .missingSource }
        for name in first.split(separator: ":") { try parser.applyPreset(String(name)) }
        return segments.dropFirst()
    }

    /// Applies the options before the source, and returns the segments of the source.
    private func apply(
        optionsIn segments: ArraySlice<Substring>, to parser: inout OptionParser
    ) throws(URLFailure) -> ArraySlice<Substring> {
        var rest = segments
        if let first = rest.first, ProcessingOptions.ResizingType(rawValue: String(first)) != nil, rest.count > 5 {
            for name in ["rt", "w", "h", "g", "el"] { try check(name) }
            try parser.applyBasic(rest.prefix(5))
            rest = rest.dropFirst(5)
        }
        while let segment = rest.first, Self.isOption(segment) {
            try check(String(segment.prefix { $0 != ":" }))
            try parser.apply(segment)
            rest = rest.dropFirst()
        }
        return rest
    }

    /// Throws if URLs may not have an option.
    private func check(_ name: String) throws(URLFailure) {
        guard let allowed = rules.allowed, !allowed.contains(name) else { return }
        throw .unsupportedOption(name, "this server doesn't allow it")
    }

    /// Whether a segment is an option. Base64 and `plain` have no colon; a colon in a name can only be an option.
    private static func isOption(_ segment: Substring) -> Bool { segment.contains(":") }
}

/// What precedes sources that are no complete URLs.
struct SourceBase: Hashable, Sendable {
    /// A prefix for each source that doesn't begin with it; empty for none.
    var prefix = ""
    /// The folder of `local:` sources, as in imgproxy; nil for none.
    var folder: URL?
    /// What replaces the beginnings of sources before that, one after the other.
    var replacements: [SourceReplacement] = []

    /// Returns a complete URL as text.
    func complete(_ source: String) -> String {
        let source = replacements.reduce(source) { $1.applied(to: $0) }
        let text = source.utf8.starts(with: prefix.utf8) ? source : prefix + source
        guard let folder, text.lowercased().hasPrefix(Self.localScheme) else { return text }
        let path = text.dropFirst(Self.localScheme.count).drop { $0 == "/" }
        let start = folder.absoluteString
        return start + (start.hasSuffix("/") ? "" : "/") + path
    }

    private static let localScheme = "local://"
}

/// The part of a path from the source on.
struct SourceText {
    /// The extension, or nil if there is none.
    let format: Substring?
    private let text: String

    init(_ segments: ArraySlice<Substring>) throws(URLFailure) {
        guard let first = segments.first, !first.isEmpty else { throw .missingSource }
        if first == "enc" { throw .unsupportedOption("enc", "encrypted sources are not supported") }
        if first == "plain" {
            let joined = segments.dropFirst().joined(separator: "/")
            (text, format) = try Self.plain(joined)
        } else {
            (text, format) = try Self.encoded(segments.joined())
        }
        if text.isEmpty { throw .missingSource }
    }

    func url(relativeTo base: SourceBase) throws(URLFailure) -> URL { try Self.url(base.complete(text)) }

    /// Returns a complete URL that is in URL-safe Base64.
    static func url(inBase64 text: Substring) throws(URLFailure) -> URL {
        guard let bytes = Base64URL.decode(text) else { throw .malformedSource("not Base64") }
        return try url(Array(bytes).textOrEscapes)
    }

    private static func url(_ complete: String) throws(URLFailure) -> URL {
        guard !complete.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw .malformedSource("control characters must be percent-encoded")
        }
        // As browsers and the loader do: what is percent-encoded stays so, and what is not gets encoded.
        guard let url = URL(webAddress: complete) else {
            throw .malformedSource("not a complete URL")
        }
        return url
    }

    private static func plain(_ text: String) throws(URLFailure) -> (String, Substring?) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { throw .malformedSource("more than one @: encode it as %40") }
        guard let bytes = parts[0].percentDecodedBytes else { throw .malformedSource("a % without two digits") }
        return (bytes.textOrEscapes, parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil)
    }

    private static func encoded(_ text: String) throws(URLFailure) -> (String, Substring?) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { throw .malformedSource("more than one dot in Base64") }
        guard let bytes = Base64URL.decode(parts[0]) else {
            // What looks like neither is most likely a misspelled option.
            throw parts[0].count < 16 ? .unknownOption(String(parts[0])) : .malformedSource("not Base64")
        }
        return (Array(bytes).textOrEscapes, parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil)
    }
}

extension [UInt8] {
    /// Decodes the percent-encodings of some bytes. A `%` without two digits stays.
    func percentDecoded(where isDecoded: (UInt8) -> Bool = { _ in true }) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var index = 0
        while index < count {
            let byte = encodedByte(at: index).flatMap { isDecoded($0) ? $0 : nil }
            result.append(byte ?? self[index])
            index += byte == nil ? 1 : 3
        }
        return result
    }

    /// Returns the byte whose percent-encoding begins at an index; nil if none does.
    fileprivate func encodedByte(at index: Int) -> UInt8? {
        guard self[index] == UInt8(ascii: "%"), index + 2 < count else { return nil }
        return Hexadecimal.decode(String(decoding: self[index + 1...index + 2], as: UTF8.self))?.first
    }

    /// The bytes as UTF-8. If they are in another encoding, those that aren't ASCII are percent-encoded, as in URLs.
    fileprivate var textOrEscapes: String {
        if let text = String(bytes: self, encoding: .utf8) { return text }
        return percentEncoded { _ in true }
    }
}

extension String {
    /// The text with its percent-encoded UTF-8 as it is; nil if there is none beyond ASCII.
    fileprivate var withRawUTF8: String? {
        let bytes = Array(utf8).percentDecoded { $0 >= 0x80 }
        return bytes.count == utf8.count ? nil : String(bytes: bytes, encoding: .utf8)
    }
}

extension StringProtocol {
    /// The text without percent-encoding, or nil if a `%` is not followed by two digits or the bytes are not UTF-8.
    var percentDecoded: String? { percentDecodedBytes.flatMap { String(bytes: $0, encoding: .utf8) } }

    /// The bytes of the text without percent-encoding, or nil if a `%` is not followed by two digits.
    fileprivate var percentDecodedBytes: [UInt8]? {
        let bytes = Array(utf8)
        let isValid = bytes.indices.allSatisfy { bytes[$0] != UInt8(ascii: "%") || bytes.encodedByte(at: $0) != nil }
        return isValid ? bytes.percentDecoded() : nil
    }
}
