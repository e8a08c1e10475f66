import Foundation
import ImageCore

/// The result of loading one URL.
struct LoadReport: Sendable {
    var url: String
    var outcome: Result<OutputImage, ToolFailure>
    var elapsed: Duration

    /// The reported properties of a loaded image.
    struct OutputImage: Sendable {
        var source: ImageSource
        var format: ImageFormat
        var size: PixelSize
        var frames: Int
        /// The size of the encoded original in bytes. Nil if the image came from the memory cache.
        var bytes: Int?
    }

    var milliseconds: Double { elapsed / .milliseconds(1) }

    var failure: ToolFailure? {
        if case .failure(let failure) = outcome { failure } else { nil }
    }

    var image: OutputImage? { try? outcome.get() }

    /// A human-readable line with the source, properties and time. Nil for a failure, which `failure` describes.
    var line: String? {
        guard let image else { return nil }
        let columns = [
            image.source.rawValue.padded(9), image.format.rawValue.padded(4), "\(image.size)".padded(9),
            (image.bytes.map(ByteCount.text) ?? "-").padded(9), String(format: "%9.3f ms", milliseconds), url,
        ]
        return columns.joined(separator: "  ")
    }
}

extension LoadReport: Encodable {
    private enum CodingKeys: String, CodingKey {
        case url, status, source, format, width, height, frames, bytes, milliseconds, error
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(url, forKey: .url)
        try container.encode(image == nil ? "failed" : "ok", forKey: .status)
        try container.encode(image?.source.rawValue, forKey: .source)
        try container.encode(image?.format.rawValue, forKey: .format)
        try container.encode(image?.size.width, forKey: .width)
        try container.encode(image?.size.height, forKey: .height)
        try container.encode(image?.frames, forKey: .frames)
        try container.encode(image?.bytes, forKey: .bytes)
        try container.encode(elapsed.roundedMilliseconds, forKey: .milliseconds)
        try container.encode(failure?.line, forKey: .error)
    }
}

/// Summarizes the reports of a run by source.
struct LoadSummary {
    var reports: [LoadReport]
    var elapsed: Duration

    /// A human-readable line: `60 images in 1.20 s: network 58 (7.1 MB), failed 2`.
    var line: String {
        var parts = ImageSource.allCases.compactMap { source -> String? in
            let loaded = reports.compactMap(\.image).filter { $0.source == source }
            let bytes = loaded.compactMap(\.bytes).reduce(0, +)
            if loaded.isEmpty { return nil }
            return "\(source.rawValue) \(loaded.count)" + (bytes > 0 ? " (\(ByteCount.text(bytes)))" : "")
        }
        let failures = reports.count { $0.failure != nil }
        if failures > 0 { parts.append("failed \(failures)") }
        let images = reports.count == 1 ? "1 image" : "\(reports.count) images"
        return "\(images) in \(String(format: "%.2f", seconds)) s: " + parts.joined(separator: ", ")
    }

    private var seconds: Double { elapsed / .seconds(1) }
}

extension String {
    /// Returns the string, padded with trailing spaces to at least `width` characters.
    func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

    func leftPadded(_ width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}

extension Duration {
    /// Milliseconds, rounded to a microsecond to keep the JSON readable.
    var roundedMilliseconds: Double { (self / .microseconds(1)).rounded() / 1_000 }
}
