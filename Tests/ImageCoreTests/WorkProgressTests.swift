import ImageCore
import Testing

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

    @Test("the completeness of a preview's image is .preview")
    func previewImage() {
        #expect(Self.preview(1).image.completeness == .preview)
    }
}
