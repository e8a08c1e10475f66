#if canImport(ImageIO)
    import CoreGraphics
    import Foundation
    import ImageCore
    import ImageIO

    /// Reads the properties of a file and its images with ImageIO.
    struct SourceReader {
        let source: CGImageSource
        let format: ImageFormat

        init(_ source: CGImageSource, format: ImageFormat) {
            self.source = source
            self.format = format
        }

        /// The number of frames. 1 for HEIC and AVIF, whose other images may be of any kind.
        var frameCount: Int { isAnimatable ? CGImageSourceGetCount(source) : min(1, CGImageSourceGetCount(source)) }

        /// Whether the bytes so far have the size of an image.
        var hasImage: Bool { frameCount > 0 && properties(of: 0)[kCGImagePropertyPixelHeight] != nil }

        /// Returns ImageIO's index of a frame.
        func index(of frame: Int) -> Int { isAnimatable ? frame : CGImageSourceGetPrimaryImageIndex(source) }

        private var isAnimatable: Bool { AnimationKeys(format) != nil }

        func header(limits: DecodingLimits) throws(ImageDecodingError) -> ImageHeader {
            let count = frameCount
            guard count > 0 else { throw failure(of: CGImageSourceGetStatus(source)) }
            try limits.check(.frames, count)
            let first = properties(of: 0)
            guard let width = first[kCGImagePropertyPixelWidth] as? Int, width > 0,
                let height = first[kCGImagePropertyPixelHeight] as? Int, height > 0
            else { throw failure(of: CGImageSourceGetStatusAtIndex(source, index(of: 0))) }
            let size = PixelSize(width: width, height: height)
            try limits.check(size)
            var header = ImageHeader(format: format, storedSize: size, frameCount: count)
            header.orientation = (first[kCGImagePropertyOrientation] as? Int).flatMap(ImageOrientation.init) ?? .up
            header.hasAlpha = first[kCGImagePropertyHasAlpha] as? Bool ?? (count > 1)
            header.hasGainMap = hasGainMap
            if count > 1 {
                header.frameDelays = (0..<count).map(delay)
                header.loopCount = loopCount
            }
            return header
        }

        /// The smallest color space with all colors of the images.
        ///
        /// ImageIO decodes the pixels of this image when it is drawn, so never.
        var gamut: ColorSpace {
            let options = [kCGImageSourceDecodeRequest: kCGImageSourceDecodeToSDR] as [CFString: Any]
            let image = CGImageSourceCreateImageAtIndex(source, index(of: 0), options as CFDictionary)
            return image?.colorSpace?.isWideGamutRGB == true ? .displayP3 : .sRGB
        }

        private var hasGainMap: Bool {
            let contents = CGImageSourceCopyProperties(source, nil) as? [CFString: Any] ?? [:]
            let images = (contents[kCGImagePropertyFileContentsDictionary] as? [CFString: Any])?[kCGImagePropertyImages]
            let auxiliary = (images as? [[CFString: Any]] ?? []).flatMap {
                $0[kCGImagePropertyAuxiliaryData] as? [[CFString: Any]] ?? []
            }
            let types = [kCGImageAuxiliaryDataTypeHDRGainMap, kCGImageAuxiliaryDataTypeISOGainMap] as [CFString]
            return auxiliary.contains { data in
                types.contains { $0 as String == data[kCGImagePropertyAuxiliaryDataType] as? String }
            }
        }

        /// Returns the error for a status other than complete.
        func failure(of status: CGImageSourceStatus) -> ImageDecodingError {
            switch status {
            case .statusUnexpectedEOF, .statusIncomplete, .statusReadingHeader: .truncated(format)
            case .statusUnknownType: .unsupported(format, "this version of the system can't read the format")
            default: .malformed(format, "ImageIO rejected the data")
            }
        }

        private func properties(of frame: Int) -> [CFString: Any] {
            CGImageSourceCopyPropertiesAtIndex(source, index(of: frame), nil) as? [CFString: Any] ?? [:]
        }

        /// Returns the stored delay, adjusted by the rule of `ImageHeader` instead of ImageIO's.
        private func delay(of frame: Int) -> Duration {
            guard let keys = AnimationKeys(format),
                let animation = properties(of: frame)[keys.dictionary] as? [CFString: Any],
                let seconds = animation[keys.delay] as? Double, seconds > 0.010_5, seconds < 86_400
            else { return .milliseconds(100) }
            return .milliseconds(Int((seconds * 1000).rounded()))
        }

        /// The number of plays, 0 to loop forever, 1 if there is none. A GIF stores the repetitions after the first
        /// play.
        private var loopCount: Int {
            guard let keys = AnimationKeys(format),
                let properties = CGImageSourceCopyProperties(source, nil) as? [CFString: Any],
                let animation = properties[keys.dictionary] as? [CFString: Any],
                let count = animation[keys.loopCount] as? Int, count >= 0
            else { return 1 }
            return format == .gif && count > 0 ? count + 1 : count
        }
    }

    extension ImageFormat {
        /// A sequence of HEVC images (public.heics).
        fileprivate static let heics = ImageFormat(rawValue: "heics")
    }

    /// ImageIO's property keys of animations.
    struct AnimationKeys {
        let dictionary: CFString
        /// The delay as stored.
        let delay: CFString
        /// The delay to write. Nil if ImageIO can't write animations in the format.
        var writtenDelay: CFString?
        let loopCount: CFString

        init?(_ format: ImageFormat) {
            switch format {
            case .gif:
                dictionary = kCGImagePropertyGIFDictionary
                delay = kCGImagePropertyGIFUnclampedDelayTime
                writtenDelay = kCGImagePropertyGIFDelayTime
                loopCount = kCGImagePropertyGIFLoopCount
            case .png:
                dictionary = kCGImagePropertyPNGDictionary
                delay = kCGImagePropertyAPNGUnclampedDelayTime
                writtenDelay = kCGImagePropertyAPNGDelayTime
                loopCount = kCGImagePropertyAPNGLoopCount
            case .webP:
                dictionary = kCGImagePropertyWebPDictionary
                delay = kCGImagePropertyWebPUnclampedDelayTime
                loopCount = kCGImagePropertyWebPLoopCount
            case .heics:
                dictionary = kCGImagePropertyHEICSDictionary
                delay = kCGImagePropertyHEICSUnclampedDelayTime
                writtenDelay = kCGImagePropertyHEICSDelayTime
                loopCount = kCGImagePropertyHEICSLoopCount
            default: return nil
            }
        }
    }
#endif
