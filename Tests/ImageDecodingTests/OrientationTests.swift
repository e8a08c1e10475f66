import Foundation
import ImageCore
import ImageDecoding
import Testing

@testable import ImageTesting

@Suite("Image orientation")
struct OrientationTests {
    /// Stored as
    /// ```
    /// a b c
    /// d e f
    /// ```
    /// and upright as defined by the Exif specification for tag 0x0112.
    static let uprights: [(ImageOrientation, String)] = [
        (.up, "abc/def"),
        (.upMirrored, "cba/fed"),
        (.down, "fed/cba"),
        (.downMirrored, "def/abc"),
        (.leftMirrored, "ad/be/cf"),
        (.right, "da/eb/fc"),
        (.rightMirrored, "fc/eb/da"),
        (.left, "cf/be/ad"),
    ]

    @Test("applies all eight orientations", arguments: uprights)
    func byHand(_ orientation: ImageOrientation, _ upright: String) throws {
        let source = FakeImage(
            PixelSize(width: 3, height: 2), frames: [Self.pixels("abc/def")], orientation: orientation)
        let image = try decode(source)
        let rows = upright.split(separator: "/")
        #expect(image.bitmap.size == PixelSize(width: rows[0].count, height: rows.count))
        #expect(image.bitmap.pixels == Self.pixels(upright))
        #expect(image.header.orientation == orientation)
    }

    @Test("applies each orientation to an image larger than a block of rows", arguments: ImageOrientation.allCases)
    func large(_ orientation: ImageOrientation) throws {
        let size = PixelSize(width: 45, height: 37)
        func pixel(_ column: Int, _ row: Int) -> [UInt8] { [UInt8(column), UInt8(row), 7, 255] }
        let pixels = (0..<size.area).flatMap { pixel($0 % size.width, $0 / size.width) }
        let bitmap = try decode(FakeImage(size, frames: [pixels], orientation: orientation)).bitmap
        var expected: [UInt8] = []
        for y in 0..<bitmap.size.height {
            for x in 0..<bitmap.size.width {
                let (column, row) = Self.storedPosition(x, y, orientation, size)
                expected += pixel(column, row)
            }
        }
        #expect(bitmap.pixels == expected)
    }

    @Test("the target applies to the upright image, for fit and for fill")
    func target() throws {
        let source = FakeImage(PixelSize(width: 400, height: 200), orientation: .right)
        let fit = try decode(source, ImageTarget(PixelSize(width: 100, height: 100)))
        #expect(fit.bitmap.size == PixelSize(width: 50, height: 100))
        let fill = try decode(source, ImageTarget(PixelSize(width: 100, height: 50), mode: .fill))
        #expect(fill.bitmap.size == PixelSize(width: 100, height: 50))
    }

    @Test("fill crops the center of a rotated image")
    func turnedCrop() throws {
        let source = FakeImage(
            PixelSize(width: 3, height: 2), frames: [Self.pixels("abc/def")], orientation: .right)
        let image = try decode(source, ImageTarget(PixelSize(width: 2, height: 1), mode: .fill))
        #expect(image.bitmap.pixels == Self.pixels("eb"))
    }

    private static let parts = [
        PixelArea(left: -9, top: 0, width: 20, height: 9), PixelArea(left: 7, top: 5, width: 11, height: 13),
        PixelArea(left: 30, top: 29, width: 99, height: .max), PixelArea(left: 0, top: 0, width: 45, height: 45),
    ]

    @Test(
        "a part is that of the upright image, whether or not the codec can decode parts",
        arguments: ImageOrientation.allCases, parts)
    func part(_ orientation: ImageOrientation, _ part: PixelArea) throws {
        let size = PixelSize(width: 45, height: 37)
        let pixels = (0..<size.area).flatMap { (index: Int) -> [UInt8] in
            [UInt8(index % 45 * 5), UInt8(index / 45 * 6), 7, 255]
        }
        let source = FakeImage(size, frames: [pixels], orientation: orientation)
        let whole = try decode(source).bitmap
        let area = part.inside(whole.size)
        let expected = (area.top..<area.top + area.height).flatMap { y -> ArraySlice<UInt8> in
            let start = (y * whole.size.width + area.left) * 4
            return whole.pixels[start..<start + area.width * 4]
        }
        for decoder in [ChangedDecoder(), FakeDecoder()] as [any ImageDecoder] {
            let double = PixelSize(width: 2 * area.width, height: 2 * area.height)
            for target in [ImageTarget.fit(width: 900), .fill(area.size), .fill(double)] {
                var target = target
                target.part = part
                let image = try decode(source, target, decoder)
                #expect(image.bitmap.size == area.size)
                #expect(image.bitmap.pixels == expected)
            }
        }
        for target in [ImageTarget.fit(width: 7, height: 8), .fill(width: 6, height: 3)] {
            var target = target
            target.part = part
            let scaled = try decode(source, target, ChangedDecoder()).bitmap
            #expect(scaled == (try decode(source, target).bitmap))
            #expect(scaled.size == target.outputSize(for: whole.size))
        }
    }

    private func decode(
        _ source: FakeImage, _ target: ImageTarget? = nil, _ decoder: any ImageDecoder = FakeDecoder()
    ) throws -> DecodedImage {
        try DownsamplingDecoder(decoders: [decoder])
            .decode(source.encoded, request: DecodingRequest(target: target), isCancelled: { false })
    }

    /// Returns one opaque pixel for each letter. Slashes separate rows.
    static func pixels(_ letters: String) -> [UInt8] {
        letters.utf8.filter { $0 != UInt8(ascii: "/") }.flatMap { [$0, $0 &* 2, 255 - $0, 255] }
    }

    private static func storedPosition(
        _ x: Int, _ y: Int, _ orientation: ImageOrientation, _ stored: PixelSize
    ) -> (Int, Int) {
        let (right, bottom) = (stored.width - 1, stored.height - 1)
        return switch orientation {
        case .up: (x, y)
        case .upMirrored: (right - x, y)
        case .down: (right - x, bottom - y)
        case .downMirrored: (x, bottom - y)
        case .leftMirrored: (y, x)
        case .right: (y, bottom - x)
        case .rightMirrored: (right - y, bottom - x)
        case .left: (right - y, x)
        }
    }
}
