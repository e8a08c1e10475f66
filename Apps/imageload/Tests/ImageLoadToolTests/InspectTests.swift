import Foundation
import GeneratedImages
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageMetadata
import LoopbackServer
import Testing

@testable import ImageDiskCaching
@testable import ImageLoadTool

/// Runs the subcommands that describe images and the cache as processes.
@Suite("imageload info, compare, preview, explain and cache", .timeLimit(.minutes(3)))
struct InspectTests {
    private let tool: BuiltTool
    private var folder: URL { tool.folder }

    init() throws { tool = try BuiltTool() }

    @Test("info describes all files, and goes on after one that is no image")
    func info() async throws {
        let file = try tool.write(.gradient, to: "a.jpg")
        let metadata = EmbeddedMetadata(exif: ExifBlock.orientation(.right), xmp: Data("<x/>".utf8))
        try metadata.embedded(in: Data(contentsOf: file)).write(to: file)
        try tool.write(.animation, to: "b.gif")
        try Data("text".utf8).write(to: folder.appending(path: "c.png"))
        let run = try await tool.run(["info", folder.path, "--json"])
        #expect(run.status == 65 && run.errors.count == 1)
        let reports = try run.output.split(separator: "\n").map(object)
        #expect(reports.map { $0["format"] as? String } == ["jpeg", "gif", nil])
        #expect(reports[2]["status"] as? String == "failed" && reports[2]["file"] as? String == folder.path + "/c.png")
        #expect(reports[0]["width"] as? Int == 30 && reports[0]["orientation"] as? Int == 6)
        #expect((reports[0]["metadata"] as? [String: Int]) == ["exif": 26, "xmp": 4])
        #expect(reports[1]["frames"] as? Int == 3 && reports[1]["milliseconds"] as? Int == 400)
        #expect(reports[1]["loopCount"] as? Int == 2 && reports[1]["hasAlpha"] as? Bool == false)
    }

    @Test("compare measures differences and writes them")
    func compare() async throws {
        let first = try tool.write(.gradient, to: "a.png").path
        let second = try tool.write(.gradient, to: "b.jpg").path
        #expect(try await tool.run(["compare", first, first]).output == "equal\n")
        let difference = folder.path + "/d.png"
        let run = try await tool.run(["compare", first, second, "--json", "--output", difference])
        let report = try object(run.output)
        let ssim = try #require(report["ssim"] as? Double)
        #expect(ssim > 0.8 && ssim < 1 && report["isEqual"] as? Bool == false)
        #expect(try #require(report["psnr"] as? Double) > 25)
        #expect(FileManager.default.fileExists(atPath: difference))
        let small = folder.path + "/small.png"
        _ = try await tool.run(["convert", first, "--size", "10", "--output", small])
        #expect(try await tool.run(["compare", first, small]).status == 64)
    }

    @Test("compare looks at all frames, the delays and the repetitions, and exits with 1 for differences")
    func compareAnimations() async throws {
        let encoder = try #require([any ImageEncoder].standard.encoder(for: .gif))
        func write(_ name: String, _ brightness: [UInt8], delay: Int = 100, loops: Int = 0) throws -> String {
            let frames = brightness.map {
                AnimationFrame(bitmap: TestImage.gradient.bitmap(brightness: $0), delay: .milliseconds(delay))
            }
            let file = folder.appending(path: name)
            try encoder.encode(frames, loopCount: loops, options: EncodingOptions(isLossless: true)).write(to: file)
            return file.path
        }
        let first = try write("a.gif", [0, 50, 100])
        let others = [
            (try write("b.gif", [0, 90, 100]), "first in frame 1 of 0 to 2"),
            (try write("c.gif", [0, 50]), "equal frames; 3 and 2 frames"),
            (try write("d.gif", [0, 50, 100], delay: 200), "equal frames; other delays"),
            (try write("e.gif", [0, 50, 100], loops: 2), "equal frames; played forever and 2 times"),
        ]
        for (other, text) in others {
            let run = try await tool.run(["compare", first, other])
            #expect(run.status == 1 && run.output.contains(text), "\(run.output)")
            let report = try object(await tool.run(["compare", other, first, "--json"]).output)
            #expect(report["isEqual"] as? Bool == false)
            let isLess = try #require(report["ssim"] as? Double) < 1
            #expect(isLess == text.hasPrefix("first in"))
        }
        let difference = folder.appending(path: "d.png")
        _ = try await tool.run(["compare", first, others[0].0, "--output", difference.path])
        let shown = try DownsamplingDecoder(decoders: .standard).decode(
            Data(contentsOf: difference), request: DecodingRequest()
        ) { false }
        #expect(shown.bitmap.pixels.contains { $0 > 0 && $0 < 255 } || shown.bitmap.pixels[2] == 255)
        #expect(try await tool.run(["compare", first, try write("f.gif", [0, 50, 100])]).status == 0)
    }

