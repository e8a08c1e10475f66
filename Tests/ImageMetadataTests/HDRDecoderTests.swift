import Foundation
import GeneratedImages
import ImageCore
import ImageDecoding
import ImageLoaderKit
import ImageProcessing
import Testing

@testable import ImageMetadata

@Suite("HDR: gain maps that are applied") struct HDRDecoderTests {
    private static let decoder = HDRDecoder(DownsamplingDecoder.standard(.all))

    private func pixel(_ level: UInt8, alpha: UInt8 = 255) -> Bitmap {
        Bitmap(size: PixelSize(width: 1, height: 1), pixels: [level, level, level, alpha])
    }

    private func samples(
        of image: Bitmap, _ map: EmbeddedGainMap, _ values: Bitmap, headroom: Double = .infinity
    ) throws -> [Int] {
        let hdr = try map.hdr(of: image, by: values, for: DynamicRange(headroom: headroom)) { false }
        return try #require(hdr).samples.map(Int.init)
    }

    /// Returns a map with other metadata.
    private func map(
        _ kind: EmbeddedGainMap.Kind, _ description: JPEGFile.Segment, isGray: Bool = true
    ) throws -> EmbeddedGainMap {
        EmbeddedGainMap(kind, file: try GainMapJPEG([kind.rawValue]).data, isGray: isGray, description: description)
    }

    private func map(xmp attributes: String, _ elements: String = "", isGray: Bool = true) throws -> EmbeddedGainMap {
        let packet = "<rdf:Description \(attributes)>\(elements)</rdf:Description>"
        return try map(
            .ultraHDR, JPEGFile.Segment(marker: 0xE1, body: JPEGFile.xmpPrefix + Data(packet.utf8)), isGray: isGray)
    }

    // The expected numbers are computed from the formulas of Ultra HDR Image Format 1.1 and ITU-R BT.2100, table 4.

    @Test("a pixel has the light of the formula, at full, half and no headroom", arguments: ["ultraHDR", "iso21496"])
    func formula(kind: String) throws {
        let map = try #require(EmbeddedGainMap(of: GainMapJPEG([kind]).data))
        // Gains up to 2^2.5, so 2 for the value 102. Level 128 has the light 0.2159, and the offsets are 1/64.
        for (headroom, gray, white) in [
            (Double.infinity, 32_665, 50_351), (exp2(2.5), 32_665, 50_351), (exp2(1.25), 30_337, 44_157),
            (1, 28_037, 38_055),
        ] {
            let dark = try samples(of: pixel(128, alpha: 51), map, pixel(102), headroom: headroom)
            #expect(dark.prefix(3).allSatisfy { abs($0 - gray) <= 8 } && dark[3] == 51 * 257, "\(dark)")
            let bright = try samples(of: pixel(255), map, pixel(255), headroom: headroom)
            #expect(bright.prefix(3).allSatisfy { abs($0 - white) <= 8 }, "\(bright)")
        }
        let pixels = try map.hdr(of: pixel(0), by: pixel(0), for: .high) { false }
        #expect(pixels == HDRPixels(samples: [0, 0, 0, 65_535], headroom: exp2(2.5)))
        #expect(try map.hdr(of: pixel(0), by: pixel(0), for: DynamicRange(headroom: 2)) { false }?.headroom == 2)
    }

    @Test("the gains of a smaller map are interpolated between the centers of its pixels")
    func smallerMap() throws {
        func row(_ levels: [UInt8]) -> Bitmap {
            Bitmap(size: PixelSize(width: levels.count, height: 1), pixels: levels.flatMap { [$0, $0, $0, 255] })
        }
        let map = try #require(EmbeddedGainMap(of: GainMapJPEG(["ultraHDR"]).data))
        let image = row([128, 128, 128, 128])
        #expect(try samples(of: image, map, row([0, 204])) == samples(of: image, map, row([0, 51, 153, 204])))
    }

    @Test("channels have gains of their own, as lists of XMP, and colors are in Display P3")
    func channels() throws {
        func list(_ name: String, _ numbers: [Int]) -> String {
            let items = numbers.map { "\n<rdf:li> \($0) </rdf:li>" }.joined()
            return "<hdrgm:\(name)><rdf:Seq>\(items)</rdf:Seq></hdrgm:\(name)>"
        }
        let attributes = #"hdrgm:Gamma="2" hdrgm:OffsetSDR="0" hdrgm:OffsetHDR="0" hdrgm:HDRCapacityMax="3""#
        let lists = list("GainMapMin", [-1, 0, 1]) + list("GainMapMax", [1, 2, 3])
        // The value 64 is 0.501 after the gamma: gains of 1.001, 2.003 and 4.005, in the primaries of sRGB.
        let found = try samples(of: pixel(255), map(xmp: attributes, lists, isGray: false), pixel(64))
        #expect(zip(found, [39_188, 42_763, 47_436]).allSatisfy { abs($0 - $1) <= 8 }, "\(found)")
    }

