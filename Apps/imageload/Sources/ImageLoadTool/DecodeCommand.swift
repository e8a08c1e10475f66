import ArgumentParser
import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit

struct DecodeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decode", abstract: "Decode a file and tell what is in it.")

    @Argument(help: "The file.")
    var file: String

    @OptionGroup var options: TargetOptions

    @Option(help: "The frame of an animation, from 0.")
    var frame = 0

    @Flag(help: "Decode the small image that a camera put into the file.")
    var thumbnail = false

    @Flag(help: "Of a file that ends too early, take what is there.")
    var acceptTruncated = false

    @Option(help: "Write the pixels to this file: straight RGBA, 8 bits a channel, sRGB.")
    var raw: String?

    @Flag(help: "One JSON object on standard output.")
    var json = false

    func validate() throws {
        guard frame >= 0 else { throw ValidationError("--frame counts from 0") }
    }

    func run() async throws {
        let decoder = ImageDecoders.makeDecoder()
        let data = try thumbnailOrAll(of: try await FileAccess.read(file), decoder)
        let request = DecodingRequest(target: options.target, frame: frame, acceptsTruncated: acceptTruncated)
        let image: DecodedImage
        do throws(DecodingFailure) {
            image = try decoder.decode(data, request: request) { false }
        } catch {
            throw Refusal(error, subject: file)
        }
        if let raw { try RawFile.write(image.bitmap.pixels, to: raw) }
        let report = DecodeReport(image)
        Console.output(json ? try report.json() : report.line)
    }

    private func thumbnailOrAll(of data: Data, _ decoder: DownsamplingDecoder) throws(Refusal) -> Data {
        guard thumbnail else { return data }
        let found: Data?
        do {
            found = try decoder.embeddedThumbnail(of: data)
        } catch {
            throw Refusal(error, subject: file)
        }
        guard let found else {
            throw Refusal(status: .noInput, line: "\(file): holds no embedded thumbnail. Leave --thumbnail out.")
        }
        return found
    }
}

/// Raw pixels go to the file as they lie in memory: a copy of a large image would double its cost.
enum RawFile {
    static func write(_ pixels: [UInt8], to path: String) throws(Refusal) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw refusal(path) }
        var offset = 0
        while offset < pixels.count {
            let written = unsafe pixels.withUnsafeBytes { bytes in
                unsafe Foundation.write(descriptor, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
            }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                let refusal = refusal(path)
                close(descriptor)
                throw refusal
            }
            offset += written
        }
        guard close(descriptor) == 0 else { throw refusal(path) }
    }

    private static func refusal(_ path: String) -> Refusal {
        let reason = unsafe String(cString: strerror(errno))
        return Refusal(
            status: .inputOutput, line: "\(path): can't write (\(reason)). Check the folder and the free space.")
    }
}

/// What `decode` tells of an image.
struct DecodeReport: Encodable {
    var format: String
    var width: Int
    var height: Int
    var frames: Int
    /// Milliseconds each frame stays; empty for a still image.
    var delays: [Int]
    /// 0 is for ever.
    var loopCount: Int
    var orientation: Int
    var hasAlpha: Bool
    var icc: Bool
    /// Only when not all of the image is there.
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
        completeness = image.completeness == .complete ? nil : image.completeness.rawValue
    }

    /// One line for people.
    var line: String {
        var parts = ["\(format) \(width)x\(height)"]
        if frames > 1 {
            parts.append(
                "\(frames) frames in \(delays.reduce(0, +)) ms, \(loopCount == 0 ? "for ever" : "\(loopCount) times")")
        }
        if orientation != 1 { parts.append("orientation \(orientation), applied") }
        parts.append(hasAlpha ? "alpha" : "opaque")
        if icc { parts.append("colour profile") }
        if let completeness { parts.append(completeness) }
        return parts.joined(separator: ", ")
    }
}
