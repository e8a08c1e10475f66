import Foundation
import GeneratedImages
import ImageCodecPNG
import ImageCore
import ImageDecodingIsolation
import ImageTesting
import Synchronization
import Testing

/// A file that took over a worker reaches nothing, and the next image is right.
@Suite("Attacks from a worker")
struct AttackTests {
    /// Attacks that end the worker, and how the image fails.
    static let fatalAttacks: [(attack: String, failure: WorkerFailure)] = [
        ("header:fault", .signal(SIGSEGV)), ("pixels:fault", .signal(SIGSEGV)), ("pixels:abort", .signal(SIGABRT)),
        ("pixels:allocate", .signal(SIGABRT)), ("pixels:exit", .exited(0)),
        ("header:loop", .timedOut), ("pixels:loop", .timedOut), ("header:connect", .forbiddenCall("socket")),
        ("pixels:execute", .forbiddenCall("execve")), ("pixels:fork", .forbiddenCall("clone")),
        ("header:flood", .forbiddenCall("openat")),
        ("pixels:trace parent", .forbiddenCall("ptrace")), ("pixels:ring", .forbiddenCall("io_uring_setup")),
        ("pixels:read parent", .forbiddenCall("process_vm_readv")), ("pixels:32 bits", .signal(SIGSYS)),
        ("header:answer too much", .invalidAnswer("5000 bytes")),
        ("header:answer too little", .invalidAnswer("3 bytes")),
        ("pixels:answer twice", .invalidAnswer("to request 1 in place of 2")),
        ("header:answer another request", .invalidAnswer("to request 99 in place of 1")),
        ("header:answer huge", .invalidAnswer("a size of 1099511627776x1099511627776")),
        ("pixels:answer another size", .invalidAnswer("an image of another size")),
        ("pixels:answer another color", .invalidAnswer("another color space")),
        ("pixels:answer truncated", .invalidAnswer("an incomplete image")),
        ("pixels:answer preview", .invalidAnswer("an incomplete image")),
        ("pixels:answer nothing", .invalidAnswer("an image of another size")),
    ]

    @Test("a worker that closes its socket fails its image, at once or after the time limit")
    func closesSocket() throws {
        let fixture = IsolatedFixture { $0.timeLimit = .seconds(3) }
        let failure = fixture.failure("pixels:close")
        #expect([.workerFailed(.signal(SIGKILL)), .workerFailed(.timedOut)].contains(failure))
        try expectRightImage(fixture)
    }

    @Test("a worker that fails is a failure of its image, and the next image is right", arguments: fatalAttacks)
    func fatal(attack: String, failure: WorkerFailure) throws {
        let fixture = IsolatedFixture {
            if failure == .timedOut { $0.timeLimit = .seconds(3) }
            $0.memoryByteLimit = 200 << 20
        }
        #expect(fixture.failure(attack) == .workerFailed(failure))
        #expect(fixture.events.messages.last == .failed(failure))
        try expectRightImage(fixture)
    }

    @Test(
        "a call that is refused is counted by its name",
        arguments: [
            ("open /etc/passwd", "openat"), ("open the cache", "openat"), ("write a file", "openat"),
            ("map code", "mmap"), ("make code", "mprotect"), ("kill parent", "kill"), ("shrink", "ftruncate"),
            ("map shared", "mmap"), ("map a stack", "mmap"), ("start threads", "clone"),
            ("clone3", "prctl"),
        ])
    func refused(attack: String, call: String) throws {
        let fixture = IsolatedFixture()
        #expect(fixture.failure("pixels:" + attack) == .malformed(.png, "the attack was refused"))
        #expect(fixture.events.messages.contains(.callRefused(call)))
        try expectRightImage(fixture)
    }

