/// A shape with a soft edge and a faint shadow, which makes the rest of an image transparent.
struct Mask {
    enum Shape: CaseIterable { case disc, plate, drop, wave }

    let shape: Shape
    let seed: UInt32

    /// Returns the opacity of the image and of its shadow at a point. The coordinates of the image are from -1 to 1.
    func coverage(_ x: Float, _ y: Float) -> (image: Float, shadow: Float) {
        (ramp(1, 0.93, radius(x, y)), 0.5 * ramp(1.16, 0.8, radius(x - 0.02, y - 0.05)))
    }

    /// Returns 1 at the edge of the shape, and less inside.
    private func radius(_ x: Float, _ y: Float) -> Float {
        let (x, y) = (x / 0.86, y / 0.86)
        switch shape {
        case .disc: return (x * x + y * y).squareRoot()
        case .plate:
            let (a, b) = (x * x, y * y)
            return (a * a * a + b * b * b).squareRoot().squareRoot().squareRoot() * 1.0
        case .drop:
            return (x * x * (1.25 - 0.45 * y) + y * y).squareRoot()
        case .wave:
            let petals = 0.94 + 0.06 * cosine(angle(x, y) * Float(7 + seed % 4))
            return (x * x + y * y).squareRoot() / petals
        }
    }
}
