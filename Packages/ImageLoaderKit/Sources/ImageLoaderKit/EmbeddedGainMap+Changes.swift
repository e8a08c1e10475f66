public import ImageCore
public import ImageMetadata
public import ImageProcessing

extension EmbeddedGainMap {
    /// A change of an image that its gain map follows.
    @nonexhaustive
    public enum Change: Hashable, Sendable {
        /// The image is turned, as by `OrientationProcessor`.
        case turned(ImageOrientation)
        /// A part of the image gets a size, as by `ResizeProcessor(_:stretchedTo:)`.
        case resized(UnitRegion, to: PixelSize)
    }

    /// The quality of a changed map. What is lost there is multiplied in the image.
    private static let quality = 0.95

    /// Returns the map for a changed image. It keeps the ratio of their sizes.
    ///
    /// - Parameters:
    ///   - changes: What was done with the upright image, in order.
    ///   - source: The header of the file that has the map.
    ///   - keepsPrimaries: Whether the changed image has the primaries of the source. Only a gain that is the same for all
    ///     channels fits others.
    ///   - decoder: Decodes the map.
    ///   - limits: The limits of the sides, pixels and bytes of the changed map.
    /// - Returns: Nil if the map is damaged, or can't be kept right. The image is then shown without it, and
    ///   `ConversionLoss` says so.
    /// - Throws: `CancellationError` or `ImageDecodingError.cancelled` if the task is cancelled, or an `ImageEncodingError`.
    public func applying(
        _ changes: [Change], of source: ImageHeader, keepsPrimaries: Bool, decoder: any SizedImageDecoder,
        limits: DecodingLimits = .default
    ) throws -> EmbeddedGainMap? {
        guard isGray || keepsPrimaries else { return nil }
        do {
            let (bitmap, isChanged) = try bitmap(after: changes, of: source, decoder: decoder, limits: limits) {
                Task.isCancelled
            }
            if !isChanged, isJPEG { return self }
            let encoder = PlatformCodecs.gainMapEncoder(isGray: isGray)
            return try replacingPixels(with: encoder.encode(bitmap, options: EncodingOptions(quality: Self.quality)))
        } catch let error as ImageDecodingError where error != .cancelled {
            return nil
        }
    }

    /// Returns the pixels of the map for an upright image that was changed, and whether they differ from those of its file.
    func bitmap(
        after changes: [Change], of source: ImageHeader, decoder: any SizedImageDecoder, limits: DecodingLimits,
        isCancelled: @Sendable () -> Bool
    ) throws -> (bitmap: Bitmap, isChanged: Bool) {
        let stored = try decoder.decode(fileWithoutColor(), request: DecodingRequest(), isCancelled: isCancelled).bitmap
        var map = try OrientationProcessor(isJPEG ? source.orientation : .up).process(stored)
        var horizontal = Double(map.size.width) / Double(source.size.width)
        var vertical = Double(map.size.height) / Double(source.size.height)
        guard isJPEG || abs(horizontal / vertical - 1) < 0.1 else {
            throw ImageDecodingError.unsupported(source.format, "a gain map that is turned or cut in another way")
        }
        for change in changes {
            switch change {
            case .turned(let orientation):
                map = try OrientationProcessor(orientation).process(map)
                if orientation.swapsAxes { swap(&horizontal, &vertical) }
            case .resized(let part, let size):
                func side(_ length: Int, _ ratio: Double) -> Int { max(1, Int((Double(length) * ratio).rounded())) }
                let size = PixelSize(width: side(size.width, horizontal), height: side(size.height, vertical))
                map = try ResizeProcessor(part, stretchedTo: size, limits: limits).process(map)
            }
        }
        return (map, !map.sharesPixels(with: stored))
    }
}
