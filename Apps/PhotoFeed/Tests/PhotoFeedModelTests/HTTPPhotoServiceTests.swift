import Foundation
import ImageCore
import ImageTesting
import ImageThumbHash
import PhotoFeedModel
import Testing

@Suite("HTTP photo service", .timeLimit(.minutes(10)))
struct HTTPPhotoServiceTests {
    private static let list = "http://photos.example/photos"
    private static let page = Data(
        #"[{"albumId":1,"id":7,"title":"a \"boat\"","url":"http://p.example/7","thumbnailUrl":"http://p.example/7?w=3"}]"#
            .utf8)

    private func photos(
        from loader: ScriptedDataLoader, page: Int = 2
    ) async throws(PhotoServiceFailure) -> [Photo] {
        guard let url = URL(string: Self.list) else { return [] }
        return try await HTTPPhotoService(list: url, loader: loader).page(page, limit: 10)
    }

    @Test("requests a page by number and limit, with high priority, and revalidates it")
    func request() async throws {
        let loader = ScriptedDataLoader([.revalidate: .success(Self.page)])
        let photo = try #require(try await photos(from: loader).first)
        #expect(photo.id == 7)
        #expect(photo.title == #"a "boat""#)
        #expect(photo.thumbHash == nil)
        #expect(photo.thumbnailUrl.absoluteString == "http://p.example/7?w=3")
        let request = try #require(loader.log.messages.first)
        #expect(request.url?.absoluteString == Self.list + "?_page=2&_limit=10")
        #expect(request.mode == .revalidate)
        #expect(request.priority == .high)
        #expect(loader.log.messages.count == 1)
    }

    @Test(
        "a photo has its hash, or none if it is missing or malformed",
        arguments: [
            (#""1QsOVaiPdYl/iIeIiFiIeH9/9wh4""#, "1QsOVaiPdYl/iIeIiFiIeH9/9wh4"), (#""AAAA""#, nil), ("7", nil),
            ("null", nil),
        ] as [(String, String?)])
    func thumbHash(json: String, expected: String?) async throws {
        let text = String(decoding: Self.page, as: UTF8.self).replacing("}]", with: #","thumbHash":\#(json)}]"#)
        let loader = ScriptedDataLoader([.revalidate: .success(Data(text.utf8))])
        #expect(try await photos(from: loader).map(\.thumbHash?.base64) == [expected])
    }

    @Test("returns the stored page if the network fails")
    func offline() async throws {
        let loader = ScriptedDataLoader([
            .revalidate: .failure(.network(.connectionRefused, "")), .onlyIfCached: .success(Self.page),
        ])
        #expect(try await photos(from: loader).map(\.id) == [7])
        #expect(loader.log.messages.map(\.mode) == [.revalidate, .onlyIfCached])
    }

    @Test("throws the network's error if no page is stored")
    func nothingStored() async {
        let loader = ScriptedDataLoader([
            .revalidate: .failure(.network(.connectionRefused, "refused")), .onlyIfCached: .failure(.offline),
        ])
        await #expect(throws: PhotoServiceFailure.self) { try await photos(from: loader) }
        do { _ = try await photos(from: loader) } catch {
            #expect("\(error)" == "network (connectionRefused): refused")
        }
    }

    @Test("throws an HTTP error status even if a page is stored")
    func status() async {
        let loader = ScriptedDataLoader([.revalidate: .failure(.httpStatus(500)), .onlyIfCached: .success(Self.page)])
        await #expect(throws: PhotoServiceFailure.self) { try await photos(from: loader) }
        #expect(loader.log.messages.count == 1)
    }

    @Test("throws if the response is not a list of photos", arguments: ["", "{}", "[{\"id\":1}]", "<html>"])
    func malformed(text: String) async {
        let loader = ScriptedDataLoader([.revalidate: .success(Data(text.utf8))])
        do {
            _ = try await photos(from: loader)
            Issue.record("accepted \(text)")
        } catch {
            #expect("\(error)".hasPrefix("not a list of photos"))
        }
    }
}

/// Returns a scripted result for each load mode, and records the requests.
private final class ScriptedDataLoader: ImageLoaderProtocol {
    let log = MessageLog<ImageRequest>()
    private let replies: [ImageLoadMode: Result<Data, ImageError>]

    init(_ replies: [ImageLoadMode: Result<Data, ImageError>]) { self.replies = replies }

    func cachedImage(for request: ImageRequest) -> LoadedImage? { nil }

    func image(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedImage {
        throw .offline
    }

    func data(
        for request: ImageRequest, following priority: LivePriority,
        onProgress: @escaping @Sendable (WorkProgress) -> Void
    ) async throws(ImageError) -> LoadedData {
        log.append(request)
        guard let reply = replies[request.mode] else { throw .offline }
        return LoadedData(data: try reply.get(), source: .network)
    }
}
