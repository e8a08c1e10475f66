import Foundation
import ImageCodecJPEG
import ImageCore
import ImageTesting
import Testing

@testable import GeneratedImages

@Suite("JPEG colors")
struct JPEGColorTests {
    /// RGBA of luma 100, Cb 90 and Cr 170, by JFIF's equations.
    private static let orange: [UInt8] = [159, 83, 33, 255]

    private static let subsamplings = [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1), (1, 4), (4, 2), (2, 4), (3, 1)]

    @Test("every subsampling decodes to the same color at every scale", arguments: subsamplings, [1, 2, 4, 8])
    func subsampling(luma: (Int, Int), denominator: Int) throws {
        let file = FlatJPEG(
            width: 37, height: 21,
            components: [.init(luma.0, luma.1, level: 100), .init(level: 90), .init(level: 170)])
        let size = PixelSize(
            width: (37 + denominator - 1) / denominator, height: (21 + denominator - 1) / denominator)
        let pixels = try jpeg.pixels(file.data, size: size)
        #expect(pixels.largestDifference(to: Array(repeatElement(Self.orange, count: size.area).joined())) <= 1)
    }

    @Test("at 1/8, 1/4 and 1/2, a block becomes 1, 4 and 16 pixels", arguments: [8, 4, 2])
    func blocks(denominator: Int) throws {
        let file = FlatJPEG(width: 32, height: 24, components: [.init { $0 * 40 + $1 * 30 }])
        let size = PixelSize(width: 32 / denominator, height: 24 / denominator)
        let pixels = try jpeg.pixels(file.data, size: size)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let level = UInt8(x * denominator / 8 * 40 + y * denominator / 8 * 30)
                #expect(
                    Array(pixels[(y * size.width + x) * 4..<(y * size.width + x) * 4 + 4]) == [
                        level, level, level, 255,
                    ])
            }
        }
    }

    @Test("if several scales give the same size, the largest is used")
    func tinyScales() throws {
        let size = PixelSize(width: 2, height: 1)
        let image = Bitmap(size: size, pixels: [0, 0, 0, 255, 255, 255, 255, 255], isOpaque: true)
        let file = try JPEGEncoder().encode(image, options: EncodingOptions(quality: 1))
        let level = try #require(jpeg.rows(file, size: PixelSize(width: 1, height: 1)).rows.first?.first)
        #expect(abs(Int(level) - 128) < 10)
    }

    @Test("gray is available as gray if there is a profile, and always as RGBA")
    func gray() throws {
        var file = FlatJPEG(width: 8, height: 8, components: [.init(level: 77)])
        #expect(try jpeg.header(of: file.data).nativeLayout == .rgba8)
        file.segments = [iccSegment([1, 2, 3])]
        #expect(try jpeg.header(of: file.data).nativeLayout == .gray8)
        #expect(try jpeg.pixels(file.data, layout: .gray8) == [UInt8](repeating: 77, count: 64))
        #expect(try jpeg.pixels(file.data).prefix(4) == [77, 77, 77, 255])
    }

    @Test("Adobe's marker can declare three channels as RGB")
    func adobeRGB() throws {
        let file = FlatJPEG(
            width: 8, height: 8, components: [.init(level: 10), .init(level: 200), .init(level: 90)],
            segments: [adobeSegment(transform: 0)])
        #expect(try jpeg.pixels(file.data).prefix(4) == [10, 200, 90, 255])
    }

    @Test("restart markers do not change pixels, in one scan and in several", arguments: [0xC0, 0xC2] as [UInt8])
    func restarts(frameMarker: UInt8) throws {
        let components: [FlatJPEG.Component] = [
            .init(2, 2) { $0 * 20 + $1 * 13 }, .init(level: 100), .init(level: 140),
        ]
        var file = FlatJPEG(width: 90, height: 70, components: components, frameMarker: frameMarker)
        let plain = try jpeg.pixels(file.data)
        for interval in [1, 2, 7] {
            file.restartInterval = interval
            #expect(try jpeg.pixels(file.data) == plain)
        }
    }

    @Test("two components are unsupported")
    func twoComponents() {
        let file = FlatJPEG(components: [.init(level: 10), .init(level: 20)])
        #expect(throws: ImageDecodingError.unsupported(.jpeg, "unknown color model")) { try jpeg.open(file.data) }
    }

    @Test("chroma is interpolated between its samples")
    func upsampling() throws {
        let file = FlatJPEG(
            width: 32, height: 8,
            components: [.init(2, 1, level: 128), .init { 100 + 40 * $0 + $1 }, .init(level: 128)])
        let pixels = try jpeg.pixels(file.data)
        // Cb is 100, 110, 130 and 140; blue is 128 + 1.772 (Cb - 128).
        let blues = (14..<18).map { pixels[4 * $0 + 2] }
        #expect(blues.largestDifference(to: [78, 96, 132, 149]) <= 2)
    }

    private static var uncommon: [Data] {
        let frames = [(0xC3, 8), (0xC5, 8), (0xC1, 12)] as [(UInt8, UInt8)]
        let files = frames.map { FlatJPEG(components: [.init(level: 10)], frameMarker: $0.0, precision: $0.1) }
        let fractions = FlatJPEG(components: [.init(3, 1, level: 10), .init(2, 1, level: 10), .init(level: 10)])
        let eleven = FlatJPEG(components: [FlatJPEG.Component](repeating: .init(level: 10), count: 11)).data
        let scan = eleven.range(of: Data([0xFF, 0xDA]))?.lowerBound ?? 0
        // A scan of one of the components.
        return (files + [fractions]).map(\.data) + [eleven.prefix(scan) + [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0, 0]]
    }

    @Test(
        "lossless, hierarchical and 12-bit files, fractions of samples and eleven components are unsupported",
        arguments: uncommon.indices)
    func uncommonFrames(index: Int) {
        let failure = jpeg.failure(Self.uncommon[index])
        guard case .unsupported(.jpeg, _) = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }
}

