import CommandRunning
import Foundation
import GeneratedImages
import ImageCodecPNG
import ImageCore
import ImageDecodingIsolation
import ImageLoaderKit
import ImageTesting
import Testing

/// The processes of decoders, which are found by the name of a link to the test program.
@Suite("Processes of workers")
struct ProcessTests {
    private let link = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).worker")

    private func withLink(_ body: () throws -> Void) throws {
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: IsolatedFixture.program)
        defer { try? FileManager.default.removeItem(at: link) }
        try body()
    }

    private func processes() throws -> Set<Int32> { try CommandRunning.processes(running: link.path) }

    private func decode(_ decoders: IsolatedDecoders, _ origin: String = "") throws {
        _ = try decoders.scoped(to: origin).decode(try #require(try GeneratedImage.all().first).data)
    }

    @Test("four workers that were used last are kept, and all end with their decoders")
    func ends() throws {
        try withLink {
            try { () throws in
                let fixture = IsolatedFixture { $0.program = link.path }
                for origin in 0..<6 { try decode(fixture.decoders, "\(origin)") }
                #expect(try processes().count == 5, "with the program that starts workers")
                for (origin, count) in [(5, 2), (0, 1)] {
                    let before = fixture.events.messages.count
                    #expect(throws: ImageDecodingError.self) {
                        try fixture.decoders.scoped(to: "\(origin)").header(of: Data("header:fault".utf8))
                    }
                    #expect(fixture.events.messages.count - before == count, "\(origin)")
                }
            }()
            #expect(try processes().isEmpty)
        }
    }

    @Test("a worker has no file of the application, and ends first if memory is short")
    func inheritsNothing() throws {
        try withLink {
            let file = unsafe open("/dev/zero", O_RDONLY)
            defer { close(file) }
            let fixture = IsolatedFixture { $0.program = link.path }
            try decode(fixture.decoders)
            let processes = try processes()
            #expect(processes.count == 2)
            for process in processes {
                #expect(!FileManager.default.fileExists(atPath: "/proc/\(process)/fd/\(file)"))
                let score = try String(contentsOfFile: "/proc/\(process)/oom_score_adj", encoding: .utf8)
                #expect(score == "1000\n")
            }
        }
    }

    @Test("a worker is replaced after its number of images, of which an encoded one counts as one")
    func replaces() throws {
        try withLink {
            let fixture = IsolatedFixture {
                $0.program = link.path
                $0.imagesPerWorker = 2
            }
            let bitmap = Bitmap(size: PixelSize(width: 1, height: 1), pixels: [0, 0, 0, 0])
            for count in [2, 1] {
                let encoder = fixture.decoders.encoder(like: PNGEncoder(), named: "png")
                _ = try encoder.encode(bitmap, options: EncodingOptions())
                #expect(try processes().count == count)
            }
        }
    }

    @Test("the next image has a worker after the program that starts them was killed, and after all were")
    func startsAgain() throws {
        try withLink {
            let fixture = IsolatedFixture { $0.program = link.path }
            try decode(fixture.decoders)
            // It is the first process. Another origin needs a new worker.
            if let starter = try processes().min() { kill(starter, SIGKILL) }
            try decode(fixture.decoders, "other")
            for process in try processes() { kill(process, SIGKILL) }
            try decode(fixture.decoders)
        }
    }

    @Test("the workers of a loader have its limits, and its observer receives their events, too")
    func ofLoader() throws {
        let (observer, events) = (RecordingObserver(), MessageLog<WorkerEvent>())
        var options = ImageLoaderOptions(cacheDirectory: nil)
        options.observer = observer
        options.decodingLimits.maxSide = 1
        options.isolation = .workers(1)
        options.isolation?.program = IsolatedFixture.program
        options.isolation?.onEvent = { events.append($0) }
        let decoder = options.makeDecoder()
        #expect(throws: ImageDecodingError.self) { try decoder.header(of: Data("header:fault".utf8)) }
        #expect(events.messages == [.failed(.signal(SIGSEGV))])
        #expect(observer.kinds() == [.worker(.failed(.signal(SIGSEGV)))])
        let image = try #require(try GeneratedImage.all().first)
        #expect { try decoder.header(of: image.data) } throws: { error in
            if case .limitExceeded(.side, _, 1) = error as? ImageDecodingError { true } else { false }
        }
    }
}
