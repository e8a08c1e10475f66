import Foundation
import HTTPTypes
import ImageCore
import Testing

@testable import ImageServerKit

@Suite struct OutputSettingsTests {
    private func settings(_ arguments: String...) async throws -> ServerSettings {
        try await unsignedSettings(arguments)
    }

    private func failure(_ arguments: String...) async -> SettingsFailure? {
        await #expect(throws: SettingsFailure.self) { try await unsignedSettings(arguments) }
    }

    @Test("chooses WebP by default, and other formats if the settings say so")
    func formats() async throws {
        #expect(try await settings().formats == FormatRules())
        let off = try await settings(
            "--auto-webp", "false", "--enforce-webp", "true", "--preferred-formats", "webp,png")
        #expect(off.formats == FormatRules(automatic: [], enforced: [.webP], preferred: [.webP, .png]))
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
        #expect(try await settings().encoders == EncoderSettings())
        let slow = try await settings("--jpeg-progressive", "true", "--webp-effort", "6", "--avif-speed", "0")
        #expect(slow.encoders.isProgressiveJPEG && slow.encoders.webpEffort == 6)
        #expect(slow.encoders.avifSpeed == 0 && slow.encoders != EncoderSettings())
        #expect(await failure("--webp-effort", "7") != nil)
    }

    @Test("reads the watermark from Base64 or a file, and refuses what is no image")
    func watermarks() async throws {
        let image = try SampleImages.png(4, 2)
        let encoded = try await settings("--watermark-data", image.base64EncodedString(), "--watermark-opacity", "0.5")
        #expect(encoded.watermark?.file == image)
        #expect(encoded.watermark?.opacity == 0.5)
        let file = FileManager.default.temporaryDirectory.appending(path: "watermark-\(UUID().uuidString).png")
        try image.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try await settings("--watermark-path", file.path).watermark?.file == image)
        #expect(await failure("--watermark-path", "/nowhere.png") == .invalid("watermarkPath", "it can't be read"))
        #expect(await failure("--watermark-data", "bm90IGFuIGltYWdl") != nil)
        #expect(await failure("--watermark-data", "bm8=", "--watermark-path", file.path) != nil)
        #expect(await failure("--watermark-opacity", "2") != nil)
    }

    @Test("a watermark of the settings has any format of sources that isn't refused")
    func watermarkFormats() async throws {
        var files = [(OtherSourcesTests.bitmap, "bmp")]
        #if SVG
            files.append((Data("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='9'/>".utf8), "svg"))
        #endif
        #if TIFF
            // One black pixel.
            let fields: [[UInt8]] = [
                [0, 1, 3, 1], [1, 1, 3, 1], [6, 1, 3, 1], [17, 1, 4, 8], [22, 1, 3, 1], [23, 1, 4, 1],
            ]
            let entries = fields.map { [$0[0], $0[1], $0[2], 0, 1, 0, 0, 0, $0[3], 0, 0, 0] as [UInt8] }
            files.append((Data([73, 73, 42, 0, 10, 0, 0, 0, 0, 0, 6, 0] + entries.joined() + [0, 0, 0, 0]), "tiff"))
        #endif
        for (file, format) in files {
            let data = ["--watermark-data", file.base64EncodedString()]
            #expect(try await settings(data[0], data[1]).watermark?.file == file, "\(format)")
            #expect(await failure(data[0], data[1], "--refused-sources", format) != nil, "\(format)")
        }
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
        #expect(await failure("--log-format", "xml") == .invalid("logFormat", "xml is not one of text, json"))
        #expect(await failure("--metrics-port", "http") != nil)
    }

    @Test("reads where spans and metrics are sent, from OpenTelemetry's variables too")
    func collector() async throws {
        #expect(try await settings().collector == nil)
        let flags = try await settings(
            "--otlp-endpoint", "https://h:4318/base", "--otlp-headers", "a=b%20c, d=e=f", "--trace-ratio", "0.25")
        let collector = try #require(flags.collector)
        #expect(collector.traces?.absoluteString == "https://h:4318/base/v1/traces")
        #expect(collector.metrics?.absoluteString == "https://h:4318/base/v1/metrics")
        #expect(collector.service == "image-server" && collector.metricsInterval == .seconds(60))
        #expect(collector.headers == [.init("a") ?? .via: "b c", .init("d") ?? .via: "e=f"])
        #expect(collector.sampleRatio == 0.25 && !collector.trustsParents)
        for (endpoint, headers) in [("localhost:4318", ""), ("ftp://h", ""), ("http://h", "a"), ("http://h", "a b=c")] {
            #expect(await failure("--otlp-endpoint", endpoint, "--otlp-headers", headers) != nil, "\(endpoint)")
        }
        #expect(await failure("--trace-ratio", "1.5") != nil)
        var environment = [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://other", "OTEL_SERVICE_NAME": "thumbs",
            "IMAGE_SERVER_OTLP_ENDPOINT": "http://own",
        ]
        let own = try await unsignedSettings([], environment).collector
        #expect(own?.traces?.host() == "own" && own?.service == "thumbs")
        environment["IMAGE_SERVER_OTLP_ENDPOINT"] = nil
        let other = try await unsignedSettings([], environment).collector
        #expect(other?.traces?.absoluteString == "http://other/v1/traces")
        environment["OTEL_SDK_DISABLED"] = "true"
        #expect(try await unsignedSettings([], environment).collector == nil)
    }

    @Test("metrics have an address and an interval of their own, and can be switched off")
    func metricsCollector() async throws {
        let own = try await settings("--otlp-metrics-endpoint", "http://m/x", "--otlp-metrics-seconds", "0.5").collector
        #expect(own?.traces == nil && own?.metrics?.absoluteString == "http://m/x")
        #expect(own?.metricsInterval == .milliseconds(500))
        #expect(
            try await settings("--otlp-endpoint", "http://h", "--otlp-metrics-seconds", "0").collector?.metrics == nil)
        for seconds in ["-1", "0.01", "x", "1e300"] {
            #expect(await failure("--otlp-metrics-seconds", seconds) != nil, "\(seconds)")
        }
        #expect(await failure("--otlp-metrics-endpoint", "h:4318") != nil)
        var environment = [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://h", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://m/v1/metrics",
            "OTEL_METRIC_EXPORT_INTERVAL": "1500",
        ]
        let both = try await unsignedSettings([], environment).collector
        #expect(both?.traces?.host() == "h" && both?.metrics?.absoluteString == "http://m/v1/metrics")
        #expect(both?.metricsInterval == .milliseconds(1_500))
        for (name, isOn) in [("none", false), ("prometheus", false), ("prometheus,otlp", true)] {
            environment["OTEL_METRICS_EXPORTER"] = name
            let collector = try await unsignedSettings([], environment).collector
            #expect((collector?.metrics != nil) == isOn && collector?.traces != nil, "\(name)")
        }
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
