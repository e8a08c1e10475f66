import CImageCodecJPEG
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the markers before the first scan say.
struct JPEGHeader {
    enum Model {
        case gray, color, ink
    }

    let size: PixelSize
    let model: Model
    /// Bytes that are held for the whole image at 1, 1/2, 1/4 and 1/8, at most; 0 for an image of one scan.
    let coefficientBytes: [Int]
    let hasSeveralScans: Bool
    let isProgressive: Bool
    let exif: Data?
    let profile: Data?

    var imageHeader: ImageHeader {
        ImageHeader(
            format: .jpeg, storedSize: size, orientation: exif.flatMap(ExifReader.orientation) ?? .up,
            colorProfile: profile, nativeLayout: nativeLayout)
    }

    /// A profile for grey or ink can only be applied to grey or ink.
    private var nativeLayout: PixelLayout {
        switch model {
        case .color: .rgba8
        case .gray: profile == nil ? .rgba8 : .gray8
        case .ink: profile == nil ? .rgba8 : .cmyk8
        }
    }

    /// The scale that gives `size`. Throws `.unsupported` when there is none, or no pixels of that layout.
    func scale(to output: PixelSize, layout: PixelLayout) throws(DecodingFailure) -> DCTScale {
        guard let scale = DCTScale.giving(output, from: size) else {
            throw .unsupported(.jpeg, "\(size) does not scale to \(output)")
        }
        guard layout == .rgba8 || layout == nativeLayout else {
            throw .unsupported(.jpeg, "this image has no pixels of layout \(layout)")
        }
        return scale
    }

    /// The coefficients that are held while the image is decoded to `output`.
    func heldBytes(for output: PixelSize) -> Int {
        let scale = DCTScale.giving(output, from: size)?.denominator ?? 1
        return coefficientBytes[scale.trailingZeroBitCount]
    }

    /// The output of a decode to `size` and the coefficients together must fit in the limit.
    func checkMemory(for size: PixelSize, layout: PixelLayout, limits: DecodingLimits) throws(DecodingFailure) {
        let (output, overflow) = size.area.multipliedReportingOverflow(by: layout.bytesPerPixel)
        let (sum, sumOverflow) = output.addingReportingOverflow(heldBytes(for: size))
        try limits.check(.decodedBytes, overflow || sumOverflow ? .max : sum)
    }
}

extension JPEGHeader.Model {
    init?(_ model: ilj_model) {
        switch model {
        case ILJ_GRAY: self = .gray
        case ILJ_COLOR: self = .color
        case ILJ_CMYK: self = .ink
        default: return nil
        }
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
