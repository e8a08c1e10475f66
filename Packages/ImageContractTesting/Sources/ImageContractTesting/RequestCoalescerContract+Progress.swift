import ImageCore
import ImageTesting
import Synchronization

extension RequestCoalescerContract {
    static let progressInOrder = rule("progress reaches a caller in order, and all of it before the call ends") {
        fixture in
        try await fixture.join(1)
        let operation = try fixture.operation()
        for count in 1...20 { operation.report(bytes(count)) }
        fixture.gate.open()
        try await fixture.expectValue(7, of: 1)
        try expect(fixture.bytes(of: 1) == Array(0...20), "received \(fixture.bytes(of: 1))")
    }

    static let keepsTotal = rule("progress has the announced number of bytes") { fixture in
        try await fixture.join(1)
        let operation = try fixture.operation()
        for count in [0, 10, 20] { operation.report(WorkProgress(completedBytes: count, totalBytes: 100 + count)) }
        fixture.gate.open()
        try await fixture.expectValue(7, of: 1)
        let totals = fixture.progress(of: 1).all.map(\.totalBytes)
        try expect(totals == [nil, 100, 110, 120], "received the totals \(totals)")
    }

    static let progressAddsUp = rule("a report without new information is not delivered, and bytes never decrease") {
        fixture in
        try await fixture.join(1)
        let operation = try fixture.operation()
        for count in [50, 50, 20, 60] { operation.report(bytes(count)) }
        fixture.gate.open()
        try await fixture.expectValue(7, of: 1)
        try expect(fixture.bytes(of: 1) == [0, 50, 60], "received \(fixture.bytes(of: 1))")
    }

    static let keepsPreview = rule("a report without a newer preview keeps the earlier preview") { fixture in
        try await fixture.join(1)
        let operation = try fixture.operation()
        operation.report(bytes(10, preview: 2))
        operation.report(bytes(20))
        operation.report(bytes(30, preview: 1))
        operation.report(bytes(30, preview: 3))
        fixture.gate.open()
        try await fixture.expectValue(7, of: 1)
        let previews = fixture.progress(of: 1).all.map { $0.preview?.number }
        try expect(previews == [nil, 2, 2, 2, 3], "received the previews \(previews)")
    }

    static let oneHandlerAtATime = rule("progress handlers are called one at a time, even if a handler causes a report")
    {
        fixture in
        let calls = Mutex((current: 0, most: 0))
        fixture.start(1) { progress in
            calls.withLock { $0 = ($0.current + 1, max($0.most, $0.current + 1)) }
            if progress.completedBytes < 100 { try? fixture.report(bytes(progress.completedBytes + 1)) }
            calls.withLock { $0.current -= 1 }
        }
        try await fixture.expectProgress(of: 1, count: 101)
        let most = calls.withLock { $0.most }
        try expect(most == 1, "\(most) calls at once")
        try expect(fixture.bytes(of: 1) == Array(0...100), "received \(fixture.bytes(of: 1))")
    }

    static let noProgressAfterEnd = rule("progress does not reach a caller whose call has ended") { fixture in
        try await fixture.join(1)
        let operation = try fixture.operation()
        try await fixture.leave(1)
        operation.report(bytes(50))
        fixture.gate.open()
        try await fixture.join(2)
        try await fixture.expectValue(7, of: 2)
        for operation in fixture.operations.all { operation.report(bytes(60)) }
        try await fixture.expectReleasedHandlers()
        for caller in 1...2 {
            try expect(fixture.bytes(of: caller) == [0], "caller \(caller) received \(fixture.bytes(of: caller))")
        }
    }

    static let reachesEveryCaller = rule("progress reaches every caller of the operation") { fixture in
        try await fixture.join(1...3)
        try fixture.report(bytes(50))
        try await fixture.expectProgress(of: 1...3, count: 2)
    }

    static let replaysProgress = rule(
        "a caller that joins late receives the latest progress at once, with the latest preview"
    ) { fixture in
        try await fixture.join(1)
        try fixture.report(bytes(40, preview: 1))
        try fixture.report(bytes(50))
        try await fixture.join(2)
        let first = fixture.progress(of: 2).all.first
        try expect(first == bytes(50, preview: 1), "received \(String(describing: first))")
    }

    static let noProgressAfterLeaving = rule("progress does not reach a caller that has left, while others wait") {
        fixture in
        try await fixture.join(1...2)
        try await fixture.leave(1)
        try fixture.report(bytes(50))
        try await fixture.expectProgress(of: 2, count: 2)
        fixture.gate.open()
        try await fixture.expectValue(7, of: 2)
        try await fixture.expectReleasedHandlers()
        try expect(fixture.bytes(of: 1) == [0], "the caller that has left received \(fixture.bytes(of: 1))")
    }

    static func bytes(_ count: Int, preview: Int? = nil) -> WorkProgress {
        WorkProgress(completedBytes: count, totalBytes: nil, preview: preview.map(makePreview))
    }

    private static func makePreview(_ number: Int) -> ImagePreview {
        let size = PixelSize(width: 1, height: 1)
        let bitmap = Bitmap(size: size, pixels: [0, 0, 0, 255], isOpaque: true)
        let header = ImageHeader(format: .fake, storedSize: size)
        return ImagePreview(DecodedImage(bitmap: bitmap, header: header), number: number)
    }
}
