/// Round lights: suns, moons, stars, and the blurred highlights of a lens that is out of focus.
final class DiscLayer: SceneLayer {
    struct Disc {
        var center: SIMD2<Float>
        var radius: Float
        /// Alpha is the strength in the middle.
        var color: Color
        /// How much of the radius is the fading edge, above 0 to 1.
        var softness: Float
        /// Extra light near the edge, as lenses give it.
        var rim: Float = 0
        /// 0 at infinity, 1 near the camera.
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

    /// A disc smaller than a pixel becomes a dim pixel instead of one that is hit or missed.
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
        let v = view.vertical(row)
        for index in byRow[row] {
            let disc = discs[index]
            for x in view.columns(around: disc.center.x, radius: disc.radius, depth: disc.depth) {
                blend(disc, at: SIMD2(position(x, disc.depth), v), onto: &line[x])
            }
        }
    }

    private func position(_ x: Int, _ depth: Float) -> Float {
        (Float(x) + 0.5) * view.pixel - view.halfWidth + view.pan * depth
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
