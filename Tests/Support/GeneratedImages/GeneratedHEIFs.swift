#if HEIF
    import Foundation
    import ImageCodecHEIF
    import ImageCore

    extension GeneratedImage {
        static func heifs() throws -> [GeneratedImage] {
            try encoded(by: HEIFEncoder(), quality: 0.3, isAnimated: false) + [
                GeneratedImage("grid", .heic, try grid()), GeneratedImage("sequence", .heic, try sequence()),
            ]
        }

        /// Returns three frames that are decoded without others, with alpha.
        private static func sequence() throws -> Data {
            let coded = try (1...3).map { seed in
                try HEIFBuilder.Coded(
                    of: HEIFEncoder().encode(Scene.bitmap(64, 64, seed: seed), options: EncodingOptions(quality: 0.1)),
                    size: PixelSize(width: 64, height: 64))
            }
            var alpha = HEIFSequenceBuilder.Track(coded)
            alpha.reference = HEIFBuilder.box("tref", HEIFBuilder.box("auxl", HEIFBuilder.number(1)))
            return HEIFSequenceBuilder(.init(coded), alpha).file()
        }

        /// Returns a turned grid of two by two tiles, with a thumbnail and a description in Exif, as cameras write it.
        private static func grid() throws -> Data {
            var builder = HEIFBuilder()
            let size = PixelSize(width: 64, height: 64)
            let options = EncodingOptions(quality: 0.1)
            let coded = try (1...5).map { seed in
                try HEIFBuilder.Coded(
                    of: HEIFEncoder().encode(Scene.bitmap(64, 64, seed: UInt64(seed)), options: options), size: size)
            }
            let tiles = coded.prefix(4).map { builder.image($0) }
            let turn = builder.property("irot", Data([3]))
            let color = builder.property(
                "colr", HEIFBuilder.color(primaries: 12, transfer: 13, matrix: 6, isFullRange: true))
            builder.primary = builder.grid(
                tiles, columns: 2, size: PixelSize(width: 120, height: 120), properties: [-turn, color])
            let thumbnail = builder.image(coded[4], properties: [-turn, color])
            builder.reference("thmb", from: thumbnail, to: [builder.primary])
            let exif = builder.item("Exif", Data([0, 0, 0, 0]) + Data(Scene.exif(orientation: 6)))
            builder.reference("cdsc", from: exif, to: [builder.primary])
            return builder.file()
        }
    }
#endif
