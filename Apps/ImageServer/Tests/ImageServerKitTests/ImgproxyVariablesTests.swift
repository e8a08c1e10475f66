import Foundation
import ImageCore
import Logging
import Testing

@testable import ImageServerKit

@Suite("The environment variables of imgproxy") struct ImgproxyVariablesTests {
    private func settings(_ environment: [String: String], _ arguments: [String] = []) async throws -> ServerSettings {
        try await ServerSettings(arguments: arguments, environment: environment, coreCount: 1)
    }

    private let unsigned = ["--allow-unsigned", "true"]

    /// Returns whether sources are allowed by the variables.
    private func allows(_ environment: [String: String], _ text: String) async throws -> Bool {
        let rules = try await settings(environment, unsigned).originRules
        let url = try #require(URL(webAddress: text))
        return (try? rules.check(url)) != nil
    }

    @Test("stand for settings")
    func counterparts() async throws {
        let settings = try await settings([
            "IMGPROXY_KEY": "aa, bb", "IMGPROXY_SALT": "cc,dd", "IMGPROXY_BIND": ":9000", "IMGPROXY_QUALITY": "70",
            "IMGPROXY_FORMAT_QUALITY": "webp=60, nope=1", "IMGPROXY_MAX_SRC_RESOLUTION": "16.8", "IMGPROXY_TTL": "60",
            "IMGPROXY_MAX_SRC_FILE_SIZE": "0", "IMGPROXY_ALLOWED_SOURCES": "https://a.org/x/, http://b.org,local://",
            "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "true", "IMGPROXY_ALLOW_PRIVATE_SOURCE_ADDRESSES": "1",
            "IMGPROXY_ALLOW_LINK_LOCAL_SOURCE_ADDRESSES": "false", "IMGPROXY_LOG_LEVEL": "warn",
            "IMGPROXY_FALLBACK_IMAGE_PATH": "/a.jpg", "IMGPROXY_ONLY_PRESETS": "T", "IMGPROXY_USE_ETAG": "true",
            "IMGPROXY_LOG_FORMAT": "gcp", "IMGPROXY_PROMETHEUS_BIND": "127.0.0.1:9090",
            "IMGPROXY_REQUESTS_QUEUE_SIZE": "7", "IMGPROXY_LOCAL_FILESYSTEM_ROOT": "/srv",
            "IMGPROXY_ENABLE_WEBP_DETECTION": "false", "IMGPROXY_MAX_CLIENTS": "0", "IMGPROXY_DOWNLOAD_TIMEOUT": "3",
            "IMGPROXY_WRITE_RESPONSE_TIMEOUT": "4", "IMGPROXY_HEALTH_CHECK_PATH": "healthz/",
            "IMGPROXY_USER_AGENT": "imgproxy/%current_version", "IMGPROXY_WORKERS": "2", "IMGPROXY_CONCURRENCY": "3",
            "IMGPROXY_MAX_ANIMATION_FRAME_RESOLUTION": "0.5",
        ])
        #expect(settings.logFormat == .json && settings.admission.waiting == 7)
        #expect(settings.metricsPort == 9_090 && settings.metricsHost == "127.0.0.1")
        #expect(settings.originRules.fileRoots.count == 1 && settings.maxConnections > 0)
        #expect(!settings.formats.automatic.contains(.webP))
        #expect(["::", "0.0.0.0"].contains(settings.host) && settings.port == 9_000 && settings.signature != nil)
        #expect(settings.quality[.jpeg] == 70 && settings.quality[.webP] == 60)
        #expect(settings.limits.sourcePixels == 16_800_000 && settings.limits.sourceBytes == 32 << 20)
        #expect(settings.limits.framePixels == 500_000)
        #expect(settings.bounds.standard == .seconds(60) && settings.logLevel == .warning)
        #expect(settings.originRules.allowedOrigins?.count == 3 && settings.optionRules.onlyPresets)
        #expect(settings.fallbackImage == "/a.jpg" && settings.responseRules.healthPath == "/healthz/")
        #expect(settings.downloadSeconds == 3 && settings.writeSeconds == 4 && settings.decoders == 2)
        #expect(settings.userAgent.prefixMatch(of: /imgproxy\/\d+\./) != nil)
    }

