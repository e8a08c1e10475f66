/// Flowers seen from above, in front of a blurred background.
final class FlowerLayer: SceneLayer {
    struct Flower {
        var center: SIMD2<Float>
        var radius: Float
        var petals: Int
        var inner: Color
        var outer: Color
        var core: Color
        var rotation: Float
        /// The radius of the blur, in the scene's units.
        var blur: Float
    }

    private let flowers: [Flower]
    private let view: Viewport

    init(_ flowers: [Flower], view: Viewport) {
        self.view = view
        self.flowers = flowers
    }

    func paint(row: Int, onto line: inout [Color], canvas: Canvas) {
        let v = view.vertical(row)
        for flower in flowers where abs(v - flower.center.y) < flower.radius * 1.05 {
            view.forEachPixel(of: row, around: flower.center.x, radius: flower.radius * 1.05, depth: 0.8) { x, point in
                blend(flower, point - flower.center, onto: &line[x])
            }
        }
    }

    /// Draws a pixel of two rings of petals and the core. The lower ring is rotated by half a petal, and darker.
    private func blend(_ flower: Flower, _ away: SIMD2<Float>, onto pixel: inout Color) {
        let distance = (away * away).sum().squareRoot() / flower.radius
        guard distance < 1.05 else { return }
        let direction = angle(away.x, away.y) + flower.rotation + 0.12 * oscillation(view.phase)
        ring(flower, distance, direction + .pi / Float(flower.petals), reach: 1, shade: 0.74, onto: &pixel)
        ring(flower, distance, direction, reach: 0.9, shade: 1, onto: &pixel)
        core(flower, away, distance, onto: &pixel)
    }

    private func ring(
        _ flower: Flower, _ distance: Float, _ direction: Float, reach: Float, shade: Float, onto pixel: inout Color
    ) {
        let turns = direction * Float(flower.petals) / (2 * .pi)
        let within = abs(turns - turns.rounded()) * 2
        let edge = reach * (0.45 + 0.55 * (1 - within * within * within).squareRoot())
        let softness = max(view.pixel, flower.blur) / flower.radius
        let coverage = clamped((edge - distance) / softness + 0.5)
        guard coverage > 0 else { return }
        let petal = (Int(turns.rounded()) + 8 * flower.petals) % flower.petals
        let tone = 0.88 + 0.2 * latticeValue(petal, 1, seed: 77)
        let vein = 1 + 0.05 * cosine(within * 34) * ramp(0.1, 0.5, distance)
        let fold = 1 - 0.34 * within * within * (1 - 0.6 * distance)
        let color = mix(flower.inner, flower.outer, ramp(0.1, 0.8, distance / edge))
        pixel = mix(pixel, color.lit(shade * tone * vein * fold), eased(coverage))
    }

    private func core(_ flower: Flower, _ away: SIMD2<Float>, _ distance: Float, onto pixel: inout Color) {
        let coverage = clamped((0.24 - distance) / (0.02 + max(view.pixel, flower.blur) / flower.radius))
        guard coverage > 0 else { return }
        let point = away / flower.radius * 34
        let dots = 0.5 + 0.5 * cosine(point.x * 2 * .pi / 2) * cosine(point.y * 2 * .pi / 2)
        let lit = 0.62 + 0.35 * dots * ramp(0, 0.2, distance) - 0.9 * (away.x + away.y) / flower.radius * 0.6
        pixel = mix(pixel, flower.core.lit(max(0.25, lit)), coverage)
    }
}
