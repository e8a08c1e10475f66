/// A disc or a blossom with a soft edge and a faint shadow, which makes the rest of an image transparent.
struct Mask {
    let seed: UInt32

    /// Returns the share of the image in the color, whose rest is shadow, and the opacity at a point. The coordinates of the
    /// image are from -1 to 1.
    func coverage(_ x: Float, _ y: Float) -> (share: Float, alpha: Float) {
        let (image, shadow) = (ramp(1, 0.93, radius(x, y)), 0.5 * ramp(1.16, 0.8, radius(x - 0.02, y - 0.05)))
        let alpha = image + shadow * (1 - image)
        return (alpha > 0 ? image / alpha : 0, alpha)
    }

    /// Returns 1 at the edge of the shape, and less inside.
    private func radius(_ x: Float, _ y: Float) -> Float {
        let petals = seed % 2 == 0 ? 0 : 0.06 * (cosine(angle(x, y) * Float(7 + seed % 4)) - 1)
        return (x * x + y * y).squareRoot() / (0.86 * (1 + petals))
    }
}
