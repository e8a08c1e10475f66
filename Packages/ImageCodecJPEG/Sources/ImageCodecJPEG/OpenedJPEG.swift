import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A JPEG file whose header is read. Each decode reads the file anew, so it can be asked for several sizes.
final class OpenedJPEG: OpenedImage {
    let header: ImageHeader
    private let data: Data
    private let limits: DecodingLimits
    private let coefficientBytes: Int

    init(_ data: Data, limits: DecodingLimits) throws(DecodingFailure) {
        let bytes = data.span
        let found = try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(DecodingFailure) in
            try unsafe JPEGReader(bytes).readHeader(limits: limits)
        }
        header = found.imageHeader
        coefficientBytes = found.coefficientBytes
        self.data = data
        self.limits = limits
    }

    func decodableSize(covering target: PixelSize) -> PixelSize {
        DCTScale.smallest(of: header.storedSize, covering: target).applied(to: header.storedSize)
    }

    /// The coefficients of a picture of several scans.
    func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int { coefficientBytes }

    func decode(
        frame index: Int, size: PixelSize, layout: PixelLayout, into sink: any PixelRowSink
    ) throws(DecodingFailure) {
        if index != 0 { throw .noSuchFrame(index, frameCount: 1) }
        guard let scale = DCTScale.giving(size, from: header.storedSize) else {
            throw .unsupported(.jpeg, "\(header.storedSize) does not scale to \(size)")
        }
        guard layout == .rgba8 || layout == header.nativeLayout else {
            throw .unsupported(.jpeg, "this picture has no pixels of layout \(layout)")
        }
        let bytes = data.span
        try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(DecodingFailure) in
            let reader = try unsafe JPEGReader(bytes)
            let header = try reader.readHeader(limits: limits)
            try header.checkMemory(for: size, layout: layout, limits: limits)
            try reader.start(size: size, layout: layout, scale: scale, limits: limits)
            try reader.readRows(size: size, layout: layout, into: sink)
        }
    }
}

/// The scales at which the library's inverse DCT has vector code: 1, 1/2, 1/4, 1/8.
struct DCTScale {
    let denominator: Int

    private static let all = [1, 2, 4, 8].map(DCTScale.init)

    /// Sizes are rounded up.
    func applied(to size: PixelSize) -> PixelSize {
        PixelSize(
            width: (size.width + denominator - 1) / denominator, height: (size.height + denominator - 1) / denominator)
    }

    static func smallest(of size: PixelSize, covering target: PixelSize) -> DCTScale {
        let covering = all.last { scale in
            let scaled = scale.applied(to: size)
            return scaled.width >= target.width && scaled.height >= target.height
        }
        return covering ?? all[0]
    }

    /// The largest scale that turns `size` into `scaled`; tiny pictures keep their size at several.
    static func giving(_ scaled: PixelSize, from size: PixelSize) -> DCTScale? {
        all.first { $0.applied(to: size) == scaled }
    }
}
