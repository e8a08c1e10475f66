public import ImageCore

/// The formats that a client accepts beyond JPEG, PNG and GIF (RFC 9110, section 12.5.1).
///
/// Only types that are named count. `image/*` and `*/*` don't: old browsers send them without decoding newer formats.
public struct AcceptedFormats: Hashable, Sendable {
    /// The accepted formats that have an encoder, best compression first.
    public let formats: [ImageFormat]

    /// The formats that can be chosen, best compression first.
    private static let candidates = OutputFormats.all.filter { ["avif", "webp"].contains($0.format.rawValue) }
        .sorted { $0.format.rawValue < $1.format.rawValue }

    /// - Parameter accept: The value of the Accept field; nil if there is none.
    public init(accept: String?) {
        let refused = Self.ranges(accept ?? "").filter { $0.quality <= 0 }.map(\.type)
        let named = Self.ranges(accept ?? "").map(\.type)
        formats = Self.candidates.filter { named.contains($0.mediaType) && !refused.contains($0.mediaType) }
            .map(\.format)
    }

    /// The accepted formats as a part of a cache key.
    public var cacheKey: String { formats.map(\.rawValue).joined(separator: ",") }

    /// Returns the format of a result.
    ///
    /// - Parameters:
    ///   - header: The header of the source.
    ///   - isAnimated: Whether all frames are delivered.
    public func format(for header: ImageHeader, isAnimated: Bool) -> ImageFormat {
        let usable = formats.filter { !isAnimated || OutputFormats.output(for: $0)?.isAnimated == true }
        if let best = usable.first { return best }
        switch header.format {
        case .gif: return .gif
        case .png: return .png
        case .jpeg: return .jpeg
        default: return isAnimated ? .gif : header.hasAlpha ? .png : .jpeg
        }
    }

    private static func ranges(_ text: String) -> [(type: String, quality: Double)] {
        text.split(separator: ",").map { range in
            let parts = range.split(separator: ";").map(\.trimmed)
            let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }?.dropFirst(2)
            return (parts.first?.lowercased() ?? "", weight.map { Double($0) ?? 0 } ?? 1)
        }
    }
}
