import Testing

@testable import ImageServerKit

@Suite struct GravityTests {
    private func origin(_ gravity: Gravity, scale: Double = 1) -> [Int] {
        let origin = gravity.origin(of: (40, 20), in: (100, 80), scale: scale)
        return [origin.x, origin.y]
    }

    @Test(
        "places an area at its anchor",
        arguments: [
            (.center, [30, 30]), (.smart, [30, 30]), (.north, [30, 0]), (.south, [30, 60]), (.west, [0, 30]),
            (.east, [60, 30]), (.northWest, [0, 0]), (.northEast, [60, 0]), (.southWest, [0, 60]),
            (.southEast, [60, 60]),
        ] as [(Gravity.Anchor, [Int])])
    func anchors(anchor: Gravity.Anchor, expected: [Int]) { #expect(origin(Gravity(anchor)) == expected) }

    @Test(
        "rounds the place of a centered area and of offsets as imgproxy does",
        arguments: [(0, 0), (1, 1), (2, 2), (3, 2), (4, 2), (5, 3), (6, 4), (7, 4), (8, 4), (9, 5)])
    func rounding(free: Int, start: Int) {
        let outer = (width: 10 + free, height: 10)
        #expect(Gravity(.center).origin(of: (10, 10), in: outer).x == start)
        #expect(Gravity(.focusPoint, x: 0.5).origin(of: (10, 10), in: outer).x == [0, 1, 1, 1, 2, 3, 3, 3, 4, 5][free])
        #expect(Gravity(.west, x: 2.5).origin(of: (1, 1), in: (9, 9)).x == 2)
        #expect(Gravity(.west, x: 0.35).origin(of: (1, 1), in: (10, 10)).x == 4)
    }

    @Test("moves an area by pixels, scaled, or by a fraction, away from its edge and never outside")
    func offsets() {
        #expect(origin(Gravity(.northWest, x: 5, y: 0.1)) == [5, 8])
        #expect(origin(Gravity(.southEast, x: 5, y: 0.1)) == [55, 52])
        #expect(origin(Gravity(.northWest, x: 5, y: 3), scale: 2) == [10, 6])
        #expect(origin(Gravity(.northWest, x: -5, y: 1_000)) == [0, 60])
        #expect(origin(Gravity(.northEast, x: 1, y: -1)) == [59, 0] && origin(Gravity(.southWest, y: 0.99)) == [0, 0])
    }

    @Test("centers an area on a focus point, inside of the image")
    func focusPoints() {
        #expect(origin(Gravity(.focusPoint, x: 0.5, y: 0.5)) == [30, 30])
        #expect(origin(Gravity(.focusPoint, x: 0.4, y: 0.25)) == [20, 10])
        #expect(origin(Gravity(.focusPoint, x: 1, y: 0)) == [60, 0])
    }
}
