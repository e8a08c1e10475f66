#if AVIF
    import CImageCodecAVIF
    import ImageCore

    /// Decodes frames with libavif.
    ///
    /// Safe: the handle is valid from `init` to `deinit` and never leaves the class. Rows are written to memory of the
    /// size that the C code requires.
    @safe final class AVIFReader {
        /// The properties of the image.
        let info: avif_info
        private let handle: OpaquePointer
        /// The frame of which the handle has the pixels.
        private var decodedFrame: Int?
        /// Whether the handle has decoded a frame or failed to.
        private var isUsed = false

        /// Reads the container. Throws `.limitExceeded` if libavif finds that an image is too large.
        init(of data: Data, limits: DecodingLimits) throws(ImageDecodingError) {
            var info = avif_info()
            var handle: OpaquePointer?
            let outcome = unsafe data.withUnsafeBytes { bytes in
                unsafe avif_reader_open(bytes.baseAddress, bytes.count, avif_limits(limits), &handle, &info)
            }
            if outcome == avif_too_large {
                let size = PixelSize(width: Int(info.width), height: Int(info.height))
                try limits.check(size)
                throw .unsupported(.avif, "libavif doesn't decode images of \(size)")
            }
            try check(outcome)
            guard let handle = unsafe handle else { throw .unsupported(.avif, "libavif could not allocate memory") }
            unsafe self.handle = handle
            self.info = info
        }

        deinit { unsafe avif_reader_close(handle) }

        /// Returns the ICC profile; nil if there is none, or if it exceeds the limit.
        func profile(limit: Int) -> Data? {
            guard info.profile_length > 0, info.profile_length <= limit else { return nil }
            var profile = Data(count: info.profile_length)
            unsafe profile.withUnsafeMutableBytes { target in
                if let start = target.baseAddress { unsafe avif_reader_copy_profile(handle, start) }
            }
            return profile
        }

        /// Decodes a frame, and those before it that it needs. Calls `checkCancellation` before each.
        ///
        /// Each keyframe is decoded after a restart. Otherwise the frames of a damaged file would depend on those that
        /// were decoded before.
        func decode(_ frame: Int, for sink: any PixelRowSink) throws(ImageDecodingError) {
            if frame == decodedFrame { return }
            var next = min(frame, Int(unsafe avif_reader_nearest_keyframe(handle, UInt32(frame))))
            if let decodedFrame, (next..<frame).contains(decodedFrame) {
                next = decodedFrame + 1
            } else if isUsed {
                try check(unsafe avif_reader_restart(handle))
            }
            decodedFrame = nil
            isUsed = true
            for index in next...frame {
                try sink.checkCancellation()
                try check(unsafe avif_reader_decode(handle, UInt32(index)))
            }
            decodedFrame = frame
        }

        /// Converts rows of the decoded frame to `.rgba8` or `.rgba16`. `target` has space for three more rows, each of
        /// the whole width. Returns the number of rows in it before the first wanted one.
        func convert(
            _ rows: Range<Int>, _ layout: PixelLayout, to target: inout [UInt8]
        ) throws(ImageDecodingError) -> Int {
            precondition(target.count >= layout.bytesPerPixel * Int(info.width) * (rows.count + 3))
            var skipped: UInt32 = 0
            let outcome = unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe avif_reader_rows(
                    handle, layout.depth, UInt32(rows.lowerBound), UInt32(rows.count), target.baseAddress, &skipped)
            }
            try check(outcome)
            return Int(skipped)
        }

        /// Converts rows of the decoded and cropped frame, smaller by `divisor`, without padding.
        func convert(
            _ rows: Range<Int>, divisor: Int, _ layout: PixelLayout, to target: inout [UInt8]
        ) throws(ImageDecodingError) {
            precondition([2, 4, 8].contains(divisor))
            let width = (Int(info.crop_width) + divisor - 1) / divisor
            precondition(target.count >= layout.bytesPerPixel * width * rows.count)
            let outcome = unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe avif_reader_smaller_rows(
                    handle, layout.depth, CInt(divisor), UInt32(rows.lowerBound), UInt32(rows.count), target.baseAddress
                )
            }
            try check(outcome)
        }
    }

    extension PixelLayout {
        fileprivate var depth: CInt { self == .rgba16 ? 16 : 8 }
    }

    extension avif_limits {
        fileprivate init(_ limits: DecodingLimits) {
            func clamped(_ limit: Int) -> UInt32 { UInt32(min(max(limit, 1), Int(Int32.max))) }
            self.init(
                pixels: clamped(limits.maxPixels), side: clamped(limits.maxSide), frames: clamped(limits.maxFrames))
        }
    }

    /// Throws the error of `outcome` unless it is `avif_ok`.
    private func check(_ outcome: avif_outcome) throws(ImageDecodingError) {
        switch outcome {
        case avif_ok: return
        case avif_truncated: throw .truncated(.avif)
        case avif_unsupported: throw .unsupported(.avif, "libavif does not support this kind of image")
        case avif_out_of_memory: throw .unsupported(.avif, "libavif could not allocate memory")
        default: throw .malformed(.avif, "libavif rejected the data")
        }
    }
#endif
