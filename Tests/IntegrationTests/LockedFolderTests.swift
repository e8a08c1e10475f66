import Foundation
import HTTPTransports
import ImageCore
import ImageTesting
import ImageTransporting
import Testing

@testable import ImageLoaderKit

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("A cache folder that another process has locked")
struct LockedFolderTests {
    @Test("all images load, those that the cache isn't asked for too, although storing them hangs")
    func loads() async throws {
        let (clock, network) = (ManualClock(), ScriptedTransport())
        let test = TestLoader(try #require(HTTPTransport.allCases.first)) {
            $0.makeTransport = { _ in network }
            $0.storeClock = clock
        }
        func request(_ number: Int, _ policy: ImageCachePolicy = .all) throws -> ImageRequest {
            let url = try #require(URL(string: "http://images.example/\(number)"))
            network.script(url, .ok(Data([UInt8(number)]), headers: [.cacheControl: "max-age=600"]))
            return ImageRequest(url: url, cachePolicy: policy)
        }
        _ = try await test.loader.data(for: request(0))
        let locks = try lock(test.folder)
        let requests = try (1...20).map { try request($0) }
        let tasks = requests.map { request in Task { try await test.loader.data(for: request).data } }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        #expect(try await test.loader.data(for: request(99, .disabled)).data == Data([99]))
        for (number, task) in zip(1..., tasks) { #expect(try await task.value == Data([UInt8(number)])) }
        #expect(!locks.isEmpty)
    }

    /// Locks the folders, as a process that was stopped then. Release the handles to unlock them.
    private func lock(_ folder: URL) throws -> [FileHandle] {
        let paths = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
        return try paths.filter { $0.hasSuffix("usage") }.map { path in
            let file = try FileHandle(forUpdating: folder.appending(path: path))
            #expect(flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
            return file
        }
    }
}
