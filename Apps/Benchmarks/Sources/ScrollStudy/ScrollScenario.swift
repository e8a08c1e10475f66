import ImageTesting

/// A way to scroll through a list: the topmost row in each frame, at 60 frames per second.
public struct ScrollScenario: Sendable {
    /// The frame rate.
    public static let framesPerSecond = 60
    /// The number of rows on the screen.
    public static let screen = 12

    /// The number of rows in the list.
    public let rowCount: Int
    /// The topmost visible row in each frame.
    public let topmostRows: [Int]

    /// Scrolls from the first row to the last, one row per frame.
    public static func steady(rowCount: Int) -> ScrollScenario {
        ScrollScenario(rowCount: rowCount, topmostRows: Array(0...max(0, rowCount - screen)))
    }

    /// Scrolls to the last row like a person: drags of 20 to 100 rows per second, flings that slow down from 150,
    /// pauses, and movements back.
    public static func natural(rowCount: Int, seed: UInt64) -> ScrollScenario {
        var gestures = Gestures(random: SeededRandom(seed: seed), end: Double(max(0, rowCount - screen)))
        return ScrollScenario(rowCount: rowCount, topmostRows: gestures.scrollToEnd())
    }
}

/// Generates random scroll gestures.
private struct Gestures {
    var random: SeededRandom
    let end: Double
    var position = 0.0
    var rows = [0]

    mutating func scrollToEnd() -> [Int] {
        while position < end {
            switch draw(0...9) {
            case ...1: move(0, frames: draw(10...60))
            case 2: move(-Double(draw(20...60)), frames: draw(10...60))
            case 3...4: fling()
            default: move(Double(draw(20...100)), frames: draw(20...120))
            }
        }
        return rows
    }

    /// - Parameter velocity: The velocity in rows per second.
    private mutating func move(_ velocity: Double, frames: Int = 1) {
        for _ in 0..<frames {
            position = min(max(0, position + velocity / Double(ScrollScenario.framesPerSecond)), end)
            rows.append(Int(position))
        }
    }

    private mutating func fling() {
        var velocity = 150.0
        while velocity > 5 {
            move(velocity)
            velocity *= 0.97
        }
    }

    private mutating func draw(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
}
