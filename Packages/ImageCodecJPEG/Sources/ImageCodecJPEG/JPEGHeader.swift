import CImageCodecJPEG
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of the markers before the first scan.
struct JPEGHeader {
    let size: PixelSize
    let model: ilj_color_model
    /// The maximum size of the coefficients in bytes at scale 1, 1/2, 1/4 and 1/8. 0 for an image with one scan.
    let coefficientBytes: [Int]
    let hasSeveralScans: Bool
    let isProgressive: Bool
    /// The Exif segments, in the order of the file. Some programs put an empty or a damaged one before the real one.
    let exif: [Data]
    let profile: Data?

    var imageHeader: ImageHeader {
        ImageHeader(
            format: .jpeg, storedSize: size, orientation: exif.lazy.compactMap(ExifReader.orientation).first ?? .up,
            colorProfile: profile, nativeLayout: nativeLayout)
    }

    /// The layout of the profile, if any: gray and CMYK profiles only apply to pixels of their color model.
    private var nativeLayout: PixelLayout {
        if profile == nil || model == ILJ_COLOR { return .rgba8 }
        return model == ILJ_GRAY ? .gray8 : .cmyk8
    }

    /// Returns the scale for `output`.
    ///
    /// - Throws: `.unsupported` if no scale has this size, or if the image can't be decoded to `layout`.
    func scale(to output: PixelSize, layout: PixelLayout) throws(DecodingFailure) -> DCTScale {
        guard let scale = DCTScale.giving(output, from: size) else {
            throw .unsupported(.jpeg, "\(size) can't be scaled to \(output)")
        }
        guard layout == .rgba8 || layout == nativeLayout else {
            throw .unsupported(.jpeg, "the image can't be decoded to the layout \(layout)")
        }
        return scale
    }

    /// Returns the size of the coefficients in bytes while the image is decoded to `output`.
    func heldBytes(for output: PixelSize) -> Int {
        let scale = DCTScale.giving(output, from: size)?.denominator ?? 1
        return coefficientBytes[scale.trailingZeroBitCount]
    }

    /// Checks that the output at `size` and the coefficients together are within the limit.
    func checkMemory(for size: PixelSize, layout: PixelLayout, limits: DecodingLimits) throws(DecodingFailure) {
        let (output, overflow) = size.area.multipliedReportingOverflow(by: layout.bytesPerPixel)
        let (sum, sumOverflow) = output.addingReportingOverflow(heldBytes(for: size))
        try limits.check(.decodedBytes, overflow || sumOverflow ? .max : sum)
    }
}

extension ilj_layout {
    init(_ layout: PixelLayout) {
        switch layout {
        case .gray8, .grayAlpha8: self = ILJ_GRAY8
        case .cmyk8: self = ILJ_CMYK8
        case .rgba8: self = ILJ_RGBA8
        }
    }
}
