import ImageCore
import Testing

@Suite("Image errors")
struct ImageErrorTests {
    @Test("an error says whether the request was cancelled")
    func cancelled() {
        #expect(ImageError.cancelled.isCancelled)
        let others = [ImageError.notFound, .invalidated, .offline, .network(.timedOut, ""), .decoding(.cancelled)]
        for error in others { #expect(!error.isCancelled) }
    }

    @Test("errors are equal if they have the same kind and values")
    func equal() {
        #expect(ImageError.httpStatus(500) == .httpStatus(500))
        #expect(ImageError.httpStatus(500) != .httpStatus(503))
        #expect(ImageError.decoding(.truncated(.png)) != .decoding(.truncated(.gif)))
        #expect(Set([ImageError.offline, .offline, .notFound]).count == 2)
    }
}
