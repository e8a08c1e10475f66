import CommandRunning
import Dispatch
import Foundation
import HTTPTypes
import ImageCore
import ImageDecodingIsolation
import ImageProcessing
import ImageTesting
import Testing

@testable import ImageServerKit

/// Decoders in workers of the server's program, which is built into the folder of the tests.
enum SampleWorkers {
    static func settings(_ arguments: [String] = []) async throws -> ServerSettings {
        var settings = try await unsignedSettings(arguments)
        settings.workerProgram =
            URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "image-server").path
        return settings
    }

    static func decoder(_ arguments: [String] = []) async throws -> any SizedImageDecoder {
        try await settings(arguments).makeDecoder()
    }
}

@Suite("Codecs in workers") struct CodecWorkerTests {
    private static func outcome(
        _ decoder: any SizedImageDecoder, _ file: Data, _ target: ImageTarget? = nil
    ) -> Result<Bitmap, ImageDecodingError> {
        Result { () throws(ImageDecodingError) in
            try decoder.decode(file, request: DecodingRequest(target: target)).bitmap
        }
    }

    @Test("a source is decoded as without a worker, also if it is damaged", arguments: OutputFormats.all.map(\.format))
    func decoding(format: ImageFormat) async throws {
        let output = try #require(OutputFormats.output(for: format))
        let file = try output.encoder.encode(SampleImages.bitmap(90, 70), options: EncodingOptions())
        let workers = try await SampleWorkers.decoder()
        for part in [0.5, 0.9, 1] {
            let file = file.prefix(Int(Double(file.count) * part))
            for target in [nil, ImageTarget(PixelSize(width: 30, height: 30))] {
                #expect(Self.outcome(workers, file, target) == Self.outcome(SampleImages.decoder(), file, target))
            }
        }
    }

