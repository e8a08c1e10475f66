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
        /// Nil if there is none, or if it exceeds the limit.
        let colorProfile: Data?
        private let header: jxl_header

        /// Throws `.unsupported` or `.limitExceeded`.
        init(_ header: jxl_header, profile: Data?, limits: DecodingLimits) throws(DecodingFailure) {
            size = PixelSize(width: Int(header.width), height: Int(header.height))
            try limits.check(size)
            try Self.checkColorSpace(of: header)
            colorProfile = profile
            self.header = header
        }

        var hasPreview: Bool { header.has_preview != 0 }
        var previewSize: PixelSize {
            PixelSize(width: Int(header.preview_width), height: Int(header.preview_height))
        }
        var hasAnimation: Bool { header.has_animation != 0 }
        var hasTimecodes: Bool { header.has_timecodes != 0 }
        /// Whether the image is stored in the color space XYB.
        var isXYB: Bool { header.is_xyb != 0 }
        /// The number of channels in addition to the colors, including alpha.
        var extraChannelCount: Int { Int(header.extra_channels) }
        private var hasGrayProfile: Bool { header.is_gray != 0 && colorProfile != nil }
        /// The layout in which the profile can be applied.
        var nativeLayout: PixelLayout { !hasGrayProfile ? .rgba8 : header.has_alpha != 0 ? .grayAlpha8 : .gray8 }
        /// Whether libjxl converts an image of floats to the output, because it divides by alpha or delivers gray.
        var needsFloatImage: Bool { header.is_premultiplied != 0 || hasGrayProfile }

        private static func checkColorSpace(of header: jxl_header) throws(DecodingFailure) {
            if header.has_black != 0 { throw .unsupported(.jxl, "CMYK") }
            let transfers = [header.stored_transfer, header.transfer]
            if transfers.contains(jxl_transfer_pq) { throw .unsupported(.jxl, "the transfer function PQ") }
            if transfers.contains(jxl_transfer_hlg) { throw .unsupported(.jxl, "the transfer function HLG") }
        }

        /// Returns the header of a file with these durations of frames, in ticks.
        func header(durations: [Int]) -> ImageHeader {
            var result = ImageHeader(
                format: .jxl, storedSize: size,
                orientation: ImageOrientation(rawValue: Int(header.orientation)) ?? .up,
                hasAlpha: header.has_alpha != 0, colorProfile: colorProfile, nativeLayout: nativeLayout,
                colorCalibration: header.has_profile != 0 ? nil : ColorCalibration(header))
            if durations.count > 1 {
                result.frameCount = durations.count
                result.frameDelays = durations.map(delay)
                result.loopCount = Int(header.loops)
            }
            return result
        }

        /// Returns the time for which a frame is shown. As in browsers, up to 10 ms become 100 ms.
        private func delay(_ duration: Int) -> Duration {
            let (numerator, denominator) = (max(1, Int(header.ticks_numerator)), Int(header.ticks_denominator))
            let delay = Duration.microseconds(duration.times(denominator).times(1_000_000) / numerator)
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
