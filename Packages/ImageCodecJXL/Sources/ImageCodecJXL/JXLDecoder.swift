#if JXL
    import CImageCodecJXL
    import ISOBoxes
    public import ImageCore

    /// Decodes JPEG XL (ISO/IEC 18181): lossy, lossless and recompressed JPEG, with any bit depth, alpha and animation, as a
    /// codestream or in a container.
    ///
    /// libjxl decodes whole images at their stored size, so a decode needs memory for the RGBA image and the working memory
    /// of libjxl. `DecodingLimits.decodedByteLimit` is checked before that memory is allocated. libjxl 0.7 has no memory limit of
    /// its own and ends the process if an allocation fails. The headers of all frames are therefore read in Swift first.
    ///
    /// Images are delivered in their stored color space. Those that are stored as XYB have the transfer function of sRGB, PQ or
    /// HLG, and are delivered in Display P3 if they have a profile. CMYK is not supported.
    public struct JXLDecoder: ImageDecoder, PoolingImageDecoder {
        private let pool: PixelBufferPool?

        /// Creates a decoder.
        ///
        /// - Parameter pool: Provides the memory of images and takes it back. Use the pool of the cache that stores them.
        public init(pool: PixelBufferPool? = nil) { self.pool = pool }

        public var format: ImageFormat { .jpegXL }

        package func using(_ pool: PixelBufferPool) -> JXLDecoder { JXLDecoder(pool: self.pool ?? pool) }

        /// Returns whether the data starts with the signature of a codestream (ISO/IEC 18181-1, annex A) or of a container
        /// (ISO/IEC 18181-2, 9.1).
        public func recognizes(_ prefix: Data) -> Bool { FileSignature.format(of: prefix) == .jpegXL }

        /// Reads the headers of the image and of each frame. Decodes no pixels. A truncated file is accepted if the header of
        /// the first displayed frame is complete.
        public func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any OpenedImage {
            try limits.check(.encodedBytes, data.count)
            guard recognizes(data.prefix(12)) else {
                let isShort = data.count < 12 && JXLContainer.signature.starts(with: data)
                throw isShort ? .truncated(.jpegXL) : .malformed(.jpegXL, "the signature is missing")
            }
            let codestream = try JXLContainer.codestream(of: data)
            let session = try JXLSession()
            guard let info = try session.readHeader(of: codestream, limits: limits) else { throw .truncated(.jpegXL) }
            var frames = JXLFrameList(after: session.position, of: info)
            try frames.read(codestream, limits: limits)
            guard frames.first != nil else { throw .truncated(.jpegXL) }
            let opened = OpenedJXL(codestream, info: info, frames: frames, session: session, limits: limits, pool: pool)
            opened.header.hasGainMap = JXLContainer.hasGainMap(data)
            return opened
        }
    }

    extension JXLDecoder: IncrementalImageDecoder {
        /// Creates an image without bytes. Previews of lossy images show the whole image in growing detail, and those of
        /// other images show rows. Animations have no previews.
        public func makeIncrementalImage(limits: DecodingLimits) -> any IncrementalImage {
            IncrementalJXL(limits: limits)
        }
    }

    /// A JPEG XL file whose headers have been read.
    final class OpenedJXL: OpenedImage {
        fileprivate(set) var header: ImageHeader
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
        func heldByteCount(frame index: Int, size: PixelSize, layout: PixelLayout) -> Int {
            let bytes = info.size.byteCount(layout)
            return header.frameCount > 1 ? bytes.plus(frames.workingBytes) : bytes
        }

        func decode(
            frame index: Int, size: PixelSize, layout: PixelLayout, preference: DecodingPreference,
            into sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            guard frames.durations.indices.contains(index) else {
                let isMissing = !frames.isComplete && index >= frames.durations.count
                throw isMissing ? .truncated(.jpegXL) : .noSuchFrame(index, frameCount: frames.durations.count)
            }
            guard size == info.size, layout == .rgba8 || layout == info.nativeLayout else {
                throw .unsupported(.jpegXL, "the image can only be decoded at \(info.size)")
            }
            let byteCount = size.byteCount(layout)
            try limits.check(.decodedBytes, byteCount.plus(frames.workingBytes))
            let isWritten = try sink.receiveImage(byteCount: byteCount) { pixels throws(ImageDecodingError) in
                if try decode(index, layout: layout, to: &pixels, sink) != nil { throw .truncated(.jpegXL) }
            }
            if isWritten { return }
            var pixels = pool?.takeFilled(byteCount: byteCount) ?? [UInt8](repeating: 0, count: byteCount)
            let rows = try decode(index, layout: layout, to: &pixels, sink)
            defer { pool?.give(pixels) }
            try send(rows ?? size.height, of: pixels, layout: layout, to: sink)
            if rows != nil { throw .truncated(.jpegXL) }
        }

        private func send(
            _ rows: Int, of pixels: [UInt8], layout: PixelLayout, to sink: any PixelRowSink
        ) throws(ImageDecodingError) {
            let bytes = pixels.span
            let stride = info.size.width * layout.bytesPerPixel
            for y in 0..<rows { try sink.receive(bytes.extracting(y * stride..<(y + 1) * stride)) }
        }

        /// Decodes a frame. Returns nil, or the number of available rows if the file ends before the frame does.
        private func decode(
            _ index: Int, layout: PixelLayout, to pixels: inout [UInt8], _ sink: any PixelRowSink
        ) throws(ImageDecodingError) -> Int? {
            let session = try session(at: index)
            // Discarded unless the frame is complete, because libjxl would write to its memory.
            self.session = nil
            let result = unsafe pixels.withUnsafeMutableBufferPointer { target in
                Result { () throws(ImageDecodingError) -> Int? in
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
        private func session(at index: Int) throws(ImageDecodingError) -> JXLSession {
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
        ) throws(ImageDecodingError) -> Int? {
            let pieceCount = max(1, info.size.area >> 19)
            let piece =
                frames.mustBeDecodedWhole
                ? codestream.count : min(max(codestream.count / pieceCount, 4 << 10), 64 << 10)
            while true {
                try sink.checkCancellation()
                let end = min(codestream.count, session.position + piece)
                switch session.process(codestream, through: end) {
                case jxl_has_header: session.repeatHeader()
                case jxl_needs_output: unsafe try session.setOutput(output, layout: layout)
                case jxl_frame_done: return nil
                case jxl_needs_input: if end == codestream.count { return availableRows(of: session) }
                case jxl_finished: throw .malformed(.jpegXL, "a frame is missing")
                default: throw .malformed(.jpegXL, "libjxl rejected the data")
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

    /// The boxes of a file (ISO/IEC 18181-2).
    ///
    /// Only the codestream is passed to libjxl: boxes with metadata and JPEG reconstruction data don't affect the pixels.
    enum JXLContainer {
        static let codestreamSignature: [UInt8] = [0xFF, 0x0A]
        static let signature: [UInt8] = [0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20, 13, 10, 0x87, 10]

        /// Returns whether these first bytes of a file are enough to find its signature.
        static func hasSignature(_ bytes: Data) -> Bool {
            bytes.count >= signature.count || bytes.starts(with: codestreamSignature)
        }

        /// Returns the available parts of the codestream. Throws `.malformed` if the file has no signature.
        static func parts(of file: Data) throws(ImageDecodingError) -> [Data] {
            if file.starts(with: codestreamSignature) { return [file] }
            guard file.starts(with: signature) else { throw .malformed(.jpegXL, "the signature is missing") }
            var reader = BoxReader(file, format: .jpegXL)
            var parts: [Data] = []
            for box in try reader.fileBoxes() {
                let bytes = reader.bytes(in: box.content)
                // A file has either form. What arrived first stays, so that a download and a file have the same image.
                if box.name == "jxlc" { return parts.isEmpty ? [bytes] : parts }
                guard box.name == "jxlp", let first = bytes.first else { continue }
                // A part starts with its number, whose highest bit marks the last part.
                parts.append(bytes.dropFirst(4))
                if first & 0x80 != 0 { break }
            }
            return parts
        }

        /// Returns whether a file has a box with a gain map (ISO/IEC 18181-2:2024, 9.10).
        static func hasGainMap(_ file: Data) -> Bool {
            var reader = BoxReader(file, format: .jpegXL)
            return file.starts(with: signature) && (try? reader.fileBoxes())?.contains { $0.name == "jhgm" } == true
        }

        /// Returns the codestream of a file, without copying it unless it is divided.
        static func codestream(of file: Data) throws(ImageDecodingError) -> Data {
            let parts = try parts(of: file)
            guard let first = parts.first else { throw .truncated(.jpegXL) }
            return parts.count == 1 ? first : Data(parts.joined())
        }
    }
#else
    public import ImageCore

    /// Without the trait, there is only the name, so that the compiler says what is missing.
    @available(*, unavailable, message: "enable the trait JXL of swift-image-loading, and install libjxl-dev (Debian)")
    // It never runs: the compiler refuses each call.
    public func JXLDecoder() -> any ImageDecoder { fatalError() }
#endif
