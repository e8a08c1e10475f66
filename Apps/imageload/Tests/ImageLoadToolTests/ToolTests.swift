import CommandRunning
import Foundation
import ImageCore
import ImageDecoding
import ImageDiskCaching
import ImageLoaderKit
import ImageThumbHash
import LoopbackServer
import Testing

/// Runs the built tool as a process and checks its exit code, standard output and standard error.
@Suite("The tool as a process", .timeLimit(.minutes(5)))
final class ToolTests {
    private let tool: BuiltTool
    private var folder: URL { tool.folder }

    init() throws { tool = try BuiltTool() }

    private func run(_ arguments: [String], input: String = "") async throws -> BuiltTool.Run {
        try await tool.run(arguments, input: input)
    }

    private func image(_ format: ImageFormat, named name: String) throws -> String {
        try tool.write(.gradient, to: name, format: format).path
    }

    private var gradient: Bitmap { TestImage.gradient.bitmap() }

    @Test("a command that ends before it reads its input doesn't end the tests")
    func unreadInput() async throws {
        #expect(try await CommandResult.run("/bin/true", [], input: Data(count: 1 << 20)).status == 0)
    }

    @Test("decode describes a file and writes its pixels", arguments: ["png", "jpeg", "webp", "gif"])
    func decode(name: String) async throws {
        let raw = folder.appending(path: "pixels").path
        let file = try image(ImageFormat(rawValue: name), named: "misnamed.txt")
        let result = try await run(["decode", file, "--raw", raw, "--json"])
        #expect(result.status == 0)
        #expect(result.errors == [])
        let object = try ImageLoadToolTests.object(result.output)
        #expect(
            Set(object.keys) == [
                "format", "width", "height", "frames", "delays", "loopCount", "orientation", "hasAlpha", "icc",
                "color", "sourceColor", "gainMap",
            ])
        #expect(object["color"] as? String == "srgb")
        #expect(object["sourceColor"] as? String == "sRGB")
        #expect(object["gainMap"] as? Bool == false)
        #expect(object["format"] as? String == name)
        #expect(object["width"] as? Int == 40)
        #expect(object["frames"] as? Int == 1)
        let pixels = try Data(contentsOf: URL(fileURLWithPath: raw))
        #expect(pixels.count == 40 * 30 * 4)
        if name == "png" || name == "webp" { #expect(Array(pixels[0..<8]) == [0, 0, 90, 255, 6, 0, 90, 255]) }
    }

