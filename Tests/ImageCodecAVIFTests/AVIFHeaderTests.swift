#if AVIF
    import CTestAVIF
    import Foundation
    import GeneratedImages
    import ImageCodecAVIF
    import ImageCore
    import ImageDecoding
    import ImageProcessing
    import ImageTesting
    import Testing

    @Suite("The header of AVIF")
    struct AVIFHeaderTests {
        /// Returns an upright 2 by 3 image of six gray levels after a rotation and a mirroring, computed step by step.
        private static func transformed(_ rows: [[UInt8]], rotation: Int, mirror: Int) -> [[UInt8]] {
            var rows = rows
            for _ in 0..<rotation {
                let width = rows[0].count
                rows = (0..<width).map { column in rows.map { $0[width - 1 - column] } }
            }
            if mirror == 0 { rows.reverse() }
            if mirror == 1 { rows = rows.map { $0.reversed() } }
            return rows
        }

        @Test(
            "an image is turned by irot, then mirrored by imir, and Exif is ignored", arguments: 0..<4, [-1, 0, 1])
        func orientation(rotation: Int, mirror: Int) throws {
            let levels: [[UInt8]] = [[10, 50], [90, 130], [170, 210]]
            var image = TestAVIF(2, 3, format: 400, luma: { x, y in Double(levels[y][x]) / 255 })
            image.settings.rotation = CInt(rotation)
            image.settings.mirror = CInt(mirror)
            // Exif with the orientation 6.
            image.exif = Data([0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0])
            let decoder = DownsamplingDecoder(decoders: [AVIFDecoder()])
            let bitmap = try decoder.decode(try image.file(), request: DecodingRequest(), isCancelled: { false }).bitmap
            let expected = Self.transformed(levels, rotation: rotation, mirror: mirror)
            #expect(bitmap.size == PixelSize(width: expected[0].count, height: expected.count))
            let grays = stride(from: 0, to: bitmap.pixels.count, by: 4).map { bitmap.pixels[$0] }
            #expect(grays.largestDifference(to: expected.flatMap { $0 }) <= 1)
        }

        private static func header(primaries: Int, transfer: Int, profile: Data = Data()) throws -> ImageHeader {
            var image = TestAVIF(2, 2, luma: { _, _ in 0.5 })
            image.settings.primaries = CInt(primaries)
            image.settings.transfer = CInt(transfer)
            image.profile = profile
            return try avif.open(try image.file()).header
        }

        @Test("unspecified code points and the curves of television are sRGB")
        func standardColors() throws {
            for transfer in [1, 2, 6, 13, 14, 15] {
                for primaries in [1, 2] {
                    let header = try Self.header(primaries: primaries, transfer: transfer)
                    #expect(header.color == .sRGB, "\(primaries), \(transfer)")
                }
            }
        }

        @Test("other primaries and curves are those of ITU-T H.273")
        func codePoints() throws {
            #expect(try Self.header(primaries: 12, transfer: 13).color == SourceColor(primaries: .displayP3))
            #expect(try Self.header(primaries: 9, transfer: 14).color.primaries.green == .init(x: 0.170, y: 0.797))
            #expect(try Self.header(primaries: 11, transfer: 13).color.primaries.white == .init(x: 0.314, y: 0.351))
            #expect(try Self.header(primaries: 1, transfer: 4).color == .init(transfer: .gamma(2.2)))
            #expect(try Self.header(primaries: 1, transfer: 5).color == .init(transfer: .gamma(2.8)))
            #expect(try Self.header(primaries: 1, transfer: 8).color == .init(transfer: .gamma(1)))
            for primaries in [4, 5, 6, 7, 22] {
                #expect(try Self.header(primaries: primaries, transfer: 1).color != .sRGB, "\(primaries)")
            }
        }

        @Test("HDR has 16 bits, also if it is made smaller", arguments: [16: TransferFunction.pq, 18: .hlg])
        func highDynamicRange(transfer: (key: Int, value: TransferFunction)) throws {
            var image = TestAVIF(64, 2, depth: 10, format: 400, luma: { x, _ in Double(x) / 63 })
            image.settings.primaries = 9
            image.settings.transfer = CInt(transfer.key)
            let opened = try avif.open(try image.file())
            #expect(opened.header.nativeLayout == .rgba16 && opened.header.color.transfer == transfer.value)
            #expect(opened.header.color.primaries.red == .init(x: 0.708, y: 0.292))
            for (x, gray) in try avif.deepPixels(opened).enumerated() {
                // A step of 10 bits is 64.
                let expected = x % 4 == 3 ? 65_535 : 65_535 * (x / 4 % 64) / 63
                #expect(abs(gray - expected) <= 64, "\(x)")
            }
            let half = try avif.deepPixels(opened, size: PixelSize(width: 32, height: 1))
            #expect(half.count == 128 && abs(half[4] - 65_535 * 5 / 2 / 63) <= 64)
        }

        @Test("a profile replaces code points", arguments: [16, 18])
        func profile(transfer: Int) throws {
            let profile = Data((0..<99).map { UInt8($0) })
            let header = try Self.header(primaries: 9, transfer: transfer, profile: profile)
            #expect(header.color == SourceColor(profile: profile) && header.nativeLayout == .rgba8)
        }

        @Test("reserved code points are those of sRGB", arguments: [0, 3, 12, 19, 255])
        func reserved(code: Int) throws {
            #expect(try Self.header(primaries: code, transfer: code).color.transfer == .sRGB)
        }

        @Test("a logarithmic transfer function is refused", arguments: [9, 10])
        func unknownTransfer(code: Int) {
            let failure = ImageDecodingError.unsupported(.avif, "the transfer function \(code)")
            #expect(throws: failure) { try Self.header(primaries: 9, transfer: code) }
        }

        @Test("the peak is that of clli, or else of mdcv, and a gain map is reported")
        func properties() throws {
            var image = TestAVIF(2, 2, luma: { _, _ in 0.5 })
            image.settings.primaries = 9
            image.settings.transfer = 16
            let coded = try HEIFBuilder.Coded(
                of: image.file(), size: PixelSize(width: 2, height: 2), configuration: "av1C")
            for (properties, peak) in HEIFBuilder.luminances {
                for gainMap in [nil, "tmap"] {
                    var builder = HEIFBuilder(brands: ["avif", "mif1", "avif", "miaf"])
                    let others = properties.map { builder.property($0.0, $0.1) }
                    let color = builder.property(
                        "colr", HEIFBuilder.color(primaries: 9, transfer: 16, matrix: 6, isFullRange: true))
                    let size = builder.property("ispe", HEIFBuilder.size(coded.size))
                    let configuration = builder.property("av1C", coded.configuration)
                    builder.item("av01", coded.data, properties: [size, -configuration, color] + others)
                    if let gainMap { builder.reference("dimg", from: builder.item(gainMap, Data([0])), to: [1]) }
                    let header = try avif.open(builder.file()).header
                    #expect(header.color.peakLuminance == peak && header.hasGainMap == (gainMap != nil))
                }
            }
        }

        @Test("a profile above the limit is ignored")
        func largeProfile() throws {
            var image = TestAVIF(2, 2, luma: { _, _ in 0.5 })
            image.profile = Data((0..<101).map { UInt8($0) })
            let data = try image.file()
            #expect(try avif.open(data, limits: .init(metadataByteLimit: 101)).header.colorProfile == image.profile)
            #expect(try avif.open(data, limits: .init(metadataByteLimit: 100)).header.colorProfile == nil)
        }

        @Test("the memory of the planes is limited")
        func limits() throws {
            let data = try TestAVIF.detailed(130, 70, format: 420).file()
            func failure(_ limits: DecodingLimits) -> ImageDecodingError? { avif.failure(data, limits: limits) }
            // dav1d rounds the sides up to multiples of 128.
            let bytes = 256 * 128 * 3 / 2
            #expect(
                failure(.init(decodedByteLimit: bytes - 1))
                    == .limitExceeded(.decodedBytes, value: bytes, allowed: bytes - 1))
            #expect(failure(.init(maxPixels: 9100, maxSide: 130, decodedByteLimit: bytes)) == nil)
            #expect(
                failure(.init(encodedByteLimit: data.count - 1))
                    == .limitExceeded(.encodedBytes, value: data.count, allowed: data.count - 1))
            #expect(failure(.init(encodedByteLimit: data.count)) == nil)
        }

        @Test("alpha and samples of more than 8 bits need memory, too", arguments: [8, 10], [false, true])
        func heldBytes(depth: Int, hasAlpha: Bool) throws {
            let image = TestAVIF.detailed(130, 70, depth: depth, format: 420, hasAlpha: hasAlpha)
            let opened = try avif.open(try image.file())
            let samples = 256 * 128 * (hasAlpha ? 5 : 3) / 2
            let held = opened.heldByteCount(frame: 0, size: opened.header.storedSize, layout: .rgba8)
            #expect(held == samples * (depth > 8 ? 2 : 1))
        }

        @Test("a size that libavif doesn't decode is a limit or unsupported, not malformed")
        func hugeSize() throws {
            var data = try TestAVIF.detailed(64, 64).file()
            let property = try #require(data.firstRange(of: Data("ispe".utf8)))
            data.replaceSubrange(
                property.upperBound + 4..<property.upperBound + 12, with: [0, 0, 255, 255, 0, 0, 255, 255])
            #expect(avif.failure(data) == .limitExceeded(.pixels, value: 65_535 * 65_535, allowed: 500_000_000))
            let unlimited = DecodingLimits(maxPixels: .max, maxSide: .max)
            #expect(
                avif.failure(data, limits: unlimited)
                    == .unsupported(.avif, "libavif doesn't decode images of 65535x65535"))
        }

        @Test("a file that is truncated anywhere throws truncated")
        func truncated() throws {
            for data in [
                try TestAVIF.detailed(40, 30, format: 420, hasAlpha: true).file(),
                try AVIFEncoder(effort: 1).encode(
                    (1...3).map { AnimationFrame(bitmap: Scene.bitmap(40, 30, seed: $0), delay: .seconds(1)) },
                    loopCount: 1,
                    options: .init()),
            ] {
                for count in 0..<data.count {
                    let frame = data.count > 0 && data[8..<12].elementsEqual("avis".utf8) ? 2 : 0
                    let failure = avif.failure(data.prefix(count), frame: frame)
                    #expect(failure == .truncated(.avif), "\(count) of \(data.count) bytes")
                }
            }
        }

        @Test("tables for which libavif would search for long are refused")
        func largeTables() throws {
            let data = try TestAVIF.detailed(8, 8).file()
            let meta = try #require(data.firstRange(of: Data("meta".utf8)))
            func file(extraItems count: Int) -> Data {
                // A second item location box, of items without extents.
                var table = Data([0, 0, 0, 0, 0x44, 0, UInt8(count >> 8), UInt8(count & 255)])
                for item in 0..<count { table += [UInt8(item >> 8), UInt8(item & 255), 0, 0, 0, 0] }
                let size = table.count + 8
                let box = Data([0, UInt8(size >> 16), UInt8(size >> 8 & 255), UInt8(size & 255)]) + "iloc".utf8 + table
                var result = data
                result.insert(contentsOf: box, at: meta.upperBound + 4)
                let old = data[meta.lowerBound - 4..<meta.lowerBound].reduce(0) { $0 << 8 | Int($1) } + box.count
                let bytes = (0..<4).map { UInt8(old >> (24 - 8 * $0) & 255) }
                result.replaceSubrange(meta.lowerBound - 4..<meta.lowerBound, with: bytes)
                return result
            }
            #expect(avif.failure(file(extraItems: 22_000)) == .malformed(.avif, "too many boxes, items or references"))
            #expect(avif.failure(file(extraItems: 100)) != .malformed(.avif, "too many boxes, items or references"))
        }

        @Test("decoding is cancelled before a frame and between strips")
        func cancellation() throws {
            let data = try TestAVIF.detailed(2001, 137, format: 420).file()
            for size in [PixelSize(width: 2001, height: 137), PixelSize(width: 1001, height: 69)] {
                for check in 1...3 {
                    let image = try avif.open(data)
                    let sink = CancellingSink(atCheck: check)
                    #expect(throws: ImageDecodingError.cancelled, "\(size), check \(check)") {
                        try image.decode(frame: 0, size: size, layout: .rgba8, into: sink)
                    }
                }
            }
        }
    }
#endif
