import ImageCore

/// How the pixels of one frame lie over a scene, whose height is 1 and whose horizontal middle is 0.
///
/// Scenes know nothing of pixels, so every size shows the same scene.
struct Viewport {
    let width: Int
    let height: Int
    /// From 0 to 1 through an animation that loops.
    let phase: Float
    /// How far the camera has moved sideways. Near things shift by all of it, far ones by a part.
    let pan: Float

    init(_ size: PixelSize, phase: Float = 0) {
        width = size.width
        height = size.height
        self.phase = phase
        pan = 0.16 * swing(phase)
    }

    /// The height of a pixel in the scene.
    var pixel: Float { 1 / Float(height) }
    /// Half of the visible width.
    var halfWidth: Float { Float(width) / Float(height) / 2 }

    func vertical(_ row: Int) -> Float { (Float(row) + 0.5) / Float(height) }

    /// Positions of the columns for something whose `depth` is 0 at infinity and 1 near the camera.
    func columns(depth: Float) -> [Float] {
        let start = -halfWidth + 0.5 * pixel + pan * depth
        return (0..<width).map { start + Float($0) * pixel }
    }

    /// The columns whose centres lie within `radius` of `center`, for a thing with `depth`.
    func columns(around center: Float, radius: Float, depth: Float) -> Range<Int> {
        let start = (center - radius - pan * depth + halfWidth) * Float(height)
        let end = (center + radius - pan * depth + halfWidth) * Float(height)
        let first = max(0, min(width, Int(max(-1, min(start, 1e6)))))
        return first..<max(first, min(width, Int(max(-1, min(end, 1e6))) + 1))
    }
}

/// A layer of a scene, prepared for one viewport. Layers are painted row by row, the furthest first.
protocol SceneLayer: AnyObject {
    func paint(row: Int, onto line: inout [Color], canvas: Canvas)
    /// True when nothing behind this layer shows in this row.
    func hides(row: Int) -> Bool
}

extension SceneLayer {
    func hides(row: Int) -> Bool { false }
}

/// The finished rows of the image, straight RGBA.
struct Canvas {
    let width: Int
    var pixels: [UInt8]

    subscript(x: Int, y: Int) -> Color {
        let index = (y * width + x) * 4
        return Color(Float(pixels[index]), Float(pixels[index + 1]), Float(pixels[index + 2]), 255) * (1 / 255)
    }
}