    @Test(
        "an image above --max-memory names the limit, and advises a smaller size only where it helps",
        arguments: [
            ("decode FILE", true), ("fetch FILE --cache DIR/c", true), ("fetch FILE --cache DIR/c --reload", true),
            ("convert FILE --output DIR/b.png", true), ("convert FILE --output DIR/b.png --crop 40x30", false),
            ("optimize FILE", false), ("bench decode FILE --iterations 1", false),
        ])
    func memory(command: String, canShrink: Bool) async throws {
        for (name, helps) in [("a.png", canShrink), ("a.webp", false)] {
            let file = try image(name == "a.png" ? .png : .webP, named: name)
            let arguments = command.replacing("FILE", with: file).replacing("DIR", with: folder.path).split(
                separator: " "
            )
            .map(String.init)
            let refused = try await run(arguments + ["--max-memory", "4799"])
            let line = refused.errors.joined()
            #expect(refused.status == 100 && line.contains("decodedBytes is ") && line.contains("the limit is 4799"))
            #expect(line.contains("raise --max-memory.") && line.contains("smaller --size") == helps)
            #expect(try await run(arguments + ["--max-memory", "40kB"]).status == 0)
            if helps { #expect(try await run(arguments + ["--max-memory", "4kB", "--size", "20x20"]).status == 0) }
        }
    }

    @Test(
        "files with too many pixels are refused at any size, also if only their header is read",
        arguments: [
            "decode FILE --size 10x10", "fetch FILE --output DIR/out --cache DIR/c", "cache warm FILE --cache DIR/c",
        ])
    func megapixels(command: String) async throws {
        let size = PixelSize(width: 1_001, height: 1_000)
        let bitmap = Bitmap(size: size, pixels: [UInt8](repeating: 255, count: 4 * size.area), isOpaque: true)
        let file = folder.appending(path: "a.jpg")
        let encoder = try #require([any ImageEncoder].standard.encoder(for: .jpeg))
        try encoder.encode(bitmap, options: EncodingOptions()).write(to: file)
        let arguments = command.replacing("FILE", with: file.path).replacing("DIR", with: folder.path)
            .split(separator: " ").map(String.init)
        let refused = try await run(arguments + ["--max-megapixels", "1"])
        #expect(refused.status == 100)
        #expect(refused.errors.joined().contains("raise --max-megapixels."))
        #expect(try await run(arguments + ["--max-megapixels", "2"]).status == 0)
    }

    @Test("bench decode prints time and memory of each file as JSON")
    func benchJSON() async throws {
        let files = [try image(.png, named: "a.png"), try image(.gif, named: "b.gif")]
        let result = try await run(["bench", "decode"] + files + ["--size", "20x20", "--iterations", "2", "--json"])
        #expect(result.status == 0)
        #expect(result.errors == [])
        let objects = try result.output.split(separator: "\n").map { try object($0) }
        #expect(objects.map { $0["file"] as? String } == files)
        #expect(objects.map { $0["format"] as? String } == ["png", "gif"])
        for object in objects {
            #expect(
                Set(object.keys) == ["file", "format", "width", "height", "iterations", "cpuMs", "wallMs", "peakBytes"])
            #expect(object["width"] as? Int == 20)
            #expect(object["height"] as? Int == 15)
            #expect(object["iterations"] as? Int == 2)
            #expect(try #require(object["cpuMs"] as? Double) > 0)
            #expect(try #require(object["wallMs"] as? Double) > 0)
            #expect(try #require(object["peakBytes"] as? Int) >= 0)
        }
    }

    @Test(
        "a run goes on after a failure, and exits with the code of the first one",
        arguments: [
            "bench decode --iterations 1", "fetch --cache DIR/c", "info", "optimize", "convert --output DIR/o/",
        ])
    func firstFailure(command: String) async throws {
        let (text, missing) = (folder.appending(path: "text.png").path, folder.path + "/missing.png")
        try Data("this is no image".utf8).write(to: URL(fileURLWithPath: text))
        let good = try image(.png, named: "good.png")
        let arguments = command.replacing("DIR", with: folder.path).split(separator: " ").map(String.init)
        for (files, status) in [([text, missing, good], 65), ([missing, text, good], 66)] as [([String], Int32)] {
            let result = try await run(arguments + files)
            #expect(result.status == status && result.errors.count == 2, "\(files)")
            #expect(result.output.contains("good.png"))
        }
    }

    @Test("each failure has its exit code and exactly one line on standard error")
    func failures() async throws {
        let text = folder.appending(path: "text.png").path
        try Data("this is no image".utf8).write(to: URL(fileURLWithPath: text))
        let cut = folder.appending(path: "cut.png").path
        try Data(contentsOf: URL(fileURLWithPath: try image(.png, named: "whole.png"))).prefix(80)
            .write(to: URL(fileURLWithPath: cut))
        let good = try image(.png, named: "good.png")
        let cutAnimation = try tool.write(.animation, to: "cut.gif")
        try Data(contentsOf: cutAnimation).dropLast(20).write(to: cutAnimation)
        let cases: [([String], Int32)] = [
            (["bench", "decode", cutAnimation.path, "--iterations", "1"], 65),
            (["decode", text], 65), (["decode", cut], 65), (["decode", folder.appending(path: "missing").path], 66),
            (["decode", folder.path], 66), (["decode", good, "--frame", "7"], 64), (["decode"], 64),
            (["decode", good, "--thumbnail"], 66),
            (["decode", good, "--size", "big"], 64), (["decode", good, "--raw", "/nonexistent/folder/file"], 74),
            (["fetch", "http://127.0.0.1:1/a.png", "--retries", "0"], 69), (["fetch", "file://\(text)"], 65),
            (["fetch", "file://\(folder.path)/missing"], 66), (["fetch", "missing-file"], 66),
            (["fetch", "gopher://h/a"], 64), (["fetch", folder.path], 66), (["fetch", "file://\(folder.path)"], 66),
            (["fetch", good, "--output", "/proc/nowhere"], 74),
            (["fetch", "http://127.0.0.1:1/a.png", "--offline"], 69), (["nonsense"], 64),
            (["thumbhash", text], 65), (["thumbhash", "--decode", "AAAA", folder.path + "/out.png"], 65),
        ]
        for (arguments, status) in cases {
            var arguments = arguments
            if arguments[0] == "fetch" { arguments += ["--cache", folder.appending(path: "cache").path] }
            let result = try await run(arguments)
            #expect(result.status == status, "\(arguments)")
            #expect(result.errors.count == 1, "\(arguments): \(result.errors)")
        }
        let accepted = try await run(["decode", cut, "--accept-truncated", "--json"])
        #expect(try object(accepted.output)["completeness"] as? String == "truncated")
    }