func adobeSegment(transform: UInt8) -> (marker: UInt8, bytes: [UInt8]) {
    (0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
}

/// Returns an APP2 segment with a chunk of a profile (ICC.1, annex B.4).
func iccSegment(_ bytes: [UInt8], number: UInt8 = 1, of count: UInt8 = 1) -> (marker: UInt8, bytes: [UInt8]) {
    (0xE2, Array("ICC_PROFILE".utf8) + [0, number, count] + bytes)
}

/// Chromium 156, Pillow, libvips, FFmpeg, OpenCV and gdk-pixbuf read all of these files the same way: four components
/// are inverted CMYK, or YCCK if Adobe's marker says so.
@Suite("JPEG with four components")
struct JPEGInkTests {
    typealias Segment = (marker: UInt8, bytes: [UInt8])

    private static let jfif: Segment = (0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0])

    private static func adobe(_ transform: UInt8, version: UInt8 = 100, rest: [UInt8] = []) -> Segment {
        (0xEE, Array("Adobe".utf8) + [0, version, 0, 0, 0, 0, transform] + rest)
    }

    /// Segments before the frame of an image in CMYK.
    static let plain: [(name: String, segments: [Segment])] = [
        ("nothing", []),
        ("JFIF", [jfif]),
        ("Adobe", [adobe(0)]),
        ("JFIF, then Adobe", [jfif, adobe(0)]),
        ("Adobe, then JFIF", [adobe(0), jfif]),
        ("Adobe of another version", [adobe(0, version: 1)]),
        ("a longer Adobe segment", [adobe(0, version: 101, rest: [1, 2, 3])]),
        ("an Adobe segment that is too short", [(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0])]),
        ("a segment of another program", [(0xEE, Array("Adobf".utf8) + [0, 100, 0, 0, 0, 0, 2])]),
    ]

    /// Segments before the frame of an image in YCCK.
    static let transformed: [(name: String, segments: [Segment])] = [
        ("Adobe", [adobe(2)]),
        ("JFIF, then Adobe", [jfif, adobe(2)]),
        ("Adobe of another version", [adobe(2, version: 1)]),
        ("transform 1", [adobe(1)]),
        ("an unknown transform", [adobe(7)]),
    ]

    private static func file(_ levels: [Int], _ segments: [Segment], frame: UInt8 = 0xC0) -> FlatJPEG {
        FlatJPEG(
            width: 16, height: 16, components: levels.map { .init(level: $0) }, segments: segments, frameMarker: frame)
    }

    /// Checks the color and the ink at every scale, with and without a profile, at once and from pieces.
    private func expect(_ file: FlatJPEG, rgba: [UInt8], ink: [UInt8], _ name: String) throws {
        var profiled = file
        profiled.segments.append(iccSegment([1]))
        #expect(try jpeg.header(of: file.data).nativeLayout == .rgba8)
        #expect(try jpeg.header(of: profiled.data).nativeLayout == .cmyk8)
        for side in [16, 8, 4, 2] {
            let size = PixelSize(width: side, height: side)
            for data in [file.data, profiled.data] {
                let pixels = try jpeg.pixels(data, size: size)
                #expect(pixels.prefix(4).largestDifference(to: rgba) <= 1, "\(name) at \(side)")
                let preview = try preview(of: data, size: size, layout: .rgba8)
                #expect(preview == pixels, "\(name) at \(side)")
            }
            let pixels = try jpeg.pixels(profiled.data, size: size, layout: .cmyk8)
            #expect(pixels.prefix(4).largestDifference(to: ink) <= 1, "\(name) at \(side)")
            #expect(try preview(of: profiled.data, size: size, layout: .cmyk8) == pixels, "\(name) at \(side)")
        }
    }

    private func preview(of data: Data, size: PixelSize, layout: PixelLayout) throws -> [UInt8] {
        let image = JPEGDecoder().makeIncrementalImage(limits: .default)
        try image.append(data.prefix(60))
        try image.append(data.dropFirst(60))
        try image.start(size: size, layout: layout)
        let sink = CollectingRowSink()
        try image.decodePreview(into: sink)
        return sink.pixels
    }

    @Test("CMYK is inverted, with or without a marker", arguments: plain.indices)
    func cmyk(index: Int) throws {
        let (name, segments) = Self.plain[index]
        for frame in [0xC0, 0xC2] as [UInt8] {
            let file = Self.file([255, 204, 0, 204], segments, frame: frame)
            try expect(file, rgba: [204, 163, 0, 255], ink: [0, 51, 255, 51], name)
        }
    }

    @Test("color is the product of inks, rounded to nearest")
    func rounding() throws {
        // 201 * 204 / 255 is 160.8, and 199 * 204 / 255 is 159.2.
        #expect(try jpeg.pixels(Self.file([201, 199, 0, 204], []).data).prefix(4) == [161, 159, 0, 255])
    }

    @Test("YCCK is converted to inverted CMYK", arguments: transformed.indices)
    func ycck(index: Int) throws {
        let (name, segments) = Self.transformed[index]
        // Luma 100, Cb 90 and Cr 170 are 159, 83 and 33 by JFIF's equations. Adobe stores their complement.
        let file = Self.file([100, 90, 170, 204], segments)
        try expect(file, rgba: [77, 138, 178, 255], ink: [159, 83, 33, 51], name)
    }
}
