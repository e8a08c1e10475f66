import ArgumentParser
import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageMetadata
import Testing

@testable import ImageLoadTool

/// Runs `convert` as a process.
@Suite("imageload convert", .timeLimit(.minutes(3)))
struct ConvertTests {
    private let tool: BuiltTool
    private var folder: URL { tool.folder }

    init() throws { tool = try BuiltTool() }

    private func convert(_ arguments: String...) async throws -> BuiltTool.Run {
        try await tool.run(["convert"] + arguments)
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func header(_ name: String) throws -> ImageHeader {
        try DownsamplingDecoder.standard().header(of: Data(contentsOf: folder.appending(path: name)))
    }

    /// Everything in the folder, with hidden files.
    private func files(_ name: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path(name)).sorted()
    }

    @Test("a folder keeps its structure, and names that differ only in their extension keep it")
    func folders() async throws {
        for name in ["in/a.png", "in/deep/er/b.gif", "in/deep/c.png", "in/deep/c.jpg"] {
            try tool.write(.gradient, to: name)
        }
        try Data("text".utf8).write(to: folder.appending(path: "in/notes.txt"))
        try tool.write(.gradient, to: "in/.hidden.png")
        try tool.write(.gradient, to: "in/deep/.hidden.png")
        try tool.write(.gradient, to: "in/plain", format: .png)
        let run = try await convert(path("in"), "--to", "webp", "--output", path("out"))
        #expect(run.status == 0 && run.errors.isEmpty)
        #expect(
            try files("out") == [
                "a.webp", "deep", "deep/c.jpg.webp", "deep/c.png.webp", "deep/er", "deep/er/b.webp",
                "plain.webp",
            ])
        #expect(try header("out/deep/er/b.webp").format == .webP)
    }

    @Test(
        "images in Display P3 stay in it with --color auto, over a background in sRGB",
        arguments: ["png", "jpeg", "webp"])
    func color(format: String) async throws {
        let size = PixelSize(width: 30, height: 20)
        let pixels = Array([[UInt8]](repeating: [200, 40, 90, 0], count: size.area).joined())
        let source = Bitmap(size: size, pixels: pixels, isOpaque: false, colorSpace: .displayP3)
        let png = try #require([any ImageEncoder].standard.encoder(for: .png))
        try png.encode(source, options: EncodingOptions()).write(to: folder.appending(path: "a.png"))
        let options = ["--crop", "20x20", "--background", "#ff0000", "--to", format, "--force"]
        for (color, space) in [("auto", ColorSpace.displayP3), ("p3", .displayP3), ("srgb", .sRGB)] {
            let run = try await tool.run(
                ["convert", path("a.png"), "--output", path("out")] + options + ["--color", color])
            #expect(run.status == 0)
            let name = try #require(try files("out").first)
            let data = try Data(contentsOf: folder.appending(path: "out/\(name)"))
            let image = try DownsamplingDecoder.standard().decode(data, request: DecodingRequest(color: .automatic)) {
                false
            }
            #expect(image.bitmap.colorSpace == space)
            let shown = Array(image.bitmap.converted(to: .sRGB).pixels.prefix(3))
            #expect(zip(shown, [255, 0, 0]).allSatisfy { abs(Int($0) - $1) <= 3 }, "\(shown)")
        }
        let refused = try await tool.run(
            ["convert", path("a.png"), "--output", path("out"), "--keep", "icc", "--color", "p3"])
        #expect(refused.status == 64)
    }

    @Test("an output inside the input folder is no input of the next run")
    func outputInside() async throws {
        try tool.write(.gradient, to: "in/a.png")
        for format in ["webp", "webp", "gif"] {
            _ = try await convert(path("in"), "--to", format, "--output", path("in/out"), "--force")
        }
        #expect(try files("in") == ["a.png", "out", "out/a.gif", "out/a.webp"])
    }

    @Test("outputs in the input folder are no inputs of the next run, and are not overwritten")
    func inPlace() async throws {
        for name in ["in/a.png", "in/b.png", "in/b.gif"] { try tool.write(.gradient, to: name) }
        for _ in 0..<2 {
            let run = try await convert(path("in"), "--to", "webp", "--output", path("in"))
            #expect(run.status == 0, "\(run.errors)")
            #expect(try files("in") == ["a.png", "a.webp", "b.gif", "b.gif.webp", "b.png", "b.png.webp"])
        }
        let before = try Data(contentsOf: folder.appending(path: "in/a.webp"))
        let forced = try await convert(path("in"), "--to", "webp", "--size", "20", "--output", path("in"), "--force")
        #expect(forced.status == 64 && forced.errors.count == 3)
        #expect(try Data(contentsOf: folder.appending(path: "in/a.webp")) == before)
    }

    @Test("--to auto chooses the extension by the image, and skips newer outputs")
    func automaticFormat() async throws {
        try tool.write(.gradient, to: "in/a.png")
        try tool.write(.transparent, to: "in/b.webp")
        for status in ["written", "skipped"] {
            let run = try await convert(path("in"), "--to", "auto", "--output", path("out"), "--json")
            #expect(try files("out") == ["a.jpg", "b.png"])
            #expect(run.output.components(separatedBy: #""status":"\#(status)""#).count == 3)
        }
        #expect(try header("out/a.jpg").format == .jpeg && header("out/b.png").format == .png)
    }

    @Test("pipes are read once as arguments, and left out in folders")
    func pipes() async throws {
        let file = try tool.write(.gradient, to: "in/a.png").path
        let made = unsafe mkfifo(path("in/b.png"), 0o600)
        #expect(made == 0)
        let named = try await convert(path("in"), "--to", "jpeg", "--output", path("out"))
        #expect(try named.status == 0 && files("out") == ["a.jpg"])
        let run = try await tool.run(
            ["convert", "/dev/fd/3", "--to", "gif", "--output", path("c.gif")], shell: "exec 3< <(cat '\(file)')")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try header("c.gif").format == .gif)
    }

    @Test(
        "an output that is a pipe gets the bytes, also if it is newer than the input, and stays a pipe",
        arguments: [("convert FILE --output PIPE", "GIF89a"), ("fetch FILE --cache PIPE-cache --trace PIPE", "{")])
    func outputPipe(command: String, start: String) async throws {
        let file = try tool.write(.gradient, to: "a.png").path
        let pipe = path("pipe.gif")
        let made = unsafe mkfifo(pipe, 0o600)
        let reader = unsafe open(pipe, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        #expect(made == 0 && reader >= 0)
        let arguments = command.replacing("FILE", with: file).replacing("PIPE", with: pipe)
        #expect(try await tool.run(arguments.split(separator: " ").map(String.init)).status == 0)
        var bytes = [UInt8](repeating: 0, count: start.utf8.count)
        let count = unsafe read(reader, &bytes, bytes.count)
        #expect(count > 0 && String(decoding: bytes, as: UTF8.self) == start)
        #expect(InputFiles.isStream(pipe))
    }

    @Test("a file that is given twice is converted once, and a file name for several inputs is refused")
    func repeated() async throws {
        let file = try tool.write(.gradient, to: "in/a.png").path
        let run = try await convert(file, path("in"), path("in/./a.png"), "--to", "webp", "--output", path("out"))
        #expect(try run.status == 0 && files("out") == ["a.webp"])
        let refused = try await convert(path("in"), "--output", path("b.webp"))
        #expect(refused.status == 64 && refused.errors.first?.contains("pass a folder") == true)
    }

    @Test(
        "sizes fit, fill and scale",
        arguments: [
            (["--size", "20"], "20x15"), (["--size", "20x"], "20x15"), (["--size", "x15"], "20x15"),
            (["--size", "20x20", "--fill"], "20x20"), (["--size", "50%"], "20x15"), (["--size", "400"], "40x30"),
            (["--size", "80", "--enlarge"], "80x60"), (["--size", "200%"], "80x60"),
            (["--crop", "10x8+30+5"], "10x8"), (["--crop", "10x8+35+5"], "5x8"),
            (["--crop", "20x20", "--size", "10"], "10x10"), (["--fit", "--size", "10x30"], "10x8"),
        ])
    func sizes(options: [String], expected: String) async throws {
        try tool.write(.gradient, to: "a.png")
        let run = try await tool.run(["convert", path("a.png"), "--output", path("b.png")] + options)
        #expect(run.status == 0, "\(run.errors)")
        #expect(try "\(header("b.png").size)" == expected)
    }

    @Test("--crop attention cuts out the part of the image that has something in it")
    func attention() async throws {
        let size = PixelSize(width: 120, height: 40)
        // Red at the right edge.
        let pixels = (0..<size.area).flatMap { index -> [UInt8] in
            index % size.width >= 100 ? [220, 30, 40, 255] : [128, 128, 128, 255]
        }
        let encoder = try #require([any ImageEncoder].standard.encoder(for: .png))
        try encoder.encode(Bitmap(size: size, pixels: pixels, isOpaque: true), options: EncodingOptions())
            .write(to: folder.appending(path: "a.png"))
        let run = try await convert(path("a.png"), "--crop", "attention", "--size", "20x20", "--output", path("b.png"))
        #expect(run.status == 0)
        let result = try DownsamplingDecoder.standard(.all).decode(
            Data(contentsOf: URL(fileURLWithPath: path("b.png"))))
        #expect(result.bitmap.size == PixelSize(width: 20, height: 20))
        #expect(result.bitmap.pixels[19 * 4] > 200)
        let failure = try await convert(path("a.png"), "--crop", "attention", "--output", path("c.png"))
        #expect(failure.status == 64 && failure.errors.first?.contains("--crop attention needs a --size") == true)
    }

    @Test("a crop outside the image says what to change")
    func cropOutside() async throws {
        try tool.write(.gradient, to: "a.png")
        let run = try await convert(path("a.png"), "--crop", "10x10+40+0", "--output", path("b.png"))
        #expect(run.status == 64 && run.errors.first?.hasSuffix("Choose another --crop.") == true)
    }

    @Test("a pattern, standard input and standard output are accepted")
    func streams() async throws {
        try tool.write(.gradient, to: "in/a.png")
        try tool.write(.gradient, to: "in/b.png")
        #expect(try await convert(path("in/*.png"), "--to", "gif", "--output", path("out")).status == 0)
        #expect(try files("out") == ["a.gif", "b.gif"])
        let data = try Data(contentsOf: folder.appending(path: "in/a.png"))
        let piped = try await tool.runData(["convert", "-", "--to", "jpeg"], input: data)
        #expect(try DownsamplingDecoder.standard().header(of: piped).format == .jpeg)
        let arguments = ["convert", path("in/a.png"), "--to", "jpeg", "--output", "-"]
        #expect(try await tool.runData(arguments, input: Data()) == piped, "standard output has only the image")
    }

    @Test("** in a pattern is any number of folders, keeps them below the output, and ends in a loop of links")
    func anyDepth() async throws {
        for name in ["in/a.png", "in/b/a.png", "in/b/c/a.png", "in/b/c/d.gif", "in/.e/a.png"] {
            try tool.write(.gradient, to: name)
        }
        try FileManager.default.createSymbolicLink(atPath: path("in/b/loop"), withDestinationPath: path("in"))
        #expect(try await convert(path("in/**/*.png"), "--to", "gif", "--output", path("out")).status == 0)
        #expect(try files("out") == ["a.gif", "b", "b/a.gif", "b/c", "b/c/a.gif"])
        let patterns = ["in/**": 4, "i*/**/c": 2, "in/**/d.*": 1, "in/**/**/a.png": 3, "in/b/**/a.png": 2]
        for (pattern, count) in patterns { #expect(InputFiles([path(pattern)]).files.count == count, "\(pattern)") }
        #expect(InputFiles([path("in/**/z.png")]).all.map(\.failure?.status) == [.noInput])
    }

    @Test("a signal says what was done, and ends the process")
    func interruption() async throws {
        let file = try tool.write(.gradient, to: "a.png").path
        // The pipe is opened after the first file is done.
        let run = try await tool.run(
            ["convert", file, path("pipe"), "--jobs", "1", "--to", "gif", "--output", path("out"), "--quiet"],
            shell: """
                mkfifo '\(path("pipe"))'; (exec 3> '\(path("pipe"))'; kill -TERM $$; while kill -0 $$; do :; done) 2> /dev/null &
                """)
        #expect(run.status == -SIGTERM)
        #expect(run.errors.last?.hasPrefix("imageload: interrupted: 1 of 2 done: 1 written: ") == true, "\(run.errors)")
        #expect(try files("out") == ["a.gif"])
    }

    @Test("new files have the permissions of the umask")
    func permissions() async throws {
        let file = try tool.write(.gradient, to: "a.png").path
        #expect(try await tool.run(["convert", file, "--output", path("b.gif")], shell: "umask 027").status == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: path("b.gif"))[.posixPermissions] as? Int == 0o640)
    }

    @Test("an output that is newer is skipped, unless --force", arguments: ["a.png", "link.png"])
    func skipping(input: String) async throws {
        try tool.write(.gradient, to: "a.png")
        try FileManager.default.createSymbolicLink(atPath: path("link.png"), withDestinationPath: path("a.png"))
        #expect(try await convert(path(input), "--to", "webp", "--output", path("out")).output.contains("40x30"))
        let again = try await convert(path(input), "--to", "webp", "--output", path("out"), "--json")
        #expect(again.output.contains(#""status":"skipped""#) && again.status == 0)
        let forced = try await convert(path(input), "--to", "webp", "--output", path("out"), "--json", "--force")
        #expect(forced.output.contains(#""status":"written""#))
        let later = Date(timeIntervalSinceNow: 3_600)
        try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: path("a.png"))
        let changed = try await convert(path(input), "--to", "webp", "--output", path("out"), "--json")
        #expect(changed.output.contains(#""status":"written""#))
    }

    @Test("damaged, missing and unreadable files are reported, and the rest is converted")
    func failures() async throws {
        try tool.write(.gradient, to: "in/good\nname.png")
        try Data("no image".utf8).write(to: folder.appending(path: "in/bad.png"))
        try Data(Data(contentsOf: folder.appending(path: "in/good\nname.png")).prefix(80)).write(
            to: folder.appending(path: "in/cut.png"))
        let run = try await convert(path("in"), path("missing"), "--to", "jpeg", "--output", path("out"), "--json")
        // That of the first failure in the order given.
        #expect(run.status == 65)
        #expect(run.errors.count == 3, "\(run.errors)")
        #expect(run.output.split(separator: "\n").count == 4)
        #expect(run.output.split(separator: "\n").last?.contains("missing: no such file") == true)
        #expect(try files("out") == ["good\nname.jpg"])
    }

    @Test("an input is never overwritten, under any of its names")
    func overwriting() async throws {
        try tool.write(.gradient, to: "a.jpg")
        let before = try Data(contentsOf: folder.appending(path: "a.jpg"))
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: folder.path)
        for output in [path(""), path("link")] {
            let run = try await convert(path("a.jpg"), "--to", "jpeg", "--output", output, "--force")
            #expect(run.status == 64 && run.errors.first?.contains("would be overwritten") == true)
        }
        #expect(try Data(contentsOf: folder.appending(path: "a.jpg")) == before)
    }

    @Test("two inputs with the same output are refused before anything is written")
    func conflict() async throws {
        try tool.write(.gradient, to: "x/a.png")
        try tool.write(.gradient, to: "y/a.png")
        let run = try await convert(path("x/a.png"), path("y/a.png"), "--to", "webp", "--output", path("out"))
        #expect(run.status == 64 && run.errors.count == 1)
        #expect(!FileManager.default.fileExists(atPath: path("out")))
    }

    @Test("a disk without space fails each file, and leaves nothing half-written")
    func fullDisk() async throws {
        try tool.write(.gradient, to: "in/a.png")
        try tool.write(.gradient, to: "in/b.png")
        try FileManager.default.createDirectory(atPath: path("out"), withIntermediateDirectories: true)
        // No file may become larger than 0 bytes.
        let run = try await tool.run(
            ["convert", path("in"), "--to", "png", "--output", path("out")], shell: "trap '' XFSZ; ulimit -f 0")
        #expect(run.status == 74 && run.errors.count == 2, "\(run.errors)")
        #expect(try files("out") == [])
        let output = try await tool.run(
            ["convert", path("in/a.png"), "--to", "png", "--output", "-"], shell: "exec > /dev/full")
        #expect(output.status == 74 && output.errors.first?.contains("standard output: can't write (No space") == true)
    }

    @Test("killed among 10,000 files, it leaves complete outputs only", arguments: [0, 1, 50, 500])
    func killed(after count: Int) async throws {
        let file = try tool.write(.gradient, to: "in/0.png").path
        for number in 1..<10_000 { try FileManager.default.linkItem(atPath: file, toPath: path("in/\(number).png")) }
        try FileManager.default.createDirectory(atPath: path("out"), withIntermediateDirectories: false)
        let killing = """
            "$@" & while kill -0 $! && (($(ls "$0" | wc -l) < \(count))); do :; done; kill -9 $!; wait $!
            """
        let killed = try await tool.run(
            ["convert", path("in"), "--to", "jpeg", "--output", path("out"), "--quiet"],
            shell: "", prefix: ["bash", "-c", killing, path("out")])
        #expect(killed.status == 128 + SIGKILL)
        for name in try files("out") {
            #expect(name.hasSuffix(".jpg"))
            #expect(try header("out/\(name)").size == PixelSize(width: 40, height: 30))
            #expect(try Data(contentsOf: folder.appending(path: "out/\(name)")).suffix(2) == Data([0xFF, 0xD9]))
        }
    }

    @Test("animations stay animated where the format can, and a note says where not")
    func animations() async throws {
        try tool.write(.animation, to: "a.gif")
        #expect(try await convert(path("a.gif"), "--size", "20", "--output", path("b.webp")).status == 0)
        let kept = try header("b.webp")
        #expect(kept.frameCount == 3 && kept.size == PixelSize(width: 20, height: 15) && kept.loopCount == 2)
        #expect(kept.frameDelays == [.milliseconds(120), .milliseconds(80), .milliseconds(200)])
        for (from, to) in [("a.gif", "b.png"), ("b.png", "c.gif")] {
            let whole = try await convert(path(from), "--output", path(to))
            #expect(whole.status == 0 && whole.errors.isEmpty)
            #expect(try await tool.run(["compare", path("a.gif"), path(to)]).status == 0)
        }
        #expect(try header("b.png").loopCount == 2)
        let still = try await convert(path("b.png"), "--output", path("b.jpg"))
        #expect(still.errors.joined().contains("jpeg can't be animated"))
        let automatic = try await convert(path("b.png"), "--to", "auto", "--output", path("out"))
        #expect(automatic.errors.joined().contains("auto is for still images: kept the first frame"))
    }

    @Test("transparent pixels get the background, white in JPEG by default")
    func background() async throws {
        try tool.write(.transparent, to: "a.png")
        for (options, expected) in [([], [255, 255, 255]), (["--background", "#00f"], [0, 0, 255])] {
            let output = path("b.jpg")
            #expect(
                try await tool.run(["convert", path("a.png"), "--force", "--output", output] + options).status == 0)
            let data = try Data(contentsOf: folder.appending(path: "b.jpg"))
            let bitmap = try DownsamplingDecoder.standard().decode(data).bitmap
            #expect(zip(bitmap.pixels, expected).allSatisfy { abs(Int($0) - $1) < 12 })
        }
    }

    @Test(
        "metadata is stripped by default, and kept where the format can",
        arguments: ["jpeg", "png", "webp", "gif", "auto"]
            + [any ImageEncoder].all.map(\.format.rawValue).filter { ["avif", "heic", "jxl"].contains($0) })
    func metadata(format: String) async throws {
        let exif = ExifBlock.orientation(.right)
        let metadata = EmbeddedMetadata(exif: exif, xmp: Data("<x:xmpmeta/>".utf8))
        let file = try tool.write(.gradient, to: "a.jpg")
        try metadata.embedded(in: Data(contentsOf: file)).write(to: file)
        #expect(try header("a.jpg").orientation == .right)
        for keep in ["none", "exif,xmp"] {
            // For a gradient, `auto` chooses JPEG.
            let output = path("\(keep).\(format == "auto" ? "jpg" : format)")
            let run = try await convert(path("a.jpg"), "--to", format, "--keep", keep, "--output", output)
            #expect(run.status == 0)
            let data = try Data(contentsOf: URL(fileURLWithPath: output))
            let header = try DownsamplingDecoder.standard(.all).header(of: data)
            let found = EmbeddedMetadata(of: data)
            let kept = keep == "none" || format == "gif" ? nil : metadata.forUprightImage.exif
            #expect(found.exif == kept && (found.xmp != nil) == (kept != nil))
            #expect(header.size == PixelSize(width: 30, height: 40) && header.orientation == .up)
            #expect(run.errors.joined().contains("gif can't keep exif, xmp") == (format == "gif" && keep != "none"))
        }
    }

    @Test(
        "contradictory options are refused",
        arguments: [
            ["a", "--to", "webp"], ["a", "--output", "o", "--to", "original", "--keep", "icc", "--color", "p3"],
            ["a", "--output", "o", "--quality", "0"],
            ["a", "--output", "o", "--quality", "auto:1"], ["a", "--output", "o", "--quality", "auto:0"],
            ["-", "--files-from", "list", "--output", "o"],
            ["a", "--output", "o", "--quality", "auto", "--min-quality", "0"],
            ["a", "--output", "o", "--size", "200x", "--fill"], ["a", "--output", "o", "--keep", "gps"],
            ["a", "-", "--output", "o"], ["a", "--output", "-", "--json"], ["a", "--output", "o", "--to", "bmp"],
            ["a", "--output", "o", "--size", "0%"], ["a", "--output", "o", "--background", "blue2"],
            ["a", "--output", "o", "--crop", "20x"], ["a", "--output", "o", "--jobs", "0"],
            [], ["a", "--output", "o", "--null"], ["-", "--to", "png,webp"], ["-", "--dry-run"], ["-", "--name", "n"],
            ["a", "--output", "b.png", "--sizes", "1,2"], ["a", "--output", "b.png", "--manifest", "m.json"],
            ["a", "--output", "o", "--manifest", "m.txt"], ["a", "--output", "o", "--sizes", "20,0"],
            ["a", "--output", "o", "--sizes", "20", "--size", "20"], ["a", "--output", "o", "--to", "png,png"],
            ["a", "--output", "o", "--sizes", "20,30x20", "--fill"], ["a", "--output", "o", "--gravity", "north"],
            ["a", "--output", "o", "--gravity", "up", "--fill", "--size", "2x2"],
            ["a", "--output", "o", "--gravity", "north", "--crop", "1x1+0+0"], ["a", "--name", "{size}"],
            ["a", "--name", ""], ["a", "--name", "{name}/"], ["a", "--output", "o", "--effort", "11"],
            ["a", "--output", "o", "--max-quality", "90"], ["a", "--output", "o", "--min-quality", "9"],
            ["a", "--output", "o", "--max-bytes", "0"], ["a", "--output", "o", "--max-bytes", "-1"],
            ["a", "--output", "o", "--max-bytes", "9", "--min-quality", "81"],
            ["a", "--output", "o", "--quality", "auto", "--min-quality", "60", "--max-quality", "59"],
            ["a", "--output", "o", "--quality", "auto", "--max-quality", "101"],
        ])
    func refused(arguments: [String]) {
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["convert"] + arguments) }
    }
}
