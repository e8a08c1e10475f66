#if JXL
    import CImageCodecJXL
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The header of an image (ISO/IEC 18181-1, annex D), without frames.
    struct JXLInfo {
        let size: PixelSize
        let previewSize: PixelSize
        let hasPreview: Bool
        let orientation: ImageOrientation
        let hasAlpha: Bool
        let hasAnimation: Bool
        let hasTimecodes: Bool
        /// Whether the image is stored in the color space XYB.
        let isXYB: Bool
        /// The number of channels in addition to the colors, including alpha.
        let extraChannelCount: Int
        let loopCount: Int
        let colorProfile: Data?
        /// The layout in which the profile can be applied.
        let nativeLayout: PixelLayout
        let colorCalibration: ColorCalibration?
        /// Whether libjxl converts an image of floats to the output, because it divides by alpha or delivers gray.
        let needsFloatImage: Bool
        private let ticks: (numerator: Int, denominator: Int)

        /// Throws `.unsupported` or `.limitExceeded`.
        init(_ header: jxl_header, profile: Data?, limits: DecodingLimits) throws(DecodingFailure) {
            size = PixelSize(width: Int(header.width), height: Int(header.height))
            try limits.check(size)
            try Self.checkColorSpace(of: header)
            previewSize = PixelSize(width: Int(header.preview_width), height: Int(header.preview_height))
            hasPreview = header.has_preview != 0
            orientation = ImageOrientation(rawValue: Int(header.orientation)) ?? .up
            hasAlpha = header.has_alpha != 0
            hasAnimation = header.has_animation != 0
            hasTimecodes = header.has_timecodes != 0
            isXYB = header.is_xyb != 0
            extraChannelCount = Int(header.extra_channels)
            loopCount = Int(header.loops)
            ticks = (max(1, Int(header.ticks_numerator)), Int(header.ticks_denominator))
            colorProfile = profile
            let isGray = header.is_gray != 0 && profile != nil
            nativeLayout = !isGray ? .rgba8 : hasAlpha ? .grayAlpha8 : .gray8
            colorCalibration = header.has_profile != 0 ? nil : ColorCalibration(header)
            needsFloatImage = header.is_premultiplied != 0 || isGray
        }

        private static func checkColorSpace(of header: jxl_header) throws(DecodingFailure) {
            if header.has_black != 0 { throw .unsupported(.jxl, "CMYK") }
            let transfers = [header.stored_transfer, header.transfer]
            if transfers.contains(jxl_transfer_pq) { throw .unsupported(.jxl, "the transfer function PQ") }
            if transfers.contains(jxl_transfer_hlg) { throw .unsupported(.jxl, "the transfer function HLG") }
        }

        /// Returns the header of a file with these durations of frames, in ticks.
        func header(durations: [Int]) -> ImageHeader {
            var header = ImageHeader(
                format: .jxl, storedSize: size, orientation: orientation, hasAlpha: hasAlpha,
                colorProfile: colorProfile, nativeLayout: nativeLayout, colorCalibration: colorCalibration)
            if durations.count > 1 {
                header.frameCount = durations.count
                header.frameDelays = durations.map(delay)
                header.loopCount = loopCount
            }
            return header
        }

        /// Returns the time for which a frame is shown. As in browsers, up to 10 ms become 100 ms.
        private func delay(_ duration: Int) -> Duration {
            let delay = Duration.microseconds(duration.times(ticks.denominator).times(1_000_000) / ticks.numerator)
            return delay <= .milliseconds(10) ? .milliseconds(100) : delay
        }
    }

    extension ColorCalibration {
        /// Creates the calibration of the decoded pixels. Nil for sRGB.
        fileprivate init?(_ header: jxl_header) {
            let transfer = header.transfer == jxl_transfer_gamma ? Transfer.gamma(header.gamma) : .srgb
            let calibration = ColorCalibration(
                transfer: transfer, white: .init(header.white), red: .init(header.red), green: .init(header.green),
                blue: .init(header.blue))
            if transfer == .srgb, calibration.isClose(to: ColorCalibration(transfer: .srgb)) { return nil }
            self = calibration
        }

        /// Returns whether the chromaticities are the same within the precision of files.
        private func isClose(to other: ColorCalibration) -> Bool {
            zip([white, red, green, blue], [other.white, other.red, other.green, other.blue]).allSatisfy {
                abs($0.x - $1.x) < 0.0001 && abs($0.y - $1.y) < 0.0001
            }
        }
    }

    extension ColorCalibration.Chromaticity {
        fileprivate init(_ coordinates: (Double, Double)) { self.init(x: coordinates.0, y: coordinates.1) }
    }
#endif
