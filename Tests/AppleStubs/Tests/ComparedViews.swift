import Foundation
import ImageCore
import ImagePresenting
import ImagePresentingSwiftUI
import ImageTransporting
import SwiftUI
import Testing

@testable import ImageTesting

/// The views of Documentation/Comparison.md. Scripts/check-apple checks that all of its lines are here.
struct ComparedViews: View {
    let url: URL
    let token: String
    let loader: any ImageLoaderProtocol

    var body: some View {
        let list = List {
            LoadingImage(url).frame(width: 80, height: 80)
            LoadingImage(url, contentMode: .fill).frame(width: 80, height: 80)
            LoadingImage(url) { if let image = $0.image { image } else { Color.gray } }
            LoadingImage(url, options: .init(transition: .fadeIn(.milliseconds(250))))
            LoadingImage(url) { if let image = $0.image { image } else { ProgressView(value: $0.fraction) } }
            LoadingImage(ImageRequest(url: url, priority: .high))
            LoadingImage(ImageRequest(url: url, headers: ["Authorization": token]))
            LoadingImage(url, label: Text(verbatim: "Ada Lovelace"))
        }
        list.imageLoader(loader)
    }
}

@MainActor
@Suite("The views of the comparison", .timeLimit(.minutes(1)))
struct ComparedViewsTests {
    @Test("each view draws its image, decoded to its size")
    func drawn() async throws {
        let (fixture, log) = (LoaderTestBed(), MessageLog<[String]>())
        let file = FakeImage.encode(width: 200, height: 400)
        let url = try #require(fixture.request("a", [.ok(file)]).url)
        let host = TestHost(ComparedViews(url: url, token: "a", loader: fixture.loader)) { log.append($0) }
        let images = [
            "image 40 (fit)", "image 80 (fill)", "image 100", "image 100 (fit)", "image 100", "image 100 (fit)",
            "image 100 (fit)", "image 100 \"Ada Lovelace\" (fit)",
        ]
        await log.waitForLast { $0 == images }
        #expect(host.drawn == images)
    }
}
