#if AVIF
    import Foundation
    import ImageCodecAVIF
    import ImageCore

    extension GeneratedImage {
        static func avifs() throws -> [GeneratedImage] {
            let encoder = AVIFEncoder(speed: 9)
            var images: [GeneratedImage] = []
            for isLossless in [false, true] {
                for hasAlpha in [false, true] {
                    let options = EncodingOptions(quality: 0.5, isLossless: isLossless)
                    let name = "\(isLossless ? "lossless" : "lossy")\(hasAlpha ? "-alpha" : "")"
                    let still = try encoder.encode(Scene.bitmap(hasAlpha: hasAlpha), options: options)
                    let moving = try encoder.encode(Scene.frames(hasAlpha: hasAlpha), loopCount: 2, options: options)
                    images.append(GeneratedImage(name, .avif, still))
                    images.append(GeneratedImage("\(name)-animated", .avif, moving))
                }
            }
            let profile = Data(RawPNG.profile(space: "RGB "))
            let turned = AVIFEncoder(speed: 9, orientation: .rightMirrored, colorProfile: profile)
            let described = try turned.encode(Scene.bitmap(), options: .init(quality: 0.2))
            return images + [GeneratedImage("profile-orientation", .avif, described)]
        }
    }
#endif
