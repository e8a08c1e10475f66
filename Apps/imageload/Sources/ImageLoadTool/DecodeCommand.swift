import ArgumentParser
import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit

struct DecodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode a file and describe its contents.", shouldDisplay: false)

    @Argument(help: "The file.")
    var file: String

    @OptionGroup var options: TargetOptions

    @Option(help: "The frame of an animation. The first is 0.")
    var frame = 0

    @Flag(help: "Decode the thumbnail that a camera embedded in the file.")
    var thumbnail = false

    @Flag(help: "Decode as much as possible of a truncated file.")
    var acceptTruncated = false

    @Option(help: "Write the pixels to this file: straight RGBA, 8 bits per channel.")
    var raw: String?

    @Flag(help: "Print a JSON object to standard output.")
    var json = false

    func validate() throws {
        guard frame >= 0 else { throw ValidationError("--frame must not be negative") }
    }

    /// A corpus of images expects that this probe refuses other formats.
    private static let decoders = [any ImageDecoder].all.filter { ![.bmp, .ico, .tiff, .svg].contains($0.format) }

    func run() async throws {
        let decoder = DownsamplingDecoder.standard(Self.decoders, limits: options.limits)
        let data = try thumbnailOrAll(of: try await FileAccess.read(file), decoder)
        var request = options.request
        request.frame = frame
        request.acceptsTruncated = acceptTruncated
        let image = try ToolFailure.naming(file) {
            try decoder.tellingSize(of: data) { try decoder.decode(data, request: request) }
        }
        if let raw { try await FileAccess.writeRaw(image.bitmap.pixels, to: raw) }
        let report = DecodeReport(image)
        Console.output(json ? try report.json() : report.line)
    }

    private func thumbnailOrAll(of data: Data, _ decoder: DownsamplingDecoder) throws(ToolFailure) -> Data {
        guard thumbnail else { return data }
        let found = try ToolFailure.naming(file) { () throws(ImageDecodingError) in
            try decoder.embeddedThumbnail(of: data)
        }
        guard let found else {
            throw ToolFailure(status: .noInput, line: "\(file): has no embedded thumbnail. Omit --thumbnail.")
        }
        return found
    }
}

/// The result of `decode`.
struct DecodeReport: Encodable {
    var format: String
    var width: Int
    var height: Int
    var frames: Int
    /// The duration of each frame in milliseconds. Empty for a still image.
    var delays: [Int]
    /// The number of times the animation plays. 0 means forever.
    var loopCount: Int
    var orientation: Int
    var hasAlpha: Bool
    var icc: Bool
    /// The color space of the pixels.
    var color: String
    /// The color of the file.
    var sourceColor: String
    /// Whether the file has a gain map for HDR displays, which is not applied.
    var gainMap: Bool
    /// Nil if the image is complete.
    var completeness: String?

    init(_ image: DecodedImage) {
        let header = image.header
        format = header.format.rawValue
        width = image.bitmap.size.width
        height = image.bitmap.size.height
        frames = header.frameCount
        delays = header.frameDelays.map { Int($0 / .milliseconds(1)) }
        loopCount = header.loopCount
        orientation = header.orientation.rawValue
        hasAlpha = header.hasAlpha
        icc = header.colorProfile != nil
        color = image.bitmap.colorSpace.rawValue
        sourceColor = header.color.name
        gainMap = image.header.hasGainMap
        completeness = image.completeness == .complete ? nil : image.completeness.rawValue
    }

    /// A human-readable line.
    var line: String {
        var parts = ["\(format) \(width)x\(height)"]
        if frames > 1 {
            parts.append(
                "\(frames) frames in \(delays.reduce(0, +)) ms, \(loopCount == 0 ? "forever" : "\(loopCount) times")")
        }
        if orientation != 1 { parts.append("orientation \(orientation), applied") }
        parts.append(hasAlpha ? "alpha" : "opaque")
        if sourceColor != "sRGB" { parts.append("\(sourceColor), decoded to \(color)") }
        if gainMap { parts.append("gain map") }
        if let completeness { parts.append(completeness) }
        return parts.joined(separator: ", ")
    }
}
