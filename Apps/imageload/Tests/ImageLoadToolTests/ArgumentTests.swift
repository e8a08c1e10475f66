import ArgumentParser
import Foundation
import ImageCore
import ImageLoaderKit
import ImageMetadata
import ImageTransporting
import Testing

@testable import ImageLoadTool

@Suite("Arguments")
struct ArgumentTests {
    @Test(
        "a size is one or both sides from 1 to 65,535, or one number for both",
        arguments: [
            ("300x200", PixelSize(width: 300, height: 200)), ("1X65535", PixelSize(width: 1, height: 65_535)),
            ("300", PixelSize(width: 300, height: 300)), ("300x", PixelSize(width: 300, height: 65_535)),
            ("x200", PixelSize(width: 65_535, height: 200)), ("fullHD", PixelSize(width: 1_920, height: 1_080)),
            ("x", nil), ("0", nil), ("50%", nil), ("0x10", nil),
            ("-1x10", nil), ("65536x1", nil), ("1x2x3", nil),
            ("", nil), ("axb", nil),
        ] as [(String, PixelSize?)])
    func size(text: String, expected: PixelSize?) {
        #expect(PixelSize(argument: text) == expected)
    }

    @Test(
        "an age is a whole number and a unit",
        arguments: [
            ("7d", .seconds(604_800)), ("90s", .seconds(90)), ("2h", .seconds(7_200)), ("1w", .seconds(604_800)),
            ("5m", .seconds(300)), ("0s", .zero), ("7", nil), ("d", nil), ("-1d", nil), ("1y", nil), ("", nil),
            ("99999999999999999999d", nil), ("9223372036854775807w", nil),
        ] as [(String, Duration?)])
    func age(text: String, expected: Duration?) {
        #expect(Age(argument: text)?.duration == expected)
    }

    @Test(
        "a byte count is a whole number with an optional decimal unit",
        arguments: [
            ("100", 100), ("1kB", 1_000), ("2MB", 2_000_000), ("3gb", 3_000_000_000), ("5B", 5), ("MB", nil),
            ("-1", nil),
            ("1.5MB", nil), ("9223372036854775807GB", nil),
        ] as [(String, Int?)])
    func byteCount(text: String, expected: Int?) {
        #expect(ByteCount(argument: text)?.bytes == expected)
    }

