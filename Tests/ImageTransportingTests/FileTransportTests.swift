import Foundation
import HTTPTypes
import ImageTransporting
import Testing

@Suite("file: URLs", .timeLimit(.minutes(10)))
final class FileTransportTests: Sendable {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID().uuidString)")
        for name in ["inside", "outside"] {
            try FileManager.default.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: true)
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func write(_ name: String, _ bytes: [UInt8] = [1, 2, 3]) throws -> URL {
        let url = folder.appending(path: name)
        try Data(bytes).write(to: url)
        return url
    }

    private func failure(_ transport: FileTransport, _ url: URL, bodyByteLimit: Int = 1 << 20) async -> TransportError?
    {
        do {
            _ = try await fetch(transport, TransportRequest(url: url, bodyByteLimit: bodyByteLimit))
            return nil
        } catch {
            return error as? TransportError
        }
    }

    @Test("a file is returned completely, in bounded pieces, with its length")
    func whole() async throws {
        let bytes = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 >> 3) }
        let url = try write("a b%.jpg", bytes)
        let (head, pieces) = try await fetch(FileTransport(), TransportRequest(url: url))
        #expect(head.status == .ok)
        #expect(head.expectedByteCount == bytes.count)
        #expect(head.headers[.contentLength] == "600000")
        #expect(head.url == url)
        #expect(pieces.map(\.count).max() ?? 0 <= 256 << 10)
        #expect(Array(pieces.joined()) == bytes)
        #if os(Linux)
            let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").map {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            }
            #expect(!files.contains(url.path), "the file is closed")
        #endif
    }

    @Test("an empty file has an empty body")
    func empty() async throws {
        #expect(try await fetch(FileTransport(), TransportRequest(url: try write("empty", []))).1 == [])
    }

    @Test("a HEAD request only returns the length")
    func head() async throws {
        var request = TransportRequest(url: try write("x"), method: .head)
        request.bodyByteLimit = 2
        let (head, pieces) = try await fetch(FileTransport(), request)
        #expect(head.headers[.contentLength] == "3")
        #expect(head.expectedByteCount == 0)
        #expect(pieces == [])
    }

    @Test("a missing file and a path below a file are not found")
    func missing() async throws {
        let file = try write("file")
        for url in [folder.appending(path: "nothing"), file.appending(path: "below")] {
            #expect(await failure(FileTransport(), url)?.kind == "notFound")
        }
    }

    @Test("folders, pipes and devices are rejected without blocking")
    func irregular() async throws {
        let pipe = folder.appending(path: "pipe")
        let isMade = unsafe mkfifo(pipe.path(), 0o600) == 0
        #expect(isMade)
        for url in [folder, pipe, URL(filePath: "/dev/zero")] {
            #expect(await failure(FileTransport(), url)?.kind == "other")
        }
    }

    @Test("a file above the size limit is rejected, and a file at the limit is not")
    func limit() async throws {
        let url = try write("ten", Array(repeating: 7, count: 10))
        #expect(await failure(FileTransport(), url, bodyByteLimit: 10) == nil)
        #expect(await failure(FileTransport(), url, bodyByteLimit: 9) == .tooLarge(byteLimit: 9))
    }

    @Test("a file that is truncated while it is read throws closedEarly")
    func shrinks() async throws {
        let url = try write("shrinks", Array(repeating: 7, count: 300_000))
        let body = try await FileTransport().send(TransportRequest(url: url)).body
        var iterator = body.makeAsyncIterator()
        let first = try await iterator.next()
        #expect(first?.count == 262_144)
        let isCut = unsafe truncate(url.path(), 1000) == 0
        #expect(isCut)
        let failure = await #expect(throws: TransportError.self) { _ = try await iterator.next() }
        #expect(failure == .closedEarly(received: 262_144, expected: 300_000))
    }

    @Test(
        "URLs with other hosts and schemes are invalid",
        arguments: ["file://server/share/x", "http://a/", "file:///a%00b"])
    func invalid(_ text: String) async throws {
        #expect(await failure(FileTransport(), try .of(text))?.kind == "invalidURL")
    }

    @Test("a transport confined to a folder reads files inside it only, even through links and relative paths")
    func confinement() async throws {
        let inside = try write("inside/a")
        let outside = try write("outside/b")
        let link = folder.appending(path: "inside/link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: outside)
        let linkedFolder = folder.appending(path: "inside/folder")
        try FileManager.default.createSymbolicLink(
            at: linkedFolder, withDestinationURL: folder.appending(path: "outside"))
        let transport = FileTransport(.folders([folder.appending(path: "inside")]))
        #expect(await failure(transport, inside) == nil)
        let attempts = [
            outside, link, linkedFolder.appending(path: "b"),
            try URL.of("file://\(folder.path())/inside/../outside/b"),
            try URL.of("file://\(folder.path())/inside/%2e%2e/outside/b"),
            try write("inside2"),
        ]
        for attempt in attempts { #expect(await failure(transport, attempt) != nil, "\(attempt)") }
    }

    @Test("a failure doesn't tell which files exist outside of the folders")
    func existence() async throws {
        _ = try write("inside/a")
        _ = try write("outside/b")
        for (name, target) in [("folder", "outside"), ("live", "outside/b"), ("dangling", "outside/c")] {
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "inside/\(name)"), withDestinationURL: folder.appending(path: target))
        }
        let transport = FileTransport(.folders([folder.appending(path: "inside")]))
        let outside = [
            "inside/folder/b", "inside/folder/c", "inside/folder/c/d", "inside/live", "inside/live/x",
            "inside/dangling", "inside/dangling/x", "inside/../outside/b", "inside/../outside/c", "none/x", "outside",
        ]
        for path in outside {
            let error = await failure(transport, try .of("file://\(folder.path())/\(path)"))
            #expect(error?.kind == "other" && "\(error as Any)".contains("outside the allowed"), "\(path)")
        }
        for path in ["inside/c", "inside/c/d", "inside/a/b"] {
            #expect(await failure(transport, try .of("file://\(folder.path())/\(path)"))?.kind == "notFound", "\(path)")
        }
    }

    @Test("names are bytes: one that isn't UTF-8 is read, and a folder that only looks like an allowed one isn't")
    func byteNames() async throws {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        for name in [composed, decomposed] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
            _ = try write(name + "/a")
        }
        let transport = FileTransport(.folders([folder.appending(path: composed)]))
        #expect(await failure(transport, try .of("file://\(folder.path())/%C3%A9/a")) == nil)
        #expect(await failure(transport, try .of("file://\(folder.path())/e%CC%81/a")) != nil)
        #if canImport(Glibc)
            let name = (Array("\(folder.path())/\(composed)/".utf8) + [0xFF, 0]).map { CChar(bitPattern: $0) }
            #expect(unsafe rename("\(folder.path())/\(composed)/a", name) == 0)
            #expect(await failure(transport, try .of("file://\(folder.path())/%C3%A9/%FF")) == nil)
        #endif
    }

    @Test("a cancelled task throws cancelled and returns no bytes")
    func cancelled() async throws {
        let missing = folder.appending(path: "missing")
        let opening = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await failure(FileTransport(), missing)
        }
        #expect(await opening.value == .cancelled)
        let body = try await FileTransport().send(TransportRequest(url: try write("x"))).body
        let reading = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await body.collected(expectedByteCount: nil, byteLimit: .max)
        }
        await #expect(throws: TransportError.cancelled) { try await reading.value }
    }
}
