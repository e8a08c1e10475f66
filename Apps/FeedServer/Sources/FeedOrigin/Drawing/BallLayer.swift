/// Shiny balls on a table, each with a shadow.
final class BallLayer: SceneLayer {
    struct Ball {
        var center: SIMD2<Float>
        var radius: Float
        var color: Color
        /// From 0 (matte) to 1 (like glass).
        var gloss: Float
        /// The number of stripes. 0 means none.
        var stripes: Float
    }

    private let balls: [Ball]
    private let light: SIMD2<Float>
    private let view: Viewport
    private var field: NoiseField

    init(_ balls: [Ball], lightFromLeft: Bool, seed: UInt32, view: Viewport) {
        self.view = view
        self.balls = balls.map { ball in
            var moved = ball
            let hop = abs(oscillation(view.phase / 2 + ball.center.x)) * 0.12 * (view.phase == 0 ? 0 : 1)
            moved.center.y -= hop
            return moved
        }
        light = SIMD2(lightFromLeft ? -0.48 : 0.48, -0.56)
        field = NoiseField(
            columns: view.columns(depth: 1), pixel: view.pixel, frequency: SIMD2(22, 22), octaves: 4, gain: 0.6,
            seed: seed)
    }

    func paint(row: Int, onto line: inout [Color], canvas: Canvas) {
        let v = view.vertical(row)
        guard balls.contains(where: { abs(v - $0.center.y) < $0.radius * 1.5 }) else { return }
        field.fill(y: v)
        for ball in balls { shadow(ball, row: row, line: &line) }
        for ball in balls where abs(v - ball.center.y) < ball.radius + view.pixel { paint(ball, row: row, line: &line) }
    }

    private func shadow(_ ball: Ball, row: Int, line: inout [Color]) {
        let middle = ball.center + SIMD2(-light.x * ball.radius * 0.7, ball.radius * 0.9)
        let down = (view.vertical(row) - middle.y) / (ball.radius * 0.42)
        guard abs(down) < 1 else { return }
        let radius = ball.radius * 1.5
        view.forEachPixel(of: row, around: middle.x, radius: radius, depth: 1) { x, point in
            let across = (point.x - middle.x) / radius
            let dark = 1 - across * across - down * down
            if dark > 0 { line[x] = line[x].lit(1 - 0.62 * eased(clamped(dark))) }
        }
    }

    private func paint(_ ball: Ball, row: Int, line: inout [Color]) {
        view.forEachPixel(of: row, around: ball.center.x, radius: ball.radius + view.pixel, depth: 1) { x, point in
            let normal = (point - ball.center) / ball.radius
            let distance = (normal * normal).sum().squareRoot()
            let coverage = clamped((1 - distance) * ball.radius / view.pixel + 0.5)
            if coverage > 0 { line[x] = mix(line[x], shaded(ball, normal, distance, x), coverage) }
        }
    }

    @inline(__always)
    private func shaded(_ ball: Ball, _ normal: SIMD2<Float>, _ distance: Float, _ x: Int) -> Color {
        let up = max(0, 1 - distance * distance).squareRoot()
        let facing = max(0, (normal * light).sum() + 0.66 * up)
        let bounce = 0.2 * max(0, normal.y) * (1 - up)
        let stripe =
            ball.stripes > 0 ? 0.3 * oscillation((normal.x * 0.8 + normal.y * 0.6) * ball.stripes / (0.4 + up)) : 0
        let matt = ball.color.lit(
            (0.24 + 0.95 * facing + bounce) * (1 + (0.3 - 0.2 * ball.gloss) * field.values[x] + stripe))
        let toHighlight = normal - light * 0.72
        let closeness = clamped(1 - (toHighlight * toHighlight).sum() * (3 + 14 * ball.gloss))
        let rim = 0.3 * ball.gloss * ramp(0.8, 1, distance) * clamped(0.3 - normal.y)
        return mix(matt, .white, clamped(ball.gloss * 0.9 * closeness * closeness + rim))
    }
}
