import CImageProcessing
import ImageCore

/// The curve of sRGB and Display P3 (IEC 61966-2-1) as tables, between values of 8 bits and light of 15 bits.
enum LinearLight {
    /// The light of white.
    static let white = Int(light_of_white)

    /// The light of each value.
    static let ofValues = (0...255).map { Int16((light(of: Double($0)) * Double(white)).rounded()) }

    /// The same, for images with alpha.
    static let ofValuesBeforeAlpha = ofValues.map(Float.init)

    /// The nearest value for each amount of light.
    static let values = (0...255).flatMap { value in
        let next = value == 255 ? white + 1 : start(of: value + 1)
        return [UInt8](repeating: UInt8(value), count: next - (value == 0 ? 0 : start(of: value)))
    }

    private static func light(of value: Double) -> Double { TransferFunction.sRGB.light(of: value / 255) }

    /// Returns the least light that is nearest to a value, which is above 0.
    private static func start(of value: Int) -> Int {
        Int((light(of: Double(value) - 0.5) * Double(white)).rounded(.up))
    }
}
