/// Round lights: suns, moons, stars, and the blurred highlights of an unfocused lens.
final class DiscLayer: SceneLayer {
    struct Disc {
        var center: SIMD2<Float>
        var radius: Float
        /// The color. Its alpha is the opacity at the center.
        var color: Color
        /// The share of the radius that the soft edge takes, above 0, up to 1.
        var softness: Float
        /// The additional light near the edge, like that of a lens.
        var rim: Float = 0
        /// From 0 (at infinity) to 1 (near the camera).
        var depth: Float = 0
    }

    private let discs: [Disc]
    private let view: Viewport
    private var byRow: [[Int]]

    init(_ discs: [Disc], view: Viewport) {
        self.view = view
        self.discs = discs.map { Self.visible($0, pixel: view.pixel) }
        byRow = Array(repeating: [], count: view.height)
        for (index, disc) in self.discs.enumerated() {
            let first = Int(max(0, (disc.center.y - disc.radius) * Float(view.height)))
            let last = Int(min(Float(view.height) - 1, (disc.center.y + disc.radius) * Float(view.height)))
            if first <= last { for row in first...last { byRow[row].append(index) } }
        }
    }

    /// Replaces a disc smaller than a pixel by a dim disc of about one pixel, which is visible at any position.
    private static func visible(_ disc: Disc, pixel: Float) -> Disc {
        let least = 0.9 * pixel
        guard disc.radius < least else { return disc }
        var dim = disc
        let share = disc.radius / least
        dim.color.w *= share * share
        dim.radius = least
        return dim
    }

    func paint(row: Int, onto line: inout [Color], canvas: Canvas) {
        for index in byRow[row] {
            let disc = discs[index]
            view.forEachPixel(of: row, around: disc.center.x, radius: disc.radius, depth: disc.depth) { x, point in
                blend(disc, at: point, onto: &line[x])
            }
        }
    }

    @inline(__always)
    private func blend(_ disc: Disc, at point: SIMD2<Float>, onto pixel: inout Color) {
        let away = point - disc.center
        let distance = (away * away).sum().squareRoot() / disc.radius
        let edge = max(disc.softness, view.pixel / disc.radius)
        let coverage = clamped((1 - distance) / edge)
        guard coverage > 0 else { return }
        let bright = 1 + disc.rim * ramp(0.6, 0.95, distance)
        let opaque = Color(disc.color.x, disc.color.y, disc.color.z, 1)
        pixel = mix(pixel, opaque.lit(bright), disc.color.w * eased(coverage))
    }
}
