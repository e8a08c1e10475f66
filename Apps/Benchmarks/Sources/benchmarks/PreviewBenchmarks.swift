import Foundation
import ImageCodecJPEG
import ImageCodecJXL
import ImageCore
import ImageDecoding
import ImageLoaderKit

/// How soon and how well previews show photographs of 640 pixels that arrive: `benchmarks previews FILE…`.
enum PreviewBenchmarks {
    /// The means over all photographs.
    private struct Row {
        /// The size of the file.
        var bytes = 0.0
        /// The bytes until the first preview.
        var first = 0.0
        /// The likeness to the final image in dB (PSNR) of the first preview, and of the latest ones after a quarter and a
        /// half of the file.
        var likeness = [0.0, 0.0, 0.0]
    }

    static func run(_ files: [String]) throws -> Bool {
        let decoder = DownsamplingDecoder.standard(.all)
        let target = ImageTarget(PixelSize(width: 640, height: 640))
        let photographs = try files.map {
            try decoder.decode(try Data(contentsOf: URL(filePath: $0)), request: DecodingRequest(target: target)).bitmap
        }
        print("format, progressive: bytes, bytes until the first preview, its PSNR, PSNR after 1/4 and 1/2 of the file")
        for encoder in encoders {
            for isProgressive in [false, true] {
                let options = EncodingOptions(quality: 0.8, isProgressive: isProgressive)
                let rows = try photographs.map { try row(try encoder.encode($0, options: options), decoder) }
                func mean(_ value: (Row) -> Double) -> Double { rows.map(value).reduce(0, +) / Double(rows.count) }
                let likeness = (0..<3).map { index in String(format: "%.1f dB", mean { $0.likeness[index] }) }
                let bytes = [mean(\.bytes), mean(\.first)].map { String(format: "%.0f", $0) }
                print("\(encoder.format), \(isProgressive): \((bytes + likeness).joined(separator: ", "))")
            }
        }
        return !photographs.isEmpty
    }

    private static var encoders: [any ImageEncoder] {
        var encoders: [any ImageEncoder] = [JPEGEncoder()]
        #if JXL
            encoders.append(JXLEncoder(effort: 4))
        #endif
        return encoders
    }

    private static func row(_ file: Data, _ decoder: DownsamplingDecoder) throws -> Row {
        let final = try decoder.decode(file, request: DecodingRequest()).bitmap
        var row = Row(bytes: Double(file.count))
        let session = decoder.makeSession(request: DecodingRequest(), throttle: .unlimited)
        for start in stride(from: 0, to: file.count, by: 128) {
            let part = file.dropFirst(start).prefix(128)
            guard let preview = try session?.append(part, at: .zero, isCancelled: { false }) else { continue }
            let likeness = likeness(preview.bitmap, final)
            if row.first == 0 {
                row.first = Double(start + part.count)
                row.likeness[0] = likeness
            }
            for (index, share) in [(1, 4), (2, 2)] where start < file.count / share { row.likeness[index] = likeness }
        }
        return row
    }

    /// Compares red, green and blue. Those of missing rows are 0.
    private static func likeness(_ first: Bitmap, _ second: Bitmap) -> Double {
        let colors = zip(first.pixels, second.pixels).enumerated().lazy.filter { $0.offset % 4 != 3 }.map(\.element)
        let squares = colors.map { (Double($0) - Double($1)) * (Double($0) - Double($1)) }
        return 10 * log10(255 * 255 / max(1e-9, squares.reduce(0, +) / Double(first.size.area * 3)))
    }
}