    @Test(
        "a result is encoded as without a worker", arguments: ["avif", "jxl"].filter { OutputFormats.isKnown($0) },
        [(0.4, false), (0.95, true)])
    func encoding(name: String, options: (quality: Double, isLossless: Bool)) async throws {
        let output = try #require(OutputFormats.all.first { $0.extensions.contains(name) })
        let settings = EncoderSettings()
        let base = settings.configured(output).encoder
        let workers = try #require(try await SampleWorkers.decoder() as? IsolatedDecoders)
        let worker = workers.encoder(like: base, named: try #require(settings.workerName(of: output.format)))
        let (bitmap, encoding) = (
            SampleImages.bitmap(90, 70),
            EncodingOptions(quality: options.quality, isLossless: options.isLossless, isProgressive: true)
        )
        #expect(try worker.encode(bitmap, options: encoding) == base.encode(bitmap, options: encoding))
        let frames = (0..<3).map {
            AnimationFrame(bitmap: SampleImages.bitmap(33, 21, alpha: 128, shade: $0 * 9), delay: .milliseconds(70))
        }
        #expect(
            try worker.encode(frames, loopCount: 7, options: encoding)
                == base.encode(frames, loopCount: 7, options: encoding))
        #expect(throws: ImageEncodingError.self) {
            try workers.encoder(like: base, named: "pdf 1").encode(bitmap, options: encoding)
        }
    }

    @Test("a worker makes the encoder of the settings, and none for another name")
    func encoderNames() {
        var settings = EncoderSettings()
        settings.avifSpeed = 0
        settings.jxlEffort = 9
        #expect(settings.workerName(of: .avif) == "avif 0" && settings.workerName(of: .jpegXL) == "jxl 9")
        #expect(settings.workerName(of: .webP) == nil)
        for name in ["", "avif", "avif x", "pdf 1"] { #expect(EncoderSettings.encoder(named: name) == nil) }
    }

    #if AVIF
        @Test(
            "a cancelled encoding ends its worker, which would take many minutes", .timeLimit(.minutes(1)),
            arguments: [1, 3])
        func cancellation(frameCount: Int) async throws {
            let settings = try await SampleWorkers.settings(["--avif-speed", "0"])
            let renderer = ImageRenderer(
                decoder: settings.makeDecoder(), limits: settings.limits, encoders: settings.encoders,
                clock: ManualClock())
            let url = try ImageURLParser(signature: nil)
                .parse(ServiceFixture.path("f:avif/q:95/w:3000/el:1"), now: .distantPast)
            let source = try SampleImages.gif(frames: frameCount)
            let task = Task {
                try renderer.render(source, url.options, accepted: AcceptedFormats(accept: nil)) { Task.isCancelled }
            }
            // The encoders of all cases may block all threads of tasks.
            DispatchQueue.global().asyncAfter(deadline: .now() + 2) { task.cancel() }
            await #expect(throws: RenderingFailure.cancelled) { try await task.value }
        }
    #endif

    #if JXL && AVIF
        @Test(
            "has more memory than the server for a source of the largest size", arguments: [ImageFormat.avif, .jpegXL])
        func memory(format: ImageFormat) async throws {
            let output = try #require(OutputFormats.output(for: format))
            // dav1d rounds the sides up to 128: that needs more than the 12 bytes a pixel of the server.
            let bitmap = SampleImages.bitmap(66, 66)
            let file = try output.encoder.encode(bitmap, options: EncodingOptions(isLossless: true))
            let decoder = try await SampleWorkers.decoder(["--max-source-pixels", "\(bitmap.size.area)"])
            #expect(try Self.outcome(decoder, file).get() == bitmap)
        }
    #endif

    @Test("the limits of a URL are those of its worker")
    func limits() async throws {
        let settings = try await SampleWorkers.settings(["--allow-limit-options", "true", "--max-source-pixels", "100"])
        let renderer = ImageRenderer(
            decoder: settings.makeDecoder(), limits: settings.limits, clock: ManualClock()
        ).scoped(to: "http://a:80")
        let source = try SampleImages.png(20, 10)
        func render(_ options: String) throws -> PixelSize {
            let url = try settings.makeParser().parse(ServiceFixture.path(options), now: .distantPast)
            return try renderer.render(source, url.options, accepted: AcceptedFormats(accept: nil)).size
        }
        #expect(throws: RenderingFailure.decoding(.limitExceeded(.pixels, value: 200, allowed: 100))) {
            try render("w:5")
        }
        #expect(try render("w:5/msr:1").width == 5)
    }

    @Test("a source is decoded by a worker that has seen none of another server or user")
    func origins() async throws {
        let link = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).worker")
        defer { try? FileManager.default.removeItem(at: link) }
        var settings = try await SampleWorkers.settings()
        try FileManager.default.createSymbolicLink(
            atPath: link.path, withDestinationPath: try #require(settings.workerProgram))
        settings.workerProgram = link.path
        let cookie = HTTPField(name: .cookie, value: "user=1")
        let fixture = ServiceFixture(
            decoder: settings.makeDecoder(),
            forwarding: ForwardedFields(
                names: [.cookie], destinations: OriginRules(allowedOrigins: [try AllowedOrigin("http://a")])))
        let handler = fixture.makeHandler()
        func workers(after options: String, _ source: String, _ client: [HTTPField] = []) async throws -> Int {
            fixture.script(.data(try SampleImages.png()), source, client: client)
            let response = await handler.answer(ServiceFixture.path(options, source), .get, HTTPFields(client))
            #expect(response.status == 200)
            return try processes(running: link.path).count - 1
        }
        #expect(try await workers(after: "w:5", "http://a/1") == 1, "beside the program that starts workers")
        #expect(try await workers(after: "w:6", "http://a/2") == 1)
        #expect(try await workers(after: "w:5", "http://b/1") == 2)
        #expect(try await workers(after: "w:5", "http://a/1", [cookie]) == 3)
    }

    @Test("codecs run in workers unless the setting is off, and other values are refused")
    func setting() async throws {
        for (value, isIsolated) in [("required", true), ("preferred", true), ("off", false)] {
            let settings = try await SampleWorkers.settings(["--isolation", value])
            #expect(settings.makeDecoder() is IsolatedDecoders == isIsolated)
            #expect((settings.workers().requirement == .required) == (value == "required"))
        }
        #expect(try await SampleWorkers.decoder() is IsolatedDecoders)
        await #expect(throws: SettingsFailure.self) { try await SampleWorkers.settings(["--isolation", "always"]) }
    }

    @Test("a program that is no worker is a failure of the server, not of the source")
    func missingProgram() async throws {
        var settings = try await SampleWorkers.settings()
        settings.workerProgram = "/bin/true"
        let decoder = settings.makeDecoder()
        let source = try SampleImages.png()
        #expect {
            try decoder.header(of: source)
        } throws: { error in
            guard let error = error as? ImageDecodingError else { return false }
            return ServiceFailure(RenderingFailure.decoding(error)).status == 500
        }
    }
}

extension OutputFormats {
    fileprivate static func isKnown(_ name: String) -> Bool { all.contains { $0.extensions.contains(name) } }
}
