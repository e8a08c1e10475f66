import ArgumentParser
import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit

struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare", abstract: "Measure how much two images differ.",
        discussion: """
            Compares the upright images in sRGB. SSIM is the mean structural similarity of luma, from 1 for equal \
            images downward, with Gaussian windows of 11 by 11 pixels. PSNR is in decibels over red, green and blue. \
            With --output, writes a PNG of the differences: black where the images are equal, and amplified so that \
            the largest difference is white. Animations are compared in all frames, delays and repetitions: the least \
            similar frame counts, and the PNG is of the first frame that differs. The exit code is 1 for differences.

            EXAMPLES
              imageload compare original.png small.webp
              imageload compare a.jpg b.jpg --output difference.png --json
            """)

    @Argument(help: "The first image.", completion: .file())
    var first: String

    @Argument(help: "The second image, of the same size.", completion: .file())
    var second: String

    @Option(name: [.short, .long], help: "The PNG file of the differences.", completion: .file())
    var output: String?

    @OptionGroup var limits: LimitOptions
    @OptionGroup var printing: OutputOptions

    func validate() throws {
        if let output { try OutputFormat.checkName(output, in: [.png]) }
    }

    func run() async throws {
        let decoder = DownsamplingDecoder.standard(.all, limits: limits.limits)
        let (left, right) = (try await reader(first, decoder), try await reader(second, decoder))
        guard left.header.size == right.header.size else {
            throw ToolFailure(
                status: .usage,
                line: "the sizes differ: \(left.header.size) and \(right.header.size). "
                    + "Bring one to the other with convert --size.")
        }
        var report = ComparisonReport(left.header, right.header)
        var difference: Bitmap?
        for index in 0..<min(left.header.frameCount, right.header.frameCount) {
            let (frame, other) = (try bitmap(index, of: left, first), try bitmap(index, of: right, second))
            let similarity = Similarity(frame, other)
            let isFirst = report.firstDifferentFrame == nil && similarity.differingPixels > 0
            if output != nil, isFirst || index == 0 { difference = frame.difference(from: other, similarity) }
            report.add(similarity, frame: index)
        }
        if let output, let difference {
            try await FileAccess.writePNG(difference, to: URL(fileURLWithPath: output))
        }
        try printing.print(report, text: report.text)
        if !report.isEqual { throw ExitCode(1) }
    }

    private func reader(_ file: String, _ decoder: DownsamplingDecoder) async throws -> any FrameReader {
        let data = try await FileAccess.read(file)
        return try ToolFailure.naming(file) { () throws(ImageDecodingError) in try decoder.makeFrameReader(of: data) }
    }

    private func bitmap(_ frame: Int, of reader: any FrameReader, _ file: String) throws -> Bitmap {
        try ToolFailure.naming(file) { () throws(ImageDecodingError) in try reader.frame(at: frame) }
    }
}

/// What `compare` prints. Of several frames, the least similar ones count.
struct ComparisonReport: Encodable {
    var ssim = 1.0
    /// Nil if the images are equal, because JSON has no infinity.
    var psnr: Double?
    var maximum = 0
    var differingPixels = 0
    var isEqual: Bool
    /// The number of frames that were compared.
    var frames: Int
    /// From 0.
    var firstDifferentFrame: Int?
    /// How the animations differ apart from their pixels.
    var differences: [String] = []

    init(_ left: ImageHeader, _ right: ImageHeader) {
        frames = min(left.frameCount, right.frameCount)
        if left.frameCount != right.frameCount {
            differences.append("\(left.frameCount) and \(right.frameCount) frames")
        } else if left.frameDelays != right.frameDelays {
            differences.append("other delays")
        }
        if left.loopCount != right.loopCount, max(left.frameCount, right.frameCount) > 1 {
            let counts = [left, right].map { $0.loopCount == 0 ? "forever" : "\($0.loopCount) times" }
            differences.append("played \(counts[0]) and \(counts[1])")
        }
        isEqual = differences.isEmpty
    }

    mutating func add(_ similarity: Similarity, frame: Int) {
        ssim = min(ssim, similarity.ssim)
        maximum = max(maximum, similarity.maximum)
        differingPixels += similarity.differingPixels
        if similarity.psnr.isFinite { psnr = min(psnr ?? .infinity, similarity.psnr) }
        guard similarity.differingPixels > 0 else { return }
        isEqual = false
        firstDifferentFrame = firstDifferentFrame ?? frame
    }

    /// A human-readable line.
    var text: String {
        if isEqual { return "equal" }
        guard let firstDifferentFrame else { return "equal frames; " + differences.joined(separator: ", ") }
        let pixels =
            String(format: "SSIM %.5f, PSNR %.2f dB, ", ssim, psnr ?? .infinity)
            + "largest difference \(maximum), \(differingPixels) pixels differ"
        let frame = frames > 1 ? ["first in frame \(firstDifferentFrame) of 0 to \(frames - 1)"] : []
        return ([pixels] + frame + differences).joined(separator: ", ")
    }
}

extension Bitmap {
    /// Returns the differences of red, green and blue, amplified to the full range. Differences of alpha are added.
    func difference(from other: Bitmap, _ similarity: Similarity) -> Bitmap {
        let (left, right) = (pixels, other.pixels)
        let scale = max(1, similarity.maximum)
        var result = [UInt8](repeating: 255, count: left.count)
        for start in stride(from: 0, to: left.count, by: 4) {
            let alpha = abs(Int(left[start + 3]) - Int(right[start + 3]))
            for index in start..<start + 3 {
                let difference = max(alpha, abs(Int(left[index]) - Int(right[index])))
                result[index] = UInt8(difference * 255 / scale)
            }
        }
        return Bitmap(size: size, pixels: result, isOpaque: true)
    }
}
