#if AVIF
    import CImageCodecAVIF
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Decodes frames with libavif.
    ///
    /// Safe: the handle is valid from `open` to `deinit` and never leaves the class. libavif keeps pointers to the bytes
    /// and doesn't copy them. It uses them only in calls within `withUnsafeBytes` that find the bytes at the address at
    /// which they were opened; otherwise they are opened again. Rows are written to memory of the size that the C code
    /// requires.
    @safe final class AVIFReader {
        /// The properties of the image.
        private(set) var info = avif_info()
        /// The ICC profile; nil if there is none, or if it exceeds the limit.
        private(set) var profile: Data?
        private let data: Data
        private let limits: DecodingLimits
        private var handle: OpaquePointer?
        private var address: UnsafeRawPointer?
        /// The frame of which the handle has the pixels.
        private var decodedFrame: Int?
        /// Whether the handle has decoded a frame or failed to.
        private var isUsed = false

        /// Reads the container. Throws `.limitExceeded` if libavif finds that an image is too large.
        init(of data: Data, limits: DecodingLimits) throws(DecodingFailure) {
            self.data = data
            self.limits = limits
            let outcome = unsafe withHandle { _ in avif_ok }
            if outcome == avif_too_large { try checkSize() }
            try check(outcome)
            if info.profile_length > 0, info.profile_length <= limits.metadataBytes { profile = try copyProfile() }
        }

        deinit { close() }

        /// Decodes a frame, and those before it that it needs. Calls `checkCancellation` before each.
        ///
        /// Each keyframe is decoded by a new handle. Otherwise the frames of a damaged file would depend on those that
        /// were decoded before.
        func decode(_ frame: Int, for sink: any PixelRowSink) throws(DecodingFailure) {
            if frame == decodedFrame { return }
            var next = nearestKeyframe(before: frame)
            if let decodedFrame, (next..<frame).contains(decodedFrame) {
                next = decodedFrame + 1
            } else if isUsed {
                close()
            }
            decodedFrame = nil
            isUsed = true
            for index in next...frame {
                try sink.checkCancellation()
                try check(unsafe withHandle { handle in unsafe avif_reader_decode(handle, UInt32(index)) })
            }
            decodedFrame = frame
        }

        private func nearestKeyframe(before frame: Int) -> Int {
            var keyframe = UInt32(frame)
            _ = unsafe withHandle { handle in
                keyframe = unsafe avif_reader_nearest_keyframe(handle, keyframe)
                return avif_ok
            }
            return min(Int(keyframe), frame)
        }

        /// Converts rows of the decoded frame to RGBA.
        ///
        /// - Parameter target: Space for three more rows, each of the whole width.
        /// - Returns: The number of rows in the target before the first wanted one.
        func convert(_ rows: Range<Int>, to target: inout [UInt8]) throws(DecodingFailure) -> Int {
            precondition(target.count >= 4 * Int(info.width) * (rows.count + 3))
            var skipped: UInt32 = 0
            let outcome = unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe withHandle { handle in
                    unsafe avif_reader_rows(
                        handle, UInt32(rows.lowerBound), UInt32(rows.count), target.baseAddress, &skipped)
                }
            }
            try check(outcome)
            return Int(skipped)
        }

        /// Converts rows of the decoded and cropped frame, smaller by `divisor`, to RGBA without padding.
        func convert(_ rows: Range<Int>, divisor: Int, to target: inout [UInt8]) throws(DecodingFailure) {
            precondition([2, 4, 8].contains(divisor))
            precondition(target.count >= 4 * ((Int(info.crop_width) + divisor - 1) / divisor) * rows.count)
            let outcome = unsafe target.withUnsafeMutableBufferPointer { target in
                unsafe withHandle { handle in
                    unsafe avif_reader_smaller_rows(
                        handle, CInt(divisor), UInt32(rows.lowerBound), UInt32(rows.count), target.baseAddress)
                }
            }
            try check(outcome)
        }

        private func copyProfile() throws(DecodingFailure) -> Data {
            var bytes = [UInt8](repeating: 0, count: info.profile_length)
            let outcome = unsafe bytes.withUnsafeMutableBufferPointer { target in
                unsafe withHandle { handle in
                    if let start = target.baseAddress { unsafe avif_reader_copy_profile(handle, start) }
                    return avif_ok
                }
            }
            try check(outcome)
            return Data(bytes)
        }

        /// Calls `body` with an open handle while the bytes are valid.
        @unsafe private func withHandle(_ body: (OpaquePointer) -> avif_outcome) -> avif_outcome {
            unsafe data.withUnsafeBytes { bytes in
                if unsafe handle == nil || address != bytes.baseAddress {
                    let outcome = unsafe open(bytes)
                    if outcome != avif_ok { return outcome }
                }
                guard let handle = unsafe handle else { return avif_out_of_memory }
                return unsafe body(handle)
            }
        }

        private func close() {
            if let handle = unsafe handle { unsafe avif_reader_close(handle) }
            unsafe handle = nil
        }

        @unsafe private func open(_ bytes: UnsafeRawBufferPointer) -> avif_outcome {
            close()
            unsafe address = bytes.baseAddress
            return unsafe avif_reader_open(bytes.baseAddress, bytes.count, avif_limits(limits), &handle, &info)
        }

        /// Throws `.limitExceeded` or `.unsupported` for the size at which libavif stopped.
        private func checkSize() throws(DecodingFailure) {
            let size = PixelSize(width: Int(info.width), height: Int(info.height))
            try limits.check(size)
            throw .unsupported(.avif, "libavif doesn't decode images of \(size)")
        }
    }

    extension avif_limits {
        fileprivate init(_ limits: DecodingLimits) {
            func clamped(_ limit: Int) -> UInt32 { UInt32(min(max(limit, 1), Int(Int32.max))) }
            self.init(pixels: clamped(limits.pixels), side: clamped(limits.side), frames: clamped(limits.frames))
        }
    }

    /// Throws the error of `outcome` unless it is `avif_ok`.
    private func check(_ outcome: avif_outcome) throws(DecodingFailure) {
        switch outcome {
        case avif_ok: return
        case avif_truncated: throw .truncated(.avif)
        case avif_unsupported: throw .unsupported(.avif, "libavif does not support this kind of image")
        case avif_out_of_memory: throw .unsupported(.avif, "libavif could not allocate memory")
        default: throw .malformed(.avif, "libavif rejected the data")
        }
    }
#endif
