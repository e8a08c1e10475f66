#if AVIF
    import Foundation
    import ImageCodecAVIF
    import ImageCore

    extension GeneratedImage {
        static func avifs() throws -> [GeneratedImage] {
            let images = try encoded(by: AVIFEncoder(effort: 1))
            let profile = Data(RawPNG.profile(space: "RGB "))
            let turned = AVIFEncoder(effort: 1, orientation: .rightMirrored, colorProfile: profile)
            let described = try turned.encode(Scene.bitmap(), options: .init(quality: 0.2))
            return images + [GeneratedImage("profile-orientation", .avif, described)]
        }
    }
#endif
