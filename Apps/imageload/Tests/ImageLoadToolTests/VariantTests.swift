import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageMetadata
import ImageThumbHash
import Testing

/// Runs `convert` with several results for each file, and with options for one's own naming, sizes and lists.
@Suite("imageload convert: sizes, names and lists", .timeLimit(.minutes(3)))
struct VariantTests {
    private let tool: BuiltTool

    init() throws { tool = try BuiltTool() }

    private func path(_ name: String) -> String { tool.folder.appending(path: name).path }

    private func data(_ name: String) throws -> Data { try Data(contentsOf: tool.folder.appending(path: name)) }

    private func files(_ name: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path(name)).sorted()
    }

    /// Runs `convert`, which has to succeed.
    @discardableResult
    private func convert(_ arguments: String...) async throws -> BuiltTool.Run {
        let run = try await tool.run(["convert"] + arguments)
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
        return run
    }

    private func bitmap(_ name: String) throws -> Bitmap {
        try DownsamplingDecoder.standard().decode(data(name)).bitmap
    }

    @Test("each image gets all formats and sizes, no size twice and none above its own, and a manifest of them")
    func responsive() async throws {
        try tool.write(.gradient, to: "in/b/a.png")
        let hash = try ThumbHash(bitmap: bitmap("in/b/a.png")).base64
        var manifests: [Data] = []
        for status in ["written", "skipped"] {
            let run = try await convert(
                path("in"), "--sizes", "10,20x,100,200", "--to", "webp,jpeg", "--output", path("out"), "--manifest",
                path("site/m.json"), "--json")
            #expect(run.output.components(separatedBy: #""status":"\#(status)""#).count == 7)
            manifests.append(try data("site/m.json"))
        }
        let names = ["webp", "jpg"].flatMap { type in [10, 20, 40].map { "b/a-\($0).\(type)" } }
        #expect(try files("out") == ["b"] + names.sorted())
        #expect(manifests[0] == manifests[1])
        let manifest = try object(String(decoding: manifests[0], as: UTF8.self).replacing("\n", with: ""))
        let image = try #require((manifest["images"] as? [[String: Any]])?.first)
        #expect(image["source"] as? String == "../in/b/a.png" && image["thumbHash"] as? String == hash)
        #expect(image["width"] as? Int == 40 && image["height"] as? Int == 30)
        let results = try #require(image["results"] as? [[String: Any]])
        #expect(results.map { $0["path"] as? String } == names.map { "../out/\($0)" })
        #expect(
            results.map { $0["type"] as? String } == Array(repeating: "image/webp", count: 3)
                + Array(repeating: "image/jpeg", count: 3))
        #expect(results.map { $0["width"] as? Int } == [10, 20, 40, 10, 20, 40])
        #expect(results.map { $0["height"] as? Int } == [8, 15, 30, 8, 15, 30])
        #expect(try results.map { $0["bytes"] as? Int } == names.map { try data("out/\($0)").count })
    }

    @Test("a manifest of HTML has a picture element whose addresses and attributes are escaped")
    func html() async throws {
        try tool.write(.gradient, to: "a \"&, b.png")
        let hash = try ThumbHash(bitmap: bitmap("a \"&, b.png")).base64
        try await convert(
            path("a \"&, b.png"), "--sizes", "10,20", "--to", "webp,jpeg", "--output", path("out"), "--manifest",
            path("out/m.html"))
        let name = "a%20%22%26%2C%20b"
        #expect(
            try String(decoding: data("out/m.html"), as: UTF8.self) == """
                <picture>
                  <source type="image/webp" srcset="\(name)-10.webp 10w, \(name)-20.webp 20w">
                  <img src="\(name)-20.jpg" srcset="\(name)-10.jpg 10w, \(name)-20.jpg 20w" width="20" height="15" alt="" \
                loading="lazy" data-thumbhash="\(hash)">
                </picture>

                """)
    }

    @Test("without --output, results are beside their sources, and no inputs of the next run")
    func beside() async throws {
        for name in ["in/a.png", "in/b/c.png", "in/b/c.gif"] { try tool.write(.gradient, to: name) }
        for _ in 0..<2 {
            try await convert(path("in"), "--to", "webp", "--sizes", "20", "--name", "s/{name}-{width}x{height}")
            #expect(
                try files("in").filter { $0.hasSuffix("webp") } == [
                    "b/s/c.gif-20x15.webp", "b/s/c.png-20x15.webp", "s/a-20x15.webp",
                ])
        }
    }

    @Test("a file that can't be read is told once, and the manifest has the others")
    func unreadable() async throws {
        try tool.write(.gradient, to: "in/b.png")
        try Data("no image".utf8).write(to: tool.folder.appending(path: "in/a.png"))
        let run = try await tool.run([
            "convert", path("in"), "--sizes", "10,20", "--to", "webp,jpeg", "--output", path("out"), "--manifest",
            path("m.json"),
        ])
        #expect(run.status == 65 && run.errors.count == 1)
        #expect(try String(decoding: data("m.json"), as: UTF8.self).components(separatedBy: "\"source\"").count == 2)
    }

    @Test(
        "--gravity says which part --fill and --crop keep",
        arguments: [
            ("north", 0.5, 0), ("northeast", 1, 0), ("east", 1, 0.5), ("southeast", 1, 1), ("south", 0.5, 1),
            ("southwest", 0, 1), ("west", 0, 0.5), ("northwest", 0, 0), ("center", 0.5, 0.5),
        ] as [(String, Double, Double)])
    func gravity(name: String, x: Double, y: Double) async throws {
        try tool.write(.gradient, to: "a.png")
        let source = try bitmap("a.png")
        let cut = [
            (["--crop", "10x6"], 10, 6), (["--size", "40x6", "--fill"], 40, 6),
            (["--size", "10x30", "--fill"], 10, 30),
        ]
        for (options, width, height) in cut {
            let run = try await tool.run(
                ["convert", path("a.png"), "--gravity", name, "--force", "--output", path("b.png")] + options)
            #expect(run.status == 0)
            let result = try bitmap("b.png")
            #expect(result.size == PixelSize(width: width, height: height))
            let start = (Int(x * Double(40 - width)) + 40 * Int(y * Double(30 - height))) * 4
            #expect(result.pixels.prefix(4) == source.pixels[start..<start + 4], "\(options)")
        }
        // Scaled, the part begins at a whole pixel of the result. The red of the gradient grows by 6 for each pixel to the right.
        try await convert(
            path("a.png"), "--gravity", name, "--size", "8x8", "--fill", "--output", path("c.png"))
        let mean = try bitmap("c.png").pixels.enumerated().filter { $0.offset % 4 == 0 }.map { Int($0.element) }
        #expect(abs(Double(mean.reduce(0, +)) / 64 - (87 + 60 * x)) < 12)
    }

    @Test("--max-bytes chooses the highest quality that is small enough, also with metadata, and fails if none is")
    func largestFile() async throws {
        let file = try tool.write(.gradient, to: "a.jpg")
        let metadata = EmbeddedMetadata(xmp: Data("<x:xmpmeta>\(String(repeating: " ", count: 500))</x:xmpmeta>".utf8))
        try metadata.embedded(in: Data(contentsOf: file)).write(to: file)
        for format in ["jpeg", "webp"] {
            let limit = try await size(format, "90") - 1
            let run = try await convert(
                path("a.jpg"), "--to", format, "--quality", "95", "--max-bytes", "\(limit)", "--keep", "xmp",
                "--output", path("\(format)/"), "--json")
            let report = try object(run.output.split(separator: "\n")[0])
            let quality = try #require(report["quality"] as? Int)
            #expect(try #require(report["outputBytes"] as? Int) <= limit && quality < 95)
            #expect(try await size(format, "\(quality + 1)") > limit)
            let name = format == "jpeg" ? "jpeg/a.jpg" : "webp/a.webp"
            #expect(try EmbeddedMetadata(of: data(name)).xmp != nil)
        }
        for options in [["--to", "png"], ["--to", "jpeg", "--min-quality", "70"]] {
            let run = try await tool.run(
                ["convert", path("a.jpg"), "--max-bytes", "20", "--output", path("none")] + options)
            #expect(run.status == 100 && run.errors.first?.contains("--max-bytes is 20") == true)
        }
        #expect(!FileManager.default.fileExists(atPath: path("none")))
    }

    private func size(_ format: String, _ quality: String) async throws -> Int {
        try await convert(
            path("a.jpg"), "--to", format, "--quality", quality, "--keep", "xmp", "--force", "--output",
            path("\(format).\(format)"))
        return try data("\(format).\(format)").count
    }

    @Test("--quality auto stays between the bounds")
    func bounds() async throws {
        try tool.write(.gradient, to: "a.png")
        for (target, bounds, quality) in [
            ("0.5", ["--min-quality", "70"], 70), ("0.9999999", ["--max-quality", "70"], 70),
            ("0.5", ["--max-quality", "30"], 30),
        ] {
            let run = try await tool.run(
                ["convert", path("a.png"), "--to", "jpeg", "--quality", "auto:\(target)", "--json", "--force"] + bounds
                    + ["--output", path("out")])
            #expect(run.output.contains("\"quality\":\(quality)"))
            let note = "\(quality) is the lowest quality that auto chooses"
            #expect(run.output.contains(note) == (target == "0.5"))
        }
    }

    @Test("--files-from takes lines or paths that end with zero, from a file or standard input")
    func lists() async throws {
        try tool.write(.gradient, to: "a b.png")
        try tool.write(.gradient, to: "c\nd.png")
        try tool.write(.gradient, to: "e*.png")
        try tool.write(.gradient, to: "f.png\r", format: .png)
        let lines = "\(path("a b.png"))\r\n\r\n\n\(path("e*.png"))"
        try Data(lines.utf8).write(to: tool.folder.appending(path: "list"))
        try await convert("--files-from", path("list"), "--to", "gif", "--output", path("out"))
        #expect(try files("out") == ["a b.gif", "e*.gif"])
        let zeros = try await tool.run(
            ["convert", "--files-from", "-", "-0", "--to", "gif", "--output", path("out2")],
            input: "\(path("c\nd.png"))\0\(path("f.png\r"))\0\(path("e?.png"))\0")
        #expect(zeros.status == 66 && zeros.errors.count == 1)
        #expect(try files("out2") == ["c\nd.gif", "f.gif"])
        let missing = try await tool.run(["convert", "--files-from", path("none"), "--output", path("out3")])
        #expect(missing.status == 66 && missing.errors.first?.contains("can't read the list") == true)
    }

    @Test("--keep-time gives results the time of their source, which are then up to date; --dry-run writes nothing")
    func times() async throws {
        try tool.write(.gradient, to: "a.png")
        let time = Date(timeIntervalSince1970: 1_000_000_000.123)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: path("a.png"))
        let arguments = [path("a.png"), "--to", "gif", "--keep-time", "--json", "--output", path("out")]
        let manifest = ["--manifest", path("m.json")]
        for (options, status) in [(["--dry-run"], "possible"), ([], "written"), ([], "skipped")] {
            let run = try await tool.run(["convert"] + arguments + manifest + options)
            #expect(run.output.contains("\"status\":\"\(status)\""))
            #expect(FileManager.default.fileExists(atPath: path("out")) == options.isEmpty)
            #expect(FileManager.default.fileExists(atPath: path("m.json")) == options.isEmpty)
        }
        let found = try FileManager.default.attributesOfItem(atPath: path("out/a.gif"))[.modificationDate] as? Date
        #expect(try abs(#require(found).timeIntervalSince(time)) < 0.001)
    }

    @Test("a higher effort makes smaller files", arguments: ["png", "webp"])
    func effort(format: String) async throws {
        try tool.write(.gradient, to: "a.png")
        var sizes: [Int] = []
        for effort in ["0", "10"] {
            try await convert(
                path("a.png"), "--to", format, "--effort", effort, "--output", path("\(effort).\(format)"))
            sizes.append(try data("\(effort).\(format)").count)
        }
        #expect(sizes[1] < sizes[0])
    }
}
