import Foundation
import ImageCore
import ImageLoading
import ImageScheduling
import ImageTesting
import ImageTransporting
import Testing

@Suite("Lanes of originals", .timeLimit(.minutes(10)))
struct LaneTests {
    private let gate = Gate()
    private let fixture: LoaderFixture

    init() {
        let lanes: [WorkLane: LaneConfiguration] = [
            .download: LaneConfiguration(limit: 3, perHostLimit: 2), .file: LaneConfiguration(limit: 1),
            .decode: LaneConfiguration(limit: 1),
        ]
        fixture = LoaderFixture(scheduler: PriorityScheduler(lanes: lanes)) { configuration in
            configuration.transport = configuration.transport.adding([
                "file": FileTransport(), "data": DataURLTransport(),
            ])
        }
    }

    /// Starts downloads of one host that don't end, and waits until it has all its slots.
    private func stall() async -> [Task<LoadedImage, any Error>] {
        let tasks = (0..<8).map { number in
            let request = fixture.request(
                "stalled \(number)", first: .init(beforeHead: [.wait(gate)], body: [.piece(LoaderFixture.image)]))
            return Task { try await fixture.loader.image(for: request) }
        }
        await gate.arrivals(2)
        return tasks
    }

    private func load(_ origin: ImageOrigin) async throws -> PixelSize {
        try await fixture.loader.image(for: ImageRequest(origin, priority: .veryLow)).image.bitmap.size
    }

    private static let size = PixelSize(width: 40, height: 30)

    @Test("originals that need no network don't wait for stalled downloads, at the lowest priority")
    func withoutNetwork() async throws {
        let stalled = await stall()
        let file = FileManager.default.temporaryDirectory.appending(path: "lane \(UUID().uuidString)")
        try LoaderFixture.image.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let text = "data:application/octet-stream;base64,\(LoaderFixture.image.base64EncodedString())"
        #expect(try await load(.url(file)) == Self.size)
        #expect(try await load(.url(#require(URL(string: text)))) == Self.size)
        #expect(try await load(.data(LoaderFixture.image)) == Self.size)
        #expect(try await load(.fetch(name: "at hand") { LoaderFixture.image }) == Self.size)
        #expect(fixture.transport.sendCount == 2)
        for task in stalled { task.cancel() }
    }

    @Test("a host with stalled downloads doesn't delay another host")
    func otherHost() async throws {
        let stalled = await stall()
        let url = try #require(URL(string: "http://other.example/image"))
        fixture.transport.script(url, .ok(LoaderFixture.image))
        #expect(try await load(.url(url)) == Self.size)
        for task in stalled { task.cancel() }
    }
}
