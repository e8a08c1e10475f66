import ImageCore
import ImageTesting

extension ImageDecoderContract {
    /// Decodes a frame at the stored size, as straight RGBA.
    static func pixels(of image: any OpenedImage, frame: Int) throws(ImageDecodingError) -> [UInt8] {
        let sink = CollectingRowSink()
        try image.decode(frame: frame, size: image.header.storedSize, layout: .rgba8, into: sink)
        return sink.pixels
    }
}

extension ImageDecoderContract.Subject {
    func pixels(of data: Data, frame: Int = 0) throws(ImageDecodingError) -> [UInt8] {
        try ImageDecoderContract.pixels(of: try decoder.open(data, limits: .default), frame: frame)
    }

    func expectLimitFailure(
        of sample: ImageDecoderContract.Sample, limits: DecodingLimits, by limit: DecodingLimit
    ) throws {
        let failure = openingFailure(of: sample.data, limits: limits)
        if case .limitExceeded(limit, _, _) = failure { return }
        throw ContractViolation("\(sample.name): \(String(describing: failure)) although \(limit) is exceeded")
    }

    /// Returns the failure of opening the data, or nil if that succeeds.
    func openingFailure(of data: Data, limits: DecodingLimits = .default) -> ImageDecodingError? {
        thrownError { () throws(ImageDecodingError) in _ = try decoder.open(data, limits: limits) }
    }
}
