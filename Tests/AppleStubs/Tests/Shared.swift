import ImageCore

@testable import ImageTesting

extension MessageLog {
    /// Waits until the last message fulfils a condition.
    @MainActor func waitForLast(where condition: (Message) -> Bool) async {
        while !(messages.last.map(condition) ?? false), !Task.isCancelled { await waitForCount(messages.count + 1) }
    }
}

extension ImageRequest {
    /// The request with the size of the views in tests.
    var sized: ImageRequest {
        var request = self
        request.target = .fit(width: 100, height: 100)
        return request
    }
}

extension FakeImage {
    /// A file with three frames of a second each.
    static func animation(loopCount: Int) -> FakeImage {
        let frames = (0..<3).map { [UInt8($0), 0, 0, 255] }
        let delays = frames.map { _ in Duration.seconds(1) }
        return FakeImage(PixelSize(width: 4, height: 3), frames: frames, delays: delays, loopCount: loopCount)
    }
}
