extension Composition {
    private func day(
        _ numbers: inout SeededGenerator, _ view: Viewport, horizon: Float, among choices: [Int] = Array(0..<8)
    ) -> Daylight {
        let palette = Palette.days[choices[numbers.index(below: choices.count)]]
        return Daylight(palette, horizon: horizon, &numbers, view)
    }

    func mountains(_ numbers: inout SeededGenerator, _ view: Viewport) -> [any SceneLayer] {
        let light = day(&numbers, view, horizon: 0.62)
        let snow = numbers.value(0.02...0.2)
        let sharp = numbers.value(0.9...1.5)
        return [
            SkyLayer(light, cover: numbers.value(0.25...0.75), seed: seed), light.sunDisc(),
            LandLayer(
                light, .peaks, .rock(snow: snow), nearness: 0.12, foot: 0.72, relief: 0.5, frequency: sharp, seed: seed),
            LandLayer(
                light, .peaks, .rock(snow: snow * 0.4), nearness: 0.36, foot: 0.82, relief: 0.4, frequency: sharp * 1.5,
                seed: seed &+ 1),
            LandLayer(
                light, .hills, .forest, nearness: 0.62, foot: 0.92, relief: 0.22, frequency: 2.4, seed: seed &+ 2),
            LandLayer(light, .firs, .forest, nearness: 0.9, foot: 1.04, relief: 0.46, frequency: 1.9, seed: seed &+ 3),
        ]
    }

    func lake(_ numbers: inout SeededGenerator, _ view: Viewport) -> [any SceneLayer] {
        let light = day(&numbers, view, horizon: 0.55)
        let shore: Float = 0.58
        let sharp = numbers.value(1.1...1.9)
        return [
            SkyLayer(light, cover: numbers.value(0.2...0.7), seed: seed), light.sunDisc(),
            LandLayer(
                light, .peaks, .rock(snow: numbers.value(0.03...0.16)), nearness: 0.16, foot: 0.64, relief: 0.44,
                frequency: sharp, seed: seed),
            LandLayer(light, .hills, .forest, nearness: 0.42, foot: 0.6, relief: 0.14, frequency: 2.1, seed: seed &+ 1),
            LandLayer(light, .firs, .forest, nearness: 0.66, foot: 0.605, relief: 0.13, frequency: 4, seed: seed &+ 2),
            WaterLayer(light, shore: shore, roughness: numbers.value(0.1...0.5), glitter: 0.35, seed: seed &+ 50),
            LandLayer(
                light, .hills, .grass, nearness: 1, foot: 1.1, relief: 0.26, frequency: 1.3, tint: light.palette.ground,
                seed: seed &+ 3),
        ]
    }

    func sea(_ numbers: inout SeededGenerator, _ view: Viewport) -> [any SceneLayer] {
        var light = day(&numbers, view, horizon: 0.52, among: [0, 1, 2, 4, 6, 7])
        light.sun.y = numbers.value(0.34...0.49)
        var scene: [any SceneLayer] = [
            SkyLayer(light, cover: numbers.value(0.3...0.8), glow: 1.15, seed: seed), light.sunDisc(radius: 0.042),
        ]
        if numbers.chance(0.75) {
            scene.append(
                LandLayer(
                    light, .hills, .forest, nearness: 0.3, foot: 0.56, relief: 0.15, frequency: 1.7, seed: seed &+ 1))
        }
        scene.append(
            WaterLayer(light, shore: 0.52, roughness: numbers.value(0.55...1), glitter: 0.85, seed: seed &+ 50))
        if numbers.chance(0.5) {
            scene.append(
                LandLayer(
                    light, .peaks, .rock(snow: -1), nearness: 1, foot: 1.22, relief: 0.42, frequency: 1.5,
                    seed: seed &+ 2))
        }
        return scene
    }

    func forest(_ numbers: inout SeededGenerator, _ view: Viewport) -> [any SceneLayer] {
        let light = day(&numbers, view, horizon: 0.7, among: [1, 2, 3, 4, 5])
        var scene: [any SceneLayer] = [
            SkyLayer(light, cover: numbers.value(0...0.4), glow: 1.2, seed: seed), light.sunDisc(),
        ]
        for layer in 0..<5 {
            let step = Float(layer)
            let tint = mix(mix(light.palette.far, Color(hex: 0x24483C), 0.4), Color(hex: 0x0E1F1B), step / 5)
            scene.append(
                LandLayer(
                    light, .firs, .forest, nearness: 0.08 + 0.22 * step, foot: 0.62 + 0.13 * step,
                    relief: 0.2 + 0.1 * step,
                    frequency: 3.4 - 0.55 * step, tint: tint, seed: seed &+ UInt32(layer)))
        }
        return scene
    }
}
