import CImageCodecJPEG
import Foundation
import GeneratedImages
import ImageCodecJPEG
import ImageCore
import ImageTesting

/// A 160 by 112 image with details of all sizes.
let landscape: Bitmap = {
    let size = PixelSize(width: 160, height: 112)
    var random = SeededRandom(seed: 7)
    var pixels: [UInt8] = []
    for y in 0..<size.height {
        for x in 0..<size.width {
            let waves = 40 * sin(Double(x * x) / 300) + 40 * cos(Double(x * y) / 500)
            let noise = Double(Int.random(in: -12...12, using: &random))
            pixels += [waves + noise, waves, noise - waves].map { UInt8(128 + $0) } + [255]
        }
    }
    return Bitmap(size: size, pixels: pixels, isOpaque: true)
}()

func landscapeFile(quality: Double = 0.95, progressive: Bool) throws -> Data {
    try JPEGEncoder().encode(landscape, options: EncodingOptions(quality: quality, isProgressive: progressive))
}

/// Encodes `landscape` with arithmetic coding, which `JPEGEncoder` does not support.
func arithmeticFile(progressive: Bool) -> Data {
    let writer = unsafe ilj_writer_create()
    defer { unsafe ilj_writer_destroy(writer) }
    var options = unsafe ilj_writer_options()
    unsafe options.width = Int32(landscape.size.width)
    unsafe options.height = Int32(landscape.size.height)
    unsafe options.quality = 95
    unsafe options.is_progressive = progressive
    unsafe options.is_arithmetic = true
    var bytes: UnsafePointer<UInt8>?
    var count = 0
    unsafe ilj_writer_start(writer, options)
    unsafe landscape.pixels.withUnsafeBufferPointer {
        _ = unsafe ilj_writer_write_rows(writer, $0.baseAddress, CInt(landscape.size.height))
    }
    unsafe ilj_writer_finish(writer, &bytes, &count)
    return unsafe Data(UnsafeBufferPointer(start: bytes, count: count))
}

/// Returns the offset of each scan's header marker and the range of its entropy-coded data.
func scans(of file: Data) -> [(start: Int, data: Range<Int>)] {
    let bytes = [UInt8](file)
    var found: [(start: Int, data: Range<Int>)] = []
    for index in bytes.indices.dropLast() where bytes[index] == 0xFF {
        switch bytes[index + 1] {
        case 0x00, 0xFF, 0xD0...0xD7: continue
        case let code:
            if let last = found.last, last.data.isEmpty {
                found[found.count - 1].data = last.data.lowerBound..<index
            }
            if code != 0xDA { continue }
            let data = index + 2 + Int(bytes[index + 2]) * 256 + Int(bytes[index + 3])
            found.append((index, data..<data))
        }
    }
    return found
}

/// Returns the size of `landscape` at 1/`denominator`.
func landscapeSize(_ denominator: Int) -> PixelSize {
    PixelSize(width: 160 / denominator, height: 112 / denominator)
}

/// Decodes `data`, a file of `landscape`, and returns the delivered rows, and the error that ended decoding.
func rows(
    of data: Data, denominator: Int = 1, preference: DecodingPreference = .quality, limits: DecodingLimits = .default
) throws -> (rows: [[UInt8]], failure: ImageDecodingError?) {
    jpeg.rows(data, size: landscapeSize(denominator), preference: preference, limits: limits)
}

/// Returns the signal-to-noise ratio in decibels; infinity for equal images.
func signalToNoise(_ left: [[UInt8]], _ right: [[UInt8]]) -> Double {
    Array(left.joined()).signalToNoise(to: Array(right.joined()))
}

func lumas(_ rows: [[UInt8]]) -> [[UInt8]] {
    func luma(_ row: [UInt8], at start: Int) -> UInt8 {
        let sum = 77 * Int(row[start]) + 150 * Int(row[start + 1]) + 29 * Int(row[start + 2])
        return UInt8(sum >> 8)
    }
    return rows.map { row in stride(from: 0, to: row.count, by: 4).map { luma(row, at: $0) } }
}
