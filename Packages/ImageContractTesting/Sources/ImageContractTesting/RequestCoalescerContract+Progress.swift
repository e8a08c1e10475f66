import ImageCore
import ImageTesting
import Synchronization

extension RequestCoalescerContract {
    static let progressInOrder = rule(
        "merged progress reaches a caller in order, and all of it before the call ends"
    ) { fixture in
        try await fixture.join(1)
        let operation = try fixture.operation()
        let reports = [
            bytes(10, of: 100, preview: 2), bytes(20, of: 100, preview: 1), bytes(20, of: 100), bytes(5),
            bytes(20, preview: 3),
        ]
        for report in reports { operation.report(report) }
        fixture.gate.open()
        try await fixture.expectValue(7, of: 1)
        let expected = [
            bytes(0), bytes(10, of: 100, preview: 2), bytes(20, of: 100, preview: 2), bytes(20, of: 100, preview: 3),
        ]
        let received = fixture.progress(of: 1).all
        try expect(received == expected, "received \(received)")
    }

    static let oneHandlerAtATime = rule("progress handlers are called one at a time, even if a handler causes a report")
    {
        fixture in
        let calls = Mutex((current: 0, most: 0))
        fixture.start(1) { progress in
            calls.withLock { $0 = ($0.current + 1, max($0.most, $0.current + 1)) }
            if progress.completedByteCount < 100 {
                try? fixture.operation().report(bytes(progress.completedByteCount + 1))
            }
            calls.withLock { $0.current -= 1 }
        }
        try await fixture.expectProgress(of: 1, count: 101)
        let most = calls.withLock { $0.most }
        try expect(most == 1, "\(most) calls at once")
        try expect(fixture.bytes(of: 1) == Array(0...100), "received \(fixture.bytes(of: 1))")
    }

    static let noProgressAfterEnd = rule("progress does not reach a caller whose call has ended") { fixture in
        for caller in 1...2 { try await fixture.join(caller) }
        try await fixture.leave(1)
        for operation in fixture.operations.all { operation.report(bytes(50)) }
        try await fixture.expectProgress(of: 2, count: 2)
        try await fixture.leave(2)
        for operation in fixture.operations.all { operation.report(bytes(60)) }
        fixture.gate.open()
        try await fixture.join(3)
        try await fixture.expectValue(7, of: 3)
        for operation in fixture.operations.all { operation.report(bytes(70)) }
        try await fixture.expectReleasedHandlers()
        for (caller, expected) in [(1, [0]), (2, [0, 50]), (3, [0])] {
            let received = fixture.bytes(of: caller)
            try expect(received == expected, "caller \(caller) received \(received)")
        }
    }

    static let replaysProgress = rule(
        "progress reaches every caller, and a caller that joins late receives the latest at once, with its preview"
    ) { fixture in
        for caller in 1...2 { try await fixture.join(caller) }
        let operation = try fixture.operation()
        operation.report(bytes(40, preview: 1))
        operation.report(bytes(50))
        try await fixture.expectProgress(of: 2, count: 3)
        try await fixture.join(3)
        let first = fixture.progress(of: 3).all.first
        try expect(first == bytes(50, preview: 1), "received \(String(describing: first))")
    }

    static func bytes(_ count: Int, of total: Int? = nil, preview: Int? = nil) -> WorkProgress {
        WorkProgress(completedByteCount: count, totalByteCount: total, preview: preview.map(makePreview))
    }

    private static func makePreview(_ number: Int) -> ImagePreview {
        let size = PixelSize(width: 1, height: 1)
        let bitmap = Bitmap(size: size, pixels: [0, 0, 0, 255], isOpaque: true)
        let header = ImageHeader(format: .fake, storedSize: size)
        return ImagePreview(DecodedImage(bitmap: bitmap, header: header), number: number)
    }
}
