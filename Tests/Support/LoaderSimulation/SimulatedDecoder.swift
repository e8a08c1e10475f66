import Foundation
import ImageCore

/// Simulated images of 4 by 3 pixels. Each byte of a file is the number of the image. In a decoded image, red is the
/// number, and green is the number of bytes that it was made of.
enum SimulatedImage {
    static let byteCount = 32
    static let count = 6

    static func file(_ number: Int) -> Data { Data(repeating: UInt8(number), count: byteCount) }

    /// Decodes a file. Throws `.unknownFormat` for bytes that are not an image.
    static func decode(_ bytes: Data, _ request: DecodingRequest) throws(ImageDecodingError) -> DecodedImage {
        guard let number = bytes.first, number < Self.count else { throw .unknownFormat }
        let stored = PixelSize(width: 4, height: 3)
        let size = request.outputSize(for: stored)
        let pixel: [UInt8] = [number, UInt8(bytes.count), 0, 255]
        let pixels = Array(repeating: pixel, count: size.area).flatMap(\.self)
        return DecodedImage(
            bitmap: Bitmap(size: size, pixels: pixels, isOpaque: true),
            header: ImageHeader(format: .png, storedSize: stored))
    }
}

extension Bitmap {
    /// Returns whether it is the simulated image with a number, at any size.
    func shows(_ image: Int, isProcessed: Bool) -> Bool {
        pixels.first.map(Int.init) == image + (isProcessed ? SimulatedProcessor.shift : 0)
    }

    /// The number of bytes that it was made of.
    var sourceByteCount: Int { pixels.count > 1 ? Int(pixels[1]) : 0 }
}

/// Shifts the red value of each pixel.
struct SimulatedProcessor: ImageProcessor {
    static let shift = 100
    let identifier = "shift"

    func process(_ bitmap: Bitmap) -> Bitmap {
        let pixels = bitmap.pixels.enumerated().map { index, value in
            index.isMultiple(of: 4) ? value &+ UInt8(Self.shift) : value
        }
        return Bitmap(size: bitmap.size, pixels: pixels, isOpaque: true)
    }
}

/// Decodes at once, and makes a preview for each chunk.
struct SimulatedDecoder: SizedImageDecoder {
    /// Whether previews are made of the latest chunk only, which is a planted bug.
    var forgetsPieces = false

    func header(of data: Data) throws(ImageDecodingError) -> ImageHeader {
        try SimulatedImage.decode(data, DecodingRequest()).header
    }

    func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        if isCancelled() { throw .cancelled }
        return try SimulatedImage.decode(data, request)
    }

    func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> (any DecodingSession)? {
        Session(request, forgetsPieces: forgetsPieces)
    }

    private final class Session: DecodingSession {
        private let request: DecodingRequest
        private let forgetsPieces: Bool
        private var bytes = Data()

        init(_ request: DecodingRequest, forgetsPieces: Bool) {
            self.request = request
            self.forgetsPieces = forgetsPieces
        }

        func append(
            _ piece: Data, at elapsed: Duration, isCancelled: @Sendable () -> Bool
        ) throws(ImageDecodingError) -> DecodedImage? {
            bytes = forgetsPieces ? piece : bytes + piece
            return try SimulatedImage.decode(bytes, request)
        }
    }
}
