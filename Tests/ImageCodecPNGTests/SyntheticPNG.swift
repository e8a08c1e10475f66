import Foundation
import ImageTesting
import Testing

@testable import GeneratedImages

/// An image of noise in any color type and depth, with its encoded file and its expected pixels.
///
/// It shares no code with the decoder: samples are packed, filtered and interlaced as in the specification, and
/// converted to pixels one by one.
struct SyntheticPNG: CustomTestStringConvertible {
    var width: Int
    var height: Int
    var colorType: UInt8
    var depth: Int
    var isInterlaced = false
    var hasTransparency = false
    /// The filters of the rows, repeated.
    var filters: [UInt8] = [0, 1, 2, 3, 4]
    var seed: UInt64 = 1

    var testDescription: String {
        "\(width)x\(height) type \(colorType), \(depth) bits\(isInterlaced ? ", interlaced" : "")\(hasTransparency ? ", tRNS" : "")"
    }

    /// Every valid combination of color type and depth (PNG 3rd edition, table 9).
    static let combinations: [(colorType: UInt8, depth: Int)] = [
        (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (4, 16),
        (6, 8), (6, 16),
    ]

    var channels: Int {
        switch colorType {
        case 0, 3: 1
        case 2: 3
        case 4: 2
        case 6: 4
        default: 0
        }
    }

    /// Random samples. Half of them have one of three levels, so that the transparent color occurs several times.
    private var samples: [[Int]] {
        var random = SeededRandom(seed: seed)
        let (channels, highest) = (channels, (1 << depth) - 1)
        let levels = (0..<3).map { _ in Int.random(in: 0...highest, using: &random) }
        var samples: [[Int]] = []
        while samples.count < width * height {
            var sample: [Int] = []
            while sample.count < channels {
                let isLevel = Bool.random(using: &random)
                sample.append(
                    isLevel ? levels[Int.random(in: 0..<3, using: &random)] : .random(in: 0...highest, using: &random))
            }
            samples.append(sample)
        }
        return samples
    }

    private var paletteCount: Int { min(1 << depth, 200) }

    private func paletteColor(_ index: Int) -> [UInt8] {
        if index >= paletteCount { return [0, 0, 0] }
        return [UInt8(truncatingIfNeeded: index * 37 + 11), UInt8(truncatingIfNeeded: index * 91 + 5), UInt8(index)]
    }

    private func paletteAlpha(_ index: Int) -> UInt8 {
        hasTransparency && index < paletteCount / 2 + 1 ? UInt8(truncatingIfNeeded: index * 53) : 255
    }
}

extension SyntheticPNG {
    /// The encoded file.
    var raw: RawPNG {
        var file = RawPNG(
            width: width, height: height, depth: UInt8(depth), colorType: colorType, interlace: isInterlaced ? 1 : 0,
            scanlines: scanlines)
        if colorType == 3 { file.before.append(.init("PLTE", (0..<paletteCount).flatMap(paletteColor))) }
        if hasTransparency { file.before.append(.init("tRNS", transparency)) }
        return file
    }

    private var transparency: [UInt8] {
        if colorType == 3 { return (0..<paletteCount / 2 + 1).map(paletteAlpha) }
        return key(samples).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    /// Returns the transparent color: the sample of the middle pixel.
    private func key(_ samples: [[Int]]) -> [Int] { samples[width * height / 2] }

    /// The expected RGBA pixels.
    var pixels: [UInt8] {
        let samples = samples
        let key = hasTransparency ? key(samples) : nil
        return samples.reduce(into: []) { $0 += pixel($1, isTransparent: $1 == key) }
    }

    private func pixel(_ sample: [Int], isTransparent: Bool) -> [UInt8] {
        if colorType == 3 { return paletteColor(sample[0]) + [paletteAlpha(sample[0])] }
        let levels = sample.map(level)
        let alpha: UInt8 = isTransparent ? 0 : 255
        switch colorType {
        case 0: return [levels[0], levels[0], levels[0], alpha]
        case 2: return levels + [alpha]
        case 4: return [levels[0], levels[0], levels[0], levels[1]]
        default: return levels
        }
    }

    private func level(_ sample: Int) -> UInt8 {
        UInt8((Double(sample) * 255 / Double((1 << depth) - 1)).rounded())
    }
}

extension SyntheticPNG {
    /// The first column and row and the steps of each pass (PNG 3rd edition, 8.1).
    static let passes = [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]

    private var scanlines: [[UInt8]] {
        let samples = samples
        return (isInterlaced ? Self.passes : [(0, 0, 1, 1)]).flatMap { pass -> [[UInt8]] in
            let columns = Array(stride(from: pass.0, to: width, by: pass.2))
            let rows = columns.isEmpty ? [] : Array(stride(from: pass.1, to: height, by: pass.3))
            return filtered(rows.map { y in packed(columns.flatMap { samples[y * width + $0] }) })
        }
    }

    private func packed(_ samples: [Int]) -> [UInt8] {
        if depth == 16 { return samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } }
        let inByte = 8 / depth
        return stride(from: 0, to: samples.count, by: inByte).map { start in
            (0..<inByte).reduce(UInt8(0)) { byte, index in
                let sample = start + index < samples.count ? samples[start + index] : 0
                return byte << UInt8(truncatingIfNeeded: depth % 8) | UInt8(sample)
            }
        }
    }

    private func filtered(_ rows: [[UInt8]]) -> [[UInt8]] {
        rows.indices.map { index in
            let filter = filters[index % filters.count]
            let above = index == 0 ? [UInt8](repeating: 0, count: rows[index].count) : rows[index - 1]
            return [filter]
                + Self.filtered(rows[index], above: above, filter: filter, pixelBytes: max(1, channels * depth / 8))
        }
    }

    /// Filters a row (PNG 3rd edition, 9.2 to 9.4).
    private static func filtered(_ row: [UInt8], above: [UInt8], filter: UInt8, pixelBytes: Int) -> [UInt8] {
        row.indices.map { index in
            let left = index < pixelBytes ? 0 : Int(row[index - pixelBytes])
            let corner = index < pixelBytes ? 0 : Int(above[index - pixelBytes])
            let over = Int(above[index])
            let prediction =
                switch filter {
                case 1: left
                case 2: over
                case 3: (left + over) / 2
                case 4: nearest(left, over, corner)
                default: 0
                }
            return row[index] &- UInt8(prediction)
        }
    }

    /// Returns the Paeth predictor, computed as in the specification.
    private static func nearest(_ left: Int, _ over: Int, _ corner: Int) -> Int {
        let estimate = left + over - corner
        let distances = (abs(estimate - left), abs(estimate - over), abs(estimate - corner))
        if distances.0 <= distances.1, distances.0 <= distances.2 { return left }
        return distances.1 <= distances.2 ? over : corner
    }
}
