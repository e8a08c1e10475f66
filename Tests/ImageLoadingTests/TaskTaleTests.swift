import ImageCore
import ImageTesting
import Testing

@testable import ImageLoading

@Suite("What a task has to tell")
struct TaskTaleTests {
    private func progress(_ bytes: Int) -> WorkProgress { WorkProgress(completedBytes: bytes, totalBytes: 9) }

    private let picture = DecodedImage(
        bitmap: Bitmap(size: PixelSize(width: 1, height: 1), pixels: [1, 2, 3, 255], isOpaque: true),
        header: ImageHeader(format: .fake, storedSize: PixelSize(width: 1, height: 1)))

    /// All that a listener is told until it has to wait.
    private func told(_ tale: TaskTale, _ cursor: inout TaskTale.Cursor) -> [String] {
        var texts: [String] = []
        while true {
            switch tale.next(&cursor) {
            case .tell(.progress(let progress)): texts.append("\(progress.completedBytes)")
            case .tell(.preview): texts.append("preview")
            case .tell(.finished(let result)): texts.append((try? result.get()) == nil ? "failed" : "image")
            case .wait: return texts
            case .over: return texts + ["over"]
            }
        }
    }

    @Test("a first report is news though no byte has come, and so is a length that is learnt; the same again is none")
    func firstReport() {
        var (tale, cursor) = (TaskTale(), TaskTale.Cursor())
        for (total, texts) in [(nil, ["0"]), (nil, []), (9, ["0"]), (9, [])] as [(Int?, [String])] {
            tale.progressed(WorkProgress(completedBytes: 0, totalBytes: total))
            #expect(told(tale, &cursor) == texts)
        }
    }

    @Test("a late listener is told the latest of each, in the order in which they came, and the end")
    func late() {
        var tale = TaskTale()
        tale.progressed(progress(1))
        tale.previewed(ImagePreview(picture, number: 0))
        tale.progressed(progress(2))
        tale.progressed(progress(3))
        tale.ended(.success(LoadedImage(image: picture, source: .network, encodedByteCount: nil)))
        for _ in 0..<2 {
            var cursor = TaskTale.Cursor()
            #expect(told(tale, &cursor) == ["preview", "3", "image", "over"])
        }
    }

    @Test("who is up to date is told what is new, once")
    func upToDate() {
        var tale = TaskTale()
        var cursor = TaskTale.Cursor()
        #expect(told(tale, &cursor).isEmpty)
        tale.progressed(progress(1))
        #expect(told(tale, &cursor) == ["1"])
        #expect(told(tale, &cursor).isEmpty)
        tale.previewed(ImagePreview(picture, number: 0))
        tale.ended(.failure(.notFound))
        #expect(told(tale, &cursor) == ["preview", "failed", "over"])
    }

    @Test("the first end counts, and nothing after it")
    func ends() {
        var tale = TaskTale()
        tale.ended(.failure(.notFound))
        tale.ended(.success(LoadedImage(image: picture, source: .network, encodedByteCount: nil)))
        tale.progressed(progress(1))
        tale.previewed(ImagePreview(picture, number: 0))
        var cursor = TaskTale.Cursor()
        #expect(told(tale, &cursor) == ["failed", "over"])
    }

    @Test("after a cancellation nothing is told, not even what was there already")
    func cancelled() {
        var tale = TaskTale()
        tale.progressed(progress(1))
        tale.ended(.failure(.notFound))
        tale.cancelled()
        var cursor = TaskTale.Cursor()
        #expect(told(tale, &cursor) == ["over"])
        tale.progressed(progress(2))
        #expect(told(tale, &cursor) == ["over"])
    }
}
