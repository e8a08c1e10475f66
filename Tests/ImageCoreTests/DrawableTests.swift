import ImageCore
import Testing

@Suite("What toolkits draw for a bitmap", .timeLimit(.minutes(1)))
struct DrawableTests {
    // Unchecked, because the compiler checks only final classes. They have no state.
    private class Base: @unchecked Sendable {}
    private final class Derived: Base, @unchecked Sendable {}

    @Test("is made once for each type, also if one is a kind of the other")
    func byType() {
        let bitmap = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [0, 0, 0, 0])
        let (derived, base) = (Derived(), Base())
        for (newDerived, newBase) in [(derived, base), (Derived(), Base())] {
            let first: Derived? = bitmap.drawable { _ in newDerived }
            let second: Base? = bitmap.drawable { _ in newBase }
            #expect(first === derived && second === base)
        }
        #expect(bitmap.drawable { _ -> String? in nil } == nil)
        #expect(bitmap.drawable { _ in "a" } == "a")
    }
}
