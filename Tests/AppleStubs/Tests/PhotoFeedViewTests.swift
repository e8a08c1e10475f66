import ImageCore
import ImagePresentingSwiftUI
import ImageTesting
import PhotoFeedModel
import PhotoFeedViews
import SwiftUI
import Testing

@MainActor
@Suite("Photo feed in SwiftUI", .timeLimit(.minutes(1)))
struct PhotoFeedViewTests {
    private let log = MessageLog<[String]>()
    private let loader = FakeImageLoader()

    private func host(
        _ service: ScriptedPhotoService, rows: Range<Int> = 0..<100, usesVariants: Bool = false
    ) -> TestHost<some View> {
        for id in 0..<20 {
            loader.script(
                .image(PixelSize(width: 64, height: 64)),
                for: ScriptedPhotoService.photo(id).thumbnail(scale: 1, usesVariants: usesVariants))
        }
        let view = PhotoFeedView(feed: PhotoFeedModel(service: service), usesVariants: usesVariants)
        return TestHost(view.imageLoader(loader), rows: rows) { [log] in log.append($0) }
    }

    private func draws(_ condition: ([String]) -> Bool) async { await log.waitForLast(where: condition) }

    @Test("shows variants of the full images")
    func variants() async {
        let host = host(ScriptedPhotoService([1: [.photos(0..<1)]]), rows: 0..<1, usesVariants: true)
        #expect(host.drawn == ["progress"])
        await draws { $0 == ["image 64 (fill)", "photo 0"] }
    }

    @Test("shows the rows with their thumbnails, loads pages as rows appear, and ends with a footer")
    func pages() async {
        let host = host(ScriptedPhotoService([1: [.photos(0..<10)], 2: [.photos(10..<12)]]), rows: 0..<3)
        #expect(host.drawn == ["progress"])
        await draws { $0 == (0..<3).flatMap { ["image 64 (fill)", "photo \($0)"] } }
        host.scroll(to: 5..<11)
        await draws { $0.last == "photo 10" }
        host.scroll(to: 10..<20)
        await draws { $0.last == "No more photos" }
    }

    @Test("the footer shows that a page is loading, its error with a button, and its rows after that")
    func footer() async {
        let gate = TestGate()
        let host = host(
            ScriptedPhotoService([
                1: [.photos(0..<2)], 2: [.gated(gate, .failure), .photos(2..<3)], 3: [.photos(0..<0)],
            ]))
        await draws { $0.last == "progress" && $0.contains("photo 1") }
        gate.open()
        await draws { $0.last == "button Try Again (borderless)" && $0.contains("photo 1") }
        host.press("Try Again")
        await draws { $0.last == "No more photos" && $0.contains("photo 2") }
    }

    @Test("shows an error of the first page with a button, and an empty list")
    func firstPage() async {
        let host = host(ScriptedPhotoService([1: [.failure, .photos(0..<0)]]))
        await draws { $0.last == "button Try Again (borderless)" }
        #expect(host.drawn.count == 2)
        host.press("Try Again")
        await draws { $0 == ["No photos"] }
    }

    @Test("pull to refresh replaces the rows, and a failure keeps them")
    func refreshing() async {
        let host = host(
            ScriptedPhotoService([1: [.photos(0..<1), .failure, .photos(5..<6)], 2: [.photos(0..<0)]]))
        await draws { $0.last == "No more photos" }
        await host.refresh()
        await draws { $0.contains("button Try Again (borderless)") && $0.contains("photo 0") }
        await host.refresh()
        await draws {
            $0.contains("photo 5") && !$0.contains("photo 0") && !$0.contains("button Try Again (borderless)")
        }
    }
}
