public import Foundation
public import ImageCore
import ImageTesting

/// Opens and decodes files with one decoder.
public struct FileReading: Sendable {
    private let decoder: any ImageDecoder

    public init(_ decoder: any ImageDecoder) { self.decoder = decoder }

    public func open(_ data: Data, limits: DecodingLimits = .default) throws(ImageDecodingError) -> any OpenedImage {
        try decoder.open(data, limits: limits)
    }

    /// Returns the pixels of a frame, at the stored size by default.
    public func pixels(
        _ image: any OpenedImage, frame: Int = 0, size: PixelSize? = nil, layout: PixelLayout = .rgba8,
        preference: DecodingPreference = .quality
    ) throws(ImageDecodingError) -> [UInt8] {
        let sink = CollectingRowSink()
        try image.decode(
            frame: frame, size: size ?? image.header.storedSize, layout: layout, preference: preference, into: sink)
        return sink.pixels
    }

    public func pixels(
        _ data: Data, frame: Int = 0, size: PixelSize? = nil, layout: PixelLayout = .rgba8,
        limits: DecodingLimits = .default
    ) throws(ImageDecodingError) -> [UInt8] {
        try pixels(try open(data, limits: limits), frame: frame, size: size, layout: layout)
    }

    /// Returns the channels of 16 bits of an HDR image.
    public func deepPixels(
        _ image: any OpenedImage, frame: Int = 0, size: PixelSize? = nil
    ) throws(ImageDecodingError) -> [Int] {
        let bytes = try pixels(image, frame: frame, size: size, layout: .rgba16)
        return stride(from: 0, to: bytes.count, by: 2).map { Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8 }
    }

    public func header(of data: Data, limits: DecodingLimits = .default) throws(ImageDecodingError) -> ImageHeader {
        try open(data, limits: limits).header
    }

    /// Returns the decoded rows, and the error that ended decoding.
    public func rows(
        _ data: Data, frame: Int = 0, size: PixelSize? = nil, preference: DecodingPreference = .quality,
        limits: DecodingLimits = .default
    ) -> (rows: [[UInt8]], failure: ImageDecodingError?) {
        let sink = CollectingRowSink()
        do throws(ImageDecodingError) {
            let image = try open(data, limits: limits)
            try image.decode(
                frame: frame, size: size ?? image.header.storedSize, layout: .rgba8, preference: preference, into: sink)
            return (sink.rows, nil)
        } catch {
            return (sink.rows, error)
        }
    }

    /// Returns the error of opening and decoding a frame, or nil.
    public func failure(_ data: Data, frame: Int = 0, limits: DecodingLimits = .default) -> ImageDecodingError? {
        rows(data, frame: frame, limits: limits).failure
    }
}

/// Counts rows, and cancels from a check for cancellation on.
public final class CancellingSink: PixelRowSink {
    public private(set) var checks = 0
    public private(set) var rows = 0
    /// The last image that was received at once.
    public private(set) var image: [UInt8] = []
    private let limit: Int
    private let receivesImages: Bool

    public init(atCheck limit: Int = .max, receivesImages: Bool = false) {
        self.limit = limit
        self.receivesImages = receivesImages
    }

    public func receive(_ row: Span<UInt8>) throws(ImageDecodingError) { rows += 1 }

    public func receiveImage(
        byteCount: Int, write: (inout [UInt8]) throws(ImageDecodingError) -> Void
    ) throws(ImageDecodingError) -> Bool {
        var image = [UInt8](repeating: 0, count: byteCount)
        if receivesImages { try write(&image) }
        self.image = image
        return receivesImages
    }

    public func checkCancellation() throws(ImageDecodingError) {
        checks += 1
        if checks >= limit { throw .cancelled }
    }
}

extension Sequence<UInt8> {
    /// Returns the largest difference of two bytes, or 256 if their numbers differ. Comparing arrays would take minutes when
    /// they differ, because Swift Testing then looks for the shortest list of changes.
    public func largestDifference(to other: some Sequence<UInt8>) -> Int {
        let (first, second) = (Array(self), Array(other))
        guard first.count == second.count else { return 256 }
        return zip(first, second).reduce(0) { Swift.max($0, abs(Int($1.0) - Int($1.1))) }
    }
}

extension [UInt8] {
    /// Returns the peak signal-to-noise ratio in decibels, 0 if the numbers of bytes differ.
    public func signalToNoise(to other: [UInt8]) -> Double {
        guard count == other.count, !isEmpty else { return 0 }
        let squares = zip(self, other).reduce(0.0) { sum, pair in
            let difference = Double(pair.0) - Double(pair.1)
            return sum + difference * difference
        }
        return squares == 0 ? .infinity : 10 * log10(255 * 255 * Double(count) / squares)
    }
}
