#if canImport(ImageIO)
    import CoreGraphics
    import Foundation
    import ImageCore
    import ImageIO

    /// What ImageIO says about a file and its images.
    struct SourceReader {
        let source: CGImageSource
        let format: ImageFormat

        init(_ source: CGImageSource, format: ImageFormat) {
            self.source = source
            self.format = format
        }

        /// Frames of the formats that have animations. Of HEIC and AVIF the primary image alone is one: the others in such a
        /// file may be anything.
        var frameCount: Int { isAnimatable ? CGImageSourceGetCount(source) : min(1, CGImageSourceGetCount(source)) }

        /// ImageIO's number of a frame.
        func index(of frame: Int) -> Int { isAnimatable ? frame : CGImageSourceGetPrimaryImageIndex(source) }

        private var isAnimatable: Bool { [.gif, .png, .webp].contains(format) }

        func header(limits: DecodingLimits) throws(DecodingFailure) -> ImageHeader {
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
            if count > 1 {
                header.frameDelays = (0..<count).map(delay)
                header.loopCount = loopCount
            }
            return header
        }

        /// What a status other than complete means.
        func failure(of status: CGImageSourceStatus) -> DecodingFailure {
            switch status {
            case .statusUnexpectedEOF, .statusIncomplete, .statusReadingHeader: .truncated(format)
            case .statusUnknownType: .unsupported(format, "this version of the system does not read it")
            default: .malformed(format, "ImageIO refuses it")
            }
        }

        private func properties(of frame: Int) -> [CFString: Any] {
            CGImageSourceCopyPropertiesAtIndex(source, index(of: frame), nil) as? [CFString: Any] ?? [:]
        }

        /// As stored, not as ImageIO would play it; then the rule of `ImageHeader`.
        private func delay(of frame: Int) -> Duration {
            guard let keys = AnimationKeys(format),
                let animation = properties(of: frame)[keys.dictionary] as? [CFString: Any],
                let seconds = animation[keys.delay] as? Double, seconds > 0.010_5, seconds < 86_400
            else { return .milliseconds(100) }
            return .milliseconds(Int((seconds * 1000).rounded()))
        }

        /// A GIF's extension counts the repetitions after the first time (0 for ever); the others count the times. None: once.
        private var loopCount: Int {
            guard let keys = AnimationKeys(format),
                let properties = CGImageSourceCopyProperties(source, nil) as? [CFString: Any],
                let animation = properties[keys.dictionary] as? [CFString: Any],
                let count = animation[keys.loopCount] as? Int, count >= 0
            else { return 1 }
            return format == .gif && count > 0 ? count + 1 : count
        }
    }

    /// Under which keys ImageIO tells about animations of a format.
    private struct AnimationKeys {
        let dictionary: CFString
        let delay: CFString
        let loopCount: CFString

        init?(_ format: ImageFormat) {
            switch format {
            case .gif:
                dictionary = kCGImagePropertyGIFDictionary
                delay = kCGImagePropertyGIFUnclampedDelayTime
                loopCount = kCGImagePropertyGIFLoopCount
            case .png:
                dictionary = kCGImagePropertyPNGDictionary
                delay = kCGImagePropertyAPNGUnclampedDelayTime
                loopCount = kCGImagePropertyAPNGLoopCount
            case .webp:
                dictionary = kCGImagePropertyWebPDictionary
                delay = kCGImagePropertyWebPUnclampedDelayTime
                loopCount = kCGImagePropertyWebPLoopCount
            default: return nil
            }
        }
    }
#endif
