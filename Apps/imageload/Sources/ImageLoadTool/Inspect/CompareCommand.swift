import AllFormats
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
            the largest difference is white.

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
        let decoder = ImageDecoders.makeDecoder(.all, limits: limits.limits)
        let (left, right) = (try await bitmap(first, decoder), try await bitmap(second, decoder))
        guard left.size == right.size else {
            throw ToolFailure(
                status: .usage,
                line: "the sizes differ: \(left.size) and \(right.size). Bring one to the other with convert --size.")
        }
        let similarity = Similarity(left, right)
        if let output {
            try await FileAccess.writePNG(left.difference(from: right, similarity), to: URL(fileURLWithPath: output))
        }
        try printing.print(ComparisonReport(similarity), text: similarity.text)
    }

    private func bitmap(_ file: String, _ decoder: DownsamplingDecoder) async throws -> Bitmap {
        let data = try await FileAccess.read(file)
        return try ToolFailure.naming(file) { () throws(DecodingFailure) in
            try decoder.decode(data, request: DecodingRequest()) { false }.bitmap
        }
    }
}

/// What `compare --json` prints.
struct ComparisonReport: Encodable {
    var ssim: Double
    /// Nil if the images are equal, because JSON has no infinity.
    var psnr: Double?
    var maximum: Int
    var differingPixels: Int
    var isEqual: Bool

    init(_ similarity: Similarity) {
        ssim = similarity.ssim
        psnr = similarity.psnr.isFinite ? similarity.psnr : nil
        maximum = similarity.maximum
        differingPixels = similarity.differingPixels
        isEqual = similarity.differingPixels == 0
    }
}

extension Similarity {
    /// A human-readable line.
    var text: String {
        if differingPixels == 0 { return "equal" }
        return String(format: "SSIM %.5f, PSNR %.2f dB, ", ssim, psnr)
            + "largest difference \(maximum), \(differingPixels) pixels differ"
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
