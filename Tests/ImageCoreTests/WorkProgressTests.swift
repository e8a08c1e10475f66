import ImageCore
import Testing

@testable import ImageTesting

@Suite("Progress of work")
struct WorkProgressTests {
    private static func preview(_ number: Int) -> ImagePreview {
        let size = PixelSize(width: 1, height: 1)
        let bitmap = Bitmap(size: size, pixels: [0, 0, 0, 255], isOpaque: true)
        return ImagePreview(
            DecodedImage(bitmap: bitmap, header: ImageHeader(format: .png, storedSize: size)), number: number)
    }

    private static func progress(_ bytes: Int, of total: Int? = nil, preview number: Int? = nil) -> WorkProgress {
        WorkProgress(completedByteCount: bytes, totalByteCount: total, preview: number.map(preview))
    }

    /// A progress, a newer report, and the result. The result is nil if the report adds nothing.
    static let merges: [(WorkProgress, WorkProgress, WorkProgress?)] = [
        (progress(10), progress(20), progress(20)),
        (progress(10), progress(10), nil),
        (progress(10), progress(5), nil),
        (progress(10), progress(10, of: 100), progress(10, of: 100)),
        (progress(10, of: 100), progress(10), nil),
        (progress(10, of: 100), progress(10, of: 100), nil),
        (progress(10, of: 100), progress(5, of: 200), nil),
        (progress(10, of: 100), progress(20, of: 200), progress(20, of: 200)),
        (progress(10, of: 100), progress(20), progress(20)),
        (progress(10), progress(10, preview: 1), progress(10, preview: 1)),
        (progress(10, preview: 1), progress(20), progress(20, preview: 1)),
        (progress(10, preview: 1), progress(10, preview: 2), progress(10, preview: 2)),
        (progress(10, preview: 2), progress(10, preview: 1), nil),
        (progress(10, preview: 2), progress(20, preview: 1), progress(20, preview: 2)),
        (progress(10, of: 100), progress(5, preview: 1), progress(10, of: 100, preview: 1)),
    ]

    @Test("a report adds a higher number of bytes, a missing length and a newer preview", arguments: merges)
    func merge(_ old: WorkProgress, _ newer: WorkProgress, _ expected: WorkProgress?) {
        var progress = old
        let hasChanged = progress.merge(newer)
        #expect(hasChanged == (expected != nil))
        #expect(progress == expected ?? old)
    }

    @Test("the fraction is at most 1, and an empty transfer is complete")
    func fraction() {
        let progress = [(5, 10), (20, 10), (0, 0), (5, nil)].map { Self.progress($0, of: $1, preview: 1) }
        #expect(progress.map(\.fraction) == [0.5, 1, 1, nil])
        #expect(progress.allSatisfy { $0.withoutPreview.preview == nil })
    }

    @Test("decoding is told of a cancellation, and work without a lane waits for none")
    func scheduling() async throws {
        let decoding = Task {
            try await ImmediateScheduler().runDecoding(priority: LivePriority(.low)) { isCancelled in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return isCancelled()
            }
        }
        #expect(try await decoding.value)
        let scheduler = ManualScheduler()
        let value = try await scheduler.run(inLane: nil, server: nil, priority: LivePriority(.low)) { _ in 7 }
        #expect(value == 7 && scheduler.waiting.isEmpty)
    }

    @Test("the completeness of a preview's image is .preview")
    func previewImage() {
        #expect(Self.preview(1).image.completeness == .preview)
    }
}
