/// Several octaves of two-dimensional value noise, computed row by row. Values are from about -1 to 1, with a mean of
/// 0.
///
/// Octaves that are finer than the pixels fade out. This prevents aliasing, so that small and large images look the
/// same.
struct NoiseField {
    fileprivate struct Octave {
        let seed: UInt32
        let amplitude: Float
        let verticalFrequency: Float
        let firstCell: Int
        /// For each column, the index of its cell in `lattice`, and its weight within the cell.
        let cells: [Int32]
        let weights: [Float]
        var upper: [Float]
        var lower: [Float]
        var lattice: [Float]
        var row = Int.min
    }

    /// The noise at the height of the last call of `fill`, for each column.
    private(set) var values: [Float]
    private var octaves: [Octave] = []

    /// - Parameters:
    ///   - columns: The horizontal positions in the scene.
    ///   - pixel: The distance between two columns.
    ///   - frequency: The number of cells of the coarsest octave per unit of the scene, horizontally and vertically.
    ///   - count: The number of octaves.
    ///   - gain: The amplitude of an octave relative to that of the previous one.
    init(columns: [Float], pixel: Float, frequency: SIMD2<Float>, octaves count: Int, gain: Float = 0.5, seed: UInt32) {
        values = [Float](repeating: 0, count: columns.count)
        var total: Float = 0
        for number in 0..<count { total += power(gain, number) }
        for number in 0..<count {
            let scale = power(2, number)
            let fade = ramp(1, 3, 1 / (frequency.x * scale * pixel))
            guard fade > 0 else { break }
            octaves.append(
                Self.octave(
                    columns, frequency: frequency * scale, amplitude: 2 * fade * power(gain, number) / total,
                    seed: seed &+ UInt32(number) &* 0x68E3_1DA4))
        }
    }

    /// Computes the noise at height `y`.
    mutating func fill(y: Float) {
        for index in values.indices { values[index] = 0 }
        for index in octaves.indices {
            octaves[index].moveTo(y)
            octaves[index].add(to: &values)
        }
    }

    private static func octave(
        _ columns: [Float], frequency: SIMD2<Float>, amplitude: Float, seed: UInt32
    ) -> Octave {
        let positions = columns.map { $0 * frequency.x }
        let first = Int((positions.first ?? 0).rounded(.down))
        let last = Int((positions.last ?? 0).rounded(.down))
        let count = last - first + 2
        let empty = [Float](repeating: 0, count: count)
        return Octave(
            seed: seed, amplitude: amplitude, verticalFrequency: frequency.y, firstCell: first,
            cells: positions.map { Int32(Int($0.rounded(.down)) - first) },
            weights: positions.map { eased($0 - $0.rounded(.down)) },
            upper: empty, lower: empty, lattice: empty)
    }
}

extension NoiseField.Octave {
    /// Interpolates the lattice between the two grid rows around `y`.
    fileprivate mutating func moveTo(_ y: Float) {
        let position = y * verticalFrequency
        let cell = position.rounded(.down)
        if Int(cell) != row {
            row = Int(cell)
            for index in upper.indices {
                upper[index] = latticeValue(firstCell + index, row, seed: seed) - 0.5
                lower[index] = latticeValue(firstCell + index, row + 1, seed: seed) - 0.5
            }
        }
        let weight = eased(position - cell)
        for index in lattice.indices { lattice[index] = amplitude * mix(upper[index], lower[index], weight) }
    }

    fileprivate func add(to line: inout [Float]) {
        precondition(cells.count == line.count && weights.count == line.count)
        let cells = cells.span
        let weights = weights.span
        let lattice = lattice.span
        var line = line.mutableSpan
        for index in 0..<line.count {
            let cell = Int(cells[index])
            line[index] += mix(lattice[cell], lattice[cell + 1], weights[index])
        }
    }
}

private func power(_ base: Float, _ exponent: Int) -> Float {
    var result: Float = 1
    for _ in 0..<exponent { result *= base }
    return result
}
