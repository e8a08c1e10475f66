import ImageCore
import ImageTesting

extension ImageDecoderContract {
    /// Decodes a frame at the stored size, as straight RGBA.
    static func pixels(of image: any OpenedImage, frame: Int) throws(ImageDecodingError) -> [UInt8] {
        let sink = CollectingRowSink()
        try image.decode(frame: frame, size: image.header.storedSize, layout: .rgba8, into: sink)
        return sink.pixels
    }

    static func failure(of image: any OpenedImage, size: PixelSize, into sink: any PixelRowSink) -> ImageDecodingError?
    {
        do throws(ImageDecodingError) {
            try image.decode(frame: 0, size: size, layout: .rgba8, into: sink)
            return nil
        } catch {
            return error
        }
    }

    static func expectRows(
        of image: any OpenedImage, size: PixelSize, layout: PixelLayout, in name: String
    ) throws {
        for frame in 0..<image.header.frameCount {
            let sink = CollectingRowSink()
            try image.decode(frame: frame, size: size, layout: layout, into: sink)
            try expect(sink.rows.count == size.height, "\(name): \(sink.rows.count) rows of \(size) in \(layout)")
            let lengths = Set(sink.rows.map(\.count))
            try expect(
                lengths == [size.width * layout.bytesPerPixel],
                "\(name): rows of \(lengths) bytes of \(size) in \(layout)")
        }
    }
}

extension ImageDecoderContract.Subject {
    func pixels(of data: Data) throws(ImageDecodingError) -> [UInt8] {
        try ImageDecoderContract.pixels(of: try decoder.open(data, limits: .default), frame: 0)
    }

    /// Returns the failure of opening the data or decoding a frame, or nil if both succeed.
    func failure(of data: Data, frame: Int) throws -> ImageDecodingError? {
        do throws(ImageDecodingError) {
            _ = try ImageDecoderContract.pixels(of: try decoder.open(data, limits: .default), frame: frame)
            return nil
        } catch {
            return error
        }
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
        do throws(ImageDecodingError) {
            _ = try decoder.open(data, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    func expectDecodableSize(_ sample: ImageDecoderContract.Sample, divisor: Int) throws {
        let image = try decoder.open(sample.data, limits: .default)
        let stored = sample.storedSize
        let target = PixelSize(width: max(1, stored.width / divisor), height: max(1, stored.height / divisor))
        let offered = image.decodableSize(covering: target)
        try expect(
            offered.width >= target.width && offered.height >= target.height,
            "\(sample.name): \(offered) does not cover \(target)")
        try expect(
            offered.width <= stored.width && offered.height <= stored.height,
            "\(sample.name): \(offered) is larger than \(stored)")
        try ImageDecoderContract.expectRows(of: image, size: offered, layout: .rgba8, in: sample.name)
    }

    /// Checks that each frame is decoded completely or fails with a typed error.
    func expectWholeOrFailure(_ data: Data, _ name: String) throws {
        // Damage in the size field can make the image huge. These limits keep the check short.
        let limits = DecodingLimits(maxPixels: 250_000, maxFrames: 100, decodedByteLimit: 64 << 20)
        guard let image = openedImage(data, limits: limits) else { return }
        for frame in 0..<min(image.header.frameCount, 4) {
            let sink = CollectingRowSink()
            do throws(ImageDecodingError) {
                try image.decode(frame: frame, size: image.header.storedSize, layout: .rgba8, into: sink)
            } catch {
                continue
            }
            try expect(sink.rows.count == image.header.storedSize.height, "\(name): \(sink.rows.count) rows, no error")
        }
    }

    private func openedImage(_ data: Data, limits: DecodingLimits) -> (any OpenedImage)? {
        do throws(ImageDecodingError) { return try decoder.open(data, limits: limits) } catch { return nil }
    }
}
