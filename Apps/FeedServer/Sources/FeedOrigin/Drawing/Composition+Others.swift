extension Composition {
    func night(_ numbers: inout SeededGenerator, _ view: Viewport) -> [any SceneLayer] {
        let palette = Palette.nights[numbers.index(below: 3)]
        var light = Daylight(palette, horizon: 0.75, &numbers, view)
        light.sun.y = numbers.value(0.14...0.4)
        let hasWater = numbers.chance(0.5)
        var scene: [any SceneLayer] = [
            SkyLayer(light, cover: numbers.value(0.1...0.5), glow: 0.55, seed: seed), stars(&numbers, view, count: 420),
            light.sunDisc(radius: numbers.value(0.03...0.075)),
            LandLayer(
                light, .peaks, .rock(snow: 0.06), nearness: 0.3, foot: 0.76, relief: 0.42, frequency: 1.4, seed: seed),
            LandLayer(
                light, .firs, .forest, nearness: 0.7, foot: hasWater ? 0.77 : 0.9, relief: 0.2, frequency: 3,
                seed: seed &+ 1),
        ]
        if hasWater { scene.append(WaterLayer(light, shore: 0.73, roughness: 0.3, glitter: 0.6, seed: seed &+ 50)) }
        scene.append(
            LandLayer(light, .firs, .forest, nearness: 1, foot: 1.14, relief: 0.5, frequency: 1.4, seed: seed &+ 2))
        return scene
    }

    private func stars(_ numbers: inout SeededGenerator, _ view: Viewport, count: Int) -> DiscLayer {
        let discs = (0..<count).map { number in
            let position = SIMD2(numbers.value(-1...1), numbers.value(0...0.75))
            let size = numbers.unit()
            let twinkle = 0.75 + 0.25 * oscillation(view.phase * 2 + numbers.unit())
            var color = mix(Color(hex: 0xBFD4FF), Color(hex: 0xFFE8C8), numbers.unit())
            color.w = (0.35 + 0.65 * size) * twinkle * (1 - position.y)
            return DiscLayer.Disc(
                center: position, radius: 0.0014 + 0.0022 * size * size * size, color: color, softness: 0.8)
        }
        return DiscLayer(discs, view: view)
    }

    func garden(_ numbers: inout SeededGenerator, _ view: Viewport) -> [any SceneLayer] {
        let grounds: [(UInt32, UInt32, UInt32)] = [
            (0x1F4D2B, 0x3F7A35, 0xB8D36A), (0x14373A, 0x2F6B55, 0x9ED0A0), (0x3A2A50, 0x5A5A80, 0xD0B8E0),
            (0x5A3A22, 0x8A7A3A, 0xF0D890),
        ]
        let ground = grounds[numbers.index(below: grounds.count)]
        return [
            BackdropLayer(ground, seed: seed, view: view),
            bokeh(&numbers, view, count: 26, below: 1, colors: [ground.2, 0xFFF2C8, ground.1]),
            FlowerLayer(flowers(&numbers), view: view),
        ]
    }

    private func flowers(_ numbers: inout SeededGenerator) -> [FlowerLayer.Flower] {
        let varieties: [(UInt32, UInt32, UInt32)] = [
            (0xF6D33C, 0xF2A01E, 0x5A3418), (0xFFFFFF, 0xF3F1EA, 0xE0A81E), (0xF7B6C8, 0xD8447A, 0xE8C23A),
            (0xC8B4F0, 0x6A4FC0, 0xF0D050), (0xFFB08A, 0xD83A2A, 0x3A1F1A),
        ]
        let variety = varieties[numbers.index(below: varieties.count)]
        let petals = 8 + numbers.index(below: 11)
        let positions: [(SIMD2<Float>, Float, Float)] = [
            (SIMD2(-0.42, 0.24), 0.2, 0.022), (SIMD2(0.44, 0.8), 0.25, 0.03),
            (SIMD2(numbers.value(-0.12...0.12), 0.52), 0.4, 0.002),
        ]
        return positions.map { position, radius, blur in
            FlowerLayer.Flower(
                center: position + SIMD2(numbers.value(-0.06...0.06), numbers.value(-0.04...0.04)),
                radius: radius * numbers.value(0.88...1.06), petals: petals, inner: Color(hex: variety.0),
                outer: Color(hex: variety.1), core: Color(hex: variety.2), rotation: numbers.value(0...3), blur: blur)
        }
    }

    private func bokeh(
        _ numbers: inout SeededGenerator, _ view: Viewport, count: Int, below bottom: Float, colors: [UInt32]
    ) -> DiscLayer {
        let discs = (0..<count).map { _ in
            var color = Color(hex: colors[numbers.index(below: colors.count)])
            color.w = numbers.value(0.08...0.36)
            return DiscLayer.Disc(
                center: SIMD2(numbers.value(-0.9...0.9), numbers.value(0...bottom)), radius: numbers.value(0.03...0.11),
                color: color, softness: numbers.value(0.06...0.4), rim: 0.35, depth: 0.35)
        }
        return DiscLayer(discs, view: view)
    }
}