    @Test(
        "a byte count is shown in the largest unit that its rounded number reaches",
        arguments: [
            (0, "0 B"), (999, "999 B"), (1_000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB"),
            (999_949_999, "999.9 MB"), (999_950_000, "1.00 GB"),
        ])
    func byteCountText(bytes: Int, expected: String) {
        #expect(ByteCount.text(bytes) == expected)
    }

    @Test(
        "a size of convert is in pixels, or in percent above 0 and up to 1,000",
        arguments: [
            ("1000%", .scale(10)), ("0.5%", .scale(0.005)), ("30x20", .pixels(PixelSize(width: 30, height: 20))),
            ("1001%", nil), ("0%", nil), ("-1%", nil), ("%", nil),
        ] as [(String, OutputSize?)])
    func outputSize(text: String, expected: OutputSize?) {
        #expect(OutputSize(argument: text) == expected)
    }

    @Test("a percentage leaves at least one pixel, and at most 65,535")
    func scaledSize() {
        func scaled(_ factor: Double, _ size: PixelSize) -> PixelSize {
            OutputSize.scale(factor).target(for: size, mode: .fit, upscales: false).outputSize(for: size)
        }
        #expect(scaled(0.001, PixelSize(width: 40, height: 30)) == PixelSize(width: 1, height: 1))
        #expect(scaled(10, PixelSize(width: 60_000, height: 60_000)) == PixelSize(width: 65_535, height: 65_535))
    }

    @Test("a number in --sizes is a width")
    func widths() {
        let sizes = [PixelSize(width: 10, height: 65_535), PixelSize(width: 20, height: 30)]
        #expect(OutputSizes(argument: "10,20x30")?.sizes == sizes.map(OutputSize.pixels))
    }

    @Test(
        "a crop is WxH with or without an offset, or attention",
        arguments: [
            ("20x10", .part(PixelSize(width: 20, height: 10), at: nil)), ("attention", .attention),
            ("20x10+3+0", .part(PixelSize(width: 20, height: 10), at: CropArea.Origin(x: 3, y: 0))),
            ("20x10+-1+0", nil), ("20x10+0+-1", nil), ("20x10+1", nil), ("20x", nil),
        ] as [(String, CropArea?)])
    func crop(text: String, expected: CropArea?) {
        #expect(CropArea(argument: text) == expected)
    }

    @Test("a part that is larger than the image begins at its corner")
    func largePart() {
        let origin = Gravity.center.origin(of: PixelSize(width: 90, height: 10), in: PixelSize(width: 40, height: 30))
        #expect(origin == CropArea.Origin(x: 0, y: 10))
    }

    @Test(
        "a color has three or six digits, or a name",
        arguments: [
            ("#0f8", PixelColor(red: 0, green: 255, blue: 136)), ("102030", PixelColor(red: 16, green: 32, blue: 48)),
            ("WHITE", .white), ("Black", .black), ("#12", nil), ("red", nil),
        ] as [(String, PixelColor?)])
    func color(text: String, expected: PixelColor?) {
        #expect(ColorArgument(argument: text)?.color == expected)
    }

    @Test(
        "a quality is a number or a similarity, by default 0.97",
        arguments: [
            ("1", .fixed(1)), ("100", .fixed(100)), ("auto", .automatic(0.97)), ("AUTO:0.5", .automatic(0.5)),
            ("0", nil), ("101", nil), ("auto:", nil), ("auto:0.5:1", nil),
        ] as [(String, QualitySetting?)])
    func quality(text: String, expected: QualitySetting?) {
        #expect(QualitySetting(argument: text) == expected)
    }

    @Test("the name of a file isn't searched for parts of the pattern")
    func namePattern() {
        let size = PixelSize(width: 10, height: 8)
        #expect(NamePattern("{name}-{width}").name("{width}", size: size) == "{width}-10")
        #expect(NamePattern("{height}").name("a", size: size) == "8")
        #expect(NamePattern("{height}").hasSize)
        #expect(!NamePattern("{name}").hasSize)
    }

    @Test("convert has 1 GB for images in progress, or --max-memory")
    func batchMemory() throws {
        for (options, bytes) in [([], 1_000_000_000), (["--max-memory", "5kB"], 5_000)] {
            let command = try RootCommand.parseAsRoot(["convert", "a", "-o", "b/"] + options)
            #expect((command as? ConvertCommand)?.batch.limits.decodedByteLimit == bytes)
        }
    }

    @Test("the bounds of the quality can be equal")
    func equalBounds() {
        let bounds = ["--quality", "auto", "--min-quality", "60", "--max-quality", "60"]
        #expect(throws: Never.self) { try RootCommand.parseAsRoot(["convert", "a", "-o", "b/"] + bounds) }
    }

    @Test("a header keeps colons in its value and trims spaces around it")
    func header() {
        let header = HeaderArgument(argument: "Referer:  http://example.org:80/ ")
        #expect(header?.name == "Referer")
        #expect(header?.value == "http://example.org:80/")
        #expect(HeaderArgument(argument: "no colon") == nil)
        #expect(HeaderArgument(argument: ": no name") == nil)
    }

    @Test("priorities and kinds of metadata are case-insensitive")
    func cases() {
        #expect(MetadataKinds(argument: "Exif,XMP")?.kinds == [.exif, .xmp])
        #expect(MetadataKinds(argument: "ALL")?.kinds == [.exif, .icc, .xmp])
        #expect(RequestPriority(argument: "veryhigh") == .veryHigh)
        #expect(RequestPriority(argument: "LOW") == .low)
        #expect(RequestPriority(argument: "urgent") == nil)
    }

    @Test(
        "contradictory options are rejected",
        arguments: [
            ["fetch"], ["fetch", "u", "--fill"], ["fetch", "u", "--fill", "--size", "200x"],
            ["fetch", "u", "--reload", "--offline"],
            ["fetch", "u", "--concurrency", "0"], ["fetch", "u", "--timeout", "-1"], ["fetch", "u", "--format", "png"],
            ["fetch", "u", "--output", "d", "--format", "original", "--size", "3x3"],
            ["fetch", "u", "--output", "d", "--format", "original", "--color", "p3"],
            ["fetch", "u", "--policy", "some"], ["fetch", "u", "--color", "rec2020"],
            ["sheet", "u", "--output", "d", "--color", "auto"], ["sheet", "u", "--output", "d.png", "--size", "200x"],
            ["sheet", "u"], ["decode"], ["decode", "f", "--fill"], ["decode", "f", "--frame", "-1"],
            ["decode", "f", "--speed"], ["bench", "decode"], ["bench", "decode", "f", "--fill"],
            ["bench", "decode", "f", "--speed"], ["bench", "decode", "f", "--iterations", "0"],
            ["decode", "f", "--max-megapixels", "0"], ["decode", "f", "--max-megapixels", "4295"],
            ["optimize"], ["thumbhash"], ["thumbhash", "--decode", "AAAA"],
            ["thumbhash", "--decode", "AAAA", "a", "b"],
            ["cache", "trim", "--older-than", "7"], ["cache", "trim"], ["cache", "polish"], ["unknown"],
        ])
    func rejected(arguments: [String]) {
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(arguments) }
    }

