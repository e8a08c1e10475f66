import ImageCore

/// Paints a frame of a scene: the layers from the furthest to the nearest, then the effects of a lens and film grain.
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
        let layers = composition.layers(for: view)
        var canvas = Canvas(width: size.width, pixels: [UInt8](repeating: 255, count: size.area * 4))
        var line = [Color](repeating: .white, count: size.width)
        let lens = Lens(view, seed: composition.seed)
        for row in 0..<size.height {
            let first = layers.lastIndex { $0.hides(row: row) } ?? 0
            for layer in layers[first...] { layer.paint(row: row, onto: &line, canvas: canvas) }
            lens.expose(line, row: row, onto: &canvas)
            if let mask { cut(row, to: mask, view: view, canvas: &canvas) }
        }
        return Bitmap(size: size, pixels: canvas.pixels, isOpaque: mask == nil)
    }

    private func cut(_ row: Int, to mask: Mask, view: Viewport, canvas: inout Canvas) {
        let y = view.vertical(row) * 2 - 1
        let start = row * view.width * 4
        for column in 0..<view.width {
            let x = (Float(column) + 0.5) / Float(view.width) * 2 - 1
            let (image, shadow) = mask.coverage(x, y)
            let alpha = image + shadow * (1 - image)
            let share = alpha > 0 ? image / alpha : 0
            let index = start + column * 4
            for channel in index..<(index + 3) {
                canvas.pixels[channel] = UInt8(Float(canvas.pixels[channel]) * share + 0.5)
            }
            canvas.pixels[index + 3] = UInt8(alpha * 255 + 0.5)
        }
    }
}

/// The effects of a camera: darker corners and a little grain.
struct Lens {
    private let view: Viewport
    private let seed: UInt32
    private let falloff: [Float]

    init(_ view: Viewport, seed: UInt32) {
        self.view = view
        self.seed = seed
        falloff = (0..<view.width).map { column in
            let x = (Float(column) + 0.5) / Float(view.width) * 2 - 1
            return 0.16 * x * x
        }
    }

    func expose(_ line: [Color], row: Int, onto canvas: inout Canvas) {
        let y = view.vertical(row) * 2 - 1
        let dark = 1.03 - 0.14 * y * y
        var noise = seed ^ UInt32(truncatingIfNeeded: row) &* 0x9E37_79B1
        let start = row * view.width * 4
        var pixels = canvas.pixels.mutableSpan
        let line = line.span
        for column in 0..<view.width {
            noise = noise &* 1_664_525 &+ 1_013_904_223
            let grain = Float(noise >> 8) * (4.4 / 0x1p24) - 2.2
            let factor = (dark - falloff[column]) * 255
            let exposed = line[column] * factor + (grain + 0.5)
            let index = start + column * 4
            pixels[index] = Self.byte(exposed.x)
            pixels[index + 1] = Self.byte(exposed.y)
            pixels[index + 2] = Self.byte(exposed.z)
        }
    }

    /// Returns the value, truncated and limited to a byte. Converts scalars, because converting a vector is much slower
    /// in Swift 6.3.
    @inline(__always)
    private static func byte(_ value: Float) -> UInt8 {
        UInt8(truncatingIfNeeded: Int32(max(0, min(255, value))))
    }
}
