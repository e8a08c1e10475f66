#if JXL
    import CImageCodecJXL
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A libjxl decoder that reads a codestream in pieces.
    ///
    /// Safe: the handle is valid from `init` to `deinit` and never leaves the class. libjxl uses the input during a call
    /// only. The caller of `setOutput` keeps the memory valid.
    @safe final class JXLSession {
        /// The number of bytes of the codestream that were read.
        private(set) var position = 0
        private let handle: OpaquePointer

        init() throws(DecodingFailure) {
            guard let handle = unsafe jxl_open() else { throw .unsupported(.jxl, "libjxl could not allocate memory") }
            unsafe self.handle = handle
        }

        deinit { unsafe jxl_close(handle) }

        /// Reads the codestream from `position` to `end`, or up to an event.
        func process(_ codestream: Data, through end: Int) -> jxl_event {
            var used = 0
            let event = unsafe codestream.withUnsafeBytes { bytes in
                let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[position..<max(position, end)])
                return unsafe jxl_process(
                    handle, part.baseAddress?.assumingMemoryBound(to: UInt8.self), part.count, &used)
            }
            position += used
            return event
        }

        /// Reads the header. Returns nil if the codestream ends before.
        ///
        /// An ICC profile can be 256 times as large as its compressed form. Its size is limited by the number of bytes that
        /// are read.
        func readHeader(of codestream: Data, limits: DecodingLimits) throws(DecodingFailure) -> JXLInfo? {
            while true {
                let end = min(codestream.count, position + 16 << 10)
                if position > 0, end == position { return nil }
                switch process(codestream, through: end) {
                case jxl_has_header: return try info(limits: limits)
                case jxl_needs_input:
                    try limits.check(.decodedBytes, position.times(512))
                    if end == codestream.count { return nil }
                default: throw .malformed(.jxl, "libjxl rejected the header")
                }
            }
        }

        private func info(limits: DecodingLimits) throws(DecodingFailure) -> JXLInfo {
            var header = jxl_header()
            guard unsafe jxl_read_header(handle, &header) != 0 else {
                throw .unsupported(.jxl, "the color space is unknown")
            }
            let isUsed = header.has_profile != 0 && header.profile_length <= limits.metadataBytes
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
        func restart(at frame: Int) throws(DecodingFailure) {
            guard unsafe jxl_restart(handle, frame) != 0 else { throw .malformed(.jxl, "libjxl could not restart") }
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
        ) throws(DecodingFailure) {
            let isSet = unsafe jxl_set_output(
                handle, CInt(layout.bytesPerPixel), pixels.baseAddress, pixels.count)
            if isSet == 0 { throw .malformed(.jxl, "the image has another size than its header") }
        }

        /// Writes the decoded part of the frame to the output. Returns false if nothing can be shown.
        func flush() -> Bool { unsafe jxl_flush(handle) != 0 }
    }
#endif