    @Test("fetch prints each image as JSON, the second time from memory")
    func fetchJSON() async throws {
        let file = try image(.png, named: "a.png")
        let result = try await run(
            ["fetch", "-", "--repeat", "2", "--json", "--size", "10x10", "--cache", folder.path + "/cache"],
            input: "\(file)\n\nfile://\(file)\n")
        #expect(result.status == 0)
        let objects = try result.output.split(separator: "\n").map { try object($0) }
        #expect(objects.map { $0["url"] as? String } == [file, "file://\(file)", file, "file://\(file)"])
        #expect(objects.suffix(2).allSatisfy { $0["source"] as? String == "memory" })
        #expect(objects.allSatisfy { $0["status"] as? String == "ok" && $0["width"] as? Int == 10 })
    }

    @Test("images in Display P3 are written as such with --color auto", arguments: ["png", "jpeg", "webp"])
    func color(format: String) async throws {
        let source = Bitmap(size: gradient.size, pixels: gradient.pixels, isOpaque: false, colorSpace: .displayP3)
        let file = folder.appending(path: "wide.png")
        let png = try #require([any ImageEncoder].standard.encoder(for: .png))
        try png.encode(source, options: EncodingOptions()).write(to: file)
        let described = try object(try await run(["decode", file.path, "--color", "auto", "--json"]).output)
        #expect(described["color"] as? String == "p3")
        #expect(described["sourceColor"] as? String == "Display P3")
        let command = ["fetch", file.path, "--output", folder.path, "--cache", folder.path + "/cache"]
        for (color, expected) in [("auto", ColorSpace.displayP3), ("srgb", .sRGB)] {
            #expect(try await run(command + ["--format", format, "--color", color]).status == 0)
            let written = try Data(contentsOf: folder.appending(path: "wide.\(format == "jpeg" ? "jpg" : format)"))
            let image = try DownsamplingDecoder.standard().decode(written, request: DecodingRequest(color: .automatic))
            {
                false
            }
            #expect(image.bitmap.colorSpace == expected)
            if expected == .sRGB { #expect(image.header.colorProfile == nil) }
            try png.encode(source, options: EncodingOptions()).write(to: file)
        }
    }

    @Test(
        "fetch writes images in the given format",
        arguments: [("png", "png"), ("jpeg", "jpg"), ("webp", "webp"), ("auto", "jpg"), ("original", "gif")])
    func fetchOutput(format: String, suffix: String) async throws {
        // With the few colors of a GIF, the gradient would be a drawing, not a photograph.
        let file = format == "auto" ? try image(.jpeg, named: "a.jpeg") : try image(.gif, named: "a.gif")
        let output = folder.appending(path: "images")
        let result = try await run([
            "fetch", file, "--output", output.path, "--format", format, "--cache", folder.path + "/cache",
        ])
        #expect(result.status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: output.path) == ["a.\(suffix)"])
        let written = try Data(contentsOf: output.appending(path: "a.\(suffix)"))
        let header = try DownsamplingDecoder.standard().header(of: written)
        #expect(header.size == PixelSize(width: 40, height: 30))
        if format == "original" { #expect(written == (try Data(contentsOf: URL(fileURLWithPath: file)))) }
    }

    #if os(Linux)
        @Test("fetch --isolated decodes in workers, which are the tool itself, and a wrong file fails as without them")
        func isolated() async throws {
            let file = try image(.gif, named: "a.gif")
            let command = ["fetch", file, "--isolated", "--format", "png", "--cache", folder.path + "/cache"]
            let run = try await run(command + ["--output", folder.path])
            #expect(run.status == 0 && run.output.contains("40x30"))
            let png = try Data(contentsOf: folder.appending(path: "a.png"))
            let original = try Data(contentsOf: URL(fileURLWithPath: file))
            let decoder = DownsamplingDecoder.standard()
            #expect(try decoder.decode(png).bitmap == decoder.decode(original).bitmap)
            try Data("GIF89a".utf8).write(to: folder.appending(path: "b.gif"))
            let large = [try image(.png, named: "c.png"), "--max-memory", "4kB"]
            for arguments in [[folder.path + "/b.gif"], large] {
                let local = try await self.run(["fetch"] + arguments)
                let isolated = try await self.run(["fetch", "--isolated"] + arguments)
                #expect(isolated.errors == local.errors && isolated.status == local.status && local.status != 0)
            }
        }
    #endif

    @Test("thumbhash prints the hash of a file, and the names of several; --decode writes the image of a hash")
    func thumbHash() async throws {
        let (file, other) = (try image(.png, named: "a.png"), try image(.webP, named: "b.webp"))
        let hash = ThumbHash(bitmap: gradient)
        #expect(try await run(["thumbhash", file]).output == hash.base64 + "\n")
        let both = try await run(["thumbhash", file, other])
        #expect(both.output == "\(hash.base64)  \(file)\n\(hash.base64)  \(other)\n")
        let output = folder.appending(path: "placeholder.png")
        #expect(try await run(["thumbhash", "--decode", hash.base64, output.path]).status == 0)
        let written = try DownsamplingDecoder.standard().decode(
            Data(contentsOf: output), request: DecodingRequest())
        #expect(written.bitmap == hash.bitmap())
    }

    @Test("an unusable disk cache is reported in one line, and images still load")
    func brokenCache() async throws {
        let file = try Data(contentsOf: URL(fileURLWithPath: try image(.png, named: "a.png")))
        let server = try LoopbackServer { _ in .ok(file) }
        let blocked = folder.appending(path: "blocked")
        try Data("a file where the folder should be".utf8).write(to: blocked)
        let result = try await run(["fetch", server.url("/a.png").absoluteString, "--cache", blocked.path])
        #expect(result.status == 0)
        #expect(result.output.contains("network"))
        #expect(result.errors.count == 1)
        #expect(result.errors.first?.contains(blocked.path) == true)
    }

    @Test("sheet writes a PNG of all images")
    func sheet() async throws {
        let file = try image(.webP, named: "a.webp")
        let output = folder.appending(path: "sheet.png")
        let result = try await run([
            "sheet", file, file, file, "--columns", "2", "--size", "40x30", "--output", output.path, "--cache",
            folder.path + "/cache",
        ])
        #expect(result.status == 0)
        let header = try DownsamplingDecoder.standard().header(of: try Data(contentsOf: output))
        #expect(header.format == .png)
        #expect(header.size == PixelSize(width: 8 + 2 * 48, height: 8 + 2 * 53))
        try FileManager.default.removeItem(at: output)
        let partial = try await run(["sheet", file, folder.path + "/none", "--quiet", "--output", output.path])
        #expect(partial.status == 66 && partial.output.isEmpty && partial.errors.count == 1)
        #expect(FileManager.default.fileExists(atPath: output.path), "with the images that there are")
    }

    @Test("--summary prints one line per pass and reports each failure")
    func summary() async throws {
        let file = try image(.png, named: "a.png")
        let result = try await run([
            "fetch", file, folder.path + "/missing.png", "--summary", "--repeat", "2", "--cache",
            folder.path + "/cache",
        ])
        #expect(result.status == 66)
        let lines = result.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines[0].hasPrefix("2 images in "))
        #expect(lines[0].hasSuffix("failed 1"))
        #expect(lines[1].contains("memory 1"))
        #expect(result.errors.count == 2)
        let quiet = try await run(["fetch", file, file, "--quiet", "--cache", folder.path + "/cache"])
        #expect(quiet.status == 0 && quiet.output.isEmpty)
        #expect(try await run(["info", file, "--quiet", "--json"]).output.contains("\"width\":40"))
    }

    @Test("cache status counts, verify repairs and reports, trim and clear remove")
    func cache() async throws {
        let cache = folder.appending(path: "cache")
        let disk = ImageLoaderOptions(cacheDirectory: cache).makeDiskCache(in: cache)
        for number in 0..<3 {
            try await disk.store(
                DataCacheEntry(data: Data(count: 1_000), creationDate: Date()),
                for: DataCacheKey(identifier: "http://h/\(number)"))
        }
        #expect(try await run(["cache", "status", "--cache", cache.path]).output.contains("3 entries"))
        #expect(try await run(["cache", "verify", "--cache", cache.path]).status == 0)

        let files = try #require(FileManager.default.enumerator(at: cache, includingPropertiesForKeys: nil))
        let entry = try #require(
            try files.compactMap { $0 as? URL }.first { url in
                let values = try url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
                return values.isRegularFile == true && values.fileSize ?? 0 > 1_000
            })
        let handle = try FileHandle(forWritingTo: entry)
        try handle.seek(toOffset: 500)
        try handle.write(contentsOf: Data([1, 2, 3]))
        try handle.close()
        let verified = try await run(["cache", "verify", "--cache", cache.path])
        #expect(verified.status == 0)
        #expect(verified.output.contains("1 damaged"))

        #expect(
            try await run(["cache", "trim", "--older-than", "7d", "--cache", cache.path]).output.contains(
                "0 entries removed"))
        #expect(
            try await run(["cache", "trim", "--to", "1500B", "--cache", cache.path]).output.contains(
                "1 entries removed"))
        let trimmed = try await run(
            ["cache", "trim", "--older-than", "0s", "--to", "1500B", "--json", "--cache", cache.path])
        let report = try object(trimmed.output)
        #expect(report["entriesRemoved"] as? Int == 1 && report["bytesRemoved"] as? Int ?? 0 > 1_000)
        #expect(try await run(["cache", "clear", "--cache", cache.path]).output.contains("0 entries left"))
    }

    @Test("cache list has the URL that was used last first, by the last use of any of its entries")
    func listOrder() async throws {
        let cache = folder.appending(path: "cache")
        let disk = ImageLoaderOptions(cacheDirectory: cache).makeDiskCache(in: cache)
        func files() throws -> Set<String> {
            let all = try FileManager.default.subpathsOfDirectory(atPath: cache.path)
            return Set(all.filter { $0.split(separator: "/").last?.count == 64 })
        }
        var known: Set<String> = []
        for (key, time) in [("a", 3_000.0), ("a 1", 1_000), ("b", 2_000), ("c", 4_000)] {
            let entry = DataCacheEntry(data: Data(count: 10), creationDate: Date())
            try await disk.store(entry, for: DataCacheKey(identifier: "http://h/\(key)"))
            for file in try files().subtracting(known) {
                let attributes: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSince1970: time)]
                try FileManager.default.setAttributes(
                    attributes, ofItemAtPath: cache.appending(path: file).path)
            }
            known = try files()
        }
        let lines = try await run(["cache", "list", "--json", "--cache", cache.path]).output.split(separator: "\n")
        let entries = try lines.map { try object($0) }
        #expect(entries.map { $0["url"] as? String } == ["http://h/c", "http://h/a", "http://h/b"])
        #expect(entries[1]["lastUse"] as? String == "1970-01-01T00:50:00Z")
    }

    @Test("help is printed to standard output and exits with 0")
    func help() async throws {
        let result = try await run(["--help"])
        #expect(result.status == 0)
        #expect(result.errors == [])
        for command in ["fetch", "convert", "optimize", "info", "compare", "preview", "sheet", "thumbhash", "cache"] {
            #expect(result.output.contains("\n  \(command) "))
        }
        for probe in ["decode", "bench", "http-cache-probe"] {
            #expect(!result.output.contains("\n  \(probe) "))
        }
    }
}