    @Test(
        "preview chooses the graphics by the environment",
        arguments: [
            (["TERM": "xterm-kitty"], TerminalGraphics.kitty), (["TERM": "xterm", "KITTY_WINDOW_ID": "1"], .kitty),
            (["TERM": "xterm-kitty", "TMUX": "x"], .blocks256), (["TERM_PROGRAM": "iTerm.app"], .iterm),
            (["TERM": "xterm", "TERM_PROGRAM": "kitty"], .kitty), (["TERM_PROGRAM": "ghostty"], .kitty),
            (["LC_TERMINAL": "iTerm2"], .iterm), (["TERM": "foot"], .sixel), (["TERM": "xterm-sixel"], .sixel),
            (["TERM": "xterm", "COLORTERM": "truecolor"], .blocks), (["TERM": "xterm"], .blocks256), ([:], .blocks256),
            (["TERM": "xterm-kitty", "NO_COLOR": "1"], .ascii), (["TERM": "dumb"], .ascii),
            (["TERM": "xterm", "NO_COLOR": ""], .blocks256),
        ])
    func graphics(environment: [String: String], expected: TerminalGraphics) {
        #expect(TerminalGraphics(environment) == expected)
    }

    @Test("preview draws two pixels with a half block, and images of terminals", arguments: TerminalGraphics.allCases)
    func preview(graphics: TerminalGraphics) async throws {
        let file = try tool.write(.gradient, to: "a.png").path
        let run = try await tool.run(["preview", file, "--columns", "8", "--graphics", graphics.rawValue])
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n")
        switch graphics {
        case .blocks, .blocks256:
            #expect(lines.count == 3 && lines.allSatisfy { $0.count { $0 == "\u{2580}" } == 8 })
        case .ascii: #expect(lines.count == 3 && lines.allSatisfy { $0.count == 8 })
        case .kitty: #expect(run.output.hasPrefix("\u{1B}_Ga=T,f=100,m=0;iVBOR"))
        case .iterm: #expect(run.output.hasPrefix("\u{1B}]1337;File=inline=1:iVBOR"))
        case .sixel: #expect(run.output.hasPrefix("\u{1B}P0;1q\"1;1;40;30#0;2;0;0;0"))
        }
    }

    @Test("preview names each of several images unless --quiet, and shows what there is of a truncated one")
    func previewNames() async throws {
        let file = try tool.write(.gradient, to: "a.png")
        let cut = folder.appending(path: "cut.png")
        try Data(contentsOf: file).prefix(80).write(to: cut)
        let arguments = ["preview", file.path, cut.path, "--columns", "8", "--graphics", "ascii"]
        let run = try await tool.run(arguments)
        #expect(run.status == 0, "\(run.errors)")
        let lines = run.output.split(separator: "\n")
        try #require(lines.count == 8)
        #expect(lines[0] == file.path)
        #expect(lines[4] == cut.path)
        #expect(try await tool.run(arguments + ["--quiet"]).output.split(separator: "\n").count == 6)
    }