    @Test(
        "metadata that is damaged, or for another kind of map, applies nothing",
        arguments: [
            "", #"hdrgm:GainMapMax="1""#, #"hdrgm:HDRCapacityMax="1""#,
            #"hdrgm:GainMapMax="x" hdrgm:HDRCapacityMax="1""#, #"hdrgm:GainMapMax="nan" hdrgm:HDRCapacityMax="1""#,
            #"hdrgm:GainMapMax="inf" hdrgm:HDRCapacityMax="1""#, #"hdrgm:GainMapMax="1" hdrgm:HDRCapacityMax="inf""#,
            #"hdrgm:GainMapMax="1e5" hdrgm:HDRCapacityMax="1e5""#, #"hdrgm:GainMapMax="1" hdrgm:HDRCapacityMax="0""#,
            #"hdrgm:GainMapMax="1" hdrgm:HDRCapacityMax="1" hdrgm:Gamma="0""#,
            #"hdrgm:GainMapMax="1" hdrgm:HDRCapacityMax="1" hdrgm:BaseRenditionIsHDR="True""#,
        ])
    func refused(attributes: String) throws {
        #expect(try map(xmp: attributes).hdr(of: pixel(9), by: pixel(9), for: .high) { false } == nil)
    }

    @Test("a damaged block applies nothing, and neither do gains for primaries that the image hasn't")
    func blocks() throws {
        func isApplied(_ block: Data, isGray: Bool = true) throws -> Bool {
            let map = try map(.iso21496, JPEGFile.Segment(marker: 0xE2, body: block), isGray: isGray)
            return try map.hdr(of: pixel(9), by: pixel(9), for: .high) { false } != nil
        }
        let block = GainMapJPEG.block
        #expect(try isApplied(block) && isApplied(block, isGray: false))
        for length in EmbeddedGainMap.identifier.count..<block.count { #expect(try !isApplied(block.prefix(length))) }
        var other = block
        other[EmbeddedGainMap.identifier.count + 4] = 0
        #expect(try isApplied(other) && !isApplied(other, isGray: false))
        // A later version of the format.
        other[EmbeddedGainMap.identifier.count + 1] = 1
        #expect(try !isApplied(other))
    }

    private func xmp(_ attributes: String) -> JPEGFile.Segment {
        JPEGFile.Segment(marker: 0xE1, body: JPEGFile.xmpPrefix + Data("<a \(attributes)/>".utf8))
    }

    @Test("a block precedes XMP, and has signed gains, channels of their own and unsigned gammas")
    func parameters() throws {
        let other = xmp(#"hdrgm:GainMapMax="1" hdrgm:HDRCapacityMax="1""#)
        func formula(_ numbers: [UInt32], flags: UInt8 = 0x40) -> GainMapFormula? {
            var block = EmbeddedGainMap.identifier + [0, 0, 0, 0, flags]
            for number in numbers { block.append(bigEndian: number) }
            return GainMapFormula.read(from: [JPEGFile.Segment(marker: 0xE2, body: block), other])
        }
        let channel: [UInt32] = [UInt32(bitPattern: -1), 1, 2, 1, 0x8000_0000, 0x8000_0000, 1, 64, 1, 64]
        let expected = GainMapFormula.Channel(least: -1, most: 2, gamma: 1, baseOffset: 1 / 64, hdrOffset: 1 / 64)
        let found = try #require(formula([0, 1, 2, 1] + channel))
        #expect(found.channels == [expected])
        let second: [UInt32] = [0, 1, 3, 1, 1, 1, 0, 1, 0, 1]
        #expect(formula([0, 1, 2, 1] + channel + second + channel, flags: 0xC0)?[1].most == 3)
        let numerators: [UInt32] = [0, 128, UInt32(bitPattern: -64), 128, 64, 1, 1]
        #expect(formula([64] + numerators, flags: 0x48)?.channels == [expected], "one divisor for all")
        #expect(formula([0] + numerators, flags: 0x48)?.channels.first?.most == 1, "a divisor of 0")
    }

    @Test("XMP has defaults, and the effect begins at the least headroom")
    func defaults() throws {
        let (short, capacity) = (#"hdrgm:GainMapMax="2""#, #"hdrgm:HDRCapacityMax="3""#)
        let long = #"hdrgm:GainMapMin="0" hdrgm:Gamma="1" hdrgm:OffsetSDR="0.015625" hdrgm:OffsetHDR="0.015625""#
        let formula = try #require(GainMapFormula.read(from: [xmp("\(short) \(capacity)")]))
        #expect(formula == GainMapFormula.read(from: [xmp("\(short) \(capacity) \(long) hdrgm:HDRCapacityMin=\"0\"")]))
        let later = GainMapFormula.read(from: [xmp("\(short) \(capacity) hdrgm:HDRCapacityMin=\"1\"")])
        #expect(later?.factors(of: 0, for: DynamicRange(headroom: 4))[255] == 2)
    }

    @Test(
        "a map is turned, cut and resized like its image",
        arguments: [
            nil, ImageTarget.fit(width: 100, height: 100), .fill(width: 90, height: 90), .fill(width: 120, height: 30),
            ImageTarget(PixelSize(width: 400, height: 400), upscales: true),
        ], [1, 3, 6, 7])
    func geometry(target: ImageTarget?, orientation: Int) throws {
        var photo = GainMapJPEG(["iso21496"])
        photo.exif = ImageOrientation(rawValue: orientation).map(ExifBlock.orientation)
        let request = DecodingRequest(target: target, dynamicRange: .high)
        let image = try Self.decoder.decode(photo.data, request: request).bitmap
        let hdr = try #require(image.hdr)
        // Map and image show the same.
        let expected = image.pixels.map { level in
            let light = TransferFunction.sRGB.light(of: Double(level) / 255)
            let result = (light + 1 / 64) * exp2(2.5 * Double(level) / 255) - 1 / 64
            return 65_535 * TransferFunction.pq.value(of: result * 203 / 10_000)
        }
        let difference = hdr.samples.indices.filter { $0 % 4 < 3 }.map { abs(Double(hdr.samples[$0]) - expected[$0]) }
        // A stop is about 5,000.
        #expect(try #require(difference.max()) < 400)
    }

    @Test("an image keeps its pixels, in the color space of the request")
    func standard() throws {
        var photo = GainMapJPEG(["ultraHDR"])
        photo.profile = ColorSpace.displayP3.profile
        for color in [OutputColor.sRGB, .automatic] {
            let plain = try Self.decoder.decode(photo.data, request: DecodingRequest(color: color))
            let high = try Self.decoder.decode(photo.data, request: DecodingRequest(color: color, dynamicRange: .high))
            #expect(plain.bitmap.hdr == nil && high.bitmap.hdr != nil && high.header == plain.header)
            #expect(high.bitmap.colorSpace == plain.bitmap.colorSpace)
            #expect(zip(high.bitmap.pixels, plain.bitmap.pixels).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
            #expect(high.bitmap.byteCount == 3 * plain.bitmap.byteCount && high.bitmap != plain.bitmap)
            #expect(high.bitmap.packed().hdr == nil)
        }
    }

    @Test("without a map that can be applied, an image has standard range")
    func missing() throws {
        func image(_ file: Data) throws -> Bitmap {
            try Self.decoder.decode(file, request: DecodingRequest(dynamicRange: .high)).bitmap
        }
        var damaged = try GainMapJPEG(["ultraHDR"]).data
        // 12 bits per sample.
        let frame = try #require(damaged.lastRange(of: Data([0xFF, 0xC0, 0, 11, 8])))
        damaged[frame.upperBound - 1] = 12
        for file in try [damaged, GainMapJPEG(["apple"]).data, GainMapJPEG([]).data] {
            #expect(try image(file).hdr == nil)
            #expect(try image(file) == DownsamplingDecoder.standard().decode(file).bitmap)
        }
    }

    @Test("the memory for HDR is limited, and a cancelled request ends")
    func limits() throws {
        let photo = try GainMapJPEG(["ultraHDR"]).data
        let request = DecodingRequest(dynamicRange: .high)
        let bytes = 320 * 240 * 12
        func decoder(_ limit: Int) -> HDRDecoder {
            HDRDecoder(DownsamplingDecoder.standard(), limits: DecodingLimits(decodedByteLimit: limit))
        }
        #expect(try decoder(bytes).decode(photo, request: request).bitmap.hdr != nil)
        #expect(throws: ImageDecodingError.limitExceeded(.decodedBytes, value: bytes, allowed: bytes - 1)) {
            try decoder(bytes - 1).decode(photo, request: request)
        }
        let image = pixel(1)
        let map = try #require(EmbeddedGainMap(of: photo))
        #expect(throws: ImageDecodingError.cancelled) { try map.hdr(of: image, by: image, for: .high) { true } }
        #expect(throws: ImageDecodingError.cancelled) {
            try Self.decoder.decode(photo, request: request) { true }
        }
    }

    @Test("a loader delivers HDR to requests that ask for it, and keeps it apart in memory")
    func loader() async throws {
        let loader = ImageLoader(ImageLoaderOptions(cacheDirectory: nil))
        let photo = try GainMapJPEG(["ultraHDR"]).data
        let request = ImageRequest(.data(photo, name: "photo"))
        var high = request
        high.dynamicRange = .high
        #expect(high != request)
        for _ in 0..<2 {
            #expect(try await loader.image(for: request).bitmap.hdr == nil)
            #expect(try await loader.image(for: high).bitmap.hdr != nil)
        }
        high.processors = [ResizeProcessor(.fit(width: 40))]
        #expect(try await loader.image(for: high).bitmap.hdr == nil)
        #expect(DynamicRange(headroom: 0) == .standard && DynamicRange(headroom: .nan) == .standard)
    }
}
