import Foundation
import GeneratedImages
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageProcessing
import Testing

@testable import ImageLoadTool
@testable import ImageMetadata

/// Image and map of the generated files show the same, so a map that is treated like its image looks like it.
@Suite("imageload keeps gain maps", .timeLimit(.minutes(3)))
struct GainMapTests {
    private static let decoder = DownsamplingDecoder(decoders: .all)
    private let tool: BuiltTool

    init() throws { tool = try BuiltTool() }

    private func converted(_ photo: GainMapJPEG, _ options: [String]) async throws -> (data: Data, output: String) {
        let (input, output) = (tool.folder.path + "/in.jpg", tool.folder.path + "/out.jpg")
        try photo.data.write(to: URL(fileURLWithPath: input))
        let run = try await tool.run(["convert", input, "--output", output, "--force", "--json"] + options)
        #expect(run.status == 0, "\(run.errors)")
        return (try Data(contentsOf: URL(fileURLWithPath: output)), run.output)
    }

    /// The largest difference between a map and its image in the size of the map.
    private func difference(_ map: EmbeddedGainMap, _ file: Data) throws -> Int {
        let mapped = try Self.decoder.decode(map.file).bitmap
        let image = try ResizeProcessor(stretchingTo: mapped.size).process(Self.decoder.decode(file).bitmap)
        return zip(mapped.pixels, image.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    @Test(
        "a map is cut, resized and turned like its image",
        arguments: [
            ["--quality", "60"], ["--size", "100"], ["--size", "500", "--enlarge"], ["--crop", "101x77+150+41"],
            ["--size", "90x90", "--fill"], ["--size", "90x90", "--fill", "--gravity", "southeast"],
            ["--size", "120x40", "--crop", "attention"], ["--crop", "200x200", "--size", "50x80", "--fill"],
            ["--size", "1"],
        ])
    func geometry(options: [String]) async throws {
        for orientation in [1, 3, 6, 7] {
            var photo = GainMapJPEG(["ultraHDR", "iso21496"])
            photo.exif = ImageOrientation(rawValue: orientation).map(ExifBlock.orientation)
            let (data, output) = try await converted(photo, options)
            #expect(output.contains(#""losses":["exif"]"#), "\(output)")
            let map = try #require(EmbeddedGainMap(of: data), "\(orientation)")
            #expect(map.kinds == [.ultraHDR, .iso21496])
            let (size, mapSize) = (try Self.decoder.header(of: data).size, try Self.decoder.header(of: map.file).size)
            #expect(abs(size.width - 4 * mapSize.width) < 4 && abs(size.height - 4 * mapSize.height) < 4)
            #expect(try difference(map, data) <= 5, "\(orientation)")
        }
    }

    @Test(
        "a map stays as it is if only the quality changes, with the metadata of its kind",
        arguments: ["apple", "iso21496"])
    func unchanged(kind: String) async throws {
        let photo = GainMapJPEG([kind])
        let (data, _) = try await converted(photo, ["--quality", "50"])
        #expect(try EmbeddedGainMap(of: data) == EmbeddedGainMap(of: photo.data))
    }

    @Test("a map with a gain for each channel is left out with a word if the primaries change")
    func primaries() async throws {
        var photo = GainMapJPEG(["ultraHDR"])
        photo.profile = ColorSpace.displayP3.profile
        #expect(try await EmbeddedGainMap(of: converted(photo, []).data) != nil)
        photo.isRGB = true
        let (data, output) = try await converted(photo, ["--size", "99"])
        #expect(EmbeddedGainMap(of: data) == nil && output.contains(#""losses":["gainMap","gamut"]"#), "\(output)")
        for options in [["--color", "auto"], ["--keep", "icc"]] {
            let kept = try await converted(photo, options + ["--size", "99"])
            let map = try #require(EmbeddedGainMap(of: kept.data))
            #expect(try difference(map, kept.data) <= 5)
            #expect(kept.output.contains(#""losses":[]"#))
        }
    }

    @Test("a damaged map is left out with a word")
    func damaged() async throws {
        var data = try GainMapJPEG(["ultraHDR"]).data
        // 12 bits per sample.
        let frame = try #require(data.lastRange(of: Data([0xFF, 0xC0, 0, 11, 8])))
        data[frame.upperBound - 1] = 12
        let input = tool.folder.path + "/in.jpg"
        try data.write(to: URL(fileURLWithPath: input))
        #expect(EmbeddedGainMap(of: data) != nil)
        let run = try await tool.run(["convert", input, "--output", tool.folder.path + "/out.jpg", "--json"])
        #expect(run.output.contains(#""losses":["gainMap"]"#), "\(run.output)")
    }

    @Test(
        "info names the kinds of a gain map, and depth and credentials beside it",
        arguments: [["ultraHDR", "iso21496"], ["apple"]])
    func info(kinds: [String]) async throws {
        var photo = try JPEGFile(GainMapJPEG(Set(kinds)).data)
        photo.append(JPEGFile.Segment(marker: 0xEB, body: Data("JP........jumb........jumdc2pa".utf8)))
        let path = tool.folder.path + "/a.jpg"
        try photo.data.write(to: URL(fileURLWithPath: path))
        let run = try await tool.run(["info", path, "--json"])
        // The list of images is out of date.
        #expect(run.output.contains(#""gainMapKinds":[]"#) && run.output.contains("contentCredentials"))
        try GainMapJPEG(Set(kinds)).data.write(to: URL(fileURLWithPath: path))
        let names = kinds.map { "\"\($0)\"" }.joined(separator: ",")
        #expect(try await tool.run(["info", path, "--json"]).output.contains("\"gainMapKinds\":[\(names)]"))
        let lines = try await tool.run(["info", path]).output
        #expect(lines.contains(kinds == ["apple"] ? "  gain map: Apple" : "  gain map: Ultra HDR, ISO 21496-1"))
    }

    @Test("optimize keeps the map, and leaves a file alone that has more than a map")
    func optimized() async throws {
        var source = GainMapJPEG(["ultraHDR"])
        source.exif = TestExif().data
        let photo = try source.data
        let file = tool.folder.appending(path: "a.jpg")
        try photo.write(to: file)
        let run = try await tool.run(["optimize", file.path, "--json"])
        #expect(run.status == 0 && run.output.contains(#""losses":[]"#), "\(run.output)")
        let result = try Data(contentsOf: file)
        #expect(result.count < photo.count)
        #expect(EmbeddedGainMap(of: result) == EmbeddedGainMap(of: photo))
        try (photo + Data("film".utf8)).write(to: file)
        #expect(try await tool.run(["optimize", file.path]).output.contains("left as it is: a gain map"))
    }
}
