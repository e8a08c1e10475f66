import ImageCore

/// Maps the pixels of a frame to the coordinates of a scene, whose height is 1 and whose horizontal center is 0.
///
/// Scenes don't depend on pixels, so every size shows the same scene.
struct Viewport {
    let width: Int
    let height: Int
    /// The position in a looping animation, from 0 to 1.
    let phase: Float
    /// The horizontal movement of the camera. Near objects shift by this amount, and distant ones by less.
    let pan: Float

    init(_ size: PixelSize, phase: Float = 0) {
        width = size.width
        height = size.height
        self.phase = phase
        pan = 0.16 * oscillation(phase)
    }

    /// The height of a pixel in the scene.
    var pixel: Float { 1 / Float(height) }
    /// Half of the visible width, in the scene's units.
    var halfWidth: Float { Float(width) / Float(height) / 2 }

    /// Returns the vertical position of a row's center, from 0 to 1.
    func vertical(_ row: Int) -> Float { (Float(row) + 0.5) / Float(height) }

    /// Returns the horizontal positions of the columns for an object at a depth from 0 (at infinity) to 1 (near the
    /// camera).
    func columns(depth: Float) -> [Float] {
        let start = -halfWidth + 0.5 * pixel + pan * depth
        return (0..<width).map { start + Float($0) * pixel }
    }

    /// Calls `paint` for each column of a row that is within `radius` of `center`, with the position of the pixel's
    /// center, for an object at a depth.
    @inline(__always)
    func forEachPixel(
        of row: Int, around center: Float, radius: Float, depth: Float, _ paint: (Int, SIMD2<Float>) -> Void
    ) {
        let start = (center - radius - pan * depth + halfWidth) * Float(height)
        let end = (center + radius - pan * depth + halfWidth) * Float(height)
        let first = max(0, min(width, Int(max(-1, min(start, 1e6)))))
        let v = vertical(row)
        for x in first..<max(first, min(width, Int(max(-1, min(end, 1e6))) + 1)) {
            paint(x, SIMD2((Float(x) + 0.5) * pixel - halfWidth + pan * depth, v))
        }
    }
}

/// A layer of a scene, for one viewport. Layers are painted row by row, the furthest first.
protocol SceneLayer: AnyObject {
    /// Paints a row over the layers behind this one. `canvas` has the finished rows above.
    func paint(row: Int, onto line: inout [Color], canvas: Canvas)
    /// Returns whether this layer covers everything behind it in a row.
    func hides(row: Int) -> Bool
}

extension SceneLayer {
    func hides(row: Int) -> Bool { false }
}

/// The finished rows of an image, in RGBA with straight alpha.
struct Canvas {
    let width: Int
    var pixels: [UInt8]

    subscript(x: Int, y: Int) -> Color {
        let index = (y * width + x) * 4
        return Color(Float(pixels[index]), Float(pixels[index + 1]), Float(pixels[index + 2]), 255) * (1 / 255)
    }
}