    @Test(
        "a wrong option is described on one line with its help and the command that shows more",
        arguments: [
            (["convert", "a", "--size", "0"], "The size in pixels as 200"),
            (["convert", "a", "--quality", "auto:2"], "1 to 100, or auto[:SSIM]"),
            (["convert", "a", "--quality", "-1"], "Missing value for '--quality <quality>'."),
            (["convert", "a", "--to", "bmp"], "one of the following: png, jpeg, webp"),
            (["convert", "a", "--keep", "gps"], "'all' or 'none'. The metadata to keep"),
            (["convert", "a", "--output", "o", "--jobs", "0"], "--jobs must be from 1 to 256. See"),
        ])
    func usage(arguments: [String], expected: String) throws {
        let error = try #require(throws: (any Error).self) { try RootCommand.parseAsRoot(arguments) }
        let line = ImageLoadCommand.usageLine(error)
        #expect(line.contains(expected) && line.hasSuffix("See 'imageload convert --help'."))
        #expect(!line.contains("..") && !line.contains("\n"))
    }

    @Test(
        "an unknown command is told with a near one",
        arguments: [
            (["cnvert", "a.png"], "'cnvert'. Did you mean 'convert'?"),
            (["cache", "lsit"], "'lsit'. Did you mean 'list'?"),
            (["zzzzzz"], "'zzzzzz'. See"), (["convert", "a"], nil), (["--help"], nil), (["help", "fetch"], nil),
        ] as [([String], String?)])
    func unknownCommand(arguments: [String], expected: String?) {
        do throws(ToolFailure) {
            try RootCommand.checkNames(arguments)
            #expect(expected == nil)
        } catch {
            #expect(expected.map(error.line.contains) == true && error.status == .usage, "\(error)")
        }
    }

