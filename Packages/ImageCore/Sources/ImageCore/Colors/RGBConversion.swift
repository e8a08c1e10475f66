/// Converts rows of pixels to RGBA8.
package protocol PixelConversion {
    /// Converts complete pixels to four bytes per pixel, for which `target` has space.
    func apply(_ pixels: Span<UInt8>, into target: inout MutableSpan<UInt8>)
}

/// Converts pixels of RGBA8 between RGB color spaces. Each channel is rounded to the nearest level.
struct RGBConversion: PixelConversion, Sendable {
    /// The light of each level.
    private let light: [Float]
    private let matrix: LightMatrix
    private let levels: [UInt8]
    /// The result for each level of a channel, if the primaries are the same.
    private let table: [UInt8]?

    /// Creates a conversion. Returns nil for HDR, for parameters that are not valid, and for primaries without an area.
    init?(from source: SourceColor, to space: ColorSpace) {
        matrix = LightMatrix(source.primaries.matrix(to: space.primaries))
        guard !source.isHDR, source.transfer.isValid, matrix.isFinite else { return nil }
        let light = (0..<256).map { source.transfer.light(of: Double($0) / 255) }
        self.light = light.map { Float($0) }
        levels = space.levels
        table = source.primaries == space.primaries ? light.map { space.level(of: $0) } : nil
    }

    /// Whether no level changes by more than 1.
    var isIdentity: Bool { table.map { zip($0, 0...255).allSatisfy { abs(Int($0) - $1) <= 1 } } ?? false }

    func apply(_ pixels: Span<UInt8>, into target: inout MutableSpan<UInt8>) {
        if let table { return Self.apply(table, to: pixels, into: &target) }
        for index in stride(from: 0, to: pixels.count, by: 4) {
            let color = SIMD3(light[Int(pixels[index])], light[Int(pixels[index + 1])], light[Int(pixels[index + 2])])
            levels.store(matrix * color, in: &target, at: index)
            target[index + 3] = pixels[index + 3]
        }
    }

    private static func apply(_ table: [UInt8], to pixels: Span<UInt8>, into target: inout MutableSpan<UInt8>) {
        for index in stride(from: 0, to: pixels.count, by: 4) {
            for channel in index..<index + 3 { target[channel] = table[Int(pixels[channel])] }
            target[index + 3] = pixels[index + 3]
        }
    }
}

extension Bitmap {
    /// Returns the image in another color space. Colors outside of it are clipped.
    public func converted(to space: ColorSpace) -> Bitmap {
        let source = SourceColor(primaries: colorSpace.primaries, transfer: colorSpace.transfer)
        guard space != colorSpace, let conversion = RGBConversion(from: source, to: space) else { return self }
        let input = pixels
        var result = [UInt8](repeating: 0, count: input.count)
        var target = result.mutableSpan
        conversion.apply(input.span, into: &target)
        return Bitmap(size: size, pixels: result, isOpaque: isOpaque, colorSpace: space)
    }
}

/// A matrix for the light of pixels.
package struct LightMatrix: Sendable {
    private let red, green, blue: SIMD3<Float>

    package init(_ matrix: ColorMatrix) {
        red = SIMD3<Float>(matrix.columns[0])
        green = SIMD3<Float>(matrix.columns[1])
        blue = SIMD3<Float>(matrix.columns[2])
    }

    var isFinite: Bool { (red + green + blue).sum().isFinite }

    @inline(__always)
    package static func * (matrix: LightMatrix, color: SIMD3<Float>) -> SIMD3<Float> {
        matrix.red * color.x + matrix.green * color.y + matrix.blue * color.z
    }
}

extension ColorSpace {
    /// The level for each of 65,536 steps of light.
    var levels: [UInt8] { Self.levels[transfer] ?? [] }

    private static let levels = Dictionary(allCases.map { ($0.transfer, $0) }) { first, _ in first }
        .mapValues { space in (0..<65_536).map { space.level(of: Double($0) / 65_535) } }

    /// Returns the nearest level for light. White is 1; brighter light is clipped.
    func level(of light: Double) -> UInt8 { UInt8(255 * transfer.value(of: min(max(light, 0), 1)) + 0.5) }
}

extension [UInt8] {
    /// Stores the levels of light in three bytes. The array is `ColorSpace.levels`.
    @inline(__always)
    func store(_ light: SIMD3<Float>, in target: inout MutableSpan<UInt8>, at index: Int) {
        let steps = light.clamped(lowerBound: SIMD3(repeating: 0), upperBound: SIMD3(repeating: 1)) * 65_535 + 0.5
        for channel in 0..<3 { target[index + channel] = self[Int(steps[channel])] }
    }
}
