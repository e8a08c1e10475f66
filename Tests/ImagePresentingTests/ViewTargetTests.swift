import Foundation
import ImageCore
import ImagePresenting
import Testing

@Suite("The target of a view")
struct ViewTargetTests {
    private let request = ImageRequest(.data(Data(), name: "a"))
    private var target = ViewTarget()

    private mutating func size(
        _ width: Double, _ height: Double, scale: Double = 2, mode: ImageTarget.Mode = .fill,
        of other: ImageRequest? = nil
    ) -> ImageTarget? {
        target.sized(other ?? request, in: ViewSpace(points: (width, height), scale: scale, mode: mode))?.target
    }

    @Test("is the size of the view in pixels, and grows with it by a quarter at least, but does not shrink")
    mutating func grows() {
        #expect(size(0, 0) == nil)
        #expect(size(10, 20) == .fill(PixelSize(width: 20, height: 40)))
        #expect(size(5, 20) == .fill(PixelSize(width: 20, height: 40)))
        #expect(size(0, 0) == .fill(PixelSize(width: 20, height: 40)))
        #expect(size(11, 15) == .fill(PixelSize(width: 25, height: 30)))
        #expect(size(12, 15) == .fill(PixelSize(width: 25, height: 30)))
        #expect(size(20, 15) == .fill(PixelSize(width: 40, height: 30)))
        #expect(size(20, 16) == .fill(PixelSize(width: 40, height: 37)))
        #expect(size(11, 20, mode: .fit) == .fit(PixelSize(width: 22, height: 40)))
        #expect(size(11, 20, scale: 3, mode: .fit) == .fit(PixelSize(width: 33, height: 60)))
        #expect(size(10, 10) == .fill(PixelSize(width: 20, height: 20)))
    }

    private func square(_ side: Double) -> ViewSpace { ViewSpace(points: (side, side), scale: 2, mode: .fill) }

    @Test("a view that grows by 40 points has three targets, and only the first is kept in memory")
    mutating func growsSlowly() {
        var targets: [ImageTarget?] = []
        for side in 80...120 {
            let sized = target.sized(request, in: square(Double(side)))
            if targets.last != sized?.target { targets.append(sized?.target) }
            #expect(sized?.cachePolicy.memory == (side == 80 ? .readWrite : .readOnly))
            #expect(sized?.cachePolicy.disk == .readWrite)
        }
        #expect(targets.map { $0?.size.width } == [160, 200, 250])
        let jumped = target.sized(request, in: square(200))
        #expect(jumped?.target == .fill(PixelSize(width: 400, height: 400)))
        #expect(jumped?.cachePolicy == .all)
    }

    @Test("a larger target doesn't let a request read the memory cache that bypasses it")
    mutating func bypasses() {
        var request = request
        request.cachePolicy.memory = .disabled
        for side in [80.0, 81] { #expect(target.sized(request, in: square(side))?.cachePolicy.memory == .disabled) }
    }

    @Test("starts again with another request, and is that of a request that has one")
    mutating func requests() {
        _ = size(100, 100)
        let other = ImageRequest(.data(Data(), name: "b"))
        #expect(size(10, 0, of: other) == nil)
        #expect(size(10, 10, of: other) == .fill(PixelSize(width: 20, height: 20)))
        var fixed = request
        fixed.target = .fit(PixelSize(width: 7, height: 7))
        #expect(size(10, 10, of: fixed) == .fit(PixelSize(width: 7, height: 7)))
        #expect(size(.nan, 10) == nil)
    }

    @Test("fits the other side if one has no limit, and is the stored size if none has")
    mutating func unlimited() {
        #expect(size(10, ViewTarget.unlimited) == .fit(PixelSize(width: 20, height: 65_535)))
        let space = ViewSpace(points: (ViewTarget.unlimited, .infinity), scale: 2, mode: .fill)
        #expect(target.sized(request, in: space) == request)
    }
}
