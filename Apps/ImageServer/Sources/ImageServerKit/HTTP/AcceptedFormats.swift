import ImageCore

/// The formats that a client accepts beyond JPEG, PNG and GIF (RFC 9110, section 12.5.1).
///
/// Only types that are named count. `image/*` and `*/*` don't: old browsers send them without decoding newer formats.
struct AcceptedFormats: Hashable, Sendable {
    /// The accepted formats that have an encoder and that the rules allow, best compression first.
    let formats: [ImageFormat]
    private let rules: FormatRules

    /// The formats that can be chosen, best compression first.
    private static let candidates: [ImageFormat] = [.jpegXL, .avif, .webP]

    init(accept: String?, rules: FormatRules = FormatRules()) {
        let ranges = MediaRanges(accept).all
        let refused = ranges.filter { $0.quality <= 0 }.map(\.type)
        let named = Set(ranges.map(\.type)).subtracting(refused)
        formats = Self.candidates.filter { format in
            (rules.automatic.contains(format) || rules.enforced.contains(format))
                && OutputFormats.output(for: format).map { named.contains($0.mediaType) } == true
        }
        self.rules = rules
    }

    /// Returns the formats that can be chosen for a URL, or else its own, as a part of a cache key.
    ///
    /// - Parameter wanted: The format of the URL; nil to choose one.
    func cacheKey(_ wanted: ImageFormat?) -> String {
        let usable = usable(wanted).map(\.rawValue).joined(separator: ",")
        return usable.isEmpty ? wanted?.rawValue ?? "accept:" : "accept:\(usable):\(wanted?.rawValue ?? "")"
    }

    /// Whether a result can be progressive, as far as that is known without the source.
    ///
    /// - Parameter wanted: The format of the URL; nil to choose one.
    func canBeProgressive(_ wanted: ImageFormat?) -> Bool {
        (usable(wanted).first ?? wanted).map(OutputFormats.progressive.contains) ?? true
    }

    /// Returns the accepted formats that can be chosen for a URL.
    private func usable(_ wanted: ImageFormat?) -> [ImageFormat] {
        formats.filter { wanted == nil || rules.enforced.contains($0) }
    }

    /// Returns the format of a result, or for an animation the formats of which the smallest file is sent, best compression
    /// first.
    ///
    /// - Parameters:
    ///   - wanted: The format of the URL; nil to choose one.
    ///   - isAnimated: Whether all frames are delivered.
    ///   - hasAlpha: Whether the result has transparency; nil if the source decides.
    func choices(
        wanted: ImageFormat? = nil, for header: ImageHeader, isAnimated: Bool, hasAlpha: Bool? = nil
    ) -> [ImageFormat] {
        let usable = usable(wanted)
        // Safari accepts JPEG XL, but shows only the first frame: https://bugs.webkit.org/show_bug.cgi?id=261915
        let playable = usable.filter { $0 != .jpegXL }
        if isAnimated, !playable.isEmpty { return playable }
        if let best = usable.first ?? wanted { return [best] }
        if rules.preferred.contains(header.format) { return [header.format] }
        // Every client plays GIF, and its files are smaller than those of PNG.
        if isAnimated, rules.preferred.contains(.gif) { return [.gif] }
        let suitable = rules.preferred.first { format in
            guard let output = OutputFormats.output(for: format) else { return false }
            return (!isAnimated || output.isAnimated) && (output.hasAlpha || !(hasAlpha ?? header.hasAlpha))
        }
        return [suitable ?? rules.preferred.first ?? OutputFormats.standard.format]
    }
}
