import Foundation
import ImageCodecJPEG
import ImageCodecPNG
import ImageCore
import LoopbackServer

/// Images that origins of the tests send.
enum Samples {
    static func bitmap(_ width: Int, _ height: Int) -> Bitmap {
        var state: UInt32 = 1
        let pixels = (0..<width * height).flatMap { _ -> [UInt8] in
            state = state &* 1_664_525 &+ 1_013_904_223
            return [UInt8(state >> 24), UInt8(state >> 16 & 255), UInt8(state >> 8 & 255), 255]
        }
        return Bitmap(size: PixelSize(width: width, height: height), pixels: pixels, isOpaque: true)
    }

    static func jpeg(_ width: Int = 64, _ height: Int = 32) throws -> Data {
        try JPEGEncoder().encode(bitmap(width, height), options: EncodingOptions())
    }

    static func png(_ width: Int = 64, _ height: Int = 32) throws -> Data {
        try PNGEncoder(effort: 0).encode(bitmap(width, height), options: EncodingOptions())
    }

    /// An origin that sends one image.
    static func origin(_ image: Data? = nil, headers: [String: String] = [:]) throws -> LoopbackServer {
        let image = try image ?? jpeg()
        return try LoopbackServer { _ in .ok(image, headers: headers) }
    }

    /// An origin that holds an image, except at paths that are free.
    static func origin(
        holdingAt held: LoopbackSignal, free: String = "", headers: [String: String] = [:]
    ) throws -> LoopbackServer {
        let image = try jpeg()
        let head = LoopbackReply.head(
            status: 200, headers: headers.merging(["Content-Length": "\(image.count)"]) { first, _ in first })
        return try LoopbackServer { request in
            if request.path == free { return .ok(image) }
            return .steps([.text(head), .wait(held), .bytes(Array(image))])
        }
    }
}
