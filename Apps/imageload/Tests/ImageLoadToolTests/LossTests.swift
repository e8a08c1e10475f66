import Foundation
import ImageCore
import ImageDecoding
import ImageLoaderKit
import Testing

@testable import ImageLoadTool
@testable import ImageMetadata

/// What a file has and its conversion hasn't.
@Suite("imageload tells what it leaves out", .timeLimit(.minutes(3)))
struct LossTests {
    private let tool: BuiltTool
    private var folder: URL { tool.folder }

    init() throws { tool = try BuiltTool() }

    private static let ultraHDR = """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- <a> --><r:RDF xmlns:r="rdf#"><r:Description xmlns:dc='dc#' dc:title="1 > 0"
         xmlns:C="http://ns.google.com/photos/1.0/container/" xmlns:I = "http://ns.google.com/photos/1.0/container/item/"
         xmlns:h="http://ns.adobe.com/hdr-gain-map/1.0/" h:Version="1.0"><h:Gamma><r:Seq><r:li/></r:Seq></h:Gamma>
         <C:Directory><C:Item I:Semantic="GainMap"/></C:Directory><dc:creator>Ann</dc:creator></r:Description></r:RDF></x:xmpmeta>
        """

    /// Writes a photograph like those of iPhones: only the XMP of the second image names the gain map.
    private func writeApplePhotograph(to name: String, xmp: Data? = nil) throws {
        let file = try tool.write(.gradient, to: name)
        let image = try Data(contentsOf: file)
        let apple = Data("<x><type>urn:com:apple:photo:2020:aux:hdrgainmap</type></x>".utf8)
        let second = try EmbeddedMetadata(xmp: apple).embedded(in: image)
        var first = try JPEGFile(EmbeddedMetadata(xmp: xmp).embedded(in: image))
        // A directory of one entry: a table of two images, whose data follows the directory.
        let index = Data("MPF\0MM\0*\0\0\0\u{8}\0\u{1}".utf8) + [0xB0, 2, 0, 7, 0, 0, 0, 32, 0, 0, 0, 26, 0, 0, 0, 0]
        let length = first.data.count + 4 + index.count + 32
        var entries = Data(count: 24)
        // The offset is from the byte order, which follows the signature.
        entries.append(bigEndian: UInt32(length - 2 - 4 - 4))
        first.segments.insert(JPEGFile.Segment(marker: 0xE2, body: index + entries + Data(count: 4)), at: 0)
        try (first.data + second).write(to: file)
    }

    @Test("a gain map is told by info, convert and optimize, also if only the second image of a JPEG names it")
    func gainMap() async throws {
        try writeApplePhotograph(to: "a.jpg")
        let file = folder.path + "/a.jpg"
        #expect(try await tool.run(["info", file]).output.contains("gain map"))
        let converted = try await tool.run(["convert", file, "--output", folder.path + "/b.webp", "--json"])
        #expect(converted.output.contains(#""notes":["the gain map for HDR displays is left out"]"#))
        #expect(converted.errors == ["imageload: the gain map for HDR displays is left out (1 file)"])
        #expect(try await tool.run(["optimize", file]).output.contains("left as it is: a gain map"))
    }