    @Test("kitty receives a large image in chunks, of which only the last one says that it is the last")
    func kittyChunks() throws {
        let size = PixelSize(width: 64, height: 64)
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            let noise = UInt8(truncatingIfNeeded: (index &* index &* 2_654_435_761) >> 13)
            return [noise, noise / 2, 255 - noise, 255]
        }
        let bitmap = Bitmap(size: size, pixels: pixels, isOpaque: true)
        let text = try TerminalScreen(graphics: .kitty, columns: 8, rows: 8).text(bitmap)
        let chunks = text.components(separatedBy: "\u{1B}\\").dropLast().map { $0.split(separator: ";") }
        try #require(chunks.count > 2)
        let middle = Array(repeating: "\u{1B}_Gm=1", count: chunks.count - 2)
        #expect(chunks.map { String($0[0]) } == ["\u{1B}_Ga=T,f=100,m=1"] + middle + ["\u{1B}_Gm=0"])
        let file = try #require(Data(base64Encoded: chunks.map { String($0[1]) }.joined()))
        #expect(try DownsamplingDecoder.standard().decode(file).bitmap == bitmap)
    }

    @Test("the cache is in XDG_CACHE_HOME if that is an absolute path", arguments: ["/absolute", "relative"])
    func cacheHome(path: String) async throws {
        let run = try await tool.run(["cache", "status", "--json"], shell: "export XDG_CACHE_HOME=\(path)")
        let folder = try object(run.output)["folder"] as? String
        let expected = path == "/absolute" ? path : NSHomeDirectory() + "/.cache"
        #expect(folder == expected + "/swift-image-loading")
    }

    @Test("cache list leaves out a file that no longer exists when it is read")
    func vanished() async throws {
        let names = folder.appending(path: "cache/aa")
        try FileManager.default.createDirectory(at: names, withIntermediateDirectories: true)
        // A name that is not UTF-8 is listed as one that doesn't exist.
        let name = String(repeating: "a", count: 61)
        let run = try await tool.run(
            ["cache", "list", "--cache", folder.path + "/cache"], shell: "> '\(names.path)/\(name)'$'\\xff'")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.isEmpty)
    }

    @Test("cache verify fails if a damaged entry can't be removed")
    func unrepaired() {
        var found = DiskCacheVerification()
        #expect(throws: Never.self) { try CacheVerifyCommand.check(found, "/cache") }
        found.unrepairedFiles = ["aa/1: reason", "bb/2: reason"]
        let failure = #expect(throws: ToolFailure.self) { try CacheVerifyCommand.check(found, "/cache") }
        #expect(failure?.status == .notAImage)
        #expect(failure?.line.hasPrefix("/cache: 2 could not be repaired, including aa/1: reason.") == true)
    }

    @Test("the summary of Exif has the camera, the time and whether there is a position")
    func exif() {
        #expect(ExifSummary(TestExif().data).text == "Maker1 M1, 2024:05:01 12:30:59, location")
        #expect(ExifSummary(TestExif(latitude: []).data).text == "Maker1 M1, 2024:05:01 12:30:59")
    }

    @Test("explain and cache say what is stored and why, and send nothing")
    func cache() async throws {
        let image = try Data(contentsOf: tool.write(.gradient, to: "a.png"))
        let server = try LoopbackServer { request in
            let headers = [
                "/fresh": ["Cache-Control": "max-age=3600", "Expires": "0", "Vary": "Accept, Cookie"],
                "/stale": [
                    "Cache-Control": "max-age=0", "ETag": "\"1\"", "Cache-Status": "edge; hit",
                    "Server-Timing": "decode;dur=3",
                ],
            ]
            return .ok(image, headers: headers[request.path] ?? [:])
        }
        let cache = ["--cache", folder.path + "/cache"]
        let urls = ["/fresh", "/stale"].map { server.url($0).absoluteString }
        #expect(
            try object(await tool.run(["explain", urls[0], "--json"] + cache).output)["outcome"] as? String == "miss")
        let warmed = try await tool.run(["cache", "warm", "-", "--json"] + cache, input: urls.joined(separator: "\n"))
        #expect(warmed.status == 0 && warmed.output.split(separator: "\n").count == 2)
        let accepting = ["--header", "Accept: image/png"]
        #expect(try await tool.run(["cache", "warm", urls[0]] + accepting + cache).status == 0)
        let requests = server.requestCount
        let fresh = try object(await tool.run(["explain", urls[0], "--json"] + cache).output)
        #expect(fresh["outcome"] as? String == "hit" && fresh["key"] as? String == urls[0])
        let response = fresh["response"] as? [String: Any]
        #expect(response?["freshSeconds"] as? Int == 3_600 && response?["rule"] as? String == "max-age")
        #expect(try await tool.run(["explain", urls[0]] + cache).output.contains("  variants: 2\n"))
        let validating = ["explain", urls[0], "--header", "Cache-Control: no-cache"]
        #expect(try await tool.run(validating + cache).output.contains("the request demands validation"))
        let other = try await tool.run(["explain", urls[0], "--header", "Accept: image/webp"] + cache)
        #expect(other.output.contains("miss"))
        let stale = try object(await tool.run(["explain", urls[1], "--json"] + cache).output)
        #expect(stale["outcome"] as? String == "revalidate")
        #expect((stale["reason"] as? String)?.contains("If-None-Match") == true)
        let lines = try await tool.run(["explain", urls[1]] + cache).output
        #expect(lines.contains("  the server's caches: edge; hit\n  the server's times: decode;dur=3\n"))
        let listed = try await tool.run(["cache", "list"] + cache).output
        #expect(urls.allSatisfy { listed.contains("  \($0)\n") } && listed.split(separator: "\n").count == 2)
        #expect(try await tool.run(["cache", "show", urls[1]] + cache).output.contains("Cache-Control: max-age=0"))
        #expect(try await tool.run(["cache", "show", "http://h/none"] + cache).status == 66)
        #expect(server.requestCount == requests)
        let cookies = ["Cookie: a=1", "Cookie: b=2"].flatMap { ["--header", $0] }
        #expect(try await tool.run(["cache", "warm", urls[0]] + cookies + cache).status == 0)
        #expect(try await tool.run(["explain", urls[0]] + cookies + cache).output.contains("response is fresh"))
    }

    @Test("info describes images with any number of pixels")
    func huge() async throws {
        let words = [60, 0, 58, 40, 30_000, 30_000, 1 | 8 << 16, 1, 0, 0, 0, 1, 0, 0]
        let header = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
        let file = folder.appending(path: "a.bmp")
        try (Data("BM".utf8) + header + [0, 1]).write(to: file)
        #expect(try await tool.run(["info", file.path]).output.contains("bmp, 30000x30000"))
    }

    @Test("PSNR is of red, green and blue: black and white have 0 dB")
    func psnr() {
        let size = PixelSize(width: 2, height: 1)
        let (black, white) = (
            Bitmap(size: size, pixels: [0, 0, 0, 255, 0, 0, 0, 255], isOpaque: true),
            Bitmap(size: size, pixels: [UInt8](repeating: 255, count: 8), isOpaque: true)
        )
        #expect(abs(Similarity(black, white).psnr) < 1e-9)
    }

    @Test("256 colors include grays, and the nearest is the one that looks most alike")
    func palette() {
        let palette = TerminalPalette()
        let grays = [0, 9, 20, 46, 128, 255].map { palette.nearest(to: $0, $0, $0) }
        #expect(grays == [16, 232, 233, 236, 244, 231])
        #expect(palette.nearest(to: 255, 0, 0) == 196 && palette.nearest(to: 95, 135, 175) == 67)
        for color in [(45, 0, 0), (0, 40, 0), (0, 0, 80)] {
            #expect(palette.nearest(to: color.0, color.1, color.2) != 16)
        }
    }

    @Test("explain tells why nothing is stored, and the rule of what is, and asks the server with --ask only")
    func reasons() async throws {
        let image = try Data(contentsOf: tool.write(.gradient, to: "a.png"))
        let modified = ["Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT", "Date": "Sun, 11 Jan 2026 00:00:00 GMT"]
        let headers: [String: [String: String]] = [
            "/no-store": ["Cache-Control": "no-store, max-age=60"],
            "/vary": ["Vary": "*", "Cache-Control": "max-age=60"],
            "/heuristic": modified, "/target": ["Cache-Control": "max-age=60"], "/plain": [:],
        ]
        let server = try LoopbackServer { request in
            if request.path == "/redirect" { return .redirect(to: "/target") }
            return headers[request.path].map { .ok(image, headers: $0) } ?? .response(LoopbackResponse(status: 404))
        }
        let cache = ["--cache", folder.path + "/cache"]
        let paths = ["/no-store", "/vary", "/redirect", "/heuristic", "/missing", "/plain"]
        let urls = paths.map { server.url($0).absoluteString }
        for url in urls { _ = try await tool.run(["cache", "warm", url, "--retries", "0"] + cache) }
        let requests = server.requestCount
        var texts: [String] = []
        for url in urls { texts.append(try await tool.run(["explain", url] + cache).output) }
        #expect(server.requestCount == requests)
        for text in texts.prefix(3) {
            #expect(text.contains("nothing is stored: never loaded, removed, or the server"))
        }
        #expect(texts[3].contains("by heuristics: 10 % of the time from Last-Modified to Date, at most 24 h; stale"))
        #expect(texts[4].contains("(status 404) is fresh for another") && texts[4].contains("remembered for 60 s"))
        let expected = [
            "status 200, is not stored: Cache-Control has no-store", "status 200, is not stored: Vary: * matches no",
            "status 302, is not stored: with this status, it needs max-age", "10 % of the time from Last-Modified",
            "status 404, may be stored: fresh by the rule for a 404", "fresh by no rule",
        ]
        for (url, text) in zip(urls, expected) {
            let output = try await tool.run(["explain", url, "--ask"] + cache).output
            #expect(output.contains(text), "\(output)")
        }
        let redirected = try await tool.run(["explain", urls[2], "--ask", "--json"] + cache).output
        #expect(try redirected.split(separator: "\n").map(object).map { $0["outcome"] as? String } == ["miss", "hit"])
        let down = try await tool.run(["explain", "http://127.0.0.1:1/a", "--ask"] + cache)
        #expect(down.status == 69 && down.errors.count == 1)
    }

    @Test("neither the cache of fetch nor what explain and cache print has credentials or their digests")
    func secrets() async throws {
        let image = try Data(contentsOf: tool.write(.gradient, to: "a.png"))
        let server = try LoopbackServer { _ in .ok(image, headers: ["Cache-Control": "max-age=999", "Vary": "Cookie"]) }
        let url = server.url("/a").absoluteString.replacing("http://", with: "http://S3cretUser:S3cretPassword@")
        let headers = ["--header", "Authorization: Bearer S3cretBearer", "--header", "Cookie: session=S3cretCookie"]
        let cache = ["--cache", folder.path + "/cache"]
        #expect(try await tool.run(["fetch", url] + headers + cache).output.contains("network"))
        let commands = [[], ["--json"], ["--ask"]].map { ["explain", url] + headers + $0 }
        #expect(try await tool.run(["cache", "show", url] + headers + cache).status == 0)
        #expect(try await tool.run(["cache", "show", url] + cache).status == 66, "it is of another user")
        var places: [(String, Data)] = []
        for command in commands + [["cache", "list"], ["cache", "list", "--json"]] {
            let run = try await tool.run(command + cache)
            #expect(run.status == 0 && (command[0] == "cache" || run.output.contains("hit")), "\(run)")
            places.append((command.joined(separator: " "), Data(run.output.utf8)))
        }
        let files = FileManager.default.enumerator(at: folder.appending(path: "cache"), includingPropertiesForKeys: nil)
        for case let file as URL in try #require(files) where !file.hasDirectoryPath {
            places.append((file.path, Data(file.path.utf8) + (try Data(contentsOf: file))))
        }
        let texts = ["S3cretUser:S3cretPassword", "session=S3cretCookie", "Bearer S3cretBearer"]
        let digests = (texts + ["Bearer S3cretBearer".textWithLength + " -"]).map {
            SHA256.hexadecimalDigest(of: Array($0.utf8))
        }
        for trace in ["S3cretUser", "S3cretPassword", "S3cretCookie", "S3cretBearer"] + digests {
            for (place, bytes) in places { #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(trace) in \(place)") }
        }
    }

    @Test(
        "each subcommand has examples in its help",
        arguments: [
            "fetch", "convert", "optimize", "info", "compare", "preview", "explain", "cache", "sheet", "thumbhash",
            "cache status", "cache list", "cache show", "cache verify", "cache trim", "cache clear", "cache warm",
        ])
    func examples(command: String) async throws {
        let run = try await tool.run(command.split(separator: " ").map(String.init) + ["--help"])
        #expect(run.status == 0 && run.output.contains("EXAMPLES\n  imageload \(command)"))
        #expect(run.output.contains("--json") && run.output.contains("--quiet") || command == "cache")
        // Longer lines are wrapped without their indentation.
        let examples = run.output.components(separatedBy: "EXAMPLES\n").last?.components(separatedBy: "\n\n").first
        #expect(examples?.split(separator: "\n").allSatisfy { $0.hasPrefix("  imageload ") } == true)
    }
}
