import ImageCore

/// Maps the pixels of a frame to the coordinates of a scene, whose height is 1 and whose horizontal center is 0.
///
/// Scenes don't depend on pixels, so every size shows the same scene.
struct Viewport {
    let width: Int
    let height: Int
    /// The horizontal movement of the camera. Near objects shift by this amount, and distant ones by less.
    let pan: Float

    /// - Parameter phase: The position in a looping animation, from 0 to 1.
    init(_ size: PixelSize, phase: Float) {
        width = size.width
        height = size.height
        pan = 0.16 * cosine((phase - 0.25) * 2 * .pi)
    }

    /// The height of a pixel in the scene.
    var pixel: Float { 1 / Float(height) }

    /// Returns the horizontal position of a column's center.
    func x(_ column: Int) -> Float { (Float(column) + 0.5 - Float(width) / 2) * pixel }

    /// Returns the column at a horizontal position, or the nearest one.
    func column(_ x: Float) -> Int { Int(max(0, min(Float(width - 1), x * Float(height) + Float(width) / 2))) }
}

/// Paints a frame of a scene, with darker corners and a little grain, as of a camera.
struct SceneRenderer {
    let composition: Composition
    let mask: Mask?

    /// - Parameters:
    ///   - id: The number of the scene. Any value is valid.
    ///   - hasAlpha: Whether the image is a shape with a soft edge on a transparent background.
    init(id: Int, hasAlpha: Bool) {
        composition = Composition(id: id)
        mask = hasAlpha ? Mask(seed: composition.seed >> 7) : nil
    }

    /// Returns a frame.
    ///
    /// - Parameters:
    ///   - size: The size of the frame.
    ///   - phase: The position in an animation, from 0 up to but not including 1, or nil for a still image.
    func bitmap(size: PixelSize, phase: Float? = nil) -> Bitmap {
        let view = Viewport(size, phase: phase ?? 0)
        let painting = composition.painting(for: view)
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.area * 4)
        for row in 0..<size.height {
            let y = (Float(row) + 0.5) * view.pixel
            for column in 0..<size.width {
                let across = (Float(column) + 0.5) / Float(size.width) * 2 - 1
                let grain = (latticeValue(column, row, seed: composition.seed) - 0.5) * 4.4
                let dark = 1.03 - 0.14 * (2 * y - 1) * (2 * y - 1) - 0.16 * across * across
                let color = painting(SIMD2(view.x(column), y)) * (dark * 255) + (grain + 0.5)
                let (share, alpha) = mask?.coverage(across, 2 * y - 1) ?? (1, 1)
                for channel in 0..<3 { pixels.append(UInt8(max(0, min(255, color[channel])) * share)) }
                pixels.append(UInt8(alpha * 255 + 0.5))
            }
        }
        return Bitmap(size: size, pixels: pixels, isOpaque: mask == nil)
    }
}
