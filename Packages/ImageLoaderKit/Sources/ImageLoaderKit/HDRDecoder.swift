public import ImageCore
import ImageMetadata
import ImageProcessing

#if canImport(ImageIO)
    import ImageCodecImageIO
#endif

/// Applies gain maps for displays of high dynamic range, if a request asks for it (`DecodingRequest.dynamicRange`).
///
/// The image gets `Bitmap.hdr`, which takes twice the memory of its other pixels. On Linux, maps of JPEG, HEIC and AVIF
/// files are applied by Ultra HDR Image Format 1.1 and ISO 21496-1. On Apple's platforms, the system applies those that it
/// knows, and reduces the brightness where the image is drawn. With a damaged map or another kind, an image has standard
/// range only. Previews and the frames of animations have, too.
public struct HDRDecoder: SizedImageDecoder {
    private let decoder: any SizedImageDecoder
    private let limits: DecodingLimits

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - decoder: Decodes images and maps.
    ///   - limits: `decodedByteLimit` applies to all pixels of an image together.
    public init(_ decoder: any SizedImageDecoder, limits: DecodingLimits = .default) {
        self.decoder = decoder
        self.limits = limits
    }

    public func header(of data: Data) throws(ImageDecodingError) -> ImageHeader { try decoder.header(of: data) }

    public func decode(
        _ data: Data, request: DecodingRequest, isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> DecodedImage {
        guard request.dynamicRange != .standard, request.frame == 0, case let header = try decoder.header(of: data),
            header.hasGainMap
        else { return try decoder.decode(data, request: request, isCancelled: isCancelled) }
        var base = request
        base.color = Self.baseColor(for: request)
        var image = try decoder.decode(data, request: base, isCancelled: isCancelled)
        try limits.check(.decodedBytes, 3 * image.bitmap.byteCount)
        let hdr = try hdr(of: image.bitmap, header, data, request, isCancelled)
        if case .space(let space) = request.color { image.bitmap = image.bitmap.converted(to: space) }
        if let hdr { image.bitmap = image.bitmap.adding(hdr) }
        return image
    }

    /// Returns the color in which to decode the image of standard range. The maps on Linux have gains for the primaries of the
    /// file.
    private static func baseColor(for request: DecodingRequest) -> OutputColor {
        #if canImport(ImageIO)
            return request.color
        #else
            return .automatic
        #endif
    }

    private func hdr(
        of bitmap: Bitmap, _ header: ImageHeader, _ data: Data, _ request: DecodingRequest,
        _ isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> HDRPixels? {
        let region = request.target?.region(of: header.size) ?? PixelRegion(header.size)
        #if canImport(ImageIO)
            return bitmap.isOpaque ? HDRPixels(of: data, showing: region, of: header.size, in: bitmap.size) : nil
        #else
            guard let map = EmbeddedGainMap(of: data) else { return nil }
            let part = UnitRegion(region, of: header.size)
            return try hdr(of: bitmap, header, by: map, part, request.dynamicRange, isCancelled)
        #endif
    }

    private func hdr(
        of bitmap: Bitmap, _ header: ImageHeader, by map: EmbeddedGainMap, _ part: UnitRegion, _ range: DynamicRange,
        _ isCancelled: @Sendable () -> Bool
    ) throws(ImageDecodingError) -> HDRPixels? {
        do {
            let pixels = try map.bitmap(
                after: [.resized(part, to: bitmap.size)], of: header, decoder: decoder, limits: limits,
                isCancelled: isCancelled
            ).bitmap
            return try map.hdr(of: bitmap, by: pixels, for: range, isCancelled: isCancelled)
        } catch let error as ImageDecodingError where error != .cancelled {
            return nil
        } catch {
            throw .cancelled
        }
    }

    public func makeFrameReader(of data: Data, request: DecodingRequest) throws(ImageDecodingError) -> any FrameReader {
        try decoder.makeFrameReader(of: data, request: request)
    }

    public func makeSession(request: DecodingRequest, throttle: PreviewThrottle) -> (any DecodingSession)? {
        decoder.makeSession(request: request, throttle: throttle)
    }
}