    @Test(
        "an address has a port, and is a Unix socket if the network is one",
        arguments: [
            (":80", "tcp4", "0.0.0.0", 80, nil), ("[::]:81", "", "::", 81, nil), ("[::1]:82", "tcp6", "::1", 82, nil),
            ("localhost:83", " ", "localhost", 83, nil), ("/run/a.sock", "unix", "127.0.0.1", 8_080, "/run/a.sock"),
        ] as [(String, String, String, Int, String?)])
    func addresses(bind: String, network: String, host: String, port: Int, socket: String?) async throws {
        let settings = try await settings(["IMGPROXY_BIND": bind, "IMGPROXY_NETWORK": network], unsigned)
        #expect(settings.host == host && settings.port == port && settings.socket == socket)
    }

    @Test("booleans are those of Go, and a blank value is none")
    func booleans() async throws {
        for (texts, isOn) in [
            (["1", "t", "T", "TRUE", "true", "True"], true), (["0", "f", "F", "FALSE", "False"], false),
        ] {
            for text in texts {
                let settings = try await settings(["IMGPROXY_STRIP_METADATA": text], unsigned)
                #expect(settings.stripMetadata == isOn, "\(text)")
            }
        }
        let blank = [
            "IMGPROXY_STRIP_METADATA": "", "IMGPROXY_QUALITY": " ", "IMGPROXY_SECRET": "", "IMGPROXY_BIND": "",
            "IMGPROXY_ALLOWED_SOURCES": " ", "IMGPROXY_USE_S3": "false", "AWS_ACCESS_KEY_ID": "a",
        ]
        let settings = try await settings(blank, unsigned)
        #expect(settings.stripMetadata && settings.quality[.jpeg] == 80 && settings.port == 8_080)
        #expect(settings.originRules.allowedOrigins == nil && settings.bucketServers.isEmpty)
    }

