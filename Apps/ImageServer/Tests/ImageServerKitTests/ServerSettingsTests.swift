import Foundation
import ImageCore
import ImageScheduling
import ImageTesting
import Logging
import Testing

@testable import ImageServerKit

@Suite struct ServerSettingsTests {
    private func settings(
        _ arguments: [String] = [], _ environment: [String: String] = [:], file: String? = nil
    ) async throws -> ServerSettings {
        guard let file else {
            return try await ServerSettings(arguments: arguments, environment: environment, coreCount: 3)
        }
        let path = FileManager.default.temporaryDirectory.appending(path: "image-server-\(UUID().uuidString).json")
        try Data(file.utf8).write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        return try await ServerSettings(
            arguments: arguments + ["--config", path.path], environment: environment, coreCount: 3)
    }

    private let unsigned = ["--allow-unsigned", "true"]

    @Test("has safe defaults")
    func defaults() async throws {
        let settings = try await settings(unsigned)
        #expect(settings.host == "127.0.0.1" && settings.port == 8_080)
        #expect(settings.signature == nil)
        #expect(settings.originRules.allowedOrigins == nil && settings.originRules.allowedPorts == [80, 443])
        #expect(settings.originRules.fileRoots.isEmpty)
        #expect(settings.admission == AdmissionGate.Limits(running: 64, waiting: 1_024, waitingTime: .seconds(10)))
        #expect(settings.decoders == 3)
        #expect(settings.limits.sourceBytes == 32 << 20)
        #expect(settings.requestSeconds == 30)
    }

