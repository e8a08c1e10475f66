import Foundation
import ImageCodecJPEG
import ImageCore

extension GeneratedImage {
    static func jpegs() throws -> [GeneratedImage] {
        try encodedJPEGs() + sampledJPEGs() + oddJPEGs()
    }

    private static func encodedJPEGs() throws -> [GeneratedImage] {
        try [(false, 0.5), (false, 0.95), (true, 0.5), (true, 0.95)].map { isProgressive, quality in
            let options = EncodingOptions(quality: quality, isProgressive: isProgressive)
            let name = "\(isProgressive ? "progressive" : "baseline")-\(quality < 0.9 ? "420" : "444")"
            return GeneratedImage(name, .jpeg, try JPEGEncoder().encode(Scene.bitmap(), options: options))
        }
    }

    /// JPEGs with three components, the first with several samplings, with and without restart markers.
    private static func sampledJPEGs() -> [GeneratedImage] {
        var images: [GeneratedImage] = []
        for (horizontal, vertical) in [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1)] {
            for restartInterval in [0, 1] {
                var file = FlatJPEG(
                    width: 33, height: 19,
                    components: [
                        .init(horizontal, vertical) { 16 * $0 + 40 * $1 }, .init(level: 90), .init(level: 170),
                    ])
                file.restartInterval = restartInterval
                let name = "sampling-\(horizontal)x\(vertical)\(restartInterval > 0 ? "-restart" : "")"
                images.append(GeneratedImage(name, .jpeg, file.data))
            }
        }
        return images
    }

    private static func oddJPEGs() throws -> [GeneratedImage] {
        let gray = FlatJPEG(width: 9, height: 9, components: [.init { 60 * $0 + 70 * $1 }])
        var progressive = gray
        progressive.frameMarker = 0xC2
        progressive.scanCount = 3
        var images = [
            GeneratedImage("gray", .jpeg, gray.data), GeneratedImage("gray-dc-scans", .jpeg, progressive.data),
            GeneratedImage("scan-per-component", .jpeg, scanPerComponent()),
        ]
        // Adobe's marker defines whether four components are CMYK or YCCK.
        for (name, transform) in [("cmyk", 0), ("ycck", 2)] as [(String, UInt8)] {
            let four = (0..<4).map { FlatJPEG.Component(level: 50 * $0 + 20) }
            let adobe: [UInt8] = Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform]
            let file = FlatJPEG(width: 10, height: 10, components: four, segments: [(0xEE, adobe)])
            images.append(GeneratedImage(name, .jpeg, file.data))
        }
        var rotated = gray
        rotated.segments = [(0xE1, Array("Exif".utf8) + [0, 0] + Scene.exif(orientation: 6))]
        images.append(GeneratedImage("exif", .jpeg, rotated.data))
        let thumbnail = try JPEGEncoder().encode(Scene.bitmap(4, 3), options: EncodingOptions())
        rotated.segments = [(0xE1, Array("Exif".utf8) + [0, 0] + Scene.exif(thumbnail: thumbnail))]
        images.append(GeneratedImage("exif-thumbnail", .jpeg, rotated.data))
        var profiled = gray
        profiled.segments = [(0xE2, Array("ICC_PROFILE".utf8) + [0, 1, 1] + RawPNG.profile(space: "GRAY"))]
        images.append(GeneratedImage("profile", .jpeg, profiled.data))
        return images
    }

    /// Returns a baseline file that has a scan for each of three components.
    private static func scanPerComponent() -> Data {
        let levels = [40, 90, 170]
        let (scanMarker, endMarker) = (Data([0xFF, 0xDA]), Data([0xFF, 0xD9]))
        let color = FlatJPEG(width: 24, height: 24, components: levels.map { .init(level: $0) }).data
        let scans = levels.enumerated().map { index, level in
            let gray = FlatJPEG(width: 24, height: 24, components: [.init(level: level)]).data
            let data = gray.range(of: scanMarker).map { gray[($0.upperBound + 8)...].dropLast(2) } ?? Data()
            return scanMarker + [0, 8, 1, UInt8(index + 1), 0, 0, 63, 0] + data
        }
        return color.prefix(upTo: color.range(of: scanMarker)?.lowerBound ?? 0) + scans.joined() + endMarker
    }
}
