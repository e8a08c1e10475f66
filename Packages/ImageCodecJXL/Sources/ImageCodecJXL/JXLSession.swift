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

        /// - Parameter composesLayers: Whether the layers of an image are composed, or are frames of their own.
        init(composesLayers: Bool = true) throws(DecodingFailure) {
            guard let handle = unsafe jxl_open(composesLayers ? 1 : 0) else {
                throw .unsupported(.jxl, "libjxl could not allocate memory")
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

    extension JXLSession {
        /// Returns the offset of the end of a frame that stores its sections in another order.
        ///
        /// libjxl reads the order and the lengths of sections, but doesn't tell their sum. It can skip the rest of a frame
        /// once it has read them. Here, zeros follow in place of the rest, which are empty frames. The distance at which
        /// libjxl finds the first of them is the length of the rest.
        ///
        /// - Throws: `.truncated` if the order is incomplete or the frame ends after `limit`, or `.malformed`.
        static func end(
            ofReordered frame: JXLFrame, at start: Int, in codestream: Data, after headerEnd: Int, limit: Int
        ) throws(DecodingFailure) -> Int {
            let session = try JXLSession(composesLayers: false)
            _ = session.process(codestream.prefix(headerEnd))
            var offset = start
            // A length has at least 12 bits. The byte that completes the last one is not known.
            var bytes = codestream.dropFirst(start).prefix(12 * frame.sectionCount / 8)
            while unsafe jxl_skip_rest(session.handle) == 0 {
                if bytes.isEmpty { throw .truncated(.jxl) }
                let event = session.process(bytes).event
                guard event == jxl_needs_input || event == jxl_needs_output else { throw invalidOrder }
                offset += bytes.count
                bytes = codestream.dropFirst(offset).prefix(1)
            }
            return try offset + session.skippedBytes(limit: limit)
        }

        private static var invalidOrder: DecodingFailure { .malformed(.jxl, "the order of the sections is invalid") }

        /// Passes zeros. Returns the number of zeros that are skipped before the first empty frame.
        private func skippedBytes(limit: Int) throws(DecodingFailure) -> Int {
            let zeros = Data(count: 1 << 20)
            var count = 0
            while true {
                let (event, used) = process(zeros)
                count += used
                if event == jxl_needs_output { break }
                guard event == jxl_needs_input else { throw Self.invalidOrder }
                guard count <= limit else { throw .truncated(.jxl) }
            }
            unsafe jxl_skip_rest(handle)
            return count - process(zeros).used
        }
    }
#endif