    @Test("an origin that sends nothing for a second gives its download's place to another", .timeLimit(.minutes(10)))
    func silentOrigin() async throws {
        let (clock, gate) = (ManualClock(), TestGate())
        let lane = try await settings(unsigned + ["--max-downloads", "1"]).downloads(clock: clock)
        let scheduler = PriorityScheduler(lanes: [.download: lane])
        let silent = Task {
            try await scheduler.run(in: .download, server: "a", priority: LivePriority(.normal)) { _ in
                await gate.pass()
            }
        }
        await gate.waitForArrivals(1)
        let other = Task {
            try await scheduler.run(in: .download, server: "b", priority: LivePriority(.normal)) { gate.open() }
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        try await other.value
        try await silent.value
    }

    @Test("requires a key unless unsigned URLs are allowed explicitly")
    func keys() async throws {
        await #expect(throws: SettingsFailure.invalid("key", "set a key and a salt, or allowUnsigned")) {
            try await settings()
        }
        let signed = try await settings(["--key", "736563726574", "--salt", "68656c6c6f"])
        #expect(
            signed.signature?.sign("/fill/300/400/sm/0/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png")
                == "AfrOrF3gWeDA6VOlDG4TzxMv39O7MXnF4CXpKUwGqRM")
        await #expect(throws: SettingsFailure.self) { try await settings(["--key", "aa", "--salt", "zz"]) }
        await #expect(throws: SettingsFailure.self) { try await settings(["--key", "aa,bb", "--salt", "cc"]) }
        await #expect(throws: SettingsFailure.self) {
            try await settings(unsigned + ["--key", "aa", "--salt", "bb"])
        }
    }

    @Test("prefers flags to variables, and variables to the file")
    func precedence() async throws {
        let file = #"{"allowUnsigned": true, "port": 1, "maxFrames": 2, "quality": 3, "allowedPorts": [80, 8080]}"#
        let settings = try await settings(
            ["--port", "11"], ["IMAGE_SERVER_PORT": "22", "IMAGE_SERVER_MAX_FRAMES": "33"], file: file)
        #expect(settings.port == 11)
        #expect(settings.limits.frames == 33)
        #expect(settings.quality[.jpeg] == 3)
        #expect(settings.originRules.allowedPorts == [80, 8_080])
    }

    @Test("a base URL that something could continue is an error at the start")
    func baseURLs() async throws {
        for text in ["https://images.example.com", "https://h/a", "https://", "s3://", "h/"] {
            await #expect(throws: SettingsFailure.self, "\(text)") {
                try await settings(unsigned + ["--base-url", text])
            }
        }
        for text in ["https://images.example.com/", "s3://b/", "local:///", "https://h/a/", "https://h/a?b=/"] {
            #expect(try await settings(unsigned + ["--base-url", text]).baseUrl == text)
        }
    }

    @Test("keeps larger gamuts if the setting says so, unless a URL says otherwise")
    func colorProfile() async throws {
        let path = "/_/plain/http://a/b"
        let standard = try await settings(unsigned).makeParser()
        #expect(try standard.parse(path, now: .distantPast).options.stripsColorProfile)
        let wide = try await settings(unsigned + ["--strip-color-profile", "false"]).makeParser()
        #expect(try !wide.parse(path, now: .distantPast).options.stripsColorProfile)
        #expect(try wide.parse("/_/scp:1/plain/http://a/b", now: .distantPast).options.stripsColorProfile)
    }

    @Test(
        "refuses unknown names, and tells the nearest one",
        arguments: [
            ("--prot", "--port"), ("--max-source-byte=5", "--max-source-bytes"), ("--MAXFRAMES", "--max-frames"),
            ("-port", "--port"), ("start", "--host"),
        ])
    func unknownFlags(flag: String, nearest: String) async {
        let failure = await #expect(throws: SettingsFailure.self) { try await settings([flag, "1"]) }
        guard case .unknown(flag, let name?) = failure else {
            Issue.record("\(flag) was not refused: \(String(describing: failure))")
            return
        }
        #expect(name == nearest || flag == "start")
        #expect(failure?.description.contains(name) == true)
    }

    @Test("refuses unknown variables and keys, and tells the nearest ones")
    func unknownNames() async {
        await #expect(throws: SettingsFailure.unknown("IMAGE_SERVER_PROT", nearest: "IMAGE_SERVER_PORT")) {
            try await settings(unsigned, ["IMAGE_SERVER_PROT": "1"])
        }
        await #expect(throws: SettingsFailure.unknown("IMAGE_SERVER_QUALTIY", nearest: "IMAGE_SERVER_QUALITY")) {
            try await settings(unsigned, ["IMAGE_SERVER_QUALTIY": "1"])
        }
        await #expect(throws: SettingsFailure.unknown("prot", nearest: "port")) {
            try await settings(file: #"{"allowUnsigned": true, "prot": 1}"#)
        }
        await #expect(throws: SettingsFailure.unknown("max_frames", nearest: "maxFrames")) {
            try await settings(file: #"{"max_frames": 1}"#)
        }
    }

    @Test("starts beside Kubernetes Services with similar names, whose variables are no settings")
    func kubernetes() async throws {
        let environment = [
            "IMAGE_SERVER_PORT": "tcp://10.0.0.1:80", "IMAGE_SERVER_SERVICE_HOST": "10.0.0.1",
            "IMAGE_SERVER_SERVICE_PORT": "80", "IMAGE_SERVER_SERVICE_PORT_HTTP": "80",
            "IMAGE_SERVER_SERVICE_PORT_HTTP_ALT": "81", "IMAGE_SERVER_PORT_80_TCP": "tcp://10.0.0.1:80",
            "IMAGE_SERVER_PORT_80_TCP_PROTO": "tcp", "IMAGE_SERVER_PORT_80_TCP_PORT": "80",
            "IMAGE_SERVER_PORT_80_TCP_ADDR": "10.0.0.1", "IMAGE_SERVER_PORT_5353_UDP": "udp://10.0.0.1:5353",
            "IMAGE_SERVER_PORT_5353_UDP_PORT": "5353", "IMAGE_SERVER_CACHE_PORT": "tcp://10.0.0.2:6379",
            "IMAGE_SERVER_LOG_PORT": "udp://10.0.0.3:514", "IMAGE_SERVER_CALL_PORT": "sctp://10.0.0.3:9",
            "IMAGE_SERVER_CACHE_SERVICE_HOST": "10.0.0.2", "IMAGE_SERVER_CACHE_PORT_6379_TCP_ADDR": "10.0.0.2",
            "IMAGE_SERVER_HOST": "0.0.0.0",
        ]
        let settings = try await settings(unsigned, environment)
        #expect(settings.port == 8_080 && settings.host == "0.0.0.0")
        #expect(try await self.settings(unsigned + ["--port", "9000"], environment).port == 9_000)
    }

    @Test(
        "refuses variables that only look like those of a Service",
        arguments: [
            "IMAGE_SERVER_PORT_X_TCP", "IMAGE_SERVER_PORT_80_FOO", "IMAGE_SERVER_PORT_80", "IMAGE_SERVER_SERVICE",
            "IMAGE_SERVER_PORT_80_TCP_HOST", "IMAGE_SERVER_",
        ])
    func similarVariables(name: String) async {
        await #expect(throws: SettingsFailure.self) { try await settings(unsigned, [name: "tcp://10.0.0.1:80"]) }
    }

    @Test("tells in plain words why a file can't be used")
    func plainReasons() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "reasons-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path(percentEncoded: false)
        try Data([0xFF, 0x0A]).write(to: folder.appending(path: "latin"))
        var texts: [String] = []
        for arguments in [
            ["--config", "/nonexistent.json"], ["--config", path], ["--config", folder.appending(path: "latin").path],
        ] {
            let failure = await #expect(throws: SettingsFailure.self) { try await settings(arguments) }
            texts.append(failure?.description ?? "")
        }
        for file in [path, "/nonexistent", folder.appending(path: "latin").path] {
            let settings = try await settings(unsigned + ["--presets-file", file])
            let failure = #expect(throws: SettingsFailure.self) { try settings.makeParser() }
            texts.append(failure?.description ?? "")
        }
        let cached = try await settings(unsigned + ["--cache-directory", "/proc/none"])
        let failure = #expect(throws: SettingsFailure.self) {
            try ServerComposition(cached, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        texts.append(failure?.description ?? "")
        for text in texts {
            #expect(!["Error", "NS", "Domain", "Swift", "Foundation", "("].contains { text.contains($0) }, "\(text)")
        }
    }

    @Test(
        "refuses values of another type or outside of their range",
        arguments: [
            ["--port", "x"], ["--port", "65536"], ["--port", "-1"], ["--quality", "0"], ["--request-seconds", "-1"],
            ["--allowed-ports", "0"], ["--allowed-addresses", "10.0.0.0/99"], ["--log-level", "loud"],
            ["--format-quality", "webp"], ["--max-renderings", "0"], ["--allowed-sources", "*"],
            ["--allowed-sources", "a.org,ftp://"], ["--allowed-sources", ",,"], ["--allowed-sources", ","],
            ["--file-roots", "/nonexistent"],
            ["--request-seconds", "0"], ["--request-seconds", "nan"], ["--user-agent", "a\nb"],
            ["--path-prefix", "/a b"], ["--allow-origin", "a b"], ["--roots-file", "/etc/hostname"],
            ["--shortest-lifetime", "9", "--longest-lifetime", "8"], ["--response-headers", "Content-Length: 5"],
            ["--response-headers", "A: b\\;transfer-encoding: x"], ["--quality", "80", "--quality", "81"],
            ["--quality", "80", "81"], ["--fallback-status", "199"], ["--fallback-status", "204"],
            ["--fallback-status", "205"], ["--fallback-status", "304"], ["--queue-seconds", "1e30"],
            ["--standard-lifetime", "1.1e9", "--longest-lifetime", "1.1e9"],
        ])
    func invalidValues(arguments: [String]) async {
        await #expect(throws: SettingsFailure.self) { try await settings(unsigned + arguments) }
    }

    @Test(
        "tells what is wrong, by the name and with the value that the operator wrote",
        arguments: [
            (["--port", "x"], [:], "invalid value of port: x is not an integer"),
            (["--port"], [:], "invalid value of port: the value is missing"),
            (["--port", "1", "serve"], [:], "unknown setting: serve"),
            (
                ["--allowed-sources", "a.org", "--allowed-sources=b.org"], [:],
                "invalid value of allowedSources: it is set"
            ),
            (["--connect-seconds", "inf"], [:], "invalid value of connectSeconds: inf is not a number from 0"),
            ([], ["IMGPROXY_TIMEOUT": "abc"], "invalid value of IMGPROXY_TIMEOUT: abc is not a number"),
            ([], ["IMGPROXY_SECRET": "s"], "invalid value of IMGPROXY_SECRET: this server has no such token"),
            (["--allowed-sources", "*a.org"], [:], "invalid value of allowedSources: *a.org: *a.org is not a host"),
            (["--watermark-opacity", "2"], [:], "invalid value of watermarkOpacity: 2 is not a number from 0 to 1"),
        ] as [([String], [String: String], String)])
    func reasons(arguments: [String], environment: [String: String], text: String) async {
        let failure = await #expect(throws: SettingsFailure.self) {
            try await settings(unsigned + arguments, environment)
        }
        #expect(failure?.description.hasPrefix(text) == true, "\(failure?.description ?? "")")
    }

    @Test("presets that can't be used are told in plain words")
    func invalidPresets() async throws {
        for (line, text) in [("x", "x is not a name"), ("a=zz:1", "the preset a: unknown option: zz")] {
            let settings = try await settings(unsigned + ["--presets", line])
            let failure = #expect(throws: SettingsFailure.self) { try settings.makeParser() }
            #expect(failure?.description.hasPrefix("invalid value of presets: \(text)") == true)
        }
    }

    @Test("the longest times overflow nothing")
    func longestTimes() async throws {
        let names = ["queue", "request", "connect", "download", "stall", "breaker", "idle", "write", "shutdown"]
        let times = names.map { "--\($0)-seconds" } + ["shortest", "longest", "standard"].map { "--\($0)-lifetime" }
        let settings = try await settings(unsigned + times.flatMap { [$0, "1000000000"] })
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        #expect(try await ServerComposition(settings, logger: logger).handler.answer("/health").status == 200)
        let freshness = settings.bounds.cacheControl(.shared, freshUntil: .distantFuture, now: Date())
        #expect(freshness == "public, max-age=1000000000")
    }

    @Test("a fallback image that can't be decoded is an error at start")
    func fallbackImage() async throws {
        func composition(_ arguments: [String]) async throws -> ServerComposition {
            try ServerComposition(
                try await settings(unsigned + arguments),
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        let image = try SampleImages.png().base64EncodedString()
        for arguments in [
            ["--fallback-image", "/etc/hostname"], ["--fallback-data", "bm8="], ["--fallback-data", "-"],
            ["--fallback-data", image, "--fallback-image", "http://a.org/b"],
        ] { await #expect(throws: SettingsFailure.self) { try await composition(arguments) } }
        guard case .data(let data) = try await composition(["--fallback-data", image]).service.parts.fallback?.source
        else {
            Issue.record("there is no fallback image")
            return
        }
        #expect(data.base64EncodedString() == image)
        for (status, expected) in [("0", nil), ("404", 404)] {
            let composition = try await composition(["--fallback-data", image, "--fallback-status", status])
            #expect(composition.service.parts.fallback?.status == expected)
        }
    }

    @Test("a request waits for the time of the settings, but not longer than most of its own")
    func waitingTimes() async throws {
        for (queue, request, expected) in [("2", "10", 2.0), ("10", "10", 9), ("60", "30", 27)] {
            let settings = try await settings(unsigned + ["--queue-seconds", queue, "--request-seconds", request])
            #expect(settings.admission.waitingTime == .seconds(expected))
        }
    }

    @Test("reads lists")
    func lists() async throws {
        let settings = try await settings(
            unsigned + [
                "--allowed-sources", "a.org, *.b.org", "--format-quality", "webp:70,jpg:90", "--file-roots", "/srv",
            ])
        #expect(try settings.originRules.allowedOrigins == [AllowedOrigin("a.org"), AllowedOrigin("*.b.org")])
        #expect(try await self.settings(unsigned + ["--user-agent", "a, b"]).userAgent == "a, b")
        #expect(settings.quality[.webP] == 70 && settings.quality[.jpeg] == 90 && settings.quality[.png] == 80)
        #expect(settings.originRules.fileRoots == [URL(filePath: "/srv", directoryHint: .isDirectory)])
    }

    @Test("reads presets from settings and from a file, which can change")
    func presets() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "presets-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: path) }
        try Data("a=w:1\n# comment\n".utf8).write(to: path)
        let settings = try await settings(unsigned + ["--presets", "b=w:2", "--presets-file", path.path])
        func width(_ preset: String) throws -> Int {
            try settings.makeParser().parse("/_/pr:\(preset)/plain/http://a/", now: .distantPast).options.width
        }
        #expect(try width("a") == 1)
        #expect(try width("b") == 2)
        try Data("a=w:5\n".utf8).write(to: path)
        #expect(try width("a") == 5)
        try Data("a=nope:5\n".utf8).write(to: path)
        #expect(throws: SettingsFailure.self) { try settings.makeParser() }
    }

    @Test("fails for a file that can't be read")
    func missingFile() async {
        await #expect(throws: SettingsFailure.self) { try await settings(["--config", "/nonexistent.json"]) }
        await #expect(throws: SettingsFailure.self) { try await settings(file: "[1]") }
        for value in [#""high""#, "[80]", "null"] {
            let file = #"{"allowUnsigned": true, "quality": \#(value)}"#
            await #expect(throws: SettingsFailure.self, "\(file)") { try await settings(file: file) }
        }
    }

    @Test("derives flags and variables from names, and lists all of them")
    func help() {
        #expect(Settings.named("maxSourceBytes")?.flag == "--max-source-bytes")
        #expect(Settings.named("maxSourceBytes")?.variable == "IMAGE_SERVER_MAX_SOURCE_BYTES")
        for setting in Settings.all { #expect(Settings.help.contains(setting.flag + " ")) }
        #expect(Settings.help.split(separator: "\n").allSatisfy { $0.count <= 140 })
    }

    @Test("another value of a setting that shapes results gives another key, from flags, variables and files alike")
    func resultKeys() async throws {
        let values = [
            "cacheBuster": "2", "maxFrames": "7", "maxAnimationPixels": "1000", "preferredFormats": "png",
            "maxResultPixels": "1000", "maxResultSide": "99", "maxComparedPixels": "1000",
            "maxResultBytes": "1000", "quality": "81", "formatQuality": "webp:60", "stripColorProfile": "false",
            "saveDataQuality": "40", "stripMetadata": "false", "keepCopyright": "false", "jpegProgressive": "true",
            "pngInterlaced": "true", "pngQuantize": "true", "pngQuantizationColors": "16", "webpEffort": "5",
            "linearLight": "true",
            "avifSpeed": "7", "jxlEffort": "5", "watermarkOpacity": "0.5",
        ]
        var keys = [try await settings(unsigned).resultKey]
        for setting in Settings.all where setting.changesResults {
            let name = setting.name
            let value = try #require(values[name], "a test value for \(name)")
            let key = try await settings(unsigned + [setting.flag, value]).resultKey
            #expect(try await settings(unsigned, [setting.variable: value]).resultKey == key)
            let texts = ["cacheBuster": "\"2\"", "formatQuality": "[\"webp:60\"]", "preferredFormats": "[\"png\"]"]
            let file = "{\"\(name)\": \(texts[name] ?? value)}"
            #expect(try await settings(unsigned, file: file).resultKey == key, "\(file)")
            keys.append(key)
        }
        #expect(Set(keys).count == values.count + 1)
        #expect(try await settings(unsigned + ["--quality", "80", "--port", "1"]).resultKey == keys[0])
    }
}
