import Foundation
import ImageCore
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
        #expect(settings.requestTime == .seconds(30))
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

    @Test("keeps larger gamuts if the setting says so, unless a URL says otherwise")
    func colorProfile() async throws {
        let path = "/_/plain/http://a/b"
        let standard = try await settings(unsigned).makeParser()
        #expect(try standard.parse(path, now: .distantPast).options.stripsColorProfile)
        let wide = try await settings(unsigned + ["--strip-color-profile", "false"]).makeParser()
        #expect(try !wide.parse(path, now: .distantPast).options.stripsColorProfile)
        #expect(try wide.parse("/_/scp:1/plain/http://a/b", now: .distantPast).options.stripsColorProfile)
    }

    @Test("refuses unknown names")
    func unknownNames() async {
        await #expect(throws: SettingsFailure.unknown("--prot")) { try await settings(["--prot", "1"]) }
        await #expect(throws: SettingsFailure.unknown("start")) { try await settings(["start"]) }
        await #expect(throws: SettingsFailure.unknown("IMAGE_SERVER_PROT")) {
            try await settings(unsigned, ["IMAGE_SERVER_PROT": "1"])
        }
        await #expect(throws: SettingsFailure.unknown("prot")) {
            try await settings(file: #"{"allowUnsigned": true, "prot": 1}"#)
        }
    }

    @Test(
        "refuses values of another type or outside of their range",
        arguments: [
            ["--port", "x"], ["--port", "65536"], ["--port", "-1"], ["--quality", "0"], ["--request-seconds", "-1"],
            ["--allowed-ports", "0"], ["--allowed-addresses", "10.0.0.0/99"], ["--log-level", "loud"],
            ["--format-quality", "webp"], ["--max-renderings", "0"],
        ])
    func invalidValues(arguments: [String]) async {
        await #expect(throws: SettingsFailure.self) { try await settings(unsigned + arguments) }
    }

    @Test("reads lists")
    func lists() async throws {
        let settings = try await settings(
            unsigned + [
                "--allowed-origins", "a.org,*.b.org", "--format-quality", "webp:70,jpg:90", "--file-roots", "/srv",
            ])
        #expect(settings.originRules.allowedOrigins == ["a.org", "*.b.org"])
        #expect(settings.quality[.webp] == 70 && settings.quality[.jpeg] == 90 && settings.quality[.png] == 80)
        #expect(settings.originRules.fileRoots == [URL(filePath: "/srv")])
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
    }

    @Test("derives flags and variables from names, and lists all of them")
    func help() {
        #expect(Setting.all.first { $0.name == "maxSourceBytes" }?.flag == "--max-source-bytes")
        #expect(Setting.all.first { $0.name == "maxSourceBytes" }?.variable == "IMAGE_SERVER_MAX_SOURCE_BYTES")
        for setting in Setting.all { #expect(Setting.help.contains(setting.flag + " ")) }
        #expect(Setting.help.split(separator: "\n").allSatisfy { $0.count <= 140 })
    }
}