    @Test("an image that a damaged worker lost is decoded again, once")
    func decodesInnocentImage() throws {
        let fixture = IsolatedFixture()
        try expectRightImage(fixture)
        // It has decoded an image, so the attack runs twice.
        #expect(fixture.failure("header:fault") == .workerFailed(.signal(SIGSEGV)))
        #expect(fixture.events.messages == Array(repeating: .failed(.signal(SIGSEGV)), count: 2))
        // It answers twice, and the second answer comes with the next image.
        _ = try fixture.decoders.header(of: Data("header:answer twice".utf8))
        try expectRightImage(fixture)
    }

    @Test("an image whose time is over is not tried again")
    func timesOutOnce() throws {
        let fixture = IsolatedFixture { $0.timeLimit = .seconds(3) }
        try expectRightImage(fixture)
        #expect(fixture.failure("header:loop") == .workerFailed(.timedOut))
        #expect(fixture.events.messages == [.failed(.timedOut)])
    }

    @Test("a decode that is cancelled ends soon, also if the worker does not notice", .timeLimit(.minutes(1)))
    func cancels() throws {
        let fixture = IsolatedFixture { $0.timeLimit = .seconds(20) }
        #expect(throws: ImageDecodingError.cancelled) {
            try fixture.decoders.decode(Data("pixels:loop".utf8), request: DecodingRequest()) { true }
        }
        let asked = Atomic(0)
        #expect(throws: ImageDecodingError.cancelled) {
            try fixture.decoders.decode(Data("pixels:loop".utf8), request: DecodingRequest()) {
                asked.add(1, ordering: .relaxed).oldValue > 1
            }
        }
        try expectRightImage(fixture)
    }

    @Test("a worker that notices that its image is cancelled is used again", .timeLimit(.minutes(1)))
    func usedAfterCancelling() {
        // A worker on a busy machine can answer too late, and ends.
        let isUsedAgain = (0..<20).contains { _ in
            let fixture = IsolatedFixture()
            let asked = Atomic(0)
            #expect(throws: ImageDecodingError.cancelled) {
                try fixture.decoders.decode(Data("pixels:wait".utf8), request: DecodingRequest()) {
                    asked.add(1, ordering: .relaxed).oldValue > 1
                }
            }
            // The attack runs again if the worker has had another image.
            #expect(throws: ImageDecodingError.self) { try fixture.decoders.header(of: Data("header:fault".utf8)) }
            return fixture.events.messages.count == 2
        }
        #expect(isUsedAgain)
    }

    @Test("what is cancelled before it starts needs no worker")
    func cancelledEarlier() async throws {
        let decoders = IsolatedFixture { $0.program = "/nowhere" }.decoders
        let data = try #require(try GeneratedImage.all().first).data
        #expect(throws: ImageDecodingError.cancelled) { try decoders.decode(data, request: DecodingRequest()) { true } }
        let session = try #require(decoders.makeSession(request: DecodingRequest(), throttle: .unlimited))
        #expect(throws: ImageDecodingError.cancelled) { try session.append(data, at: .zero, isCancelled: { true }) }
        let encoding = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            let bitmap = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [0, 0, 0, 0])
            return try decoders.encoder(like: PNGEncoder(), named: "png").encode(bitmap, options: EncodingOptions())
        }
        await #expect(throws: ImageEncodingError.cancelled) { try await encoding.value }
        let reader = try IsolatedFixture().decoders.makeFrameReader(of: data, request: DecodingRequest())
        #expect(throws: ImageDecodingError.cancelled) { try reader.frame(at: 0) { true } }
    }

    @Test("a decode and a preview that wait for a worker can be cancelled", .timeLimit(.minutes(1)))
    func cancelsWaiting() async throws {
        let hasBegun = OneTimeSignal()
        let fixture = IsolatedFixture {
            $0.onEvent = { if case .callRefused = $0 { hasBegun.send() } }
        }
        let blocking = Task.detached {
            let file = Data("pixels:open and loop".utf8)
            return try fixture.decoders.decode(file, request: DecodingRequest()) { Task.isCancelled }
        }
        try await hasBegun.wait()
        let data = try #require(try GeneratedImage.all().first).data
        let asked = Atomic(0)
        #expect(throws: ImageDecodingError.cancelled) {
            try fixture.decoders.decode(data, request: DecodingRequest()) {
                asked.add(1, ordering: .relaxed).oldValue > 0
            }
        }
        let session = try #require(fixture.decoders.makeSession(request: DecodingRequest(), throttle: .unlimited))
        #expect(throws: ImageDecodingError.cancelled) {
            try session.append(data, at: .zero) { asked.add(1, ordering: .relaxed).oldValue > 2 }
        }
        blocking.cancel()
        await #expect(throws: ImageDecodingError.cancelled) { try await blocking.value }
    }

    @Test("a program that is no worker is a failure that says what is missing")
    func namesMissingWorker() {
        let unprepared = IsolatedFixture { $0.program = nil }
        #expect(
            unprepared.failure("")
                == .workerFailed(
                    .notStarted("call ImageWorker.runIfAsked() first in main, or set ImageIsolation.program")))
        for program in ["/bin/true", "/nowhere"] {
            guard
                case .workerFailed(.notStarted(let text)) = IsolatedFixture(change: { $0.program = program }).failure(
                    "")
            else {
                Issue.record("\(program) became a worker")
                continue
            }
            #expect(text.contains(program))
        }
    }

    @Test("a worker is replaced after its number of images, and for another origin")
    func replacesWorker() throws {
        let fixture = IsolatedFixture { $0.imagesPerWorker = 2 }
        // The attack would run again if the worker had decoded an image.
        for _ in 0..<2 { try expectRightImage(fixture) }
        #expect(fixture.failure("header:fault") == .workerFailed(.signal(SIGSEGV)))
        #expect(fixture.events.messages.count == 1)
        try expectRightImage(fixture)
        #expect(throws: ImageDecodingError.self) {
            try fixture.decoders.scoped(to: "other").header(of: Data("header:fault".utf8))
        }
        #expect(fixture.events.messages.count == 2)
    }

    @Test("a worker serves other images when its reader of frames is released, and limits keep the origin")
    func sharesWorker() throws {
        let fixture = IsolatedFixture()
        let data = try #require(try GeneratedImage.all().first).data
        func attacks(_ decoders: IsolatedDecoders) -> Int {
            let before = fixture.events.messages.count
            #expect(throws: ImageDecodingError.self) { try decoders.header(of: Data("header:fault".utf8)) }
            return fixture.events.messages.count - before
        }
        var reader: (any FrameReader)? = try fixture.decoders.makeFrameReader(of: data, request: DecodingRequest())
        _ = try reader?.frame(at: 0)
        #expect(attacks(fixture.decoders) == 1, "a worker of its own, which had decoded no image")
        reader = nil
        #expect(attacks(fixture.decoders) == 2, "that of the reader, and a new one")
        let origins = ["a", "b"].map {
            fixture.decoders.scoped(to: $0).limited(to: .default, memoryByteLimit: 1 << 30)
        }
        _ = try origins[0].decode(data)
        #expect(attacks(origins[1]) == 1 && attacks(origins[0]) == 2)
    }

    @Test("workers that failed leave no shared memory, and no other file open")
    func leavesNothing() throws {
        let fixture = IsolatedFixture()
        let count = Int(ProcessInfo.processInfo.environment["ISOLATION_ATTACKS"] ?? "") ?? 40
        try expectRightImage(fixture)
        let before = try filesOfWorkers()
        for _ in 0..<count { #expect(fixture.failure("header:abort") != nil) }
        try expectRightImage(fixture)
        // Other tests have workers meanwhile.
        #expect(try filesOfWorkers() < before + 25)
    }

    /// Returns the number of open files that are shared memory, the socket of a worker or its refused calls.
    private func filesOfWorkers() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
            // A file may have been closed since the folder was read.
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            return ["/memfd:image", "socket:", "anon_inode:seccomp"].contains { target?.hasPrefix($0) == true }
        }
    }

    private func expectRightImage(_ fixture: IsolatedFixture) throws {
        let data = try #require(try GeneratedImage.all().first).data
        #expect(try fixture.decoders.decode(data) == fixture.local.decode(data))
    }
}
