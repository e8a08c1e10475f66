import Foundation
import ImageCore

/// The simulated pictures: 4 by 3 pixels, in files whose every byte tells the number, so that the first byte shows the picture. A decoded
/// one has its number in its red, and in its green of how many bytes it was made.
enum SimulatedPicture {
    static let byteCount = 32
    static let count = 6

    static func file(_ number: Int) -> Data { Data(repeating: UInt8(number), count: byteCount) }

    /// Throws `.unknownFormat` for what is no picture.
    static func image(
        of bytes: Data, _ request: DecodingRequest, count: Int
    ) throws(DecodingFailure) -> DecodedImage {
        guard let number = bytes.first, number < Self.count else { throw .unknownFormat }
        let stored = PixelSize(width: 4, height: 3)
        let size = request.outputSize(for: stored)
        let pixel: [UInt8] = [number, UInt8(count), 0, 255]
        let pixels = Array(repeating: pixel, count: size.area).flatMap(\.self)
        return DecodedImage(
            bitmap: Bitmap(size: size, pixels: pixels, isOpaque: true),
            header: ImageHeader(format: .png, storedSize: stored))
    }
}

extension Bitmap {
    /// True when this is the simulated picture of that number, at whatever size.
    func shows(_ picture: Int, isProcessed: Bool) -> Bool {
        pixels.first.map(Int.init) == picture + (isProcessed ? SimulatedStep.shift : 0)
    }

    /// Of how many bytes it was made.
    var extent: Int { pixels.count > 1 ? Int(pixels[1]) : 0 }
}

/// A step after decoding that is to be seen in each pixel.
struct SimulatedStep: ImageProcessor {
    static let shift = 100
    let identifier = "shift"

    func process(_ bitmap: Bitmap) -> Bitmap {
        let pixels = bitmap.pixels.enumerated().map { index, value in
            index.isMultiple(of: 4) ? value &+ UInt8(Self.shift) : value
        }
        return Bitmap(size: bitmap.size, pixels: pixels, isOpaque: true)
    }
}

/// Decodes at once, and shows a preview of each piece that comes in.
struct SimulatedDecoder: PreviewingImageDecoder {
    /// Whether previews show the latest piece alone, a planted mistake.
    var forgets = false

    func header(of data: Data) throws(DecodingFailure) -> ImageHeader {
        try SimulatedPicture.image(of: data, DecodingRequest(), count: data.count).header
    }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(DecodingFailure) -> DecodedImage {
        if isCancelled() { throw .cancelled }
        return try SimulatedPicture.image(of: data, request, count: data.count)
    }

    func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> any DecodingSession {
        Session(request, forgets: forgets)
    }

    private final class Session: DecodingSession {
        private let request: DecodingRequest
        private let forgets: Bool
        private var bytes = Data()

        init(_ request: DecodingRequest, forgets: Bool) { (self.request, self.forgets) = (request, forgets) }

        func append(
            _ piece: Data, at elapsed: Duration, isCancelled: @Sendable () -> Bool
        ) throws(DecodingFailure) -> DecodedImage? {
            bytes = forgets ? piece : bytes + piece
            return try SimulatedPicture.image(of: bytes, request, count: bytes.count)
        }

        func finish(isCancelled: @Sendable () -> Bool) throws(DecodingFailure) -> DecodedImage {
            throw .unknownFormat  // the loader decodes all bytes at once
        }
    }
}
