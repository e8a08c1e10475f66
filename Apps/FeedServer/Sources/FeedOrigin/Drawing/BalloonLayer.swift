/// Hot-air balloons, which move in animations.
final class BalloonLayer: SceneLayer {
    struct Balloon {
        var center: SIMD2<Float>
        var radius: Float
        var colors: (Color, Color)
        /// The phase of the movement at the start of the loop, from 0 to 1.
        var offset: Float
    }

    private let balloons: [Balloon]
    private let view: Viewport
    private let sun: Float

    init(_ balloons: [Balloon], sun: Float, view: Viewport) {
        self.view = view
        self.sun = sun
        self.balloons = balloons.map { balloon in
            var moved = balloon
            moved.center.x += 0.16 * oscillation(view.phase + balloon.offset)
            moved.center.y += 0.06 * oscillation(view.phase + balloon.offset + 0.25)
            return moved
        }
    }

    func paint(row: Int, onto line: inout [Color], canvas: Canvas) {
        let v = view.vertical(row)
        for balloon in balloons {
            let down = (v - balloon.center.y) / balloon.radius
            guard down > -1.1, down < 1.95 else { continue }
            view.forEachPixel(of: row, around: balloon.center.x, radius: balloon.radius * 1.05, depth: 0) { x, point in
                blend(balloon, across: (point.x - balloon.center.x) / balloon.radius, down: down, onto: &line[x])
            }
        }
    }

    /// Draws a pixel of an envelope that tapers downwards, of the ropes, or of the basket.
    private func blend(_ balloon: Balloon, across: Float, down: Float, onto pixel: inout Color) {
        let sharpness = balloon.radius / view.pixel
        if down < 1.3 {
            let half = down < 0.25 ? max(0, 1 - down * down).squareRoot() : 0.968 - (down - 0.25) * 0.72
            let coverage = clamped((half - abs(across)) * sharpness + 0.5)
            if coverage > 0 { pixel = mix(pixel, fabric(balloon, across / max(0.05, half), down), coverage) }
        } else if down > 1.55 {
            let coverage = clamped((0.17 - abs(across)) * sharpness + 0.5)
            pixel = mix(pixel, Color(hex: 0x4A2F1C).lit(1 - across * 2), coverage)
        } else {
            let rope = abs(abs(across) - 0.13) * sharpness
            pixel = mix(pixel, Color(hex: 0x3A2A20), 0.7 * clamped(1 - rope))
        }
    }

    private func fabric(_ balloon: Balloon, _ around: Float, _ down: Float) -> Color {
        let turned = angle(around, max(0.02, 1 - around * around).squareRoot())
        let isEvenPanel = Int((turned * 2.6 + 20).rounded(.down)) % 2 == 0
        let color = isEvenPanel ? balloon.colors.0 : balloon.colors.1
        let side: Float = sun < balloon.center.x ? -1 : 1
        return color.lit(0.82 + 0.3 * around * side - 0.16 * down)
    }
}
