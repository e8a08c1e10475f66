import ImageCore
import ImageTesting
import Testing

@testable import ImageLoading

@Suite("Events of a task")
struct TaskEventsTests {
    private func progress(_ bytes: Int) -> WorkProgress { WorkProgress(completedBytes: bytes, totalBytes: 9) }

    private let image = DecodedImage(
        bitmap: Bitmap(size: PixelSize(width: 1, height: 1), pixels: [1, 2, 3, 255], isOpaque: true),
        header: ImageHeader(format: .fake, storedSize: PixelSize(width: 1, height: 1)))

    /// Returns the events that a reader receives until it has to wait.
    private func received(_ events: TaskEvents, _ cursor: inout TaskEvents.Cursor) -> [String] {
        var texts: [String] = []
        while true {
            switch events.next(&cursor) {
            case .event(.progress(let progress)): texts.append("\(progress.completedBytes)")
            case .event(.preview): texts.append("preview")
            case .event(.finished(let result)): texts.append((try? result.get()) == nil ? "failed" : "image")
            case .wait: return texts
            case .end: return texts + ["end"]
            }
        }
    }

    @Test("a first report of no bytes and a newly known length are events, a repeated report is not")
    func firstReport() {
        var (events, cursor) = (TaskEvents(), TaskEvents.Cursor())
        for (total, texts) in [(nil, ["0"]), (nil, []), (9, ["0"]), (9, [])] as [(Int?, [String])] {
            events.report(WorkProgress(completedBytes: 0, totalBytes: total))
            #expect(received(events, &cursor) == texts)
        }
    }

    @Test("a late reader receives the latest event of each kind in order, and the result")
    func late() {
        var events = TaskEvents()
        events.report(progress(1))
        events.report(ImagePreview(image, number: 0))
        events.report(progress(2))
        events.report(progress(3))
        events.finish(.success(LoadedImage(image: image, source: .network, encodedByteCount: nil)))
        for _ in 0..<2 {
            var cursor = TaskEvents.Cursor()
            #expect(received(events, &cursor) == ["preview", "3", "image", "end"])
        }
    }

    @Test("a reader receives each new event once")
    func upToDate() {
        var events = TaskEvents()
        var cursor = TaskEvents.Cursor()
        #expect(received(events, &cursor).isEmpty)
        events.report(progress(1))
        #expect(received(events, &cursor) == ["1"])
        #expect(received(events, &cursor).isEmpty)
        events.report(ImagePreview(image, number: 0))
        events.finish(.failure(.notFound))
        #expect(received(events, &cursor) == ["preview", "failed", "end"])
    }

    @Test("only the first result counts, and nothing follows it")
    func ends() {
        var events = TaskEvents()
        events.finish(.failure(.notFound))
        events.finish(.success(LoadedImage(image: image, source: .network, encodedByteCount: nil)))
        events.report(progress(1))
        events.report(ImagePreview(image, number: 0))
        var cursor = TaskEvents.Cursor()
        #expect(received(events, &cursor) == ["failed", "end"])
    }

    @Test("after a cancellation there are no events, not even earlier ones")
    func cancelled() {
        var events = TaskEvents()
        events.report(progress(1))
        events.cancel()
        events.finish(.failure(.notFound))
        var cursor = TaskEvents.Cursor()
        #expect(received(events, &cursor) == ["end"])
        events.report(progress(2))
        #expect(received(events, &cursor) == ["end"])
    }

    @Test("a cancellation after the result has no effect")
    func cancelledAfterEnd() {
        var events = TaskEvents()
        events.report(progress(1))
        events.report(ImagePreview(image, number: 0))
        events.finish(.success(LoadedImage(image: image, source: .network, encodedByteCount: nil)))
        events.cancel()
        var cursor = TaskEvents.Cursor()
        #expect(received(events, &cursor) == ["1", "preview", "image", "end"])
        #expect(!events.isCancelled)
    }
}
