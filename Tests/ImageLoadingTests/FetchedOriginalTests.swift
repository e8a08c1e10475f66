import Foundation
import ImageCore
import ImageLoading
import ImageTesting
import Synchronization
import Testing

@Suite("Stored originals of custom fetches", .timeLimit(.minutes(10)))
struct FetchedOriginalTests {
    private let disk = InMemoryDataCache()
    private let fixture: LoaderFixture
    private let calls = Calls()

    private final class Calls: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    init() { fixture = Self.fixture(disk) }

    private static func fixture(_ disk: InMemoryDataCache, partition: String? = nil) -> LoaderFixture {
        LoaderFixture {
            $0.fetchedOriginals = FetchedOriginals(cache: disk, partition: partition) {
                Date(timeIntervalSince1970: 1_700_000_000)
            }
        }
    }

    private func request(
        _ name: String = "asset", data: Data = LoaderFixture.image,
        adjust: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        var request = ImageRequest(
            .fetch(name: name) { [calls] in
                calls.add()
                return data
            }, cachePolicy: .diskOnly)
        adjust(&request)
        return request
    }

    @Test("an original is stored under its name and returned for the next request, also offline")
    func stored() async throws {
        #expect(try await fixture.loader.image(for: request()).source == .network)
        #expect(disk.entries.keys.map(\.source) == ["fetch asset"])
        #expect(try await fixture.loader.image(for: request()).source == .disk)
        #expect(try await fixture.loader.data(for: request { $0.mode = .onlyIfCached }).source == .disk)
        #expect(calls.count == 1)
        let kinds = fixture.observer.kinds()
        #expect(kinds.contains(.diskMiss(.absent)) && kinds.contains(.storedOnDisk(bytes: LoaderFixture.image.count)))
        #expect(kinds.contains(.diskHit(bytes: LoaderFixture.image.count)))
        #expect(fixture.loader.statistics.disk.hitRatio == 2.0 / 3)
    }

    @Test("identity, headers and partition distinguish originals")
    func keys() async throws {
        _ = try await fixture.loader.data(for: request { $0.identity = "image 1" })
        #expect(disk.entries.keys.map(\.source) == ["identity image 1"])
        _ = try await fixture.loader.data(for: request { $0.headers = ["Accept-Language": "fi"] })
        #expect(disk.entries.count == 2)
        let other = Self.fixture(disk, partition: "eve")
        #expect(try await other.loader.data(for: request { $0.identity = "image 1" }).source == .network)
        #expect(disk.entries.keys.map(\.source).contains("3:eve identity image 1"))
    }

    @Test(
        "the disk cache policy applies to reading and writing",
        arguments: [(CacheAccess.readWrite, 1), (.readOnly, 0), (.writeOnly, 1), (.none, 0)])
    func policy(_ access: CacheAccess, entries: Int) async throws {
        _ = try await fixture.loader.data(for: request { $0.cachePolicy.disk = access })
        #expect(disk.entries.count == entries)
        _ = try await fixture.loader.data(for: request())
        let source = try await fixture.loader.data(for: request { $0.cachePolicy.disk = access }).source
        #expect(source == (access.reads ? .disk : .network))
    }

    @Test("a reload fetches again and stores the new original")
    func reload() async throws {
        _ = try await fixture.loader.data(for: request())
        let newer = FakeImage.encode(width: 8, height: 8)
        let reload = request(data: newer) { $0.mode = .reload }
        #expect(try await fixture.loader.data(for: reload).data == newer)
        #expect(try await fixture.loader.data(for: request()).data == newer)
    }

    @Test("the result of an older fetch after a reload is not stored")
    func overtaken() async throws {
        let gate = Gate()
        let old = ImageRequest(
            .fetch(name: "asset") {
                await gate.pass()
                return Data("old".utf8)
            })
        let older = Task { try await fixture.loader.data(for: old) }
        await gate.arrivals(1)
        _ = try await fixture.loader.data(for: request { $0.mode = .reload })
        gate.open()
        #expect(try await older.value.data == Data("old".utf8))
        #expect(disk.entries.values.map(\.data) == [LoaderFixture.image])
    }

    @Test("undecodable bytes are removed from disk and fetched once more")
    func undecodable() async throws {
        _ = try await fixture.loader.data(for: request(data: Data("no image".utf8)))
        #expect(try await fixture.loader.image(for: request()).source == .network)
        #expect(disk.entries.values.map(\.data) == [LoaderFixture.image])
    }

    @Test("a failing disk is reported and has no other effect", arguments: [InMemoryDataCache.Operation.entry, .store])
    func broken(_ operation: InMemoryDataCache.Operation) async throws {
        disk.fail(operation, with: .noSpace)
        #expect(try await fixture.loader.image(for: request()).source == .network)
        #expect(fixture.observer.kinds().contains(.diskFailed(.noSpace)))
    }

    @Test("a processed image is stored in memory even if its original had to be fetched again")
    func processedAfterRenewal() async throws {
        let fixture = LoaderFixture()
        let request = fixture.request("a", first: .ok(Data("no image".utf8))) {
            $0.processors = [FakeProcessor("step")]
        }
        _ = try await fixture.loader.data(for: request)
        #expect(try await fixture.loader.image(for: request).source == .network)
        #expect(fixture.loader.cachedImage(for: request) != nil)
    }
}