    @Test("kept XMP doesn't declare a gain map that is left out", arguments: ["jpg", "png", "webp"])
    func declaration(suffix: String) async throws {
        try writeApplePhotograph(to: "a.jpg", xmp: Data(Self.ultraHDR.utf8))
        let output = folder.appending(path: "b.\(suffix)")
        let run = try await tool.run(["convert", folder.path + "/a.jpg", "--keep", "xmp", "--output", output.path])
        #expect(run.status == 0)
        let data = try Data(contentsOf: output)
        let xmp = try #require(EmbeddedMetadata(of: data).xmp)
        #expect(
            String(decoding: xmp, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ") == """
                <x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- <a> --><r:RDF xmlns:r="rdf#"><r:Description xmlns:dc='dc#' \
                dc:title="1 > 0"> <dc:creator>Ann</dc:creator></r:Description></r:RDF></x:xmpmeta>
                """)
    }

    @Test("the damaged animation of a PNG is noted by convert and optimize")
    func animatedPNG() async throws {
        let file = try tool.write(.gradient, to: "a.png")
        var png = try PNGFile(Data(contentsOf: file))
        png.chunks.insert(PNGFile.Chunk(type: "acTL", body: Data([0, 0, 0, 2, 0, 0, 0, 0])), at: 1)
        try png.data.write(to: file)
        let run = try await tool.run(["convert", file.path, "--output", folder.path + "/b.webp", "--json"])
        #expect(run.output.contains(#""notes":["the animation of a PNG is damaged: kept its still image"]"#))
        #expect(try await tool.run(["optimize", file.path]).output.contains("left as it is: an animated PNG"))
    }

    @Test("losses are listed in JSON, noted if no option asks for them, and a failure with --strict")
    func losses() async throws {
        let file = try tool.write(.transparent, to: "a.png")
        let metadata = EmbeddedMetadata(
            exif: ExifBlock.orientation(.up), xmp: Data("<x/>".utf8), icc: ColorSpace.displayP3.profile)
        try metadata.embedded(in: Data(contentsOf: file)).write(to: file)
        let path = file.path
        for (options, losses) in [
            (["--to", "jpeg"], #"["alpha","gamut","exif","xmp"]"#), (["--to", "png"], #"["gamut","exif","xmp"]"#),
            (["--to", "webp", "--color", "auto", "--keep", "exif"], #"["xmp"]"#),
            (["--to", "png", "--keep", "all"], "[]"),
        ] {
            let arguments = ["convert", path, "--force", "--json", "--output", folder.path + "/out"] + options
            let run = try await tool.run(arguments)
            #expect(run.output.contains("\"losses\":\(losses)"), "\(run.output)")
            #expect(run.errors.contains { $0.contains("outside of sRGB are left out") } == losses.contains("gamut"))
            let strict = try await tool.run(arguments + ["--strict"])
            #expect(strict.status == (losses == "[]" ? 0 : 70))
            #expect(strict.errors.contains { $0.contains("would lose") } == (losses != "[]"))
        }
        let again = ["convert", path, "--to", "jpeg", "--output", folder.path + "/again"]
        #expect(try await tool.run(again).status == 0)
        #expect(try await tool.run(again).output.hasSuffix("up to date\n"))
        #expect(try await tool.run(again + ["--strict"]).status == 70, "what is up to date has lost something, too")
        let shown = try await tool.run(["convert", path, "--to", "jpeg", "--output", "-"])
        #expect(shown.errors.contains { $0.contains("outside of sRGB are left out") })
        let optimized = try await tool.run(["optimize", path, "--json", "--dry-run"])
        #expect(optimized.output.contains(#""losses":["exif","xmp"]"#), "\(optimized.output)")
    }

    @Test("images in a format that the tool can't read are named, in a folder and alone")
    func foreign() async throws {
        try tool.write(.gradient, to: "in/a.png")
        var files = [("a.PSD", "Photoshop", Data()), ("b", "QOI", Data("qoif".utf8)), ("c.svgz", "SVG", Data())]
        #if !TIFF
            files += [("d.tif", "TIFF", Data()), ("e", "TIFF", Data([0x4D, 0x4D, 0, 42]))]
        #endif
        #if !SVG
            files += [("f.svg", "SVG", Data()), ("g", "SVG", Data("<?xml version='1.0'?>\n<svg/>".utf8))]
        #endif
        for (name, _, data) in files { try data.write(to: folder.appending(path: "in/\(name)")) }
        try Data("text".utf8).write(to: folder.appending(path: "in/notes.txt"))
        let input = folder.path + "/in"
        let run = try await tool.run(["convert", input, "--to", "webp", "--output", folder.path + "/out", "--json"])
        let lines = files.map { "imageload: \(input)/\($0.0): left out: \($0.1) is not supported by this tool" }
        #expect(run.status == 0 && run.errors.map(String.init) == lines)
        #expect(run.output.components(separatedBy: #""status":"unsupported""#).count == 1 + files.count)
        #expect(try await tool.run(["info", input]).errors.map(String.init) == lines)
        for (name, format, _) in files {
            let alone = try await tool.run(["convert", "\(input)/\(name)", "--output", folder.path + "/a.png"])
            #expect(alone.status == 65 && alone.errors.first?.contains("\(format) is not supported") == true)
        }
    }

    @Test(
        "an image in a format that the tool can't read is named by its bytes, without a name",
        arguments: [
            (Data("DDS ".utf8), "DDS"), (Data("8BPS".utf8), "Photoshop"), (Data("<html><svg>".utf8), nil),
        ])
    func nameless(data: Data, format: String?) async throws {
        let source = "data:;base64,\(data.base64EncodedString())"
        for arguments in [
            ["info", "/dev/stdin"], ["decode", "/dev/stdin"], ["thumbhash", "/dev/stdin"], ["optimize", "/dev/stdin"],
            ["convert", "-"], ["fetch", source, "--cache", folder.path + "/cache"],
        ] {
            let run = try await tool.run(arguments, input: String(decoding: data, as: UTF8.self))
            let expected = format.map { "\($0) is not supported by this tool." } ?? "not an image in a known format."
            #expect(run.status == 65 && run.errors.first?.contains(expected) == true, "\(arguments): \(run.errors)")
        }
    }

    @Test("an output is converted again with other options, and skipped with the same", arguments: [false, true])
    func options(isOptimized: Bool) async throws {
        try tool.write(.gradient, to: "in/a.png")
        for options in [["--quality", "9"], ["--quality", "95"], ["--size", "20"], ["--keep", "exif,xmp,icc"]] {
            for expected in ["written", "skipped"] {
                let run = try await tool.run(
                    ["convert", folder.path + "/in", "--to", "webp", "--output", folder.path + "/out"] + options)
                #expect(run.output.contains("up to date") == (expected == "skipped"), "\(options)")
                if isOptimized { _ = try await tool.run(["optimize", folder.path + "/out", "--quiet"]) }
            }
        }
    }
}
