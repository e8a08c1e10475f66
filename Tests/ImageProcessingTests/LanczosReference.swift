import Foundation
import ImageCore

/// The source, region and output of a resampling.
struct Geometry: CustomStringConvertible {
    var source: PixelSize
    var region: PixelRegion
    var output: PixelSize

    init(_ source: (Int, Int), to output: (Int, Int), region: PixelRegion? = nil) {
        self.source = PixelSize(width: source.0, height: source.1)
        self.output = PixelSize(width: output.0, height: output.1)
        self.region = region ?? PixelRegion(self.source)
    }

    var description: String { "\(source) to \(output) from \(region.x), \(region.y)" }
}

/// A straightforward three-lobed Lanczos filter: both axes at once, in double precision, on the whole image.
enum LanczosReference {
    static func resample(_ pixels: [UInt8], _ geometry: Geometry) -> [UInt8] {
        let (source, region, output) = (geometry.source, geometry.region, geometry.output)
        let columns = (0..<output.width).map {
            weights($0, start: region.x, step: region.width / Double(output.width), count: source.width)
        }
        let lines = (0..<output.height).map {
            weights($0, start: region.y, step: region.height / Double(output.height), count: source.height)
        }
        return lines.flatMap { line in
            columns.flatMap { column in pixel(pixels, width: source.width, line: line, column: column) }
        }
    }

    private static func pixel(_ pixels: [UInt8], width: Int, line: [Double], column: [Double]) -> [UInt8] {
        var sums = [0.0, 0.0, 0.0, 0.0]
        for y in line.indices where line[y] != 0 {
            for x in column.indices where column[x] != 0 {
                let start = (y * width + x) * 4
                let alpha = line[y] * column[x] * Double(pixels[start + 3])
                for channel in 0..<3 { sums[channel] += alpha * Double(pixels[start + channel]) }
                sums[3] += alpha
            }
        }
        guard sums[3] >= 0.5 else { return [0, 0, 0, 0] }
        return [sums[0] / sums[3], sums[1] / sums[3], sums[2] / sums[3], sums[3]].map {
            UInt8(max(0, min(255, $0.rounded())))
        }
    }

    private static func weights(_ index: Int, start: Double, step: Double, count: Int) -> [Double] {
        let stretch = max(1, step)
        let center = start + (Double(index) + 0.5) * step
        let values = (0..<count).map { sample in
            let x = (Double(sample) + 0.5 - center) / stretch * Double.pi
            if x == 0 { return 1.0 }
            return abs(x) >= 3 * Double.pi ? 0 : 3 * sin(x) * sin(x / 3) / (x * x)
        }
        let sum = values.reduce(0, +)
        return values.map { $0 / sum }
    }
}