    @Test("-q is the quality, and the name of a file in a format that can't be written is refused")
    func outputNames() throws {
        let convert = try RootCommand.parseAsRoot(["convert", "a.png", "-q", "50", "-o", "b.jpg"]) as? ConvertCommand
        #expect(convert?.input.inputs == ["a.png"] && convert?.quality == .fixed(50))
        let refused =
            [["convert", "a", "-o", "x.bmp"], ["convert", "a", "b", "-o", "x.tiff"], ["fetch", "u", "-o", "x.png"]]
            + [
                ["sheet", "u", "-o", "x.jpg"], ["compare", "a", "b", "-o", "x.gif"],
                ["thumbhash", "--decode", "A", "x.bmp"],
            ]
        for arguments in refused {
            #expect(throws: (any Error).self, "\(arguments)") { try RootCommand.parseAsRoot(arguments) }
        }
        let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(refused[0]) }
        #expect(error.map(ImageLoadCommand.usageLine)?.contains("can't write BMP, as --output x.bmp says") == true)
        for output in ["x.bmp/", "photos.2024", "photos", "/tmp", "x.JPEG", "-"] {
            #expect(throws: Never.self) { try RootCommand.parseAsRoot(["convert", "a", "-o", output]) }
        }
    }

    @Test("parses the documented fetch command line")
    func accepted() throws {
        let command = try RootCommand.parseAsRoot([
            "fetch", "http://h/a", "-", "--size", "300x200", "--fill", "--output", "d", "--format", "webp", "--cache",
            "c",
            "--policy", "diskOnly", "--reload", "--priority", "high", "--concurrency", "4", "--header", "A: b",
            "--header", "a: c", "--header", "Cookie: d=1", "--header", "cookie: e=2", "--timeout", "2.5",
            "--retries", "0", "--repeat", "2", "--json",
        ])
        let fetch = try #require(command as? FetchCommand)
        #expect(fetch.options.urls == ["http://h/a", "-"])
        #expect(fetch.format == .webp)
        let request = fetch.options.request(for: try #require(URL(string: "http://h/a")))
        #expect(request.target == ImageTarget(PixelSize(width: 300, height: 200), mode: .fill))
        #expect(request.cachePolicy == .diskOnly)
        #expect(request.priority == .high)
        #expect(request.mode == .reload)
        #expect(request.headers == ["A": "b, c", "Cookie": "d=1; e=2"])
        let options = fetch.options.loaderOptions(TraceRecorder { .zero })
        #expect(options.maxDownloadsPerServer == 4 && options.retryPolicy.maxRetries == 0)
        #expect(options.transferOptions.stallTimeout == .seconds(2.5))
        #expect(options.transferOptions.connectTimeout == .seconds(2.5))
        #expect(options.connectivityMonitor == nil, "a command fails without a network")
    }

    #if os(Linux)
        @Test("images are decoded in workers with --isolated", arguments: [true, false])
        func isolated(isOn: Bool) throws {
            let command = try RootCommand.parseAsRoot(["fetch", "u"] + (isOn ? ["--isolated"] : []))
            let fetch = try #require(command as? FetchCommand)
            #expect((fetch.options.loaderOptions(TraceRecorder { .zero }).isolation != nil) == isOn)
        }

        @Test(
            "with --isolated, the tool itself reads no image",
            arguments: ["fetch FILE", "fetch FILE --output DIR", "cache warm FILE"])
        func nothingInProcess(text: String) async throws {
            let tool = try BuiltTool()
            let file = try tool.write(.gradient, to: "a.png").path
            let arguments = text.replacing("FILE", with: file).replacing("DIR", with: tool.folder.path + "/out")
                .split(separator: " ").map(String.init)
            let parsed = try RootCommand.parseAsRoot(arguments + ["--isolated", "--quiet", "--cache", file + "-cache"])
            var command = try #require(parsed as? any AsyncParsableCommand)
            // The program of the tests is no worker.
            await #expect(throws: ExitCode(ToolStatus.failure.rawValue)) { try await command.run() }
        }
    #endif

    @Test(
        "images are decoded to the color space of --color, by default sRGB",
        arguments: [([], .sRGB), (["--color", "srgb"], .sRGB), (["--color", "p3"], .displayP3)]
            + [(["--color", "auto"], .automatic)] as [([String], OutputColor)])
    func color(arguments: [String], expected: OutputColor) throws {
        let fetch = try #require(try RootCommand.parseAsRoot(["fetch", "u"] + arguments) as? FetchCommand)
        #expect(fetch.options.request(for: URL(filePath: "/u")).color == expected)
        let decode = try #require(try RootCommand.parseAsRoot(["decode", "f"] + arguments) as? DecodeCommand)
        #expect(decode.options.request.color == expected)
    }

    @Test("decode uses the speed preference and accepts truncated files only on request")
    func decode() throws {
        for isOn in [false, true] {
            let command = try RootCommand.parseAsRoot(
                ["decode", "f", "--size", "3x2"] + (isOn ? ["--speed", "--accept-truncated"] : []))
            let decode = try #require(command as? DecodeCommand)
            let size = PixelSize(width: 3, height: 2)
            #expect(decode.options.target == ImageTarget(size, preference: isOn ? .speed : .quality))
            #expect(decode.acceptTruncated == isOn)
        }
    }
}
