import Foundation
import ImageCore
import Testing

@testable import ImageServerKit

@Suite struct OutputSettingsTests {
    private func settings(_ arguments: String...) async throws -> ServerSettings {
        try await ServerSettings(
            arguments: ["--allow-unsigned", "true"] + arguments, environment: [:], coreCount: 1)
    }

    private func failure(_ arguments: String...) async -> SettingsFailure? {
        await #expect(throws: SettingsFailure.self) {
            try await ServerSettings(
                arguments: ["--allow-unsigned", "true"] + arguments, environment: [:], coreCount: 1)
        }
    }

    @Test("chooses WebP by default, and other formats if the settings say so")
    func formats() async throws {
        #expect(try await settings().results.formats == FormatRules())
        let off = try await settings(
            "--auto-webp", "false", "--enforce-webp", "true", "--preferred-formats", "webp,png")
        #expect(off.results.formats == FormatRules(automatic: [], enforced: [.webp], preferred: [.webp, .png]))
        #expect(
            await failure("--preferred-formats", "svg")
                == .invalid("preferredFormats", "svg is not a format of results"))
        #if !AVIF
            #expect(
                await failure("--auto-avif", "true") == .invalid("autoAvif", "the server was built without the format"))
        #endif
    }

    @Test("reads how formats are encoded")
    func encoders() async throws {
        #expect(try await settings().results.encoders == EncoderSettings())
        let slow = try await settings("--jpeg-progressive", "true", "--webp-effort", "6", "--avif-speed", "0")
        #expect(slow.results.encoders.isProgressiveJPEG && slow.results.encoders.webpEffort == 6)
        #expect(slow.results.encoders.avifSpeed == 0 && slow.results.encoders != EncoderSettings())
        #expect(await failure("--webp-effort", "7") != nil)
    }

    @Test("reads the watermark from Base64 or a file, and refuses what is no image")
    func watermarks() async throws {
        let image = try SampleImages.png(4, 2)
        let encoded = try await settings("--watermark-data", image.base64EncodedString(), "--watermark-opacity", "0.5")
        #expect(encoded.results.watermark?.bitmap.size == PixelSize(width: 4, height: 2))
        #expect(encoded.results.watermark?.opacity == 0.5)
        let file = FileManager.default.temporaryDirectory.appending(path: "watermark-\(UUID().uuidString).png")
        try image.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try await settings("--watermark-path", file.path).results.watermark?.bitmap.size.width == 4)
        #expect(await failure("--watermark-path", "/nowhere.png") == .invalid("watermarkPath", "it can't be read"))
        #expect(await failure("--watermark-data", "bm90IGFuIGltYWdl") != nil)
        #expect(await failure("--watermark-data", "bm8=", "--watermark-path", file.path) != nil)
        #expect(await failure("--watermark-opacity", "2") != nil)
    }

    @Test("reads how requests are logged, and where metrics are")
    func logs() async throws {
        let standard = try await settings()
        #expect(
            standard.accessLog == AccessLog.Settings() && standard.logFormat == .text && standard.metricsPort == nil)
        let other = try await settings(
            "--access-log", "false", "--log-format", "json", "--trusted-proxies", "2", "--metrics-port", "9090")
        #expect(!other.accessLog.isEnabled && other.accessLog.trustedProxies == 2)
        #expect(other.logFormat == .json && other.metricsPort == 9_090)
        #expect(await failure("--log-format", "xml") == .invalid("logFormat", "xml is neither text nor json"))
        #expect(await failure("--metrics-port", "http") != nil)
    }

    @Test("URLs replace the settings of metadata and hints")
    func defaults() async throws {
        let parser = try await settings("--strip-metadata", "false", "--keep-copyright", "false").makeParser()
        let path = "/plain/http://a/b"
        let options = try parser.parse("/_" + path, now: .distantPast).options
        #expect(!options.stripsMetadata && !options.keepsCopyright)
        #expect(try parser.parse("/_/sm:1/kcr:1" + path, now: .distantPast).options == ProcessingOptions())
    }
}
