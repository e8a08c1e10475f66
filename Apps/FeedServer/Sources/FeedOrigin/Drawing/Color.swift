#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Red, green, blue and alpha from 0 to 1, as gamma-encoded sRGB values.
typealias Color = SIMD4<Float>

extension Color {
    /// Creates an opaque color from `0xRRGGBB`.
    init(hex: UInt32) {
        self.init(
            Float(hex >> 16 & 0xFF) / 255, Float(hex >> 8 & 0xFF) / 255, Float(hex & 0xFF) / 255, 1)
    }

    static var white: Color { Color(repeating: 1) }

    /// Returns a lighter (above 1) or darker color with the same alpha.
    func lit(_ factor: Float) -> Color { self * Color(factor, factor, factor, 1) }
}

func mix(_ first: Color, _ second: Color, _ amount: Float) -> Color { first + (second - first) * amount }

func mix(_ first: Float, _ second: Float, _ amount: Float) -> Float { first + (second - first) * amount }

func clamped(_ value: Float) -> Float { max(0, min(1, value)) }

/// Returns 3t² - 2t³, which has a slope of 0 at 0 and 1.
func eased(_ value: Float) -> Float { value * value * (3 - 2 * value) }

/// Returns 0 below `start`, 1 above `end`, and a smooth transition in between.
func ramp(_ start: Float, _ end: Float, _ value: Float) -> Float { eased(clamped((value - start) / (end - start))) }

/// Returns the angle of a direction, in radians.
func angle(_ x: Float, _ y: Float) -> Float { atan2(y, x) }

func cosine(_ radians: Float) -> Float { cos(radians) }
