import Foundation
import ImageCodecWebP
import ImageCore

extension GeneratedImage {
    static func webps() throws -> [GeneratedImage] {
        let encoder = WebPEncoder()
        var images = try encoded(by: encoder)
        let flat = try encoder.encode(Bitmap.flat(20, 20, [1, 2, 3, 255]), options: .init(isLossless: true))
        images.append(GeneratedImage("lossless-flat", .webP, flat))
        return images + (try oddWebPs())
    }

    private static func oddWebPs() throws -> [GeneratedImage] {
        var described = WebPBuilder(17, 11)
        described.profile(Data(RawPNG.profile(space: "RGB ")))
        described.image(of: try WebPEncoder().encode(Scene.bitmap(), options: .init(quality: 0.2)))
        described.exif(Data(Scene.exif(orientation: 3)))
        var composited = WebPBuilder(10, 10)
        composited.flag(.alpha)
        composited.animation(loopCount: 0)
        try composited.frame(.flat(10, 10, [255, 0, 0, 255]))
        try composited.frame(.flat(4, 4, [0, 255, 0, 100]), left: 2, top: 4, delay: 0, blends: true, clears: true)
        try composited.frame(.flat(3, 5, [0, 0, 255, 0]), left: 6, top: 0, blends: false)
        return [
            GeneratedImage("profile-exif", .webP, described.finished),
            GeneratedImage("composited", .webP, composited.finished),
        ]
    }
}
