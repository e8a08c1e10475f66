/// Red, green, blue and alpha from 0 to 1, as displayed (sRGB values, not linear light).
typealias Color = SIMD4<Float>

extension Color {
    /// An opaque colour from `0xRRGGBB`.
    init(hex: UInt32) {
        self.init(
            Float(hex >> 16 & 0xFF) / 255, Float(hex >> 8 & 0xFF) / 255, Float(hex & 0xFF) / 255, 1)
    }

    static var white: Color { Color(repeating: 1) }

    /// The same hue made lighter (above 1) or darker; alpha stays.
    @inline(__always)
    func lit(_ factor: Float) -> Color { self * Color(factor, factor, factor, 1) }
}

@inline(__always)
func mix(_ first: Color, _ second: Color, _ amount: Float) -> Color { first + (second - first) * amount }

@inline(__always)
func mix(_ first: Float, _ second: Float, _ amount: Float) -> Float { first + (second - first) * amount }

@inline(__always)
func clamped(_ value: Float) -> Float { max(0, min(1, value)) }

/// 3t² - 2t³: flat at both ends.
@inline(__always)
func eased(_ value: Float) -> Float { value * value * (3 - 2 * value) }

/// 0 below `start`, 1 above `end`, smooth between.
@inline(__always)
func ramp(_ start: Float, _ end: Float, _ value: Float) -> Float { eased(clamped((value - start) / (end - start))) }
