#if JXL
    import Foundation
    import ImageCodecJPEG
    import ImageCodecJXL
    import ImageCore
    import TestJXL

    extension GeneratedImage {
        static func jxls() throws -> [GeneratedImage] {
            try encoded(by: JXLEncoder(effort: 3)) + oddJXLs() + groupedJXLs()
        }

        /// Returns files with other channels, containers and layers.
        private static func oddJXLs() throws -> [GeneratedImage] {
            let size = PixelSize(width: 17, height: 11)
            let rgb = Scene.bitmap().packed().packedPixels ?? []
            let rgba = Scene.bitmap(hasAlpha: true).pixels
            var layered = TestJXL(size, channels: 4)
            layered.ticks = .init(100, 1)
            let area = TestJXL.Area(left: 3, top: 2, width: 4, height: 5)
            let layer = TestJXL.Frame([UInt8](repeating: 120, count: 4 * 5 * 4), duration: 5, area: area, blendMode: 2)
            var deep = TestJXL(size, channels: 1)
            deep.bits = 16
            let codestream = try TestJXL(size).file(rgb)
            let boxes =
                [("Exif", Data([0, 0, 0, 0] + Scene.exif(orientation: 3)))] + TestJXL.parts(of: codestream, length: 90)
            let jpeg = try JPEGEncoder().encode(Scene.bitmap(), options: EncodingOptions(quality: 0.3))
            var pq = TestJXL(size)
            pq.bits = 16
            pq.primaries = 9
            pq.transfer = 16
            return [
                GeneratedImage("pq16", .jpegXL, try pq.file((0..<17 * 11 * 3).map { UInt16($0 * 110) })),
                GeneratedImage("premultiplied", .jpegXL, try TestJXL(size, channels: 4).premultipliedFile(rgba)),
                GeneratedImage("layers", .jpegXL, try layered.file([.init(rgba, duration: 3, savedSlot: 0), layer])),
                GeneratedImage("gray16", .jpegXL, try deep.file((0..<17 * 11).map { UInt16($0 * 350) })),
                GeneratedImage("parts", .jpegXL, TestJXL.container(boxes)),
                GeneratedImage("jpeg", .jpegXL, try TestJXL.file(jpeg: jpeg)),
            ]
        }

        /// Returns files with several groups, which have previews.
        private static func groupedJXLs() throws -> [GeneratedImage] {
            let size = PixelSize(width: 5, height: 300)
            let pixels = Scene.bitmap(size.width, size.height).packed().packedPixels ?? []
            var coding = TestJXL(size)
            var images = [GeneratedImage("groups-lossless", .jpegXL, try coding.file(pixels))]
            coding.isLossless = false
            images.append(GeneratedImage("groups-lossy", .jpegXL, try coding.file(pixels)))
            coding.progression = 1
            images.append(GeneratedImage("groups-progressive", .jpegXL, try coding.file(pixels)))
            coding.progression = 0
            coding.isModular = true
            images.append(GeneratedImage("groups-modular", .jpegXL, try coding.file(pixels)))
            return images
        }
    }
#endif
