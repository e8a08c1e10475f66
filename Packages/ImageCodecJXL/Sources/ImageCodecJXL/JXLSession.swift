#if JXL
    import CImageCodecJXL
    import ImageCore

    /// A libjxl decoder that reads a codestream in pieces.
    ///
    /// Safe: the handle is valid from `init` to `deinit` and never leaves the class. libjxl uses the input during a call
    /// only. The caller of `setOutput` keeps the memory valid.
    @safe final class JXLSession {
        /// The number of bytes of the codestream that were read.
        private(set) var position = 0
        private let handle: OpaquePointer

        /// - Parameter composesLayers: Whether the layers of an image are composed, or are frames of their own.
        init(composesLayers: Bool = true) throws(ImageDecodingError) {
            guard let handle = unsafe jxl_open(composesLayers ? 1 : 0) else {
                throw .unsupported(.jpegXL, "libjxl could not allocate memory")
            }
            unsafe self.handle = handle
        }

        deinit { unsafe jxl_close(handle) }

        /// Reads the codestream from `position` to `end`, or up to an event.
        func process(_ codestream: Data, through end: Int) -> jxl_event {
            let part = codestream.dropFirst(position).prefix(max(0, end - position))
            let (event, used) = process(part)
            position += used
            return event
        }

        /// Reads bytes up to an event. Returns the number of bytes that were read.
        private func process(_ bytes: Data) -> (event: jxl_event, used: Int) {
            var used = 0
            let event = unsafe bytes.withUnsafeBytes { bytes in
                unsafe jxl_process(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count, &used)
            }
            return (event, used)
        }

        /// Reads the header. Returns nil if the codestream ends before. Limits the bytes that are read, because an ICC
        /// profile can be 256 times as large as its compressed form.
        func readHeader(of codestream: Data, limits: DecodingLimits) throws(ImageDecodingError) -> JXLInfo? {
            while true {
                let end = min(codestream.count, position + 16 << 10)
                if position > 0, end == position { return nil }
                switch process(codestream, through: end) {
                case jxl_has_header: return try info(limits: limits)
                case jxl_needs_input:
                    try limits.check(.decodedBytes, position.times(512))
                    if end == codestream.count { return nil }
                default: throw .malformed(.jpegXL, "libjxl rejected the header")
                }
            }
        }

        private func info(limits: DecodingLimits) throws(ImageDecodingError) -> JXLInfo {
            var header = jxl_header()
            guard unsafe jxl_read_header(handle, &header) != 0 else {
                throw .unsupported(.jpegXL, "the color space is unknown")
            }
            let isUsed = header.has_profile != 0 && header.profile_length <= limits.metadataByteLimit
            return try JXLInfo(header, profile: isUsed ? profile(header.profile_length) : nil, limits: limits)
        }

        private func profile(_ length: Int) -> Data? {
            var profile = Data(count: length)
            let isCopied = unsafe profile.withUnsafeMutableBytes { bytes in
                let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return unsafe jxl_copy_profile(handle, start, length) != 0
            }
            return isCopied && length > 0 ? profile : nil
        }

        /// Repeats the choice of a color space, which is forgotten by `restart`.
        func repeatHeader() {
            var header = jxl_header()
            _ = unsafe jxl_read_header(handle, &header)
        }

        /// Starts again at the first byte, and then delivers no frame before `frame`.
        func restart(at frame: Int) throws(ImageDecodingError) {
            guard unsafe jxl_restart(handle, frame) != 0 else { throw .malformed(.jpegXL, "libjxl could not restart") }
            position = 0
        }

        /// Skips frames. Call it only between two frames.
        func skip(_ frames: Int) {
            if frames > 0 { unsafe jxl_skip(handle, frames) }
        }

        /// Sets the memory of the current frame, which must stay valid until it is done or the session is restarted or
        /// released.
        @unsafe func setOutput(
            _ pixels: UnsafeMutableBufferPointer<UInt8>, layout: PixelLayout
        ) throws(ImageDecodingError) {
            let isSet = unsafe jxl_set_output(
                handle, CInt(layout == .rgba16 ? 4 : layout.bytesPerPixel), layout == .rgba16 ? 16 : 8,
                pixels.baseAddress, pixels.count)
            if isSet == 0 { throw .malformed(.jpegXL, "the image has another size than its header") }
        }

        /// Writes the decoded part of the frame to the output. Returns false if nothing can be shown.
        func flush() -> Bool { unsafe jxl_flush(handle) != 0 }
    }

    extension JXLSession {
        /// Returns the offset of the end of a frame that stores its sections in another order.
        ///
        /// libjxl reads the order and the lengths of sections, but doesn't tell their sum. It can skip the rest of a frame
        /// once it has read them. Here, zeros follow in place of the rest, which are empty frames. The distance at which
        /// libjxl finds the first of them is the length of the rest.
        ///
        /// - Parameters:
        ///   - needed: The earlier frames without which libjxl rejects this one, directly before it.
        ///   - header: The length of the header of the image.
        /// - Throws: `.truncated` if the order is incomplete or the frame ends after `limit`, or `.malformed`.
        static func end(
            ofReordered frame: JXLFrame, after needed: Range<Int>, in codestream: Data, header: Int, limit: Int
        ) throws(ImageDecodingError) -> Int {
            let session = try JXLSession(composesLayers: false)
            _ = session.process(codestream.prefix(header))
            var offset = needed.upperBound
            let earlier = codestream.dropFirst(needed.lowerBound).prefix(needed.count)
            if !earlier.isEmpty, session.processFrame(earlier).used < earlier.count { throw invalidOrder }
            // A length has at least 12 bits. The byte that completes the last one is not known.
            var bytes = codestream.dropFirst(offset).prefix(12 * frame.sectionCount / 8)
            while unsafe jxl_skip_rest(session.handle) == 0 {
                if bytes.isEmpty { throw .truncated(.jpegXL) }
                let event = session.processFrame(bytes).event
                guard event == jxl_needs_input || event == jxl_needs_output else { throw invalidOrder }
                offset += bytes.count
                bytes = codestream.dropFirst(offset).prefix(1)
            }
            return try offset + session.skippedBytes(limit: limit)
        }

        /// Reads bytes of a frame up to an event. libjxl can need its first byte to tell that the header is complete.
        private func processFrame(_ bytes: Data) -> (event: jxl_event, used: Int) {
            let header = process(bytes)
            guard header.event == jxl_has_header else { return header }
            let frame = process(bytes.dropFirst(header.used))
            return (frame.event, header.used + frame.used)
        }

        private static var invalidOrder: ImageDecodingError {
            .malformed(.jpegXL, "the order of the sections is invalid")
        }

        /// Passes zeros. Returns the number of zeros that are skipped before the first empty frame.
        private func skippedBytes(limit: Int) throws(ImageDecodingError) -> Int {
            let zeros = Data(count: 1 << 20)
            var count = 0
            while true {
                let (event, used) = process(zeros)
                count += used
                if event == jxl_needs_output { break }
                guard event == jxl_needs_input else { throw Self.invalidOrder }
                guard count <= limit else { throw .truncated(.jpegXL) }
            }
            unsafe jxl_skip_rest(handle)
            return count - process(zeros).used
        }
    }

    /// The header of an image (ISO/IEC 18181-1, annex D), without frames.
    struct JXLInfo {
        let size: PixelSize
        /// The color of the output. A profile that exceeds the limit counts as sRGB.
        private let color: SourceColor
        private let header: jxl_header

        /// Throws `.unsupported` or `.limitExceeded`.
        init(_ header: jxl_header, profile: Data?, limits: DecodingLimits) throws(ImageDecodingError) {
            size = PixelSize(width: Int(header.width), height: Int(header.height))
            try limits.check(size)
            if header.has_black != 0 { throw .unsupported(.jpegXL, "CMYK") }
            self.header = header
            color = SourceColor(header, profile: profile)
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
        private var hasGrayProfile: Bool { header.is_gray != 0 && color.profile != nil }
        /// The layout in which the profile can be applied.
        var nativeLayout: PixelLayout {
            if color.isHDR { return .rgba16 }
            return !hasGrayProfile ? .rgba8 : header.has_alpha != 0 ? .grayAlpha8 : .gray8
        }
        /// Whether libjxl converts an image of floats to the output, because it divides by alpha, or delivers gray
        /// or 16 bits.
        var needsFloatImage: Bool { header.is_premultiplied != 0 || nativeLayout != .rgba8 }

        /// Returns the header of a file with these durations of frames, in ticks.
        func header(durations: [Int]) -> ImageHeader {
            var result = ImageHeader(
                format: .jpegXL, storedSize: size,
                orientation: ImageOrientation(rawValue: Int(header.orientation)) ?? .up,
                hasAlpha: header.has_alpha != 0, color: color, nativeLayout: nativeLayout)
            if durations.count > 1 {
                result.frameCount = durations.count
                result.frameDelays = durations.map(delay)
                result.loopCount = Int(header.loops)
            }
            return result
        }

        /// Returns the time for which a frame is shown.
        private func delay(_ duration: Int) -> Duration {
            let (numerator, denominator) = (max(1, Int(header.ticks_numerator)), Int(header.ticks_denominator))
            return Duration.microseconds(duration.times(denominator).times(1_000_000) / numerator).shownDelay
        }
    }

    extension SourceColor {
        fileprivate init(_ header: jxl_header, profile: Data?) {
            if let profile {
                self.init(profile: profile)
            } else if header.has_profile != 0 {
                self = .sRGB
            } else {
                self.init(
                    primaries: RGBPrimaries(
                        white: .init(header.white), red: .init(header.red), green: .init(header.green),
                        blue: .init(header.blue)),
                    transfer: TransferFunction(header))
                // Files store chromaticities in steps of 0.000001.
                for known in [RGBPrimaries.sRGB, .displayP3] where primaries.isClose(to: known, within: 0.0001) {
                    primaries = known
                }
            }
            setPeak(header.peak)
        }
    }

    extension TransferFunction {
        fileprivate init(_ header: jxl_header) {
            switch header.transfer {
            case jxl_transfer_pq: self = .pq
            case jxl_transfer_hlg: self = .hlg
            case jxl_transfer_gamma: self = .gamma(header.gamma)
            default: self = .sRGB
            }
        }
    }

    extension jxl_header {
        /// The luminance of the brightest pixel. Encoders that don't know that of PQ write its largest one, or the default of
        /// the format (ISO/IEC 18181-1, table D.10), which is below what PQ is used for.
        fileprivate var peak: Double? {
            if transfer == jxl_transfer_pq, intensity_target == 255 || intensity_target >= 10_000 { return nil }
            return Double(intensity_target)
        }
    }

    extension RGBPrimaries.Chromaticity {
        fileprivate init(_ coordinates: (Double, Double)) { self.init(x: coordinates.0, y: coordinates.1) }
    }
#endif
