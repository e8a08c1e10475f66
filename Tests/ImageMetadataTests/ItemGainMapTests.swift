#if HEIF || AVIF
    import Foundation
    import GeneratedImages
    import ImageCore
    import ImageDecoding
    import ImageLoaderKit
    import ImageProcessing
    import Testing

    @testable import ImageMetadata

    /// A file whose image and map show the same.
    private struct GainMapFile {
        var format: ImageFormat
        /// Of an item `tmap`, what follows its version; nil for Apple's auxiliary image.
        var block: Data? = GainMapJPEG.block.dropFirst(EmbeddedGainMap.identifier.count)
        var channels = 1
        var mapColor = HEIFBuilder.color(primaries: 1, transfer: 13, matrix: 6, isFullRange: true)
        /// Quarter turns.
        var imageTurns = 0
        var mapTurns = 0
        var xmp: Data?

        static let size = PixelSize(width: 256, height: 128)

        var data: Data {
            get throws {
                let isHEIC = format == .heic
                var builder = isHEIC ? HEIFBuilder() : HEIFBuilder(brands: ["avif", "mif1", "avif", "miaf"])
                let encoder = try #require([any ImageEncoder].all.encoder(for: format))
                let name = isHEIC ? "hvcC" : "av1C"
                func add(_ size: PixelSize, _ properties: [Int]) throws -> Int {
                    let file = try encoder.encode(GainMapJPEG.scene(size), options: EncodingOptions(quality: 0.98))
                    let coded = try HEIFBuilder.Coded(of: file, size: size, configuration: name)
                    let own = [
                        builder.property("ispe", HEIFBuilder.size(size)), -builder.property(name, coded.configuration),
                    ]
                    return builder.item(isHEIC ? "hvc1" : "av01", coded.data, properties: own + properties)
                }
                func turn(_ turns: Int) -> Int { -builder.property("irot", Data([UInt8(turns)])) }
                let color = HEIFBuilder.color(primaries: 1, transfer: 13, matrix: 6, isFullRange: true)
                let image = try add(Self.size, [builder.property("colr", color), turn(imageTurns)])
                let type = Data("urn:com:apple:photo:2020:aux:hdrgainmap\0".utf8)
                let kind = builder.property("auxC", Data(count: 4) + type)
                let depths = Data(count: 4) + [UInt8(channels)] + Data(repeating: 8, count: channels)
                let map = try add(
                    PixelSize(width: 128, height: 64),
                    [
                        builder.property("colr", mapColor), turn(mapTurns),
                        builder.property("pixi", depths),
                    ] + (block == nil ? [kind] : []))
                if let block {
                    builder.reference("dimg", from: builder.item("tmap", [0] + block), to: [image, map])
                } else {
                    builder.reference("auxl", from: map, to: [image])
                }
                if let xmp { builder.reference("cdsc", from: builder.item("mime", xmp), to: [map]) }
                return builder.file()
            }
        }
    }

    @Suite("Gain maps of HEIC and AVIF files") struct ItemGainMapTests {
        private static let decoder = DownsamplingDecoder.standard(.all)
        private static let formats: [ImageFormat] = [.heic, .avif].filter {
            [any ImageEncoder].all.encoder(for: $0) != nil
        }

        /// Returns a JPEG file with the image of a file, cut and resized, and its map.
        private func converted(_ file: GainMapFile, _ part: UnitRegion, to size: PixelSize) throws -> Data {
            let source = try file.data
            let image = try Self.decoder.decode(source)
            let pixels = try ResizeProcessor(part, stretchedTo: size).process(image.bitmap)
            let encoder = try #require([any ImageEncoder].standard.encoder(for: .jpeg))
            let result = try encoder.encode(pixels, options: EncodingOptions(quality: 0.98))
            let map = try EmbeddedGainMap(of: source)?.applying(
                [.resized(part, to: size)], of: image.header, keepsPrimaries: true, decoder: Self.decoder)
            return try map?.embeddedIfPossible(in: result) ?? result
        }

        /// The largest difference between a map and its image.
        private func difference(_ file: Data, _ map: EmbeddedGainMap) throws -> Int {
            let mapped = try Self.decoder.decode(map.file).bitmap
            let image = try ResizeProcessor(stretchingTo: mapped.size).process(Self.decoder.decode(file).bitmap)
            return zip(mapped.pixels, image.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 0
        }

        @Test("a map becomes that of a JPEG file, with the same metadata and changes", arguments: formats)
        func converted(format: ImageFormat) throws {
            var source = GainMapFile(format: format)
            for turns in [0, 1, 2] {
                (source.imageTurns, source.mapTurns) = (turns, turns)
                let upright = turns == 1 ? PixelSize(width: 64, height: 128) : PixelSize(width: 128, height: 64)
                for part in [UnitRegion.whole, UnitRegion(x: 0.25, y: 0.1, width: 0.5, height: 0.7)] {
                    let file = try converted(source, part, to: upright)
                    #expect(try Self.decoder.header(of: file).hasGainMap)
                    let map = try #require(EmbeddedGainMap(of: file))
                    #expect(map.kinds == [.iso21496] && map.isGray)
                    #expect(map.description == [JPEGFile.Segment(marker: 0xE2, body: GainMapJPEG.block)])
                    #expect(try Self.decoder.header(of: map.file).size.width == upright.width / 2)
                    #expect(try difference(file, map) <= 6, "\(turns) \(part)")
                }
            }
        }

        @Test("the values of a map aren't converted like colors", arguments: formats)
        func color(format: ImageFormat) throws {
            var source = GainMapFile(format: format)
            let profile = try #require(ColorSpace.displayP3.profile)
            for color in [
                HEIFBuilder.color(primaries: 9, transfer: 8, matrix: 6, isFullRange: true), Data("prof".utf8) + profile,
            ] {
                source.mapColor = color
                let file = try converted(source, .whole, to: GainMapFile.size)
                #expect(try difference(file, #require(EmbeddedGainMap(of: file))) <= 6)
            }
        }

        @Test("Apple's auxiliary image gets its type in XMP, and its brightness or Exif is needed", arguments: formats)
        func apple(format: ImageFormat) throws {
            let headroom = #"HDRGainMap:HDRGainMapHeadroom="5.6""#
            let packet = "<x:xmpmeta><rdf:RDF><rdf:Description \(headroom)/></rdf:RDF></x:xmpmeta>"
            let file = try converted(
                GainMapFile(format: format, block: nil, xmp: Data(packet.utf8)), .whole, to: GainMapFile.size)
            let map = try #require(EmbeddedGainMap(of: file))
            #expect(map.kinds == [.apple] && map.isGray)
            #expect(map.file.firstRange(of: Data(headroom.utf8)) != nil)
            #expect(try difference(file, map) <= 6)
            let old = GainMapFile(format: format, block: nil)
            #expect(try EmbeddedGainMap(of: old.data) != nil)
            #expect(try EmbeddedGainMap(of: converted(old, .whole, to: GainMapFile.size)) == nil)
        }

        @Test("a map that can't be kept right is left out, and the losses say so", arguments: formats)
        func refused(format: ImageFormat) throws {
            let plain = GainMapFile(format: format)
            var (turned, color, later) = (plain, plain, plain)
            turned.imageTurns = 1
            // Gains for each channel, in primaries that only HEIC names.
            color.channels = 3
            color.block = color.block.map { $0.prefix(4) + [0] + $0.dropFirst(5) }
            later.block = Data()
            for source in [turned, color, later] {
                let size = try Self.decoder.header(of: source.data).size
                let file = try converted(source, .whole, to: size)
                let header = try Self.decoder.header(of: file)
                #expect(EmbeddedGainMap(of: file) == nil && !header.hasGainMap)
                let contents = try ConversionLoss.possible(
                    in: source.data, header: Self.decoder.header(of: source.data))
                #expect(contents.subtracting(ConversionLoss.possible(in: file, header: header)) == [.gainMap])
            }
        }

        @Test("a damaged file has no map, or ends", arguments: formats)
        func damaged(format: ImageFormat) throws {
            let file = try GainMapFile(format: format).data
            let end = try #require(file.firstRange(of: Data("mdat".utf8))).lowerBound
            for offset in 0..<end {
                for value in [0, 1, 0x7F, 0xFF] as [UInt8] where file[offset] != value {
                    var changed = file
                    changed[offset] = value
                    if let map = EmbeddedGainMap(of: changed) { #expect(map.file.count == file.count) }
                }
                #expect(EmbeddedGainMap(of: file.prefix(offset)) == nil)
            }
        }

        @Test("a decoder applies the map for displays of high dynamic range", arguments: formats)
        func applied(format: ImageFormat) throws {
            let request = DecodingRequest(target: .fit(width: 100, height: 100), dynamicRange: .high)
            let image = try HDRDecoder(Self.decoder).decode(GainMapFile(format: format).data, request: request).bitmap
            #expect(image.hdr?.headroom == exp2(2.5) && image.hdr?.samples.count == 100 * 50 * 4)
        }
    }
#endif
