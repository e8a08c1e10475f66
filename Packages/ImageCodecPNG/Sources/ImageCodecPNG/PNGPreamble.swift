import CImageCodecPNG
import ImageCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of the chunks before the pixels.
struct PNGPreamble {
    let header: PNGHeader
    /// The RGB colors, three bytes each. Empty if there is no PLTE chunk.
    private(set) var palette: [UInt8] = []
    /// The data of the tRNS chunk. Empty if there is none.
    private(set) var transparency: [UInt8] = []
    private var profile: Data?
    private var calibration = PNGCalibration()
    private var orientation: ImageOrientation?
    private let limits: DecodingLimits

    init(_ header: PNGHeader, limits: DecodingLimits) {
        self.header = header
        self.limits = limits
    }

    var hasAlpha: Bool { header.color.hasAlpha || !transparency.isEmpty }

    /// Reads a chunk before the pixels. Repeated chunks are ignored, except for IHDR and PLTE, which throw.
    mutating func read(_ chunk: PNGChunk) throws(DecodingFailure) {
        switch chunk.type {
        case .header: throw .malformed(.png, "two headers")
        case .palette: try readPalette(chunk.data)
        case .transparency: readTransparency(chunk.data)
        case .profile:
            if profile == nil { profile = PNGProfile.inflated(chunk.data, isGray: header.color.isGray, limits: limits) }
        case .exif: orientation = orientation ?? ExifReader.orientation(in: Data(chunk.data))
        default: calibration.read(chunk)
        }
    }

    /// Checks that the preamble is complete when the pixels start.
    func check() throws(DecodingFailure) {
        if header.color == .indexed, palette.isEmpty { throw .malformed(.png, "the palette is missing") }
    }

    /// Reads the palette of an indexed image. In other images it is a suggestion and ignored.
    private mutating func readPalette(_ data: [UInt8]) throws(DecodingFailure) {
        guard palette.isEmpty else { throw .malformed(.png, "two palettes") }
        guard header.color == .indexed else { return }
        guard data.count.isMultiple(of: 3), !data.isEmpty else {
            throw .malformed(.png, "the palette has \(data.count) bytes")
        }
        palette = Array(data.prefix(3 << header.depth))
    }

    private mutating func readTransparency(_ data: [UInt8]) {
        guard transparency.isEmpty else { return }
        let isValid =
            switch header.color {
            case .gray: data.count == 2
            case .rgb: data.count == 6
            case .indexed: !data.isEmpty && data.count <= palette.count / 3
            case .grayAlpha, .rgba: false
            }
        if isValid { transparency = data }
    }
}

extension PNGPreamble {
    var imageHeader: ImageHeader {
        let profile = calibration.overridesProfile ? nil : profile
        return ImageHeader(
            format: .png, storedSize: header.size, orientation: orientation ?? .up, hasAlpha: hasAlpha,
            colorProfile: profile,
            nativeLayout: profile == nil ? .rgba8 : profileLayout,
            colorCalibration: profile == nil ? calibration.calibration(isGray: header.color.isGray) : nil)
    }

    /// The layout of the profile. A gray profile only applies to gray pixels.
    private var profileLayout: PixelLayout {
        guard header.color.isGray else { return .rgba8 }
        return hasAlpha ? .grayAlpha8 : .gray8
    }

    /// The format for the C decoder.
    var format: ilp_format {
        var format = ilp_format()
        format.width = UInt32(header.size.width)
        format.height = UInt32(header.size.height)
        format.depth = UInt8(header.depth)
        format.color_type = UInt8(header.color.rawValue)
        format.is_interlaced = header.isInterlaced
        if header.color == .indexed {
            setPalette(of: &format)
        } else if !transparency.isEmpty {
            format.has_key = true
            let key = stride(from: 0, to: transparency.count, by: 2).map {
                UInt16(transparency[$0]) << 8 | UInt16(transparency[$0 + 1])
            }
            format.key = (key[0], key.count > 1 ? key[1] : 0, key.count > 2 ? key[2] : 0)
        }
        return format
    }

    private func setPalette(of format: inout ilp_format) {
        unsafe withUnsafeMutableBytes(of: &format.palette) { entries in
            for index in 0..<256 {
                let color = index * 3 < palette.count ? palette[index * 3..<index * 3 + 3] : [0, 0, 0]
                let alpha = index < transparency.count ? transparency[index] : 255
                for (channel, value) in (Array(color) + [alpha]).enumerated() {
                    unsafe entries[index * 4 + channel] = value
                }
            }
        }
    }

    /// Returns the size in bytes of an interlaced image in `layout`, otherwise 0. Returns `Int.max` on overflow.
    func heldBytes(layout: PixelLayout) -> Int { header.isInterlaced ? imageBytes(layout) : 0 }

    /// Returns the size of the whole image in bytes. Returns `Int.max` on overflow.
    func imageBytes(_ layout: PixelLayout) -> Int {
        let (bytes, overflow) = header.size.area.multipliedReportingOverflow(by: layout.bytesPerPixel)
        return overflow ? .max : bytes
    }

    /// Returns the size in bytes of the rows in progress: two stored rows and one in the layout.
    func rowBytes(_ layout: PixelLayout) -> Int {
        2 * header.storedRowBytes + header.size.width * layout.bytesPerPixel
    }
}
