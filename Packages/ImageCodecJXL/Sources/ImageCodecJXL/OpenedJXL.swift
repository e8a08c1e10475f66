#if JXL
    import CImageCodecJXL
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// A JPEG XL file whose headers have been read.
    final class OpenedJXL: OpenedImage {
        let header: ImageHeader
        private let codestream: Data
        private let info: JXLInfo
        private let frames: JXLFrameList
        private let limits: DecodingLimits
        private let pool: PixelBufferPool?
        /// The decoder after the last frame. Decoding in order costs one frame each. Nil after a failure.
        private var session: JXLSession?
        /// The next frame of `session`.
        private var nextFrame = 0

        init(
            _ codestream: Data, info: JXLInfo, frames: JXLFrameList, session: JXLSession, limits: DecodingLimits,
            pool: PixelBufferPool?
        ) {
            self.codestream = codestream
            self.info = info
            self.frames = frames
            self.session = session
            self.limits = limits
            self.pool = pool
            header = info.header(durations: frames.durations)
        }

        /// Returns the stored size. The low frequencies alone could be decoded, but libjxl takes as long for that.
        func decodableSize(covering target: PixelSize) -> PixelSize { info.size }

        /// Returns the size of the image in bytes. For an animation, adds the frames that libjxl stores.
        func heldBytes(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
            let bytes = info.size.area.times(layout.bytesPerPixel)
            return header.frameCount > 1 ? bytes.plus(frames.workingBytes) : bytes
        }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(DecodingFailure) {
            guard frames.durations.indices.contains(index) else {
                let isMissing = !frames.isComplete && index >= frames.durations.count
                throw isMissing ? .truncated(.jxl) : .noSuchFrame(index, frameCount: frames.durations.count)
            }
            guard size == info.size, layout == .rgba8 || layout == info.nativeLayout else {
                throw .unsupported(.jxl, "the image can only be decoded at \(info.size)")
            }
            let byteCount = size.area.times(layout.bytesPerPixel)
            try limits.check(.decodedBytes, byteCount.plus(frames.workingBytes))
            let isWritten = try sink.receiveImage(byteCount: byteCount) { pixels throws(DecodingFailure) in
                if try decode(index, layout: layout, to: &pixels, sink) != nil { throw .truncated(.jxl) }
            }
            if isWritten { return }
            var pixels = pool?.takeFilled(byteCount: byteCount) ?? [UInt8](repeating: 0, count: byteCount)
            let rows = try decode(index, layout: layout, to: &pixels, sink)
            defer { pool?.give(pixels) }
            try send(rows ?? size.height, of: pixels, layout: layout, to: sink)
            if rows != nil { throw .truncated(.jxl) }
        }

        private func send(
            _ rows: Int, of pixels: [UInt8], layout: PixelLayout, to sink: any PixelRowSink
        ) throws(DecodingFailure) {
            let bytes = pixels.span
            let stride = info.size.width * layout.bytesPerPixel
            for y in 0..<rows { try sink.receive(bytes.extracting(y * stride..<(y + 1) * stride)) }
        }

        /// Decodes a frame. Returns nil, or the number of available rows if the file ends before the frame does.
        private func decode(
            _ index: Int, layout: PixelLayout, to pixels: inout [UInt8], _ sink: any PixelRowSink
        ) throws(DecodingFailure) -> Int? {
            let session = try session(at: index)
            // Discarded unless the frame is complete, because libjxl would write to its memory.
            self.session = nil
            let result = unsafe pixels.withUnsafeMutableBufferPointer { target in
                Result { () throws(DecodingFailure) -> Int? in
                    unsafe try run(session, layout: layout, output: target, sink)
                }
            }
            let rows = try result.get()
            if rows == nil {
                self.session = session
                nextFrame = index + 1
            }
            return rows
        }

        /// Returns a decoder whose next frame is `index`.
        private func session(at index: Int) throws(DecodingFailure) -> JXLSession {
            guard let session else {
                let session = try JXLSession()
                session.skip(index)
                return session
            }
            if index < nextFrame {
                try session.restart(at: index)
            } else {
                session.skip(index - nextFrame)
            }
            return session
        }

        /// Passes the codestream to libjxl in pieces of about half a megapixel, to allow cancellation, or as a whole if
        /// libjxl needs that.
        private func run(
            _ session: JXLSession, layout: PixelLayout, output: UnsafeMutableBufferPointer<UInt8>,
            _ sink: any PixelRowSink
        ) throws(DecodingFailure) -> Int? {
            let pieceCount = max(1, info.size.area >> 19)
            let piece =
                frames.haveReorderedSections
                ? codestream.count : min(max(codestream.count / pieceCount, 4 << 10), 64 << 10)
            while true {
                try sink.checkCancellation()
                let end = min(codestream.count, session.position + piece)
                switch session.process(codestream, through: end) {
                case jxl_has_header: session.repeatHeader()
                case jxl_needs_output: unsafe try session.setOutput(output, layout: layout)
                case jxl_frame_done: return nil
                case jxl_needs_input: if end == codestream.count { return availableRows(of: session) }
                case jxl_finished: throw .malformed(.jxl, "a frame is missing")
                default: throw .malformed(.jxl, "libjxl rejected the data")
                }
            }
        }

        /// Returns the number of rows of a truncated frame that can be shown.
        private func availableRows(of session: JXLSession) -> Int {
            guard let first = frames.first, session.flush() else { return 0 }
            if !first.showsDetail(info) { return header.frameCount == 1 ? first.completeRows(in: codestream.count) : 0 }
            return info.size.height
        }
    }
#endif