    @Test(
        "a value that can't be kept is an error with the variable's name",
        arguments: [
            ("SECRET", "s"), ("NETWORK", "unixpacket"), ("BIND", "8080"), ("BIND", "::1:8080"), ("BIND", ":http"),
            ("STRIP_METADATA", "yes"), ("ARGUMENTS_SEPARATOR", ","), ("BASE64_URL_INCLUDES_FILENAME", "1"),
            ("ALLOWED_SOURCES", "gopher://"), ("ALLOWED_SOURCES", "local:///a/"), ("TIMEOUT", "0"),
            ("URL_REPLACEMENTS", "a"), ("FALLBACK_IMAGE_HTTP_CODE", "100"), ("SKIP_PROCESSING_FORMATS", "nope"),
            ("ALLOW_LOOPBACK_SOURCE_ADDRESSES", "maybe"), ("USER_AGENT", "a\nb"), ("HEALTH_CHECK_PATH", "/a b"),
        ])
    func invalidValues(name: String, value: String) async throws {
        let environment = ["IMGPROXY_BIND": ":80"].merging(["IMGPROXY_\(name)": value]) { $1 }
        let failure = await #expect(throws: SettingsFailure.self) { try await settings(environment, unsigned) }
        #expect(
            failure?.description.hasPrefix("invalid value of IMGPROXY_\(name): ") == true,
            "\(failure?.description ?? "")")
    }

    @Test("sources are prefixes with wildcards, as in imgproxy's documentation")
    func sources() async throws {
        let s3 = ["IMGPROXY_USE_S3": "1", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"]
        for (list, allowed, refused) in [
            (
                "s3://,https://*.example.com/,local://", ["s3://any/key", "https://a.b.example.com/x"],
                ["http://a.example.com/x", "https://example.com/x", "https://a.example.com.evil.org/"]
            ),
            ("https://", ["https://any.org/x"], ["http://any.org/x", "s3://any/key"]),
            ("https://img-*.a.org/*/public/", ["https://img-1.a.org/x/public/y"], ["https://img-1.a.org/x/y/public/z"]),
            (
                "http://a.org/img", ["http://a.org/img/1", "http://a.org/img-2/3"],
                ["http://a.org/im", "http://a.org/img/../x", "http://a.org/img/..%2Fx"]
            ),
            ("s3://b/*-x", ["s3://b/1-x/2"], ["s3://b/x", "s3://c/1-x/2", "https://b/1-x/2"]),
            ("local://", [], ["http://a.org/", "s3://b/k"]), ("*", ["http://a.org/", "s3://b/k"], []),
        ] {
            let environment = s3.merging(["IMGPROXY_ALLOWED_SOURCES": list]) { $1 }
            for url in allowed { #expect(try await allows(environment, url), "\(list) \(url)") }
            for url in refused { #expect(try await !allows(environment, url), "\(list) \(url)") }
        }
        let folder = ["IMGPROXY_LOCAL_FILESYSTEM_ROOT": "/tmp"]
        for (list, isAllowed) in [("", true), ("local://,http://a.org/", true), ("http://a.org/", false)] {
            let environment = folder.merging(["IMGPROXY_ALLOWED_SOURCES": list]) { $1 }
            #expect(try await allows(environment, "file:///tmp/a") == isAllowed, "\(list)")
        }
    }

    @Test("a trusted signature, replaced beginnings of sources, skipped formats and limits are for URLs")
    func urls() async throws {
        let environment = [
            "IMGPROXY_KEY": "aa", "IMGPROXY_SALT": "bb", "IMGPROXY_TRUSTED_SIGNATURES": "trusted, other",
            "IMGPROXY_URL_REPLACEMENTS": "mys3://*/*=s3://b/${2}/$1/;cdn://=https://cdn.org/${3}",
            "IMGPROXY_BASE_URL": "https://base.org/", "IMGPROXY_SKIP_PROCESSING_FORMATS": "gif, svg",
        ]
        let parser = try await settings(environment).makeParser()
        func parse(_ path: String) throws -> ImageURL { try parser.parse(path, now: .distantPast) }
        for (source, replaced) in [
            ("mys3://items/1.jpg", "https://base.org/s3://b/1.jpg/items/"),
            ("cdn://x/y", "https://base.org/https://cdn.org/x/y"),
            ("a.jpg", "https://base.org/a.jpg"),
        ] { #expect(try parse("/trusted/w:1/plain/\(source)").source.absoluteString == replaced, "\(source)") }
        #expect(try parse("/other/plain/a").options.unprocessedFormats == [.gif, .svg])
        #expect(try parse("/other/w%3A7/plain/a").options.width == 7)
        for word in ["truste", "trusted2", ""] {
            #expect(throws: URLFailure.wrongSignature) { try parse("/\(word)/plain/a") }
        }
        #expect(throws: URLFailure.self) { try parse("/trusted/msr:1/plain/a") }
        let unlimited = try await settings(
            ["IMGPROXY_ALLOW_SECURITY_OPTIONS": "1", "IMGPROXY_PRESETS": "big=mrd:9000"], unsigned
        ).makeParser()
        let url = try unlimited.parse("/_/pr:big/msr:0.5/msfs:7/maf:3/mafr:0/plain/http://a/b", now: .distantPast)
        let limits = RenderingLimits(framePixels: 9).replaced(by: try #require(url.options.limits))
        #expect(limits == RenderingLimits(sourceBytes: 7, sourcePixels: 500_000, frames: 3, resultSide: 9_000))
        #expect(url.options.cacheKey.hasSuffix("/limits:500000:7:3:0:9000"))
    }

    @Test("come after the variables and flags of this server")
    func precedence() async throws {
        let environment = ["IMGPROXY_QUALITY": "70", "IMGPROXY_BIND": "[::1]:9000", "IMAGE_SERVER_QUALITY": "60"]
        let settings = try await settings(environment, unsigned + ["--port", "1"])
        #expect(settings.quality[.jpeg] == 60 && settings.host == "::1" && settings.port == 1)
    }

    @Test("others are named, unless they are blank")
    func unknownNames() {
        let environment = [
            "IMGPROXY_USE_SWIFT": "1", "IMGPROXY_KEY": "a", "IMGPROXY_NETWORK": "tcp", "IMGPROXY_X": " ",
        ]
        #expect(ImgproxyVariables.unknown(in: environment) == ["IMGPROXY_USE_SWIFT"])
    }
}
